#include "grid/density.h"

#include <cstring>

namespace brim::inline BRIM_FLAVOUR {

namespace {
using Four = Pack<Real, 4>;
const Four lowerX = Four::V{1, 0, 1, 0}, signX = Four::V{-1, 1, -1, 1};
const Four lowerY = Four::V{1, 1, 0, 0}, signY = Four::V{-1, -1, 1, 1};
}  // namespace

template <int D>
double splat(const Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
             const SolidCells<D>& solids, Blocks<D>& stage, Array<Real>& rho, Flags<D>& flags) {
  constexpr int nodes = Padded<D>::nodes, cells = Tiles<D>::cells, words = Bits<D>::words;
  const std::vector<int>& active = bins.active();
  const auto p = fluid.p.read();
  stage.resize(int(active.size()), 1);
  std::vector<int> filled(active.size());
  forEachTile(int(active.size()), [&](int a) {
    const int t = active[a];
    const Vec<D, int> place = tiles.place(t);
    // Records of four nodes: two along x in two rows along y.
    alignas(64) Four record[nodes];
    int count[cells];
    std::memset(static_cast<void*>(record), 0, sizeof record);
    std::memset(count, 0, sizeof count);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const InTile<D> x(frame.inCells(p[bins.order()[m]].x), place);
      ++count[x.within()];
      const Between bx = atCentres(x, 0), by = atCentres(x, 1);
      const Four w = (lowerX + signX * Four(bx.f)) * (lowerY + signY * Four(by.f));
      Four* const to = record + bx.at + by.at;
      if constexpr (D == 2) {
        to[0] += w;
      } else {
        const Between bz = atCentres(x, 2);
        to[bz.at] += w * Four(1 - bz.f);
        to[bz.at + 100] += w * Four(bz.f);
      }
    }
    Real* const out = stage.at(a);
    const Real* const r = reinterpret_cast<const Real*>(record);
    for (int n = 0; n < nodes; ++n) {
      Real sum = r[4 * n];
      const bool left = n % 10 > 0, below = n / 10 % 10 > 0;
      if (left) sum += r[4 * n - 4 + 1];
      if (below) sum += r[4 * n - 40 + 2];
      if (left && below) sum += r[4 * n - 44 + 3];
      out[n] = sum;
    }
    int sum = 0;
    for (int c = 0; c < cells; ++c) sum += std::min(count[c], Frame<D>::full);
    filled[a] = sum;
    for (int s = 0; s < words; ++s) {
      std::uint64_t bits = 0;
      for (int c = 0; c < 64; ++c) bits |= std::uint64_t(count[64 * s + c] > 0) << c;
      flags.fluid[std::size_t(t) * words + s] = bits;
    }
  });
  tiles.fit(rho, Real(0));
  const Real perParticle = Real(1.0 / Frame<D>::full);
  forEachTile(tiles.count(), [&](int t) {
    alignas(64) Real sum[cells] = {};
    for (int way = 0; way < Tiles<D>::ways; ++way) {
      const int slot = bins.slot()[tiles.around(t)[way]];
      if (slot < 0) continue;
      const Real* const from = stage.at(slot);
      eachSharedRow<D>(Share::given, way, [&](int node, int cell, int length) {
        for (int x = 0; x < length; ++x) sum[cell + x] += from[node + x];
      });
    }
    const Real* const solid = solids.fraction().data() + std::size_t(t) * cells;
    Real* const to = rho.data() + std::size_t(t) * cells;
    for (int c = 0; c < cells; ++c) to[c] = perParticle * sum[c] + solid[c];
  });
  double total = 0;
  for (const int f : filled) total += f;
  return total;
}

template <int D>
void takeDensity(Particles<D>& fluid, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const Array<Real>& rho,
                 double rho0) {
  const auto p = fluid.p.read();
  const auto v = fluid.v.view();
  const Real scale = Real(rho0);
  forEachTile(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = tiles.place(t);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const int i = bins.order()[m];
      v[i].a = scale * rho[std::size_t(t) * Tiles<D>::cells + InTile<D>(frame.inCells(p[i].x), place).within()];
    }
  });
}

template <int D>
void densityError(const Tiles<D>& tiles, const Flags<D>& flags, const Array<Real>& rho, double dt, double clamp,
                  Array<Real>& rhs) {
  constexpr int words = Bits<D>::words, cells = Tiles<D>::cells;
  tiles.fit(rhs, Real(0));
  const Real low = Real(1 - clamp), high = Real(1 + clamp);
  const BitView<D> air(tiles.view(), flags.air);
  const Real perDt = Real(1 / dt);
  forEachTile(tiles.count(), [&](int t) {
    for (int s = 0; s < words; ++s) {
      // The kernel reaches the cells around by corners too: where any of them is air, the density is too low.
      const std::uint64_t fluid = flags.fluid[std::size_t(t) * words + s], surface = fluid ? air.around(t, s) : 0;
      const Real* const from = rho.data() + std::size_t(t) * cells + 64 * s;
      Real* const to = rhs.data() + std::size_t(t) * cells + 64 * s;
      for (int c = 0; c < 64; ++c) {
        const Real least = surface >> c & 1 ? Real(1) : low;
        to[c] = fluid >> c & 1 ? perDt * (max(min(from[c], high), least) - 1) : Real(0);
      }
    }
  });
}

namespace {
/// The way out of the solids from x, Eq. 13, at most half a cell long; 0 outside. From a point that is as far from all sides, up.
template <int D>
Vec<D> wayOut(const World<D>& w, const Frame<D>& frame, const Vec<D>& x) {
  const auto& bodies = w.solids.bodies();
  Real deepest = 0;
  Vec<D> out{};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Real at[3] = {}, y[3], n[3] = {}, world[3];
    for (int k = 0; k < D; ++k) at[k] = x[k];
    bodies[b].pose.toBody(at, y);
    const Real depth = -bodies[b].shape.distance(y);
    if (!(depth > deepest)) continue;
    bodies[b].shape.normal(y, Real(0.05 * w.spacing), n);
    bodies[b].pose.directionToWorld(n, world);
    deepest = depth;
    for (int k = 0; k < D; ++k) out[k] = min(depth, frame.cell / 2) * world[k];
    if (dot(out, out) == 0) out[1] = min(depth, frame.cell / 2);
  }
  return out;
}
}  // namespace

template <int D>
std::vector<Buried<D>> findBuried(const World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                                  const SolidCells<D>& solids, const Flags<D>& flags) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = w.fluid.p.read();
  std::vector<std::vector<Buried<D>>> found(bins.active().size());
  forEachTile(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    if (!flags.buried[t]) return;
    const Vec<D, int> place = tiles.place(t);
    const std::uint64_t* const solid = solids.solid().data() + std::size_t(t) * words;
    // Several in one cell: the deepest decides; with the clamp, the longest way.
    std::vector<int> at(cells, -1);
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const Vec<D> x = p[bins.order()[m]].x;
      const int c = InTile<D>(frame.inCells(x), place).within();
      if (!Bits<D>::test(solid, c)) continue;
      const Vec<D> way = wayOut(w, frame, x);
      if (at[c] < 0)
        at[c] = int(found[a].size()), found[a].push_back({t * cells + c, way});
      else if (Buried<D>& known = found[a][at[c]]; dot(way, way) > dot(known.way, known.way))
        known.way = way;
    }
  });
  std::vector<Buried<D>> all;
  for (const auto& f : found) all.insert(all.end(), f.begin(), f.end());
  return all;
}

template <int D>
void pushIntoFluid(const Frame<D>& frame, const Tiles<D>& tiles, const Flags<D>& flags, const std::vector<Buried<D>>& buried,
                   double dt, Array<Real>& rhs) {
  const TileView<D> view = tiles.view();
  const Real perWay = Real(frame.perCell / dt);
  for (const Buried<D>& b : buried)
    for (int k = 0; k < D; ++k) {
      const int t = b.cell / Tiles<D>::cells, c = b.cell % Tiles<D>::cells;
      const int next = b.way[k] > 0 ? upperCell(view, t, c, k) : lowerCell(view, t, c, k);
      if (flags.state[next] == fluidCell) rhs[next] += perWay * std::abs(b.way[k]);
    }
}

// Only towards the fluid: a face that the way out leads away from would draw the fluid on its other side into the solid.
template <int D>
void setWaysOut(const Tiles<D>& tiles, Flags<D>& flags, const std::vector<Buried<D>>& buried, Faces<D>& faces) {
  const TileView<D> view = tiles.view();
  for (const Buried<D>& b : buried)
    for (int k = 0; k < D; ++k) {
      const int t = b.cell / Tiles<D>::cells, c = b.cell % Tiles<D>::cells;
      const int upper = upperCell(view, t, c, k), lower = lowerCell(view, t, c, k);
      const auto set = [&](int face, int beyond, bool towards) {
        if (std::size_t(face) >= std::size_t(tiles.count()) * Tiles<D>::cells) return;
        if (flags.state[beyond] == fluidCell && !towards) return;
        if (std::abs(b.way[k]) >= std::abs(faces.u[k][face])) faces.u[k][face] = b.way[k];
        flags.known[k][face >> 6] |= std::uint64_t(1) << (face & 63);
      };
      set(b.cell, lower, b.way[k] < 0);
      set(upper, upper, b.way[k] > 0);
    }
}

namespace {
/// A number in [0, 1) from a particle's id, the step and the axis.
Real randomOf(std::uint64_t id, std::uint64_t step, int k) {
  std::uint64_t h = id * 0x9e3779b97f4a7c15ull + step * 0xd1b54a32d192ed03ull + std::uint64_t(k + 1) * 0x8cb92ba72f3d8dd7ull;
  for (int round = 0; round < 2; ++round) h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
  return Real(double(h >> 40) * 0x1p-24);
}
}  // namespace

template <int D>
std::int64_t redistribute(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins,
                          const SolidCells<D>& solids, const Flags<D>& flags, const Array<Real>& rho,
                          const TileView<D>& velocityTiles, const Blocks<D>& velocity) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const auto p = w.fluid.p.view(), v = w.fluid.v.view();
  const auto id = w.fluid.id.read();
  const auto& bodies = w.solids.bodies();
  const auto free = [&](const Vec<D>& x) {
    for (int k = 0; k < D; ++k)
      if (w.walled[k] && (x[k] < 0 || x[k] > w.extent[k])) return false;
    Real at[3] = {}, y[3];
    for (int k = 0; k < D; ++k) at[k] = x[k];
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      bodies[b].pose.toBody(at, y);
      if (bodies[b].shape.distance(y) < 0) return false;
    }
    return true;
  };
  std::vector<std::int64_t> moved(bins.active().size());
  forEachTile(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    std::uint64_t crowded[words];
    bool any = false;
    for (int s = 0; s < words; ++s) {
      crowded[s] = 0;
      eachBit(flags.fluid[std::size_t(t) * words + s], s, [&](int c) {
        if (rho[std::size_t(t) * cells + c] > Real(1.5)) crowded[s] |= std::uint64_t(1) << (c & 63), any = true;
      });
    }
    if (!any) return;
    const Vec<D, int> place = tiles.place(t);
    const auto cellOf = [&](int i) { return InTile<D>(frame.inCells(p[i].x), place).within(); };
    std::vector<int> count(cells), next(cells);
    std::vector<std::pair<int, int>> who;
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const int i = bins.order()[m], c = cellOf(i);
      if (Bits<D>::test(crowded, c)) ++count[c], who.push_back({c, i});
    }
    for (const auto& [c, i] : who) {
      // As many parts as particles, or a few more; the j-th particle goes to the j-th of n parts evenly chosen.
      int side = int(std::ceil(std::pow(double(count[c]), 1.0 / D) - 1e-9));
      const std::int64_t parts = std::int64_t(power(side, D)), j = next[c]++;
      std::int64_t part = j * parts / count[c];
      Vec<D> q;
      for (int k = 0; k < D; ++k, part /= side) {
        const Real jitter = (randomOf(id[i], w.step, k) - Real(0.5)) / 2;
        q[k] = Real(8 * place[k] + (c >> 3 * k & 7)) + (Real(part % side) + Real(0.5) + jitter) / Real(side);
      }
      const Vec<D> x = frame.inMetres(q);
      if (cellOf(i) != c || (solids.touches(t) && !free(x))) continue;
      p[i].x = x;
      Vec<D> u;
      if (sample(velocityTiles, velocity, q, u)) v[i].x = u;
      ++moved[a];
    }
  });
  std::int64_t all = 0;
  for (const std::int64_t m : moved) all += m;
  return all;
}

template <int D>
void displace(World<D>& w, const Frame<D>& frame, const Tiles<D>& tiles, const Bins<D>& bins, const SolidCells<D>& solids,
              const Flags<D>& flags, const Blocks<D>& padded) {
  const auto p = w.fluid.p.view();
  forEachTile(int(bins.active().size()), [&](int a) {
    const int t = bins.active()[a];
    const Vec<D, int> place = tiles.place(t);
    const std::uint64_t* const solid = solids.solid().data() + std::size_t(t) * Bits<D>::words;
    for (int m = bins.begin(t); m < bins.end(t); ++m) {
      const int i = bins.order()[m];
      const InTile<D> at(frame.inCells(p[i].x), place);
      Vec<D> move = Stencil<D>(at)(padded.at(a));
      // Between cells whose ways out are opposite the field is zero: who would stay there goes its own way.
      if (flags.buried[t] && dot(move, move) < Real(0.01) * frame.cell * frame.cell && Bits<D>::test(solid, at.within()))
        move = wayOut(w, frame, p[i].x);
      p[i].x += move;
    }
  });
}

#define BRIM_DENSITY(D)                                                                                                         \
  template double splat<D>(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,         \
                           Blocks<D>&, Array<Real>&, Flags<D>&);                                                                \
  template void takeDensity<D>(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Array<Real>&, double);    \
  template void densityError<D>(const Tiles<D>&, const Flags<D>&, const Array<Real>&, double, double, Array<Real>&);            \
  template std::vector<Buried<D>> findBuried<D>(const World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&,              \
                                                const SolidCells<D>&, const Flags<D>&);                                         \
  template void pushIntoFluid<D>(const Frame<D>&, const Tiles<D>&, const Flags<D>&, const std::vector<Buried<D>>&, double,      \
                                 Array<Real>&);                                                                                 \
  template void setWaysOut<D>(const Tiles<D>&, Flags<D>&, const std::vector<Buried<D>>&, Faces<D>&);                            \
  template std::int64_t redistribute<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&,      \
                                        const Flags<D>&, const Array<Real>&, const TileView<D>&, const Blocks<D>&);             \
  template void displace<D>(World<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const SolidCells<D>&, const Flags<D>&, \
                            const Blocks<D>&);
BRIM_DENSITY(2)
BRIM_DENSITY(3)

}  // namespace brim::inline BRIM_FLAVOUR
