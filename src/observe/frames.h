// The frames of a run as files, written beside the simulation.
#pragma once
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

/// The parts of a file's name: "frame_000012.vtp" is {"frame", 12, "vtp"}. Numbers have six to nine digits.
struct FrameName {
  std::string what;
  int number;
  std::string format;
};
/// Nothing for names that no run gives.
std::optional<FrameName> frameName(const std::string& file);

/// frames/frame_000012.vtp and .ply, and frames.pvd with their times; samples of solids as solids_000012.*, once if none moves;
/// sheets and soft bodies as cloth_000012.vtp.
/// A thread writes while the simulation goes on. One frame at most is under way: snapshots are large.
class Frames {
 public:
  struct Settings {
    std::string folder;                // .../frames
    std::vector<std::string> formats;  // "vtp", "ply"
    double spacing = 0;                // [m]
    bool solidsMove = false;
  };
  using Times = std::map<int, double>;  // number -> [s]

  /// `kept` are the frames that stay; all other frame files of the folder are removed. Kept frames whose file is gone are
  /// named in `warnings`.
  Frames(Settings, const Times& kept, std::vector<std::string>& warnings);
  ~Frames();

  /// Waits for the frame before this one, and throws what its writing threw.
  void write(int number, std::shared_ptr<const Snapshot>);
  /// Waits until all is written.
  void finish();

  const Times& times() const { return times_; }
  /// The frame, read back with its solids; nothing if its file is not there.
  std::optional<Snapshot> read(int number) const {
    return read(settings_, number, times_.empty() ? number : times_.begin()->first);
  }
  /// The same of a run that is over, whose first frame is `first`.
  static std::optional<Snapshot> read(const Settings&, int number, int first);

 private:
  std::string path(const char* what, int number, const std::string& format) const {
    return file(settings_, what, number, format);
  }
  static std::string file(const Settings&, const char* what, int number, const std::string& format);
  void removeOthers();
  void store(int number, const Snapshot&);
  void writeCollections();
  void work();

  Settings settings_;
  Times times_;    // known to the run
  Times written_;  // to the thread
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::optional<std::pair<int, std::shared_ptr<const Snapshot>>> job_;
  std::exception_ptr error_;
  bool quit_ = false;
};

/// Where and how a run of `scene` in the folder `out` writes its frames.
Frames::Settings framesOf(const Scene&, const std::string& out);

}  // namespace brim
