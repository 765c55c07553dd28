// A number at the nodes of a lattice, kept in blocks where the liquid is and zero elsewhere.
#pragma once
#include "scene/mesh.h"
#include "surface/ellipsoids.h"

namespace brim {

/// How far a round particle's kernel reaches [spacings].
constexpr float kernelReach = 2;

class Field {
 public:
  static constexpr int side = 8;  // nodes of a block along an axis
  static constexpr int nodes = side * side * side;

  /// The sum of the particles' kernels, Eq. 2 of Yu & Turk with W = sigma (1 - |G r|^2/4)^3: about 1 within the liquid and one
  /// half at its surface. `voxel` [spacings] is the side of a cell of the lattice.
  static Field density(const std::vector<Ellipsoid>&, float voxel, int dimension);
  /// 1 - |x - mean of the particles around x|, in spacings (Zhu & Bridson 2005): a level set whose slope is 1 at the surface.
  static Field distance(const std::vector<Ellipsoid>&, float voxel);

  float voxel() const { return voxel_; }  // [spacings]
  int blocks() const { return int(low_.size()); }
  const std::array<int, 3>& low(int block) const { return low_[std::size_t(block)]; }  // of its first node, in nodes
  const float* values(int block) const { return &values_[std::size_t(block) * nodes]; }
  /// The block whose first node is there; -1 if there is none.
  int find(const std::array<int, 3>& low) const;
  /// Any node.
  float at(int x, int y, int z) const;

 private:
  struct Lists {
    std::vector<int> begin, particle;
  };
  Lists makeBlocks(const std::vector<Ellipsoid>&);
  int number(const std::array<int, 3>& low);
  void grow();

  float voxel_ = 0.5f;
  bool flat_ = false;  // 2D: one layer of nodes counts
  std::vector<std::array<int, 3>> low_;
  std::vector<float> values_;
  std::vector<int> slots_;  // open addressing: a block's number, or -1
};

/// The surface where the field has the value `iso`, in spacings: closed, every edge between two triangles, every point with one
/// ring of them. Marching cubes whose table is made so (cubes.cpp says how).
Mesh isosurface(const Field&, float iso);

}  // namespace brim
