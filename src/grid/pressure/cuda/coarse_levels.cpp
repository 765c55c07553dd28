// The coarse levels on a GPU: all their tiles are found at once, a cluster of blocks sweeps the last of them, and the coarsest
// solve is a product with a dense inverse.
#include "grid/pressure/cuda/coarse_levels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

template <int D>
struct Dense {
  static constexpr int most = CoarsestSolve<D>::most;
  CoarsestMatrix<D> entry;
  float* inverse;
  int *cells, *count;
};

/// The unknowns in the order of their cells, and the inverse of their matrix: every unknown in turn is swept to the other side.
/// A pivot that is rounding alone, as an enclosed component makes one, fixes its unknown at zero.
template <int D>
__global__ void __launch_bounds__(512) invertKernel(Dense<D> m) {
  constexpr int cells = Tiles<D>::cells;
  extern __shared__ double memory[];
  double *const a = memory, *const column = memory + Dense<D>::most * Dense<D>::most;
  __shared__ int first[17], cell[Dense<D>::most];
  __shared__ double own[Dense<D>::most];
  const int thread = int(threadIdx.x), lane = thread & 31, warp = thread >> 5, all = m.entry.l.tiles * cells;
  int n = 0;
  for (int from = 0; from < all; from += 512) {
    const int c = from + thread;
    const bool unknown = c < all && m.entry.l.inverse[c] > 0;
    const unsigned bits = __ballot_sync(0xffffffffu, unknown);
    __syncthreads();
    if (lane == 0) first[warp + 1] = __popc(bits);
    __syncthreads();
    int before = n;
    for (int w = 0; w < 16; ++w) {
      if (w < warp) before += first[w + 1];
      n += first[w + 1];
    }
    const int at = before + __popc(bits & ((1u << lane) - 1));
    if (unknown && at < Dense<D>::most) cell[at] = c;
  }
  if (n > Dense<D>::most) n = Dense<D>::most;
  for (int e = thread; e < n * n; e += 512) a[e] = 0;
  __syncthreads();
  if (thread < n) {
    const int c = cell[thread];
    m.cells[thread] = c;
    own[thread] = a[thread * n + thread] = m.entry.diag(c);
    for (int k = 0; k < D; ++k) {
      const int below = m.entry.below(c, k);
      for (int j = 0; j < n; ++j)
        if (cell[j] == below) a[thread * n + j] = a[j * n + thread] = m.entry.link(c, k);
    }
  }
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    const double pivot = a[k * n + k], perPivot = 1 / pivot;
    const bool kept = pivot > m.entry.leastPivot * own[k];
    if (thread < n) column[thread] = a[k * n + thread];
    __syncthreads();
    for (int e = thread; e < n * n; e += 512) {
      const int i = e / n, j = e % n;
      if (i == k || j == k)
        a[e] = !kept ? 0 : i == j ? -perPivot : a[e] * perPivot;
      else if (kept)
        a[e] -= column[i] * column[j] * perPivot;
    }
  }
  __syncthreads();
  for (int e = thread; e < n * n; e += 512) m.inverse[e] = float(-a[e]);
  if (thread == 0) *m.count = n;
}

/// Marks the places of all coarser levels that the finest level's tiles are in.
template <int D>
struct CoarsePlaces {
  Places<D> box[deepest];
  int offset[deepest];
  int levels;
  TileView<D> finest;
  int* number;
  __device__ void operator()(int t) const {
    Vec<D, int> place = finest.place(t);
    for (int l = 1; l <= levels; ++l) {
      for (int k = 0; k < D; ++k) place[k] >>= 1;
      number[offset[l] + box[l].number(place)] = 1;
    }
  }
};

/// Sets what smoothing and restriction never touch, and tiles that are absent, of all coarser levels to zero.
template <int D>
struct ClearLevels {
  static constexpr int fields = 6 + D;
  struct One {
    float* field[fields];
    int first;  // element of all levels that is its first
  } level[deepest];
  int levels;
  __device__ void operator()(int at) const {
    int l = 0;
    while (l + 1 < levels && at >= level[l + 1].first) ++l;
    BRIM_UNROLL
    for (int f = 0; f < fields; ++f) level[l].field[f][at - level[l].first] = 0;
  }
};

}  // namespace

template <int D>
void CoarsestSolve<D>::factor(Level<D>& l, bool unit, bool finest) {
  if (finest) l.tiles.clear({&l.z});  // that of a coarser level is clear
  inverse_.resize(most * most);
  cells_.resize(most);
  count_.resize(1);
  const std::size_t shared = (most + 1) * most * sizeof(double);
  static const bool allowed = [=] {
    allowBlockMemory(invertKernel<D>, shared, "the coarsest level of the grid's pressure");
    return true;
  }();
  (void)allowed;
  invertKernel<D><<<1, 512, shared>>>(Dense<D>{{l.view(), unit}, inverse_.data(), cells_.data(), count_.data()});
  check(cudaGetLastError(), "start a kernel");
}

// The box says how many there may be: the unknowns are not counted, which would mean to wait.
template <int D>
bool Multigrid<D>::isCoarsest(int level) const {
  const Places<D>& box = finest().tiles.box();
  std::int64_t cells = 1;
  for (int k = 0; k < D; ++k) {
    const int low = 8 * box.low[k], high = 8 * (box.low[k] + box.size[k]) - 1;
    cells *= (high >> level) - (low >> level) + 1;
  }
  return cells <= CoarsestSolve<D>::most || finest().tiles.count() == 0;
}

template <int D>
void Multigrid<D>::coarsen(bool unit) {
  unit_ = unit;
  used_ = 1;
  if (!isCoarsest(0)) coverLevels();
  for (clusterFrom_ = used_ - 1; clusterFrom_ > 1 && levels_[clusterFrom_ - 1]->tiles.count() <= clusterSize<D>();)
    --clusterFrom_;
  for (cooperativeFrom_ = clusterFrom_;
       cooperativeFrom_ > 1 && levels_[cooperativeFrom_ - 1]->tiles.count() <= cooperativeSize<D>();)
    --cooperativeFrom_;
  if (used_ > 1) buildLevels();
  coarsest_.factor(*levels_[used_ - 1], used_ == 1 && unit_, used_ == 1);
  part_.resize(finest().tiles.count());
}

// All levels at once, so that the host waits once to hear how many tiles each has.
template <int D>
void Multigrid<D>::coverLevels() {
  int levels = 1;
  CoarsePlaces<D> all;
  for (int offset = 0;; offset += int(boxOf(levels).count()), ++levels) {
    if (levels == deepest) throw Failure("the domain has more cells along an axis than the pressure solver has levels for");
    all.offset[levels] = offset;
    all.box[levels] = boxOf(levels);
    if (isCoarsest(levels)) break;
  }
  const int places = all.offset[levels] + int(all.box[levels].count());
  all.levels = levels;
  all.finest = finest().tiles.view();
  number_.resize(places + 1);
  fill(number_, 0, places + 1, 0);
  all.number = number_.data();
  forEach(finest().tiles.count(), all);
  scan(number_, places + 1);
  ends_.resize(levels + 1);
  const auto ends = ends_.view();
  const auto number = number_.read();
  forEach(levels + 1, [=] BRIM_KERNEL(int l) { ends[l] = number[l < levels ? all.offset[l + 1] : places]; });
  const std::vector<int> first = onHost(ends_, levels + 1);
  std::vector<typename Tiles<D>::Numbered> sets;
  for (int l = 1; l <= levels; ++l) {
    if (l == int(levels_.size())) levels_.push_back(std::make_unique<Level<D>>());
    sets.push_back({&levels_[l]->tiles, all.box[l], all.offset[l], first[l] - first[l - 1]});
  }
  Tiles<D>::numberAll(sets, number_);
  used_ = levels + 1;
}

template <int D>
void Multigrid<D>::buildLevels() {
  ClearLevels<D> clear{};
  int elements = 0;
  for (int l = 1; l < used_; ++l) {
    Level<D>& level = *levels_[l];
    level.fit();
    const int size = (level.tiles.count() + 1) * Tiles<D>::cells;
    auto& one = clear.level[clear.levels++];
    one.first = elements;
    int f = 0;
    for (Array<float>* field : {&level.inverse, &level.r, &level.z, &level.t, &level.y, &level.diag})
      field->resize(size), one.field[f++] = field->data();
    for (Array<float>& field : level.w) field.resize(size), one.field[f++] = field.data();
    elements += size;
  }
  forEach(elements, clear);
  for (int l = 1; l <= clusterFrom_; ++l) gatherLevel(*levels_[l - 1], *levels_[l], l == 1 && unit_);
  if (clusterFrom_ == used_ - 1) return;
  BuildCoarseLevels<D> coarse{};
  for (int l = clusterFrom_; l < used_; ++l) {
    Level<D>& level = *levels_[l];
    coarse.level[coarse.levels] = level.view(), coarse.tiles[coarse.levels] = level.tiles.view();
    coarse.count[coarse.levels++] = level.count.data();
  }
  Cluster::work(clusterSize<D>(), halfLines<D>, buildCoarseLevelsKernel<D>, coarse);
}

namespace {
template <int D>
void sweepTogether(void (*kernel)(CooperativeLevels<D>), std::vector<std::unique_ptr<Level<D>>>& levels, int first, int last,
                   Array<unsigned>& arrived, unsigned& expected) {
  if (arrived.size() == 0) {
    arrived.resize(1);
    fill(arrived, 0, 1, 0u);
  }
  CooperativeLevels<D> all{};
  for (int l = first; l <= last; ++l) all.level[all.levels++] = levels[l]->view();
  all.arrived = arrived.data(), all.before = expected;
  const unsigned blocks = unsigned(std::max(1, levels[first]->tiles.count())), meetings = 2 * unsigned(last - first) - 1;
  launch(kernel, blocks, unsigned(halfLines<D>), all);
  expected += blocks * meetings;
}
}  // namespace

template <int D>
void Multigrid<D>::sweepDown() {
  sweepTogether(downKernel<D>, levels_, cooperativeFrom_, clusterFrom_, arrived_, expected_);
}
template <int D>
void Multigrid<D>::sweepUp() {
  sweepTogether(upKernel<D>, levels_, cooperativeFrom_, clusterFrom_, arrived_, expected_);
}

template <int D>
void Multigrid<D>::cycleCoarseLevels(const ConvergenceControl& then) {
  const int first = clusterFrom_;
  CoarseLevels<D> coarse;
  coarse.levels = used_ - first;
  if (coarse.levels > deepest) throw Failure("the grid has more levels than fit");
  for (int i = 0; i < coarse.levels; ++i) coarse.level[i] = levels_[first + i]->view();
  coarse.finest = first == 0;
  coarse.inverse = coarsest_.inverse();
  coarse.cells = coarsest_.cells();
  coarse.count = coarsest_.count();
  coarse.part = part_.data();
  coarse.then = then;
  Cluster::work(clusterSize<D>(), power(8, D), coarseLevelsKernel<D>, coarse);
}

template class CoarsestSolve<2>;
template class CoarsestSolve<3>;
template bool Multigrid<2>::isCoarsest(int) const;
template bool Multigrid<3>::isCoarsest(int) const;
template void Multigrid<2>::cycleCoarseLevels(const ConvergenceControl&);
template void Multigrid<3>::cycleCoarseLevels(const ConvergenceControl&);
template void Multigrid<2>::sweepDown();
template void Multigrid<3>::sweepDown();
template void Multigrid<2>::sweepUp();
template void Multigrid<3>::sweepUp();
template void Multigrid<2>::coarsen(bool);
template void Multigrid<3>::coarsen(bool);

}  // namespace brim::inline BRIM_FLAVOUR
