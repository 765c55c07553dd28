// Levels, and the V-cycle over them.
#include "grid/pressure/multigrid_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Level<D>::fit() {
  lines.resize(tiles.count());
  count.resize(tiles.count());
  coarse.resize(tiles.count());
}

template <int D>
LevelView<D> Level<D>::view() {
  LevelView<D> v{
      tiles.count(), tiles.beside().data(), lines.data(), diag.data(), {}, inverse.data(), r.data(), z.data(), t.data(),
      y.data(),      coarse.data()};
  for (int k = 0; k < D; ++k) v.w[k] = w[k].data();
  return v;
}

template <int D>
void Level<D>::findLines() {
  eachTile<D>(tiles.count(), FindLines<D>{view(), count.data()});
}

template <int D>
int Level<D>::unknowns() const {
  const auto c = count.read();
  return int(sumOf(tiles.count(), [=] BRIM_KERNEL(int k) { return c[k]; }));
}

template <int D>
std::size_t Level<D>::bytes() const {
  std::size_t n = tiles.bytes() + lines.bytes() + diag.bytes() + coarse.bytes() + count.bytes();
  for (const Array<float>* field : {&inverse, &r, &z, &t, &y}) n += field->bytes();
  for (const Array<float>& field : w) n += field.bytes();
  return n;
}

template <int D>
Multigrid<D>::Multigrid() {
  levels_.push_back(std::make_unique<Level<D>>());
}

template <int D>
Places<D> Multigrid<D>::boxOf(int level) const {
  Places<D> box = finest().tiles.box();
  for (int k = 0; k < D; ++k) {
    const int last = (box.low[k] + box.size[k] - 1) >> level;
    box.wraps[k] = box.wraps[k] && box.size[k] % (1 << level) == 0;  // else the last tile is not full
    box.low[k] >>= level;
    box.size[k] = last - box.low[k] + 1;
  }
  return box;
}

// The first step after the coarse correction. A GPU adds the correction within the step, since memory and launches cost more
// there than sums.
template <int D>
template <bool unit>
void Multigrid<D>::smoothCorrected(const LevelView<D>& level, const LevelView<D>& next) {
#if BRIM_CUDA
  eachTile<D>(level.tiles, SmoothCorrected<D, unit>{level, next, level.y, omega2});
#else
  eachTile<D>(level.tiles, Correct<D>{level, next});
  eachTile<D>(level.tiles, Smooth<D, unit>{level, level.z, level.y, omega2, nullptr});
#endif
}

template <int D>
void Multigrid<D>::cycle(const ConvergenceControl& then) {
  const int alone = std::min(cooperativeFrom_, clusterFrom_);
  for (int l = 0; l < alone; ++l) {
    const LevelView<D> level = levels_[l]->view(), next = levels_[l + 1]->view();
    if (l == 0 && unit_) {
      eachTile<D>(level.tiles, SmoothFromZero<D, true>{level});
      eachTile<D>(level.tiles, RestrictResidual<D, true>{level, next});
    } else {
      eachTile<D>(level.tiles, SmoothFromZero<D, false>{level});
      eachTile<D>(level.tiles, RestrictResidual<D, false>{level, next});
    }
  }
#if BRIM_CUDA
  if (alone < clusterFrom_) sweepDown();
#endif
  cycleCoarseLevels(clusterFrom_ == 0 ? then : ConvergenceControl{});
#if BRIM_CUDA
  if (alone < clusterFrom_) sweepUp();
#endif
  for (int l = alone - 1; l >= 0; --l) {
    const LevelView<D> level = levels_[l]->view(), next = levels_[l + 1]->view();
    if (l == 0 && unit_) {
      smoothCorrected<true>(level, next);
      eachTileThen<D>(level.tiles, Smooth<D, true>{level, level.y, level.z, omega1, part_.data()}, then);
    } else if (l == 0) {
      smoothCorrected<false>(level, next);
      eachTileThen<D>(level.tiles, Smooth<D, false>{level, level.y, level.z, omega1, part_.data()}, then);
    } else {
      smoothCorrected<false>(level, next);
      eachTile<D>(level.tiles, Smooth<D, false>{level, level.y, level.z, omega1, nullptr});
    }
  }
}

template <int D>
std::size_t Multigrid<D>::bytes() const {
  std::size_t n = part_.bytes();
  for (const auto& l : levels_) n += l->bytes();
  return n;
}

template struct Level<2>;
template struct Level<3>;
template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace brim::inline BRIM_FLAVOUR
