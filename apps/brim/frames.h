// What surface, render and export share: the frames of a run's folder, one after the other.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "brim/run_folder.h"

namespace brim::command {

struct FramesArguments {
  std::string folder;  // of the run
  std::string out;     // "": within the run's folder
  std::string frames;  // "": all; "12", "10:20", "10:20:2"
  int threads = 0;     // 0: all cores
  bool force = false;  // also what is there already
  bool quiet = false;
};

/// The frames that were asked for; throws Failure where there are none.
std::vector<int> chosen(const RunFolder&, const std::string& frames);

/// At most eight of them, evenly over the run: enough to choose colours, the part of the domain to show, or speeds.
std::vector<Snapshot> someOf(const RunFolder&, const std::vector<int>& frames);

/// One pass over frames. `files(frame)` are what a frame leaves; it is skipped where all are there and newer than the frame,
/// unless `settings` differs from what the folder was made with. `make(frame, snapshot)` makes them. Returns an exit code.
int overFrames(const FramesArguments&, const RunFolder&, const std::vector<int>& frames, const std::string& out,
               const std::string& name, const std::string& settings, const std::function<std::vector<std::string>(int)>& files,
               const std::function<void(int, const Snapshot&)>& make);

}  // namespace brim::command
