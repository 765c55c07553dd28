// What the page shows and steers: a simulation as it runs, or the frames of a run that is over.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "brim/simulation.h"
#include "view/audience.h"
#include "view/command.h"

namespace brim::view {

/// A thread of its own works; commands wait for it in a queue of bounded length.
class Session {
 public:
  virtual ~Session() = default;
  /// Takes a message from the page: obeys it soon, or returns what is wrong with it.
  std::string receive(std::string_view text);
  void start(Audience&);
  /// Ends the thread after its present step. Every session's destructor calls it.
  void stop();

 protected:
  virtual void work() = 0;
  /// The commands that have come, those replaced by later ones left out. Waits for one for up to `seconds`.
  std::deque<Command> take(double seconds);
  bool stopping() const { return stop_; }
  Audience& audience() { return *audience_; }

 private:
  void guarded();
  Audience* audience_ = nullptr;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<Command> queue_;
  std::atomic<bool> stop_ = false;
};

/// A simulation of the scene file with these settings. Starts running, or paused.
std::unique_ptr<Session> liveSession(const std::string& file, const std::vector<Setting>&, const Options&, bool paused = false);

/// The frames in the folder of a run. Throws Failure if there are none.
std::unique_ptr<Session> playback(const std::string& folder);

}  // namespace brim::view
