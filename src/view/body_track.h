// Where the bodies of a run were, from its bodies.csv.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "brim/snapshot.h"
#include "scene/shape.h"

namespace brim::view {

class BodyTrack {
 public:
  BodyTrack() = default;
  /// `shapes` are those of solidShapes(scene). Without the file, or with one of another scene, there is nothing to tell.
  BodyTrack(const std::string& file, const Scene&, const std::vector<SolidShape>& shapes);

  /// Name, place and turn of each body at the row nearest to time t [s]; empty where there are no rows.
  std::vector<BodyReport> at(double t) const;

 private:
  std::map<double, std::vector<BodyReport>> rows_;
};

}  // namespace brim::view
