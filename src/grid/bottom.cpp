// The coarser levels on a CPU, one after the other; the last has a dense factor.
#include <algorithm>

#include "grid/multigrid_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

// A body of fluid without air makes a singular block, of which one cell is fixed at zero.
template <int D>
void Bottom<D>::factor(Level<D>& l, bool finest) {
  l.tiles.clear({&l.z});
  cells_.clear();
  for (int c = 0; c < l.tiles.count() * Tiles<D>::cells; ++c)
    if (l.inverse[c] > 0) cells_.push_back(c);
  const int n = int(cells_.size());
  std::vector<double>& a = matrix_.start(n);
  for (int i = 0; i < n; ++i) {
    const int c = cells_[i], t = c / Tiles<D>::cells;
    a[i * n + i] = finest ? l.sides[c] : l.diag[c];
    for (int k = 0; k < D; ++k) {
      const int stride = power(8, k);
      const int below =
          c >> 3 * k & 7 ? c - stride : c + (l.tiles.beside()[2 * D * t + 2 * k] - t) * Tiles<D>::cells + 7 * stride;
      const auto j = std::lower_bound(cells_.begin(), cells_.begin() + i, below) - cells_.begin();
      if (cells_[j] == below) a[i * n + j] = finest ? -1 : -l.w[k][c];
    }
  }
  matrix_.factor(1e-5);  // weights are in single precision
}

template <int D>
void Bottom<D>::solve(Level<D>& l) {
  x_.resize(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) x_[i] = l.r[cells_[i]];
  matrix_.solve(x_);
  for (std::size_t i = 0; i < cells_.size(); ++i) l.z[cells_[i]] = float(x_[i]);
}

template <int D>
bool Multigrid<D>::isBottom(int level) const {
  return levels_[level]->unknowns() <= Bottom<D>::most;
}

template <int D>
void Multigrid<D>::coverLevel(int level) {
  const TileView<D> tiles = levels_[level - 1]->tiles.view();
  levels_[level]->tiles.cover(
      boxOf(level), tiles.count,
      [=](int t) {
        Vec<D, int> cell = tiles.place(t);
        for (int k = 0; k < D; ++k) cell[k] = (cell[k] >> 1) * 8;
        return cell;
      },
      0);
}

template <int D>
void Multigrid<D>::coarsen() {
  for (used_ = 1; !isBottom(used_ - 1); ++used_) {
    if (used_ == int(levels_.size())) levels_.push_back(std::make_unique<Level<D>>());
    coverLevel(used_);
    if (used_ == 1)
      build<true>(*levels_[0], *levels_[1]);
    else
      build<false>(*levels_[used_ - 1], *levels_[used_]);
  }
  bottom_.factor(*levels_[used_ - 1], used_ == 1);
  tail_ = gang_ = used_ - 1;
  part_.resize(finest().tiles.count());
}

template <int D>
template <bool finest>
void Multigrid<D>::build(Level<D>& fine, Level<D>& coarse) {
  const int n = fine.tiles.count();
  coarse.fit();
  coarse.tiles.fitCleared(
      {&coarse.inverse, &coarse.r, &coarse.z, &coarse.t, &coarse.y, &coarse.diag, &coarse.w[0], &coarse.w[1], &coarse.w[D - 1]});
  eachTile<D>(n, GatherLinks<D, finest>{fine.view(), coarse.view(), fine.tiles.view(), coarse.tiles.view()});
  eachTile<D>(coarse.tiles.count(), FinishLevel<D>{{coarse.view()}, {coarse.view(), coarse.count.data()}});
}

// Where the finest level is the coarsest too, r z comes from here.
template <int D>
void Multigrid<D>::cycleTail(const Decide& then) {
  Level<D>& l = *levels_[used_ - 1];
  bottom_.solve(l);
  if (used_ > 1) return;
  std::fill_n(part_.data(), part_.size(), 0.0);
  for (const int c : bottom_.cells()) part_[c / Tiles<D>::cells] += double(l.r[c]) * l.z[c];
  then();
}

template class Bottom<2>;
template class Bottom<3>;
template bool Multigrid<2>::isBottom(int) const;
template bool Multigrid<3>::isBottom(int) const;
template void Multigrid<2>::coverLevel(int);
template void Multigrid<3>::coverLevel(int);
template void Multigrid<2>::coarsen();
template void Multigrid<3>::coarsen();
template void Multigrid<2>::cycleTail(const Decide&);
template void Multigrid<3>::cycleTail(const Decide&);

}  // namespace brim::inline BRIM_FLAVOUR
