// The live viewer: a simulation, or the frames of a run, in the browser. Not part of every build.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {

/// Where the viewer's page is served.
struct ViewSettings {
  std::string address = "127.0.0.1";
  unsigned short port = 8642;  // 0: any that is free
  int tries = 1;               // so many ports from that one on
};

/// A page and what it shows. It ends where this goes out of scope.
class Viewer {
 public:
  /// A simulation of the scene file with these settings, which starts running or paused. Throws Failure if no port can be had.
  static Viewer live(const std::string& file, const std::vector<Setting>&, const Options&, bool paused, const ViewSettings&);
  /// The frames in the folder of a run. Throws Failure if there are none, or if no port can be had.
  static Viewer playback(const std::string& folder, const ViewSettings&);
  Viewer(Viewer&&) noexcept;
  ~Viewer();

  /// "http://127.0.0.1:8642/?token=...": who has it can watch and steer.
  std::string address() const;
  bool open() const;  // to other machines
  /// Begins to work. Before it, the page is there and shows nothing.
  void start();

 private:
  struct Parts;
  explicit Viewer(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace brim
