// A run that is over, or under way elsewhere: its scene and its frames, as files.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

class RunFolder {
 public:
  /// Throws Failure if there is no run. Runs of earlier versions, which left no scene.toml, are known by their checkpoint.
  explicit RunFolder(std::string folder);
  ~RunFolder();

  const std::string& path() const;
  const Scene& scene() const;
  const std::vector<int>& frames() const;  // their numbers, ascending
  /// With the solids, cloth and bodies that belong to it. Throws Failure if it cannot be read.
  Snapshot read(int frame) const;

 private:
  struct Content;
  std::unique_ptr<const Content> content_;
};

}  // namespace brim
