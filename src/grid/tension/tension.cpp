#include "grid/tension/tension.h"

#include "math/kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

// Passes of (1 2 1)/4 along each axis: a variance of half a cell's square each. It takes noise of single particles out of the
// second derivatives, and exp(-k^2) of the curvature of a wave k [1/cell].
constexpr int passes = 4;

/// The liquid in a cell, of which solids are no part: they have the curvature of what is beside them, a contact angle of 90
/// degrees.
template <int D>
struct FindParts {
  const Real *rho, *fraction;
  const std::uint64_t* solid;
  Real *part, *weight;
  BRIM_DEVICE_FN void operator()(int at) const {
    const bool in = solid[std::size_t(at) >> 6] >> (at & 63) & 1;
    const Real of = fraction[at], f = (rho[at] - of) / max(Real(1) - of, Real(0.05));
    weight[at] = in ? Real(0) : Real(1);
    part[at] = in ? Real(0) : max(Real(0), min(Real(1), f));
  }
};
template <int D>
struct SmoothAlong {
  const int* beside;
  int axis;
  const Real* from;
  Real* to;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Around<D, Real> c(from, t, beside + 2 * D * t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> half(Real(0.5)), quarter(Real(0.25));
    eachSlice<D>([&](int s) {
      eachLineOf(
          s, [&](int n) { store(to + first + firstOf(n), half * c.line(n) + quarter * (c.below(n, axis) + c.above(n, axis))); });
    });
  }
};
/// part/weight, where anything has weight.
template <int D>
struct Normalise {
  const Real* weight;
  Real* part;
  BRIM_DEVICE_FN void operator()(int at) const { part[at] = weight[at] > Real(1e-6) ? part[at] / weight[at] : Real(0); }
};
template <int D>
struct FindNormals {
  TileView<D> tiles;
  const Real* part;
  Real* normal[D];
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Tiles<D>::cells, c = at % Tiles<D>::cells;
    Real g[D], square = Real(1e-12);
    for (int k = 0; k < D; ++k) g[k] = part[lowerCell(tiles, t, c, k)] - part[upperCell(tiles, t, c, k)], square += g[k] * g[k];
    const Real inverse = 1 / std::sqrt(square);
    for (int k = 0; k < D; ++k) normal[k][at] = inverse * g[k];
  }
};
/// kappa [1/cell], which no cell resolves above (D - 1)/cell.
template <int D>
struct FindCurvature {
  TileView<D> tiles;
  const Real* normal[D];
  Real* curvature;
  BRIM_DEVICE_FN void operator()(int at) const {
    const int t = at / Tiles<D>::cells, c = at % Tiles<D>::cells;
    Real sum = 0;
    for (int k = 0; k < D; ++k) sum += normal[k][upperCell(tiles, t, c, k)] - normal[k][lowerCell(tiles, t, c, k)];
    curvature[at] = max(Real(1 - D), min(Real(D - 1), sum / 2));
  }
};

/// The jump of the pressure on faces between liquid and air, with the curvature where the surface cuts the way between the
/// centres.
template <int D>
struct AddJumps {
  TileView<D> tiles;
  BitView<D> isFluid, isSolid;
  const Real *distance, *curvature;
  Real factor;  // [m/s] dt sigma/(rho dx^2)
  Real *u[D], *change[D];
  BRIM_DEVICE_FN void operator()(int t) const {
    for (int k = 0; k < D; ++k)
      eachSlice<D>([&](int s) {
        const std::uint64_t in = isFluid.at(t, s), below = isFluid.below(t, s, k);
        const std::uint64_t faces = (in ^ below) & ~(isSolid.at(t, s) | isSolid.below(t, s, k));
        eachBit(faces, s, [&](int c) {
          const int at = t * Tiles<D>::cells + c, low = lowerCell(tiles, t, c, k);
          const bool above = in >> (c & 63) & 1;  // the liquid is in the upper cell
          const int liquid = above ? at : low, air = above ? low : at;
          const Real perPart = perTheta(distance[at], distance[low]), theta = 1 / perPart;
          const Real kappa = curvature[liquid] + theta * (curvature[air] - curvature[liquid]);
          const Real gain = (above ? Real(1) : Real(-1)) * factor * kappa * perPart;
          u[k][at] += gain;
          change[k][at] += gain;
        });
      });
  }
};

}  // namespace

template <int D>
double GridTension<D>::limit(double rho, double cell) const {
  return std::sqrt(rho * cell * cell * cell / (4 * pi * sigma_));
}

template <int D>
void GridTension<D>::act(GridState<D>& s, double rho, double dt) {
  const Tiles<D>& tiles = s.tiles;
  const int n = tiles.count(), cells = n * Tiles<D>::cells;
  for (Array<Real>* field : {&part_, &spare_, &curvature_}) tiles.fit(*field, Real(0));
  tiles.fit(weight_, Real(1));
  forEach(cells, FindParts<D>{s.rho.data(), s.solids.fraction().data(), s.solids.solid().data(), part_.data(), weight_.data()});
  for (Array<Real>* field : {&part_, &weight_}) {
    tiles.fit(spare_, field == &weight_ ? Real(1) : Real(0));
    for (int pass = 0; pass < passes; ++pass)
      for (int k = 0; k < D; ++k) {
        eachTile<D>(n, SmoothAlong<D>{tiles.beside().data(), k, field->data(), spare_.data()});
        field->swap(spare_);
      }
  }
  forEach(cells, Normalise<D>{weight_.data(), part_.data()});
  FindNormals<D> normals{tiles.view(), part_.data(), {}};
  FindCurvature<D> curvature{tiles.view(), {}, curvature_.data()};
  AddJumps<D> jumps{tiles.view(),
                    {tiles.view(), s.flags.fluid},
                    {tiles.view(), s.solids.solid()},
                    s.flags.distance.data(),
                    curvature_.data(),
                    Real(dt * sigma_ / (rho * s.geometry.cell * s.geometry.cell)),
                    {},
                    {}};
  for (int k = 0; k < D; ++k) {
    tiles.fit(normal_[k], Real(0));
    normals.normal[k] = normal_[k].data(), curvature.normal[k] = normal_[k].data();
    jumps.u[k] = s.faces.u[k].data(), jumps.change[k] = s.faces.change[k].data();
  }
  forEach(cells, normals);
  forEach(cells, curvature);
  eachTile<D>(n, jumps);
}

template class GridTension<2>;
template class GridTension<3>;

}  // namespace brim::inline BRIM_FLAVOUR
