// Solids as the grid sees them: cells whose centre lies in one, how much of each cell's mass they are, and how they move.
#pragma once
#include "grid/frame.h"

namespace brim::inline BRIM_FLAVOUR {

/// Signed distance [m] of x from a body.
template <int D>
BRIM_FN Real distanceTo(const Body<D>& body, const Vec<D>& x) {
  Real at[3] = {}, y[3];
  for (int k = 0; k < D; ++k) at[k] = x[k];
  body.pose.toBody(at, y);
  return body.shape.distance(y);
}
/// Integral of the hat function from below up to t.
BRIM_FN double hatUpTo(double t) { return t <= -1 ? 0 : t < 0 ? (1 + t) * (1 + t) / 2 : t < 1 ? 1 - (1 - t) * (1 - t) / 2 : 1; }

/// Per cell from -8 on: the part of its hat that lies between the walls of axis k.
template <int D>
std::vector<Real> openness(const Frame<D>& frame, int k) {
  std::vector<Real> open(frame.size[k] + 16, Real(1));
  const double low = frame.shift[k], high = frame.size[k] - low;
  for (int c = -8; c < frame.size[k] + 8 && frame.walled[k]; ++c)
    open[c + 8] = Real(hatUpTo(high - (c + 0.5)) - hatUpTo(low - (c + 0.5)));
  return open;
}

/// Solids as kernels see them.
template <int D>
struct SolidView {
  View<const Real> fraction;  // as SolidCells has them
  View<const std::uint64_t> solid;
  View<const std::uint8_t> touches;
  View<const Body<D>> body;
  int bodies;
  View<const int> movers;  // numbers of the bodies that move
  int moverCount;
  Real cell;  // [m]
  Vec<D> extent;
  Vec<D, bool> walled;

  BRIM_FN bool moving() const { return moverCount > 0; }
  /// Velocity [m/s] along axis k of the moving solid nearest to x [m]; 0 where none is within a cell.
  BRIM_DEVICE_FN Real velocity(const Vec<D>& x, int k) const {
    Real least = cell, v = 0;
    for (int m = 0; m < moverCount; ++m) {
      const Body<D>& b = body[movers[m]];
      bool beside = false;
      for (int a = 0; a < D; ++a) beside = beside || x[a] + cell < b.low[a] || x[a] - cell > b.high[a];
      if (beside) continue;
      if (const Real d = distanceTo(b, x); d < least) {
        Real at[3] = {}, u[3];
        for (int a = 0; a < D; ++a) at[a] = x[a];
        b.pose.velocityAt(at, u);
        least = d, v = u[k];
      }
    }
    return v;
  }
  /// Whether x [m] is in no solid and within the walls.
  BRIM_DEVICE_FN bool isFree(const Vec<D>& x) const {
    for (int k = 0; k < D; ++k)
      if (walled[k] && (x[k] < 0 || x[k] > extent[k])) return false;
    for (int b = 0; b < bodies; ++b)
      if (distanceTo(body[b], x) < 0) return false;
    return true;
  }
  /// The way out of the solids from x, Eq. 13, at most half a cell long; 0 outside. From a point that is as far from all sides,
  /// up.
  BRIM_DEVICE_FN Vec<D> wayOut(const Vec<D>& x, Real eps) const {
    Real deepest = 0;
    Vec<D> out{};
    for (int b = 0; b < bodies; ++b) {
      Real at[3] = {}, y[3], n[3] = {}, world[3];
      for (int k = 0; k < D; ++k) at[k] = x[k];
      body[b].pose.toBody(at, y);
      const Real depth = -body[b].shape.distance(y);
      if (!(depth > deepest)) continue;
      body[b].shape.normal(y, eps, n);
      body[b].pose.directionToWorld(n, world);
      deepest = depth;
      for (int k = 0; k < D; ++k) out[k] = min(depth, cell / 2) * world[k];
      if (dot(out, out) == 0) out[1] = min(depth, cell / 2);
    }
    return out;
  }
};

template <int D>
class SolidCells {
 public:
  SolidCells(const World<D>&, const Frame<D>&);

  /// For these tiles, with the solids where they are now. What solids at rest do is found once for each place.
  void update(const World<D>&, const Tiles<D>&);

  /// Per cell: the part of the hat function around its centre that is solid (Eq. 12 for a solid full of mass).
  const Array<Real>& fraction() const { return fraction_; }
  /// Bits of the cells whose centre is in a solid.
  const Array<std::uint64_t>& solid() const { return solid_; }
  bool moving() const { return !moving_.empty(); }
  SolidView<D> view(const World<D>& w) const {
    return {fraction_.read(),
            solid_.read(),
            touches_.read(),
            w.solids.bodies().read(),
            int(w.solids.bodies().size()),
            movers_.read(),
            int(moving_.size()),
            frame_.cell,
            w.extent,
            w.walled};
  }
  std::size_t bytes() const;

 private:
  Frame<D> frame_;
  std::vector<int> moving_;  // numbers of the bodies that move
  Array<int> movers_;        // the same where kernels are
  // What the solids at rest are in places seen so far: known_ has the number of a part, or `none`.
  static constexpr int unknown = -1, none = -2;
#if BRIM_CUDA
  Array<int> known_, resters_, used_;  // resters: those at rest; used: parts
  Array<Real> open_[D], partFraction_;
  Array<std::uint64_t> partSolid_;
  int mostParts_ = 0, room_ = 0;  // that there may be; that there is room for
#else
  struct Part {
    Real fraction[Tiles<D>::cells];
    std::uint64_t solid[Bits<D>::words];
  };
  Real open(int k, int c) const;
  bool walls(const Vec<D, int>& place, Part&) const;
  bool bodies(const World<D>&, const std::vector<int>& which, const Vec<D, int>& place, Part&) const;

  std::vector<int> resting_;
  std::vector<Real> open_[D];  // per axis, as openness() has it
  std::vector<int> known_;
  std::vector<std::unique_ptr<Part>> parts_;
#endif
  Array<Real> fraction_;
  Array<std::uint64_t> solid_;
  Array<std::uint8_t> touches_;  // per tile: any of its cells has a part in a solid
};

}  // namespace brim::inline BRIM_FLAVOUR
