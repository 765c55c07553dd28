#include "step/neighbourhood.h"

#include <cmath>
#if !BRIM_CUDA
#include "world/spread.h"
#endif

#include "brim/error.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
template <int D>
struct Box {
  Vec<D> low, high;
};
}  // namespace

// The box of all particles; a run with particles farther off, or at no place at all, ends as diverged.
template <int D>
static Box<D> boxOf(int n, View<const Record<D>> p, Real reach) {
  Box<D> box;
  for (int k = 0; k < D; ++k) box.low[k] = Real(1e30), box.high[k] = Real(-1e30);
  return reduce(
      n, box,
      [=] BRIM_KERNEL(int i) {
        const Vec<D> x = p[i].x;
        bool lost = false;
        for (int k = 0; k < D; ++k) lost = lost || !(x[k] > -reach && x[k] < reach);
        return lost ? box : Box<D>{x, x};
      },
      [] BRIM_KERNEL(Box<D> & a, const Box<D>& b) {
        for (int k = 0; k < D; ++k) a.low[k] = min(a.low[k], b.low[k]), a.high[k] = max(a.high[k], b.high[k]);
      });
}

template <int D>
static void wrapInto(int n, View<Record<D>> p, const Vec<D> size, const Vec<D, bool> wrap) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    for (int k = 0; k < D; ++k)
      if (wrap[k]) p[i].x[k] -= size[k] * std::floor(p[i].x[k] / size[k]);
  });
}

// The same of all ranks.
template <int D>
static Box<D> boxOfAll(const World<D>& w, Real reach) {
#if !BRIM_CUDA
  if (isSpread(w)) {
    const auto p = w.fluid.p.read();
    const char* const own = ownFlags(w);
    double most[2 * D];
    std::fill(most, most + 2 * D, -1e30);
    for (int i = 0; i < w.fluid.size(); ++i) {
      bool near = own[i];
      for (int k = 0; k < D; ++k) near = near && p[i].x[k] > -reach && p[i].x[k] < reach;
      for (int k = 0; near && k < D; ++k)
        most[k] = std::max(most[k], -double(p[i].x[k])), most[D + k] = std::max(most[D + k], double(p[i].x[k]));
    }
    largestOverRanks(w, most, 2 * D);
    Box<D> box;
    for (int k = 0; k < D; ++k) box.low[k] = Real(-most[k]), box.high[k] = Real(most[D + k]);
    return box;
  }
#endif
  return boxOf(w.fluid.size(), w.fluid.p.read(), reach);
}

template <int D>
void Neighbourhood<D>::sortFluid(World<D>& w, Scratch<D>& scratch) {
  auto& fluid = w.fluid;
  const int n = fluid.size();
  if (w.hasPeriodic()) wrapInto(n, fluid.p.view(), w.extent, w.periodic);
  double low[D], high[D];
  const bool several = w.tanks.several();
  bool shut = onDevice || several;  // the domain holds all of it: a device need not look where it is, and nobody waits for that
  for (int k = 0; k < D; ++k) {
    low[k] = 0, high[k] = w.extent[k];
    shut = shut && (w.walled[k] || w.periodic[k]);
  }
  const auto cover = [&](double room) {
    for (int k = 0; k < D; ++k)
      if (w.periodic[k]) low[k] -= w.support, high[k] += w.support;
    window_.cover(low, high, w.support, room, several);
  };
  if (shut) cover(several ? 2147483000.0 / w.tanks.count - 1 : 6.0 * n + 100000);  // of tanks all cells have an index of 32 bits
  if (several && !(shut && window_.dense))
    throw Failure("the tanks of this batch have more cells than fit; make several batches");
  if (!shut || !window_.dense) {
    const Box<D> box = boxOfAll(w, Real(Window<D>::reach * w.support));
    for (int k = 0; k < D; ++k) {
      low[k] = box.low[k] <= box.high[k] ? box.low[k] : 0;
      high[k] = box.low[k] <= box.high[k] ? box.high[k] : 0;
    }
    cover(8.0 * n + 100000);
  }
#if !BRIM_CUDA
  if (Spread<D>* const spread = spreadOf(w)) {
    spread->place(fluid, table_, window_, scratch);
  } else
#endif
  {
    if (several)
      table_.sort(n, fluid.p.read(), window_, w.tanks.tankOf(), w.tanks.count);
    else
      table_.sort(n, fluid.p.read(), window_);
    fluid.reorder(table_.order(), n, scratch);
  }
  if (w.hasPeriodic()) {
    ghosts_.make(fluid, w.extent, w.periodic, Real(w.support));
    ghosts_.sort(fluid, window_);
    ghosts_.refreshPositions(fluid, fluid.p.data);
    ghosts_.refresh(fluid, fluid.v.data);
    fluid.pad();
  }
  w.solids.sort(window_);
  ++generation_;
  arrangement_ = fluid.arrangement();
}

template <int D>
typename Neighbours<D>::Around Neighbourhood<D>::around(const World<D>& w) const {
  const auto& fluid = w.fluid;
  const auto& solids = w.solids;
  typename Neighbours<D>::Around all = {
      {&table_, fluid.p.read(), fluid.size(), 0},
      {&ghosts_.table(), View<const Record<D>>{fluid.p.data.data() + fluid.firstPeriodicGhost()}, fluid.periodicGhosts(),
       fluid.firstPeriodicGhost()},
      {&solids.table(), solids.p(), solids.size(), 0},
      fluid.padding(),
      solids.padding(),
      w.tanks.tankOf()};
#if !BRIM_CUDA
  all.own = ownFlags(w);
#endif
  return all;
}

template <int D>
void Neighbourhood<D>::search(World<D>& w, Scratch<D>& scratch, BoundaryReaction<D>& reaction) {
  sortFluid(w, scratch);
  neighbours_.build(Real(w.support), window_, w.fluid.p.read(), w.fluid.size(), around(w));
  reaction.find(Real(w.support), window_, w.solids, around(w));
}

#if BRIM_CUDA
template <int D>
void Neighbourhood<D>::searchAhead(World<D>& w, Scratch<D>& scratch, BoundaryReaction<D>& reaction) {
  sortFluid(w, scratch);
  neighbours_.start(Real(w.support), window_, w.fluid.p.read(), w.fluid.size(), around(w));
  reaction.find(Real(w.support), window_, w.solids, around(w));
}

template <int D>
bool Neighbourhood<D>::listsHold(World<D>& w) {
  if (neighbours_.areComplete()) return true;
  neighbours_.build(Real(w.support), window_, w.fluid.p.read(), w.fluid.size(), around(w));
  return false;
}
#else
template <int D>
void Neighbourhood<D>::searchAhead(World<D>& w, Scratch<D>& scratch, BoundaryReaction<D>& reaction) {
  search(w, scratch, reaction);
}

template <int D>
bool Neighbourhood<D>::listsHold(World<D>&) {
  return true;
}
#endif

template class Neighbourhood<2>;
template class Neighbourhood<3>;

}  // namespace brim::inline BRIM_FLAVOUR
