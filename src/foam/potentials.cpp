#include "foam/potentials.h"

#include <tbb/parallel_for.h>

#include <cmath>
#include <numbers>

namespace brim::foam {

namespace {

// W of the paper: 1 - r/h. Its sum over a full neighbourhood is a quarter of the particles there, in 2D a third.
float weightOf(float r) { return 1 - r / support; }
float fullWeight(int D) { return float(fullCount(D)) / float(D + 1); }

// The mean of the directions to the neighbours is zero within the liquid and about a half at a flat surface.
constexpr float leastNormal = 0.2f;

float dot(const Place& a, const Place& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// visit(i, j, x_j - x_i, r) for all pairs of two particles within the support.
template <class Begin, class Visit, class End>
void forPairs(const Cloud& cloud, Begin begin, Visit visit, End end) {
  const auto& x = cloud.places();
  tbb::parallel_for(0, cloud.cells(), [&](int cell) {
    const auto ranges = cloud.around(cell);
    for (int i = cloud.begin(cell); i < cloud.end(cell); ++i) {
      auto sums = begin(i);
      const Place xi = x[std::size_t(i)];
      for (std::size_t k = 0; k < std::size_t(ranges.count); ++k)
        for (int j = ranges.begin[k]; j < ranges.end[k]; ++j) {
          const Place& xj = x[std::size_t(j)];
          const Place away = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
          const float r2 = dot(away, away);
          if (r2 < support * support && r2 > 0) visit(sums, i, j, away, std::sqrt(r2));
        }
      end(i, sums);
    }
  });
}

}  // namespace

double partAbove(double q, int dimension) {
  q = std::clamp(q, -1., 1.);
  return dimension == 3 ? 0.5 + 0.75 * q - 0.25 * q * q * q : 0.5 + (q * std::sqrt(1 - q * q) + std::asin(q)) / std::numbers::pi;
}

Surroundings surroundings(const Cloud& cloud, const std::vector<float>& velocity, int dimension) {
  const std::size_t n = std::size_t(cloud.size());
  const float full = fullWeight(dimension);
  Surroundings s{std::vector<float>(n), std::vector<float>(n), std::vector<Place>(n)};
  std::vector<Place> v(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < 3; ++a) v[k][a] = velocity[3 * std::size_t(cloud.order()[k]) + a];

  struct First {
    float approach = 0, weight = 0;
    Place out = {0, 0, 0};
  };
  forPairs(
      cloud, [](int) { return First(); },
      [&](First& f, int i, int j, const Place& away, float r) {
        const float W = weightOf(r);
        f.weight += W;
        for (std::size_t a = 0; a < 3; ++a) f.out[a] -= W / r * away[a];
        // |v_ij| (1 - v^_ij . x^_ij) with x_ij = x_i - x_j = -away.
        const Place &vi = v[std::size_t(i)], &vj = v[std::size_t(j)];
        const Place vij = {vi[0] - vj[0], vi[1] - vj[1], vi[2] - vj[2]};
        f.approach += W * (std::sqrt(dot(vij, vij)) + dot(vij, away) / r);
      },
      [&](int i, const First& f) {
        const std::size_t k = std::size_t(i);
        s.approach[k] = f.approach / full;
        const float l = std::sqrt(dot(f.out, f.out));
        s.normal[k] = l > leastNormal * f.weight && l > 0 ? Place{f.out[0] / l, f.out[1] / l, f.out[2] / l} : Place{0, 0, 0};
      });
  forPairs(
      cloud, [](int) { return 0.f; },
      [&](float& sum, int i, int j, const Place& away, float r) {
        const Place &ni = s.normal[std::size_t(i)], &nj = s.normal[std::size_t(j)];
        // Only where the surface is convex: the neighbour lies below the plane at i. Particles within the liquid have no normal.
        if (dot(nj, nj) > 0 && dot(away, ni) < 0) sum += (1 - dot(ni, nj)) * weightOf(r);
      },
      [&](int i, float sum) {
        const std::size_t k = std::size_t(i);
        // delta^vn of Eq. 8: only surface that moves outwards is a crest that breaks.
        const bool breaks = dot(v[k], s.normal[k]) >= 0.6f * std::sqrt(dot(v[k], v[k]));
        s.crest[k] = breaks ? sum / full : 0;
      });
  return s;
}

}  // namespace brim::foam
