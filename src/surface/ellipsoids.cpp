#include "surface/ellipsoids.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace brim {

namespace {

constexpr double lambda = 0.9;  // how far centres move, Eq. 6
constexpr double kr = 4;        // the longest axis over the shortest, at most: Eq. 15
constexpr double alone = 0.5;   // radius of a particle without company, over that of a round one: k_n of Eq. 15
// So that the surface around a lone particle encloses its volume: half of 1/((1 - r^2)^3 peak) at the radius of that volume.
constexpr float aloneWeight3 = 10.94f, aloneWeight2 = 4.96f;

bool isAlone(int neighbours, int D) { return neighbours < (D == 3 ? 25 : 9); }  // N_eps; in the liquid 113, in 2D 28

Ellipsoid loneOne(const Place& x, int D) {
  constexpr float a = float(alone), s = 1 / (a * a);
  return {x, {s, s, s, 0, 0, 0}, {a, a, a}, D == 3 ? aloneWeight3 : aloneWeight2};
}

// w_ij = 1 - (r/R)^3, Eq. 11.
float weightOf(float r2) {
  const float q2 = r2 * (1 / (ellipsoidReach * ellipsoidReach));
  return q2 < 1 ? 1 - q2 * std::sqrt(q2) : 0.f;
}

// visit(i, j, x_j - x_i, w_ij) for all pairs, the particle itself included; whole cells at a time.
template <class Begin, class Visit, class End>
void forPairs(const Cloud& cloud, Begin begin, Visit visit, End end) {
  const auto& x = cloud.places();
  tbb::parallel_for(0, cloud.cells(), [&](int cell) {
    const auto ranges = cloud.around(cell);
    for (int i = cloud.begin(cell); i < cloud.end(cell); ++i) {
      auto sums = begin(i);
      const Place xi = x[std::size_t(i)];
      for (int k = 0; k < ranges.count; ++k)
        for (int j = ranges.begin[std::size_t(k)]; j < ranges.end[std::size_t(k)]; ++j) {
          const Place& xj = x[std::size_t(j)];
          const float dx = xj[0] - xi[0], dy = xj[1] - xi[1], dz = xj[2] - xi[2], r2 = dx * dx + dy * dy + dz * dz;
          if (r2 < ellipsoidReach * ellipsoidReach) visit(sums, i, j, Place{dx, dy, dz}, weightOf(r2));
        }
      end(i, sums);
    }
  });
}

// Where the neighbours' middle lies, seen from each particle.
std::vector<Place> drifts(const Cloud& cloud) {
  struct Sums {
    float w = 0, x = 0, y = 0, z = 0;
  };
  std::vector<Place> u(std::size_t(cloud.size()));
  forPairs(
      cloud, [](int) { return Sums(); },
      [](Sums& s, int, int, const Place& r, float w) { s.w += w, s.x += w * r[0], s.y += w * r[1], s.z += w * r[2]; },
      [&](int i, const Sums& s) {
        u[std::size_t(i)] = {s.x / s.w, s.y / s.w, s.z / s.w};
      });
  return u;
}

struct Moments {
  int count = 0;
  float w = 0;
  float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  float same = 0;  // how many neighbours drift the same way, and how they drift
  Place drift = {0, 0, 0};
};

Ellipsoid shapeOf(const Place& x, const Place& u, const Moments& m, int D) {
  if (isAlone(m.count, D)) return loneOne(x, D);
  Ellipsoid e;
  // Departs from Eq. 6, which moves every centre to the middle of its neighbours: that draws a flat surface in by half a spacing
  // and a sheet of two layers into one. Here a centre follows only the part of its drift that its neighbours on the same side
  // of the liquid do not share, so bumps go and surfaces stay.
  for (int a = 0; a < 3; ++a) e.centre[a] = x[a] + float(lambda) * (u[a] - (m.same > 0 ? m.drift[a] / m.same : 0.f));

  // C_i about the middle of the neighbours, Eq. 9.
  const double w = 1. / m.w;
  const std::array<double, 6> C = {m.xx * w - u[0] * u[0], m.yy * w - u[1] * u[1], m.zz * w - u[2] * u[2],
                                   m.xy * w - u[0] * u[1], m.xz * w - u[0] * u[2], m.yz * w - u[1] * u[2]};
  std::array<double, 3> s;
  std::array<std::array<double, 3>, 3> v;
  eigen(C, s, v);
  // Eq. 15, with a scale of its own for every particle instead of k_s: every ellipsoid has the volume of a round particle.
  double product = 1;
  for (int k = 0; k < D; ++k) s[k] = std::max(s[k], s[0] / kr), product *= s[k];
  const double scale = product > 0 ? std::pow(product, -1. / D) : 1;
  if (D == 2) s[2] = 1 / scale;
  double M[3][3] = {}, extent[3] = {};
  for (int k = 0; k < 3; ++k) {
    const double axis = std::max(s[k] * scale, 1e-3), inverse = 1 / (axis * axis);
    for (int a = 0; a < 3; ++a) {
      extent[a] += axis * axis * v[a][k] * v[a][k];
      for (int b = a; b < 3; ++b) M[a][b] += inverse * v[a][k] * v[b][k];
    }
  }
  e.M = {float(M[0][0]), float(M[1][1]), float(M[2][2]), float(M[0][1]), float(M[0][2]), float(M[1][2])};
  for (int a = 0; a < 3; ++a) e.extent[a] = float(std::sqrt(extent[a]));
  e.weight = 1;
  return e;
}

}  // namespace

void eigen(const std::array<double, 6>& m, std::array<double, 3>& values, std::array<std::array<double, 3>, 3>& vectors) {
  double A[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
  double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 12; ++sweep) {
    const double off = A[0][1] * A[0][1] + A[0][2] * A[0][2] + A[1][2] * A[1][2];
    const double size = A[0][0] * A[0][0] + A[1][1] * A[1][1] + A[2][2] * A[2][2];
    if (off <= 1e-24 * size) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (A[p][q] == 0) continue;
        // The smaller angle that makes A_pq zero.
        const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k) {
          const double kp = A[k][p], kq = A[k][q];
          A[k][p] = c * kp - s * kq, A[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; ++k) {
          const double pk = A[p][k], qk = A[q][k];
          A[p][k] = c * pk - s * qk, A[q][k] = s * pk + c * qk;
        }
        for (int k = 0; k < 3; ++k) {
          const double kp = V[k][p], kq = V[k][q];
          V[k][p] = c * kp - s * kq, V[k][q] = s * kp + c * kq;
        }
      }
  }
  std::array<int, 3> order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return A[a][a] > A[b][b]; });
  for (int k = 0; k < 3; ++k) {
    values[std::size_t(k)] = A[order[std::size_t(k)]][order[std::size_t(k)]];
    for (int a = 0; a < 3; ++a) vectors[std::size_t(a)][std::size_t(k)] = V[a][order[std::size_t(k)]];
  }
}

std::vector<Ellipsoid> roundOnes(const Cloud& cloud, int dimension) {
  std::vector<Ellipsoid> all(std::size_t(cloud.size()));
  forPairs(
      cloud, [](int) { return 0; }, [](int& count, int, int, const Place&, float) { ++count; },
      [&](int i, int count) {
        const Place& x = cloud.places()[std::size_t(i)];
        all[std::size_t(i)] = isAlone(count, dimension) ? loneOne(x, dimension) : Ellipsoid{x, {1, 1, 1, 0, 0, 0}, {1, 1, 1}, 1};
      });
  return all;
}

std::vector<Ellipsoid> ellipsoids(const Cloud& cloud, int dimension) {
  const std::vector<Place> u = drifts(cloud);
  std::vector<Ellipsoid> all(std::size_t(cloud.size()));
  forPairs(
      cloud, [](int) { return Moments(); },
      [&](Moments& m, int i, int j, const Place& r, float w) {
        ++m.count;
        m.w += w;
        m.xx += w * r[0] * r[0], m.yy += w * r[1] * r[1], m.zz += w * r[2] * r[2];
        m.xy += w * r[0] * r[1], m.xz += w * r[0] * r[2], m.yz += w * r[1] * r[2];
        const Place &ui = u[std::size_t(i)], &uj = u[std::size_t(j)];
        const float s = w * std::max(0.f, ui[0] * uj[0] + ui[1] * uj[1] + ui[2] * uj[2]);
        m.same += s;
        for (int a = 0; a < 3; ++a) m.drift[a] += s * uj[a];
      },
      [&](int i, const Moments& m) {
        all[std::size_t(i)] = shapeOf(cloud.places()[std::size_t(i)], u[std::size_t(i)], m, dimension);
      });
  return all;
}

}  // namespace brim
