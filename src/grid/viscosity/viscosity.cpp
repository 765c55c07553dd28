#include "grid/viscosity/viscosity.h"

#include "grid/pressure/project.h"
#include "grid/viscosity/viscosity_kernels.h"
#include "scene/friction.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

constexpr double tolerance = 3e-3;  // of the change that friction makes, in the root mean square
constexpr double rounding = 2e-7;   // of the velocities: what float can tell
constexpr int most = 600;           // iterations

struct Norms {
  double rz, rr, change, v;
};

}  // namespace

template <int D>
GridViscosity<D>::GridViscosity(const Scene& scene) : acts_(gridSolvesForFriction(scene)) {
  const SlipLengths lengths = slipLengths(scene);
  const auto known = [](double length) { return length < freeSlip ? Real(length) : Real(-1); };
  wallSlip_ = known(lengths.walls);
  std::vector<SurfaceSlip<D>> surfaces;
  for (std::size_t b = 0; b < lengths.solids.size(); ++b) {
    SurfaceSlip<D> one{known(lengths.solids[b]), {}};
    for (int a = 0; a < D && b < scene.solids.size(); ++a) one.slide[a] = Real(scene.solids[b].surface_velocity[a]);
    surfaces.push_back(one);
  }
  if (surfaces.empty()) surfaces.push_back({});
  if (acts_) copyIn(surface_, surfaces.data(), surfaces.size());
}

template <int D>
void GridViscosity<D>::begin(GridState<D>& s, const Solids<D>& solids, double nu, double dt, bool pressure) {
  const WallView<D> walls{solids.placed().read(), surface_.read(), int(solids.placed().size()), wallSlip_, s.geometry.extent,
                          s.geometry.walled,      s.geometry.cell};
  findWalls(s, walls);
  for (int k = 0; k < D; ++k) {
    before_[k].resize(s.faces.u[k].size());
    copy(before_[k], s.faces.u[k], int(s.faces.u[k].size()));
  }
  if (pressure) subtractGradient(s, s.geometry.cell, false);
  findUnknowns(s);
  findVolumes(s, walls, nu, dt);
  first_ = true;
}

template <int D>
void GridViscosity<D>::findWalls(GridState<D>& s, const WallView<D>& walls) {
  const int n = s.tiles.count(), words = (n + 1) * Bits<D>::words;
  solid_.resize(words);
  forEach(words, FindSolidCentres<D>{s.solids.solid().data(), s.solids.fraction().data(), n, solid_.data()});
  FindViscousWalls<D> body{s.tiles.view(), s.geometry, walls, solid_.data(), {}, {}, {}, {}};
  for (int k = 0; k < D; ++k) {
    wall_[k].resize(words);
    body.shut[k] = s.flags.wall[k].data(), body.known[k] = s.flags.known[k].data();
    body.wall[k] = wall_[k].data(), body.u[k] = s.faces.u[k].data();
  }
  forEach(words, body);
}

template <int D>
void GridViscosity<D>::findUnknowns(GridState<D>& s) {
  const int n = s.tiles.count(), words = (n + 1) * Bits<D>::words;
  FindUnknowns<D> find{s.tiles.view(), {}, {}, {}, {}};
  FindWetTiles<D> wet{s.tiles.view(), {}, nullptr};
  Follow<D> follow{s.tiles.view(), {}, {}, {}, {}, {}};
  wet_.resize(n + 1);
  wet.wet = wet_.data();
  for (int k = 0; k < D; ++k) {
    unknown_[k].resize(words);
    find.known[k] = follow.known[k] = s.flags.known[k].data();
    find.beside[k] = s.flags.beside[k].data(), find.wall[k] = wall_[k].data();
    find.unknown[k] = unknown_[k].data();
    wet.unknown[k] = follow.unknown[k] = unknown_[k].data();
    follow.before[k] = before_[k].data(), follow.change[k] = s.faces.change[k].data(), follow.u[k] = s.faces.u[k].data();
  }
  forEach(words, find);
  forEach(n, wet);
  eachTile<D>(n, follow);
}

template <int D>
void GridViscosity<D>::findVolumes(GridState<D>& s, const WallView<D>& walls, double nu, double dt) {
  const Tiles<D>& tiles = s.tiles;
  a_ = Real(nu * dt * s.geometry.perCell * s.geometry.perCell);
  tiles.fitCleared({&cell_});
  for (Array<Real>& e : edge_) tiles.fitCleared({&e});
  for (Array<Real>& e : shear_) tiles.fitCleared({&e});
  for (int k = 0; k < D; ++k)
    tiles.fitCleared({&volume_[k], &mass_[k], &start_[k], &inverse_[k], &r_[k], &p_[k], &q_[k], &normal_[k]});
  for (Array<double>& p : part_) p.resize(tiles.count());
  FindVolumes<D> find{tiles.view(), s.geometry, walls, wet_.data(),       solid_.data(), {}, {}, s.flags.distance.data(),
                      {},           {},         a_,    s.solids.moving(), cell_.data(),  {}, {}, {},
                      {},           {}};
  for (int e = 0; e < pairs; ++e) find.edge[e] = edge_[e].data();
  for (int k = 0; k < D; ++k) {
    find.unknown[k] = unknown_[k].data(), find.wall[k] = wall_[k].data(), find.u[k] = s.faces.u[k].data();
    find.open[k] = s.solids.cut() ? s.solids.open(k).data() : nullptr;
    find.volumes[k] = volume_[k].data(), find.mass[k] = mass_[k].data(), find.start[k] = start_[k].data(),
    find.rhs[k] = r_[k].data();
  }
  forEach(tiles.count() * Tiles<D>::cells, find);
}

template <int D>
ViscousFields<D> GridViscosity<D>::fields(GridState<D>& s) {
  ViscousFields<D> f{};
  f.beside = s.tiles.beside().data(), f.wet = wet_.data(), f.a = a_, f.cell = cell_.data();
  for (int e = 0; e < pairs; ++e) f.edge[e] = edge_[e].data(), f.shear[e] = shear_[e].data();
  for (int k = 0; k < D; ++k) {
    f.unknown[k] = unknown_[k].data(), f.mass[k] = mass_[k].data(), f.normal[k] = normal_[k].data();
    f.x[k] = s.faces.u[k].data(), f.start[k] = start_[k].data(), f.inverse[k] = inverse_[k].data();
    f.r[k] = r_[k].data(), f.p[k] = p_[k].data(), f.q[k] = q_[k].data();
  }
  return f;
}

template <int D>
int GridViscosity<D>::solve(GridState<D>& s) {
  const int n = s.tiles.count();
  const ViscousFields<D> f = fields(s);
  const auto findStress = [&](Real* const(&v)[D]) {
    FindStress<D> stress{f, {}};
    for (int k = 0; k < D; ++k) stress.v[k] = v[k];
    eachTile<D>(n, stress);
  };
  if (first_) {
    findStress(f.x);
    eachTile<D>(n, FirstResidual<D>{f});
  }
  first_ = false;
  const auto advance = [&](double alpha) {
    eachTile<D>(n, AdvanceViscous<D>{f, Real(alpha), {part_[0].data(), part_[1].data(), part_[2].data(), part_[3].data()}});
    const auto a = part_[0].read(), b = part_[1].read(), c = part_[2].read(), d = part_[3].read();
    return reduce(
        n, Norms{},
        [=] BRIM_KERNEL(int t) {
          return Norms{a[t], b[t], c[t], d[t]};
        },
        [] BRIM_KERNEL(Norms & x, const Norms& y) { x.rz += y.rz, x.rr += y.rr, x.change += y.change, x.v += y.v; });
  };
  double last = 0;
  Norms now = advance(0);
  int k = 0;
  for (; k < most; ++k) {
    const double enough = std::max(tolerance * tolerance * now.change, rounding * rounding * now.v);
    if (!(now.rz > 0) || now.rr <= enough) break;
    eachTile<D>(n, TurnViscous<D>{f, Real(k == 0 ? 0 : now.rz / last)});
    last = now.rz;
    findStress(f.p);
    eachTile<D>(n, MultiplyViscous<D>{f, part_[0].data()});
    const auto part = part_[0].read();
    const double curvature = sumOf(n, [=] BRIM_KERNEL(int t) { return part[t]; });
    if (!(curvature > 0)) break;
    now = advance(last / curvature);
  }
  return k;
}

template <int D>
void GridViscosity<D>::correct(GridState<D>& s) {
  const int n = s.tiles.count();
  forEach(n * Tiles<D>::cells, AddViscousPressure<D>{s.flags.fluid.data(), s.rhs.data(), cell_.data(), 2 * a_ / D, s.phi.data()});
  for (int k = 0; k < D; ++k) q_[k].swap(s.faces.u[k]);
  subtractGradient(s, s.geometry.cell, false, true);
  for (int k = 0; k < D; ++k) q_[k].swap(s.faces.u[k]);
  CorrectStart<D> body{s.tiles.view(), {}, {}, {}, {}, {}, {}};
  for (int k = 0; k < D; ++k) {
    body.unknown[k] = unknown_[k].data(), body.known[k] = s.flags.known[k].data();
    body.by[k] = q_[k].data(), body.volume[k] = volume_[k].data();
    body.r[k] = r_[k].data(), body.start[k] = start_[k].data();
  }
  eachTile<D>(n, body);
}

template <int D>
void GridViscosity<D>::finish(GridState<D>& s) {
  eachTile<D>(s.tiles.count(), FindChange<D>{fields(s)});
  ApplyChange<D> apply{s.tiles.view(), {}, {}, {}, {}, {}, {}};
  for (int k = 0; k < D; ++k) {
    apply.unknown[k] = unknown_[k].data(), apply.known[k] = s.flags.known[k].data();
    apply.before[k] = before_[k].data(), apply.by[k] = start_[k].data();
    apply.u[k] = s.faces.u[k].data(), apply.change[k] = s.faces.change[k].data();
  }
  eachTile<D>(s.tiles.count(), apply);
}

template <int D>
std::size_t GridViscosity<D>::bytes() const {
  return (8 * D + 1 + 2 * pairs) * cell_.bytes() + D * before_[0].bytes();
}

template class GridViscosity<2>;
template class GridViscosity<3>;

}  // namespace brim::inline BRIM_FLAVOUR
