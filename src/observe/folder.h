// A run that is over, or under way elsewhere: its scene and its frames, as files.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "brim/snapshot.h"
#include "observe/frames.h"

namespace brim {

/// scene.toml: the whole scene as it was run, and where it came from, for mesh files are relative to that.
void writeSceneOf(const std::string& folder, const Scene&);

class RunFolder {
 public:
  /// Throws Failure if there is no run. Runs of earlier versions, which left no scene.toml, are known by their checkpoint.
  explicit RunFolder(std::string folder);

  const std::string& path() const { return folder_; }
  const Scene& scene() const { return scene_; }
  const std::vector<int>& frames() const { return frames_; }  // their numbers, ascending
  /// With the solids, cloth and bodies that belong to it. Throws Failure if it cannot be read.
  Snapshot read(int frame) const;

 private:
  std::string folder_;
  Scene scene_;
  Frames::Settings settings_;
  std::vector<int> frames_;
  std::vector<Vector> centres_;                         // [m] of mass of the bodies, in their shapes' frames
  std::map<std::int64_t, std::vector<double>> bodies_;  // bodies.csv: step -> its row

  void readBodies();
};

}  // namespace brim
