#include "grid/tension/curvature.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// The liquid in a cell, of which solids are no part: they have the curvature of what is beside them, a contact angle of 90
/// degrees.
template <int D>
struct FindParts {
  const Real *rho, *fraction;
  const std::uint64_t* solid;
  Real fill;
  Real *part, *weight;
  BRIM_DEVICE_FN void operator()(int at) const {
    const bool in = solid[std::size_t(at) >> 6] >> (at & 63) & 1;
    const Real of = fraction[at], f = fill * (rho[at] - of) / max(Real(1) - of, Real(0.05));
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

}  // namespace

template <int D>
void SurfaceCurvature<D>::smooth(const Tiles<D>& tiles, Array<Real>& field, Real background) {
  tiles.fit(spare_, background);
  for (int pass = 0; pass < passes_; ++pass)
    for (int k = 0; k < D; ++k) {
      eachTile<D>(tiles.count(), SmoothAlong<D>{tiles.beside().data(), k, field.data(), spare_.data()});
      field.swap(spare_);
    }
}

template <int D>
void SurfaceCurvature<D>::differentiate(const Tiles<D>& tiles) {
  const int cells = tiles.count() * Tiles<D>::cells;
  FindNormals<D> normals{tiles.view(), part_.data(), {}};
  FindCurvature<D> find{tiles.view(), {}, curvature_.data()};
  for (int k = 0; k < D; ++k) {
    tiles.fit(normal_[k], Real(0));
    normals.normal[k] = normal_[k].data(), find.normal[k] = normal_[k].data();
  }
  forEach(cells, normals);
  forEach(cells, find);
}

template <int D>
void SurfaceCurvature<D>::find(const GridState<D>& s, double fill) {
  const Tiles<D>& tiles = s.tiles;
  const int cells = tiles.count() * Tiles<D>::cells;
  for (Array<Real>* field : {&part_, &curvature_}) tiles.fit(*field, Real(0));
  tiles.fit(weight_, Real(1));
  forEach(cells, FindParts<D>{s.rho.data(), s.solids.fraction().data(), s.solids.solid().data(), Real(fill), part_.data(),
                              weight_.data()});
  smooth(tiles, part_, Real(0));
  smooth(tiles, weight_, Real(1));
  forEach(cells, Normalise<D>{weight_.data(), part_.data()});
  differentiate(tiles);
}

template class SurfaceCurvature<2>;
template class SurfaceCurvature<3>;

}  // namespace brim::inline BRIM_FLAVOUR
