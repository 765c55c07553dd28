// Solids, bodies and the domain's walls as gauges meet them, on the host.
#pragma once
#include "scene/vector.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class Obstacles {
 public:
  explicit Obstacles(const World<D>& w) : w_(w) {}

  /// Those that come nearer than `reach` [m] to x [m, from the domain's corner]; more may be named.
  std::vector<const PlacedSolid<D>*> near(const Vector& x, double reach) const {
    std::vector<const PlacedSolid<D>*> all;
    for (const PlacedSolid<D>& s : w_.solids.hostPlaced()) {
      bool meets = true;
      for (int k = 0; k < D; ++k) meets = meets && x[k] > s.low[k] - reach && x[k] < s.high[k] + reach;
      if (meets) all.push_back(&s);
    }
    return all;
  }

  /// [m] negative inside.
  static double distance(const PlacedSolid<D>& s, const Vector& x) {
    const Real at[3] = {Real(x[0]), Real(x[1]), Real(x[2])};
    Real local[3];
    s.pose.toBody(at, local);
    return s.shape.distance(local);
  }

  /// Which part of a kernel of support h [m] at x is free of solids and walls, as if each of them were flat. `beyond(z)` is the
  /// part of the kernel behind a plane z supports away.
  template <class Beyond>
  double freePart(const Vector& x, double h, Beyond beyond) const {
    double part = 1;
    const auto keep = [&](double distance) {
      if (distance < h) part *= 1 - beyond(distance / h);
    };
    for (const PlacedSolid<D>* s : near(x, h)) keep(distance(*s, x));
    for (int k = 0; k < D; ++k)
      if (w_.walled[k]) keep(x[k]), keep(w_.extent[k] - x[k]);
    return part;
  }

  /// [m] from x to the nearest of these solids and of the domain's walls.
  double clearance(const std::vector<const PlacedSolid<D>*>& solids, const Vector& x) const {
    double least = 1e30;
    for (const PlacedSolid<D>* s : solids) least = std::min(least, distance(*s, x));
    for (int k = 0; k < D; ++k)
      if (w_.walled[k]) least = std::min({least, x[k], w_.extent[k] - x[k]});
    return least;
  }

  /// Is one of these solids halfway between a and b?
  static bool between(const std::vector<const PlacedSolid<D>*>& solids, const Vector& a, const Vector& b) {
    using namespace vectors;
    const Vector middle = 0.5 * (a + b);
    for (const PlacedSolid<D>* s : solids)
      if (distance(*s, middle) < 0) return true;
    return false;
  }

 private:
  const World<D>& w_;
};

}  // namespace brim::inline BRIM_FLAVOUR
