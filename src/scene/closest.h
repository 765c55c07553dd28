// The exact signed distance to a closed mesh: a tree of boxes for the nearest triangle, and the sign from angle-weighted
// pseudo-normals (Baerentzen and Aanaes 2005), which is right at edges and corners too.
#pragma once
#include <cstdint>
#include <vector>

#include "scene/mesh.h"

namespace brim {

class ClosestPoint {
 public:
  /// Copies the mesh. It must be closed (see `defect`).
  explicit ClosestPoint(const Mesh&);

  struct Hit {
    Vector point = {0, 0, 0};   // [m] the nearest point of the surface
    Vector normal = {0, 0, 0};  // pseudo-normal there, outwards, not of unit length
    double distance = 1e300;    // [m] negative inside
    int triangle = -1;
  };
  /// The nearest point. `within` [m] may give an upper bound of the distance and makes the search faster. So does `slack`, by
  /// which the answer may be too far, as a part of it; then the sign is not to be trusted.
  Hit nearest(const Vector& x, double within = 1e300, double slack = 0) const;
  double distance(const Vector& x, double within = 1e300) const { return nearest(x, within).distance; }

  const Mesh& mesh() const { return mesh_; }

 private:
  struct Box {
    float low[3], high[3];
    std::int32_t first, count;  // count 0: an inner box; the children are `first` and `first + 1`
  };
  Mesh mesh_;
  std::vector<Box> boxes_;
  std::vector<Vector> faceNormal_, edgeNormal_, pointNormal_;  // edges: 3 for each triangle, edge e from corner e to e + 1

  void build();
  void pseudoNormals();
};

/// Distances at the nodes of a regular grid around a mesh.
struct DistanceGrid {
  Vector origin = {0, 0, 0};  // [m]
  double cell = 0;            // [m]
  std::array<int, 3> nodes = {0, 0, 0};
  std::vector<float> values;  // [m] x fastest
};

/// Bakes the distance over the bounding box and 3 cells around it. `cell` [m] is widened where it would give more than `most`
/// nodes. Signs are exact everywhere, values within 1.5 cells of the surface at least; farther they are right within a cell or 2
/// %, and on a medial axis within three cells.
DistanceGrid bake(const ClosestPoint&, double cell, double most = 16e6);

}  // namespace brim
