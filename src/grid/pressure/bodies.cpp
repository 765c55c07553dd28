// What bodies add to the pressure equation: gathered per body in the order of the cells, and given back cell by cell.
#include "grid/pressure/bodies.h"

#include "scene/vector.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// Finds the entries of the fluid cells of a word of cells; a cell may be beside several bodies.
template <int D>
struct FindBodiesInCells {
  TileView<D> tiles;
  GridGeometry<D> geometry;
  SolidView<D> solids;
  int firstFree;
  const double* centre;
  const std::uint64_t* fluid;
  int* count;           // of the first pass
  BodyInCell* entries;  // of the second; null in the first
  const int* start;

  BRIM_DEVICE_FN void operator()(int at) const {
    constexpr int words = Bits<D>::words;
    const int t = at / words, s = at % words;
    int found = 0;
    if (t < tiles.count && fluid[at] && solids.touches[t])
      for (int b = 0; b < 64; ++b)
        if (fluid[at] >> b & 1) found += cell(t, 64 * s + b, entries ? entries + start[at] + found : nullptr);
    if (!entries) count[at] = found;
  }
  BRIM_DEVICE_FN void findSurface(int t, int c, BodyInCell& e) const {
    const PlacedSolid<D>& body = solids.body[firstFree + e.body];
    const Vec<D, int> place = tiles.place(t);
    Vec<D> q;
    for (int k = 0; k < D; ++k) q[k] = Real(8 * place[k] + (c >> 3 * k & 7)) + Real(0.5);
    const Vec<D> x = geometry.inMetres(q);
    Real at[3] = {}, y[3], n[3] = {}, normal[3];
    for (int k = 0; k < D; ++k) at[k] = x[k];
    body.pose.toBody(at, y);
    body.shape.normal(y, Real(0.05 * geometry.spacing), n);
    body.pose.directionToWorld(n, normal);
    const Real d = max(Real(-1), min(Real(1), body.shape.distance(y) * geometry.perCell));
    for (int k = 0; k < D; ++k) e.toSurface[k] = -d * normal[k];
  }
  /// The entries of one cell; returns how many there are.
  BRIM_DEVICE_FN int cell(int t, int c, BodyInCell* to) const {
    const int own = t * Tiles<D>::cells + c;
    BodyInCell one[2 * D];
    int n = 0;
    for (int k = 0; k < D; ++k)
      for (int up = 0; up < 2; ++up) {
        const Real part = solids.pushed[k][up ? upperCell(tiles, t, c, k) : own];
        if (!(part > 0)) continue;
        Vec<D> q = faceMiddle<D>(tiles.place(t), c, k);
        q[k] += Real(up);
        const Vec<D> x = geometry.inMetres(q);
        const int body = solids.nearest(x) - firstFree;
        if (body < 0) continue;
        int e = 0;
        while (e < n && one[e].body != body) ++e;
        if (e == n) one[n++] = {own, body, {}, {}};
        double r[3] = {};
        for (int a = 0; a < D; ++a) r[a] = double(x[a]) - centre[3 * body + a];
        const double flux = up ? double(part) : -double(part);
        const int a = (k + 1) % 3, b = (k + 2) % 3;  // r x e_k
        one[e].j[k] += flux;
        one[e].j[3 + a] += flux * r[b];
        one[e].j[3 + b] -= flux * r[a];
      }
    for (int e = 0; to && e < n; ++e) {
      findSurface(t, c, one[e]);
      to[e] = one[e];
    }
    return n;
  }
};

/// phi on the surface of a body.
template <int D>
struct PressureOf {
  const Real *phi, *slope[D];
  explicit PressureOf(const GridState<D>& s) : phi(s.phi.data()) {
    for (int k = 0; k < D; ++k) slope[k] = s.slope[k].data();
  }
  BRIM_DEVICE_FN double operator()(const BodyInCell& e) const {
    Real value = phi[e.cell];
    for (int k = 0; k < D; ++k) value += e.toSurface[k] * slope[k][e.cell];
    return double(value);
  }
};

}  // namespace

template <int D>
void BodyTerms<D>::find(const GridState<D>& s, const World<D>& w) {
  clear();
  if (!w.bodies || w.bodies->empty()) return;
  const double cell = s.geometry.cell;
  perMass_ = w.rho0 * std::pow(cell, D), perCell_ = perMass_ * cell;
  std::vector<double> centres;
  perMassOf_.clear(), perInertiaOf_.clear();
  for (int b = 0; b < w.bodies->size(); ++b) {
    const BodyState& body = w.bodies->body(b);
    perMassOf_.push_back(body.perMass), perInertiaOf_.push_back(body.perInertiaHere);
    for (int k = 0; k < 3; ++k) centres.push_back(body.x[k] - w.origin[k]);
  }
  copyIn(centre_, centres.data(), centres.size());

  const int words = (s.tiles.count() + 1) * Bits<D>::words;
  start_.resize(words + 1);
  fill(start_, words, words + 1, 0);
  FindBodiesInCells<D> find{s.tiles.view(),       s.geometry,     s.solids.view(w.solids),
                            w.solids.firstFree(), centre_.data(), s.flags.fluid.data(),
                            start_.data(),        nullptr,        nullptr};
  forEach(words, find);
  scan(start_, words + 1);
  count_ = elementOf(start_, words);
  cells_.resize(count_);
  find.entries = cells_.data(), find.start = start_.data();
  if (count_ > 0) forEach(words, find);

  // By body, each in the order of the cells.
  const auto& entries = onHost(cells_, count_);
  std::vector<int> first(w.bodies->size() + 1), member(count_);
  for (int e = 0; e < count_; ++e) ++first[entries[e].body + 1];
  for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
  std::vector<int> next = first;
  for (int e = 0; e < count_; ++e) member[next[entries[e].body]++] = e;
  copyIn(first_, first.data(), first.size());
  copyIn(member_, member.data(), member.size());
}

template <int D>
std::vector<SixNumbers> BodyTerms<D>::impulses(const GridState<D>& s) const {
  const auto cells = cells_.read();
  const auto member = member_.read();
  const PressureOf<D> value(s);
  std::vector<SixNumbers> sums = reduceEach(
      first_, SixNumbers{},
      [=] BRIM_KERNEL(int m) {
        const BodyInCell& e = cells[member[m]];
        SixNumbers one;
        for (int k = 0; k < 6; ++k) one.of[k] = e.j[k] * value(e);
        return one;
      },
      [] BRIM_KERNEL(SixNumbers & s, const SixNumbers& t) {
        for (int k = 0; k < 6; ++k) s.of[k] += t.of[k];
      });
  for (SixNumbers& s : sums)
    for (double& x : s.of) x *= perCell_;
  return sums;
}

template <int D>
double BodyTerms<D>::add(const Array<Real>& p, Array<Real>& q, const Array<int>& number, const Array<float>& diag) const {
  constexpr int cellsOfTile = Tiles<D>::cells;
  const auto cells = cells_.read();
  const auto member = member_.read();
  const auto value = p.read();
  const auto tile = number.read();
  const std::vector<SixNumbers> sums = reduceEach(
      first_, SixNumbers{},
      [=] BRIM_KERNEL(int m) {
        const BodyInCell& e = cells[member[m]];
        const double v = double(value[tile[e.cell / cellsOfTile] * cellsOfTile + e.cell % cellsOfTile]);
        SixNumbers one;
        for (int k = 0; k < 6; ++k) one.of[k] = e.j[k] * v;
        return one;
      },
      [] BRIM_KERNEL(SixNumbers & s, const SixNumbers& t) {
        for (int k = 0; k < 6; ++k) s.of[k] += t.of[k];
      });
  using vectors::operator*;
  std::vector<SixNumbers> change(sums.size());
  double product = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const double* const w = sums[b].of;
    const Vector turn = perInertiaOf_[b] * Vector{w[3], w[4], w[5]};
    for (int k = 0; k < 3; ++k) change[b].of[k] = perMass_ * perMassOf_[b] * w[k], change[b].of[3 + k] = perMass_ * turn[k];
    for (int k = 0; k < 6; ++k) product += w[k] * change[b].of[k];
  }
  copyIn(change_, change.data(), change.size());
  const auto dv = change_.read();
  const auto to = q.view();
  const auto known = diag.read();
  const int n = count_;
  forEach(n, [=] BRIM_KERNEL(int first) {
    const int cell = cells[first].cell;
    if (first > 0 && cells[first - 1].cell == cell) return;  // the first entry of a cell writes it
    double sum = 0;
    for (int e = first; e < n && cells[e].cell == cell; ++e)
      for (int k = 0; k < 6; ++k) sum += cells[e].j[k] * dv[cells[e].body].of[k];
    const int at = tile[cell / cellsOfTile] * cellsOfTile + cell % cellsOfTile;
    if (known[at] > 0) to[at] += Real(sum);
  });
  return product;
}

template class BodyTerms<2>;
template class BodyTerms<3>;

}  // namespace brim::inline BRIM_FLAVOUR
