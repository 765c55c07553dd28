#include "grid/tension/particles.h"

#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// kappa at a place [cells from the grid's corner], between the centres of cells.
template <int D>
BRIM_DEVICE_FN Real between(const TileView<D>& tiles, const Real* field, const Vec<D>& q) {
  Vec<D, int> low;
  Real f[D];
  for (int k = 0; k < D; ++k) {
    const Real x = std::floor(q[k] - Real(0.5));
    low[k] = int(x), f[k] = q[k] - Real(0.5) - x;
  }
  Real sum = 0;
  for (int corner = 0; corner < 1 << D; ++corner) {
    Vec<D, int> cell = low;
    Real weight = 1;
    for (int k = 0; k < D; ++k) {
      const int up = corner >> k & 1;
      cell[k] += up, weight *= up ? f[k] : 1 - f[k];
    }
    sum += weight * field[tiles.index(cell)];
  }
  return sum;
}

/// kappa_s chi at the centres of cells. A plane surface that is smoothed by a variance s^2 has C = erfc(phi/(sqrt(2) s))/2 at the
/// distance phi; the logistic function inverts it within 0.05 s as far as 1.5 s. A curved one has moved by s^2 kappa/2. Where C
/// is as good as 0 or 1 there is no particle that feels P, or no P.
template <int D>
struct FindPressure {
  TileView<D> tiles;
  const Real *part, *normal[D], *curvature;
  Real width, begin, perDepth;  // [cells] s, the depth from which chi falls; [1/cell] how fast
  Real* pressure;
  BRIM_DEVICE_FN void operator()(int at) const {
    const Real C = part[at];
    if (C < Real(1e-3) || C > Real(0.998)) {
      pressure[at] = 0;
      return;
    }
    const Real edge = -width / Real(1.702) * std::log(C / (1 - C));
    const Real phi = edge - width * width / 2 * curvature[at];
    const int t = at / Tiles<D>::cells, c = at % Tiles<D>::cells;
    const Vec<D, int> place = tiles.place(t);
    Vec<D> q;
    for (int k = 0; k < D; ++k) q[k] = Real(8 * place[k] + (c >> 3 * k & 7)) + Real(0.5) - phi * normal[k][at];
    const Real chi = max(Real(0), min(Real(1), 1 - (-phi - begin) * perDepth));
    pressure[at] = chi * between(tiles, curvature, q);
  }
};

/// -grad P, with P between the centres of cells by quadratic B-splines.
template <int D>
BRIM_DEVICE_FN Vec<D> fall(const TileView<D>& tiles, const Real* pressure, const Vec<D>& q) {
  Vec<D, int> middle;
  Real w[D][3], slope[D][3];
  for (int k = 0; k < D; ++k) {
    const Real x = std::floor(q[k]), f = q[k] - x - Real(0.5);
    middle[k] = int(x);
    w[k][0] = Real(0.5) * (Real(0.5) - f) * (Real(0.5) - f), w[k][1] = Real(0.75) - f * f;
    w[k][2] = Real(0.5) * (Real(0.5) + f) * (Real(0.5) + f);
    slope[k][0] = f - Real(0.5), slope[k][1] = -2 * f, slope[k][2] = f + Real(0.5);
  }
  Vec<D> sum{};
  for (int n = 0; n < power(3, D); ++n) {
    Vec<D, int> cell = middle;
    int at[D], rest = n;
    for (int k = 0; k < D; ++k, rest /= 3) at[k] = rest % 3, cell[k] += at[k] - 1;
    const Real P = pressure[tiles.index(cell)];
    for (int k = 0; k < D; ++k) {
      Real weight = slope[k][at[k]];
      for (int l = 0; l < D; ++l)
        if (l != k) weight *= w[l][at[l]];
      sum[k] -= weight * P;
    }
  }
  return sum;
}

template <int D>
struct FindKick {
  GridGeometry<D> geometry;
  TileView<D> tiles;
  const Real* pressure;
  Real scale;  // [m/s cells] dt sigma/(rho cell^2)
  View<const Record<D>> p;
  View<Record<D>> kick;
  BRIM_DEVICE_FN void operator()(int i) const {
    const Vec<D> a = fall(tiles, pressure, geometry.inCells(p[i].x));
    kick[i] = {scale * a, Real(0)};
  }
};

}  // namespace

template <int D>
double ParticleTension<D>::limit(const World<D>& w) const {
  return std::sqrt(w.rho0 * std::pow(cell * w.spacing, 3) / (4 * pi * sigma_));
}

template <int D>
void ParticleTension<D>::kick(const GridState<D>& s, World<D>& w, double dt, bool closed) {
  const Tiles<D>& tiles = s.tiles;
  const int n = w.fluid.size();
  const double side = s.geometry.cell;
  surface_.find(s, GridGeometry<D>::full * std::pow(w.spacing / side, D));
  tiles.fit(pressure_, Real(0));
  kick_.resize(w.fluid.capacity());
  // The variances of the passes and of the tent kernel that the densities are found with.
  const double width = std::sqrt(passes / 2.0 + 1.0 / 6);
  FindPressure<D> pressure{
      tiles.view(),    surface_.part().data(), {}, surface_.curvature().data(), Real(width), Real(begin), Real(1 / (end - begin)),
      pressure_.data()};
  for (int k = 0; k < D; ++k) pressure.normal[k] = surface_.normal(k).data();
  forEach(tiles.count() * Tiles<D>::cells, pressure);
  forEach(n, FindKick<D>{s.geometry, tiles.view(), pressure_.data(), Real(gain * dt * sigma_ / (w.rho0 * side * side)),
                         w.fluid.p.read(), kick_.view()});
  if (closed) balance(w);
  const auto v = w.fluid.v.view();
  const auto dv = kick_.read();
  forEach(n, [=] BRIM_KERNEL(int i) { v[i].x += dv[i].x; });
}

// What sums over particles leave of the forces and moments of a closed surface, which vanish in the integral, goes back as the
// motion of a rigid body: it changes no shape.
template <int D>
void ParticleTension<D>::balance(World<D>& w) {
  const int n = w.fluid.size();
  if (n == 0) return;
  const auto p = w.fluid.p.read();
  const auto kick = kick_.view();
  double centre[D], push[D], square[D][D];
  for (int k = 0; k < D; ++k) {
    centre[k] = sumOf(n, [=] BRIM_KERNEL(int i) { return double(p[i].x[k]); }) / n;
    push[k] = sumOf(n, [=] BRIM_KERNEL(int i) { return double(kick[i].x[k]); }) / n;
  }
  double moment[3] = {};  // of the axes x, y, z
  for (int k = 0; k < D; ++k)
    for (int l = 0; l < D; ++l) {
      const double ck = centre[k], cl = centre[l];
      square[k][l] = sumOf(n, [=] BRIM_KERNEL(int i) { return (p[i].x[k] - ck) * (p[i].x[l] - cl); }) / n;
      if (k == l) continue;
      const double product = sumOf(n, [=] BRIM_KERNEL(int i) { return (p[i].x[k] - ck) * double(kick[i].x[l]); }) / n;
      moment[3 - k - l] += (l == (k + 1) % 3 ? 1 : -1) * product;
    }
  // Of particles in a line nothing turns about the line: the least part of the inertia keeps the matrix regular.
  double trace = 0;
  for (int k = 0; k < D; ++k) trace += square[k][k];
  const double least = 1e-6 * trace + 1e-30;
  double turn[3] = {};
  if constexpr (D == 2) {
    turn[2] = moment[2] / (trace + least);
  } else {
    double I[3][3];
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) I[k][l] = (k == l ? trace + least : 0) - square[k][l];
    const auto cofactor = [&](int k, int l) {
      const int a = (k + 1) % 3, b = (k + 2) % 3, c = (l + 1) % 3, d = (l + 2) % 3;
      return I[a][c] * I[b][d] - I[a][d] * I[b][c];
    };
    const double determinant = I[0][0] * cofactor(0, 0) + I[0][1] * cofactor(0, 1) + I[0][2] * cofactor(0, 2);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) turn[k] += cofactor(l, k) * moment[l] / determinant;
  }
  Vec<D> at, back;
  for (int k = 0; k < D; ++k) at[k] = Real(centre[k]), back[k] = Real(push[k]);
  Vec<3> spin{Real(turn[0]), Real(turn[1]), Real(turn[2])};
  forEach(n, [=] BRIM_KERNEL(int i) {
    const Vec<D> r = p[i].x - at;
    Vec<3> arm{};
    for (int k = 0; k < D; ++k) arm[k] = r[k];
    const Vec<3> turned = cross(spin, arm);
    for (int k = 0; k < D; ++k) kick[i].x[k] -= back[k] + turned[k];
  });
}

template class ParticleTension<2>;
template class ParticleTension<3>;

}  // namespace brim::inline BRIM_FLAVOUR
