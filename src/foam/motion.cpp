#include "foam/motion.h"

#include <cmath>

#include "foam/potentials.h"
#include "scene/vector.h"

namespace brim::foam {

using namespace vectors;

Around around(const Cloud& cloud, const Snapshot& liquid, const Vector& x, double full) {
  Place p;
  for (std::size_t a = 0; a < 3; ++a) p[a] = float((x[a] - cloud.origin()[a]) / cloud.spacing());
  if (liquid.dimension == 2) p[2] = 0;
  const auto ranges = cloud.around(p);
  int count = 0;
  double sum = 0;
  Vector v = {0, 0, 0};
  for (std::size_t k = 0; k < std::size_t(ranges.count); ++k)
    for (int j = ranges.begin[k]; j < ranges.end[k]; ++j) {
      const Place& y = cloud.places()[std::size_t(j)];
      const float dx = y[0] - p[0], dy = y[1] - p[1], dz = y[2] - p[2], r2 = dx * dx + dy * dy + dz * dz;
      if (!(r2 < support * support)) continue;
      const double W = 1 - std::sqrt(double(r2)) / support;
      const std::size_t i = 3 * std::size_t(cloud.order()[std::size_t(j)]);
      for (std::size_t a = 0; a < 3; ++a) v[a] += W * liquid.velocity[i + a];
      sum += W, ++count;
    }
  return {count / std::max(full, 1e-9), sum > 0 ? 1 / sum * v : Vector{0, 0, 0}};
}

Foam::Kind kindOf(double part, const FoamOptions& o) {
  return part < o.spray_below || part <= 0 ? Foam::spray : part > o.bubbles_above ? Foam::bubble : Foam::foam;
}

void advance(Vector& x, Vector& v, Foam::Kind kind, const Vector& u, const Vector& g, double h, const FoamOptions& o) {
  if (kind == Foam::spray) {
    x = x + h * v + h * h / 2 * g;
    v = v + h * g;
  } else if (kind == Foam::foam) {
    x = x + h * u;
    v = u;
  } else {
    // On Earth, at rest, a bubble comes to rise at `bubble_speed`.
    const double tau = o.bubble_speed / (o.bubble_buoyancy * 9.81);
    const Vector end = u - tau * o.bubble_buoyancy * g, off = v - end;
    const double decay = std::exp(-h / tau);
    x = x + h * end + tau * (1 - decay) * off;
    v = end + decay * off;
  }
}

void keep(Foam& f, const std::vector<char>& stays) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    if (!stays[k]) continue;
    f.id[n] = f.id[k], f.kind[n] = f.kind[k], f.age[n] = f.age[k], f.left[n] = f.left[k];
    for (std::size_t a = 0; a < 3; ++a)
      f.position[3 * n + a] = f.position[3 * k + a], f.velocity[3 * n + a] = f.velocity[3 * k + a];
    ++n;
  }
  f.id.resize(n), f.kind.resize(n), f.age.resize(n), f.left.resize(n);
  f.position.resize(3 * n), f.velocity.resize(3 * n);
}

}  // namespace brim::foam
