// Poisson-disk samples of surfaces and evenly spaced samples of curves.
#pragma once
#include <cstdint>
#include <vector>

#include "scene/mesh.h"
#include "scene/primitive.h"

namespace brim {

/// A small generator whose numbers are the same everywhere (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double number();  // in [0, 1)
  std::uint64_t below(std::uint64_t n) { return std::uint64_t(number() * double(n)); }

 private:
  std::uint64_t state_;
};

/// Points by cells of one side, to be asked for those near a place. Holds them in the order in which they were added.
class PointGrid {
 public:
  explicit PointGrid(double cell, std::size_t expected = 1024);
  void add(const Vector&);
  const std::vector<Vector>& points() const { return points_; }
  /// Is a point nearer than r <= cell [m]?
  bool anyWithin(const Vector& x, double r) const;
  /// Adds x unless a point is nearer than r <= cell [m].
  bool addIfFree(const Vector& x, double r);
  /// The nearest point, -1 if none is nearer than the cell's side.
  int nearest(const Vector& x) const;
  /// visit(j, squared distance) for every point nearer than r <= cell [m]; visit returns true to stop.
  template <class F>
  bool visitWithin(const Vector& x, double r, F&& visit) const;

 private:
  double cell_;
  std::vector<Vector> points_;
  std::vector<int> next_;  // the point added to the same cell before, or -1
  std::vector<int> head_;  // open addressing: the last point of a cell, or -1
  std::vector<std::array<int, 3>> key_;
  std::size_t used_ = 0;

  std::array<int, 3> cellOf(const Vector&) const;
  std::size_t slot(const std::array<int, 3>&) const;
  void grow();
};

/// Poisson-disk samples of a triangle mesh: no two nearer than r [m] (straight distance), and no point of the surface farther
/// than 1.01 r from one. The same seed gives the same bits.
std::vector<Vector> samplePoissonDisk(const Mesh&, double r, std::uint64_t seed = 1);

/// Points on a closed polygon, evenly spaced by arc length, about `spacing` [m] apart.
std::vector<Vector> sampleCurve(const std::vector<Vector>& corners, double spacing);

/// The surface of a bounded primitive as triangles with sides of at most about `edge` [m]; 3D, own frame, not for meshes.
Mesh triangulate(const Primitive<double>&, double edge);
/// The outline of a bounded primitive in 2D, anticlockwise for discs and capsules; curves in pieces of at most `edge` [m].
std::vector<Vector> outline(const Primitive<double>&, double edge);

template <class F>
bool PointGrid::visitWithin(const Vector& x, double r, F&& visit) const {
  const auto c = cellOf(x);
  // The own cell first: most questions end there.
  static constexpr int offset[3] = {0, -1, 1};
  for (int a : offset)
    for (int b : offset)
      for (int e : offset)
        for (int j = head_[slot({c[0] + e, c[1] + b, c[2] + a})]; j >= 0; j = next_[j]) {
          const Vector& y = points_[j];
          const double r2 = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
          if (r2 < r * r && visit(j, r2)) return true;
        }
  return false;
}

}  // namespace brim
