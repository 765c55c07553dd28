// The coarse levels on a CPU, one after the other; the coarsest is solved by a dense factorization.
#include <algorithm>

#include "grid/pressure/multigrid_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

// An enclosed component makes a singular block of the matrix; one of its cells is fixed at zero.
template <int D>
void CoarsestSolve<D>::factor(Level<D>& l, bool unit, bool) {
  l.tiles.clear({&l.z});
  cells_.clear();
  for (int c = 0; c < l.tiles.count() * Tiles<D>::cells; ++c)
    if (l.inverse[c] > 0) cells_.push_back(c);
  const int n = int(cells_.size());
  std::vector<double>& a = matrix_.start(n);
  const CoarsestMatrix<D> entry{l.view(), unit};
  for (int i = 0; i < n; ++i) {
    const int c = cells_[i];
    a[i * n + i] = entry.diag(c);
    for (int k = 0; k < D; ++k) {
      const int below = entry.below(c, k);  // of a higher number where it is across a periodic side
      const auto j = std::lower_bound(cells_.begin(), cells_.end(), below) - cells_.begin();
      if (j < n && cells_[j] == below) a[std::max<int>(i, j) * n + std::min<int>(i, j)] = entry.link(c, k);
    }
  }
  matrix_.factor(entry.leastPivot);
}

template <int D>
void CoarsestSolve<D>::solve(Level<D>& l) {
  x_.resize(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) x_[i] = l.r[cells_[i]];
  matrix_.solve(x_);
  for (std::size_t i = 0; i < cells_.size(); ++i) l.z[cells_[i]] = float(x_[i]);
}

template <int D>
bool Multigrid<D>::isCoarsest(int level) const {
  return levels_[level]->unknowns() <= CoarsestSolve<D>::most;
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
void Multigrid<D>::coarsen(bool unit) {
  unit_ = unit;
  for (used_ = 1; !isCoarsest(used_ - 1); ++used_) {
    if (used_ == int(levels_.size())) levels_.push_back(std::make_unique<Level<D>>());
    coverLevel(used_);
    build(*levels_[used_ - 1], *levels_[used_], used_ == 1 && unit_);
  }
  coarsest_.factor(*levels_[used_ - 1], used_ == 1 && unit_, used_ == 1);
  clusterFrom_ = cooperativeFrom_ = used_ - 1;
  part_.resize(finest().tiles.count());
}

template <int D>
void Multigrid<D>::build(Level<D>& fine, Level<D>& coarse, bool unit) {
  coarse.fit();
  coarse.tiles.fitCleared(
      {&coarse.inverse, &coarse.r, &coarse.z, &coarse.t, &coarse.y, &coarse.diag, &coarse.w[0], &coarse.w[1], &coarse.w[D - 1]});
  gatherLevel(fine, coarse, unit);
}

// Where the finest level is the coarsest too, r z comes from here.
template <int D>
void Multigrid<D>::cycleCoarseLevels(const ConvergenceControl& then) {
  Level<D>& l = *levels_[used_ - 1];
  coarsest_.solve(l);
  if (used_ > 1) return;
  std::fill_n(part_.data(), part_.size(), 0.0);
  for (const int c : coarsest_.cells()) part_[c / Tiles<D>::cells] += double(l.r[c]) * l.z[c];
  then();
}

template class CoarsestSolve<2>;
template class CoarsestSolve<3>;
template bool Multigrid<2>::isCoarsest(int) const;
template bool Multigrid<3>::isCoarsest(int) const;
template void Multigrid<2>::coverLevel(int);
template void Multigrid<3>::coverLevel(int);
template void Multigrid<2>::coarsen(bool);
template void Multigrid<3>::coarsen(bool);
template void Multigrid<2>::cycleCoarseLevels(const ConvergenceControl&);
template void Multigrid<3>::cycleCoarseLevels(const ConvergenceControl&);

}  // namespace brim::inline BRIM_FLAVOUR
