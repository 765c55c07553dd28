// The coarser levels on a GPU: all their tiles are found at once, a few blocks that wait for each other in a cluster have the
// coarsest ones, and the last is a product with a dense inverse.
#include <cooperative_groups.h>

#include <algorithm>

#include "grid/multigrid_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

constexpr int deepest = 16;  // levels of a tail

template <int D>
struct Dense {
  static constexpr int most = Bottom<D>::most;
  LevelView<D> l;
  bool finest;
  float* inverse;
  int *cells, *count;
};

/// The unknowns in the order of their cells, and the inverse of their matrix: every unknown in turn is swept to the other side.
/// A pivot that is rounding alone, as a body of fluid without air makes one, fixes its unknown at zero.
template <int D>
__global__ void __launch_bounds__(512) invertKernel(Dense<D> m) {
  constexpr int cells = Tiles<D>::cells;
  extern __shared__ double memory[];
  double *const a = memory, *const column = memory + Dense<D>::most * Dense<D>::most;
  __shared__ int first[17], cell[Dense<D>::most];
  __shared__ double own[Dense<D>::most];
  const int thread = int(threadIdx.x), lane = thread & 31, warp = thread >> 5, all = m.l.tiles * cells;
  int n = 0;
  for (int from = 0; from < all; from += 512) {
    const int c = from + thread;
    const bool unknown = c < all && m.l.inverse[c] > 0;
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
    const int c = cell[thread], t = c / cells;
    m.cells[thread] = c;
    own[thread] = a[thread * n + thread] = m.finest ? m.l.sides[c] : m.l.diag[c];
    for (int k = 0; k < D; ++k) {
      const int stride = 1 << 3 * k;
      const int below = c >> 3 * k & 7 ? c - stride : c + (m.l.beside[2 * D * t + 2 * k] - t) * cells + 7 * stride;
      for (int j = 0; j < thread; ++j)
        if (cell[j] == below) a[thread * n + j] = a[j * n + thread] = m.finest ? -1.0 : -double(m.l.w[k][c]);
    }
  }
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    const double pivot = a[k * n + k], perPivot = 1 / pivot;
    const bool kept = pivot > 1e-5 * own[k];  // weights are in single precision
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

/// The blocks of a cluster, which share the tiles of a level.
class Crew {
 public:
  static constexpr int largest = 16, portable = 8;  // blocks
  __device__ Crew() : rank_(int(cooperative_groups::this_cluster().block_rank())), size_(int(gridDim.x)) {}
  __device__ bool isFirst() const { return rank_ == 0; }
  __device__ static void meet() { cooperative_groups::this_cluster().sync(); }
  template <class F>
  __device__ void sweep(int tiles, const F& body) const {
    for (int t = rank_; t < tiles; t += size_) {
      body(t);
      __syncthreads();  // bodies use the block's memory
    }
    meet();
  }
  __device__ int rank() const { return rank_; }
  /// As many blocks as the device takes.
  template <int D, class P>
  static int sizeFor(void (*kernel)(P)) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "prepare a kernel");
    cudaLaunchAttribute shape;
    const cudaLaunchConfig_t config = as<D>(largest, shape);
    int clusters = 0;
    const bool fits = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
    cudaGetLastError();
    return fits ? largest : portable;
  }
  template <int D, class P>
  static void work(int size, void (*kernel)(P), const P& what) {
    cudaLaunchAttribute shape;
    const cudaLaunchConfig_t config = as<D>(size, shape);
    check(cudaLaunchKernelEx(&config, kernel, what), "start a kernel");
  }

 private:
  template <int D>
  static cudaLaunchConfig_t as(int blocks, cudaLaunchAttribute& shape) {
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {unsigned(blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned(blocks));
    config.blockDim = dim3(unsigned(power(8, D)));
    config.attrs = &shape;
    config.numAttrs = 1;
    return config;
  }
  int rank_, size_;
};

template <int D>
struct BuildTail {
  LevelView<D> level[deepest];
  TileView<D> tiles[deepest];
  double* count[deepest];
  int levels;
};
template <int D>
__global__ void __launch_bounds__(power(8, D)) buildTailKernel(BuildTail<D> tail) {
  const Crew crew;
  for (int i = 0; i + 1 < tail.levels; ++i) {
    const LevelView<D>&fine = tail.level[i], &coarse = tail.level[i + 1];
    crew.sweep(fine.tiles, GatherLinks<D, false>{fine, coarse, tail.tiles[i], tail.tiles[i + 1]});
    crew.sweep(coarse.tiles, FinishLevel<D>{{coarse}, {coarse, tail.count[i + 1]}});
  }
}

template <int D>
struct Tail {
  LevelView<D> level[deepest];
  int levels;
  bool finest;  // the only level is the finest
  const float* inverse;
  const int *cells, *count;
  double* part;
  Decide then;
};

template <int D>
__device__ void solveBottom(const Tail<D>& tail) {
  __shared__ float r[Bottom<D>::most];
  const LevelView<D>& last = tail.level[tail.levels - 1];
  const int n = *tail.count;
  double product = 0;
  for (int i = ownCell(); i < n; i += power(8, D)) r[i] = __ldcg(last.r + tail.cells[i]);
  __syncthreads();
  for (int i = ownCell(); i < n; i += power(8, D)) {
    float z = 0;
    for (int j = 0; j < n; ++j) z += tail.inverse[j * n + i] * r[j];
    last.z[tail.cells[i]] = z;
    product += double(r[i]) * z;
  }
  __syncthreads();
  if (!tail.finest) return;
  for (int t = ownCell(); t < last.tiles; t += power(8, D)) tail.part[t] = 0;
  __syncthreads();
  giveSum(tail.part[0], float(product));
  __syncthreads();
  tail.then();
}

/// A thread's cell of a level and what links it to its neighbours, read while the crew waits, so that after a meeting a sweep has
/// no more to wait for than its neighbours' numbers. Those come from where the others' stores are.
template <int D>
struct OwnCell {
  int at = -1, side[2 * D];  // elements of the cell, -1 if it is no unknown, and of those beside it
  int coarse = 0, sideCoarse[2 * D];
  float inverse = 0, diag = 0, weight[2 * D];

  OwnCell() = default;
  __device__ OwnCell(const LevelView<D>& l, int t) {
    constexpr int cells = power(8, D);
    if (t >= l.tiles) return;
    const int c = ownCell(), own = t * cells + c;
    inverse = l.inverse[own];
    if (!(inverse > 0)) return;
    at = own;
    diag = l.diag[own];
    coarse = l.coarse[t] + partOf(c);
    BRIM_UNROLL
    for (int s = 0; s < 2 * D; ++s) {
      const int k = s / 2, stride = 1 << 3 * k, x = c >> 3 * k & 7;
      const bool inside = s % 2 ? x < 7 : x > 0;
      const int tile = inside ? t : l.beside[2 * D * t + s];
      const int cell = c + (s % 2 ? (inside ? stride : -7 * stride) : (inside ? -stride : 7 * stride));
      side[s] = tile * cells + cell;
      weight[s] = l.w[k][s % 2 ? side[s] : own];
      sideCoarse[s] = tile < l.tiles ? l.coarse[tile] + partOf(cell) : 0;  // beyond all tiles the weight is 0
    }
  }
  __device__ static int partOf(int c) { return (c >> 1 & 3) + 8 * (c >> 4 & 3) + 64 * (c >> 7 & 3); }
  __device__ bool isUnknown() const { return at >= 0; }
  __device__ float own(const float* field) const { return __ldcg(field + at); }
  __device__ float sum(const float* field) const {
    float s = 0;
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) s += weight[k] * __ldcg(field + side[k]);
    return s;
  }
  /// The same of a field with the next level's correction.
  __device__ float sum(const float* field, const float* next) const {
    float s = 0;
    BRIM_UNROLL
    for (int k = 0; k < 2 * D; ++k) s += weight[k] * (__ldcg(field + side[k]) + __ldcg(next + sideCoarse[k]));
    return s;
  }
};

/// The kernels of the cycle for levels of which each block of the crew has one tile at most.
template <int D>
__global__ void __launch_bounds__(power(8, D)) tailKernel(Tail<D> tail) {
  const Crew crew;
  const int t = crew.rank(), last = tail.levels - 1;
  OwnCell<D> cell;
  if (last > 0) cell = OwnCell<D>(tail.level[0], t);
  for (int i = 0; i < last; ++i) {
    const LevelView<D>&l = tail.level[i], &next = tail.level[i + 1];
    float z = 0, r = 0;
    if (cell.isUnknown()) {
      r = cell.own(l.r);
      z = (omega1 + omega2 - omega1 * omega2) * cell.own(l.t) + omega1 * omega2 * cell.inverse * cell.sum(l.t);
      l.z[cell.at] = z;
    }
    crew.meet();
    if (t < l.tiles) {
      Gathered<D> rest;
      if (cell.isUnknown()) rest.add(ownCell(), r - cell.diag * z + cell.sum(l.z));
      const int part = l.coarse[t];
      rest.eachPair(1, [&](int m, float value) {
        value *= D == 3 ? 0.5f : 1.0f;
        storePair<D>(next.r + part, m, value);
        storePair<D>(next.t + part, m, loadPair<D>(next.inverse + part, m) * value);
      });
    }
    if (i + 1 < last) cell = OwnCell<D>(next, t);
    crew.meet();
  }
  if (crew.isFirst()) solveBottom(tail);
  for (int i = last - 1; i >= 0; --i) {
    const LevelView<D>& l = tail.level[i];
    if (i + 1 < last) cell = OwnCell<D>(l, t);
    const float r = cell.isUnknown() ? cell.own(l.r) : 0.0f;
    crew.meet();
    float y = 0;
    if (cell.isUnknown()) {
      const float* const next = tail.level[i + 1].z;
      y = (1 - omega2) * (cell.own(l.z) + __ldcg(next + cell.coarse)) + omega2 * cell.inverse * (r + cell.sum(l.z, next));
      l.y[cell.at] = y;
    }
    crew.meet();
    if (cell.isUnknown()) l.z[cell.at] = (1 - omega1) * y + omega1 * cell.inverse * (r + cell.sum(l.y));
  }
}

template <int D>
int crewSize() {
  static const int size = std::min(Crew::sizeFor<D>(tailKernel<D>), Crew::sizeFor<D>(buildTailKernel<D>));
  return size;
}

}  // namespace

template <int D>
void Bottom<D>::factor(Level<D>& l, bool finest) {
  if (finest) l.tiles.clear({&l.z});  // that of a coarser level is clear
  inverse_.resize(most * most);
  cells_.resize(most);
  count_.resize(1);
  const std::size_t room = (most + 1) * most * sizeof(double);
  static const bool roomy = [=] {
    check(cudaFuncSetAttribute(invertKernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(room)), "prepare a kernel");
    return true;
  }();
  (void)roomy;
  invertKernel<D><<<1, 512, room>>>(Dense<D>{l.view(), finest, inverse_.data(), cells_.data(), count_.data()});
  check(cudaGetLastError(), "start a kernel");
}

// The box says how many there may be: the unknowns are not counted, which would mean to wait.
template <int D>
bool Multigrid<D>::isBottom(int level) const {
  const Places<D>& box = finest().tiles.box();
  std::int64_t cells = 1;
  for (int k = 0; k < D; ++k) {
    const int low = 8 * box.low[k], high = 8 * (box.low[k] + box.size[k]) - 1;
    cells *= (high >> level) - (low >> level) + 1;
  }
  return cells <= Bottom<D>::most || finest().tiles.count() == 0;
}

template <int D>
void Multigrid<D>::coarsen() {
  used_ = 1;
  if (!isBottom(0)) coverLevels();
  for (tail_ = used_ - 1; tail_ > 1 && levels_[tail_ - 1]->tiles.count() <= crewSize<D>();) --tail_;
  if (used_ > 1) buildLevels();
  bottom_.factor(*levels_[used_ - 1], used_ == 1);
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
    if (isBottom(levels)) break;
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
    const int room = (level.tiles.count() + 1) * Tiles<D>::cells;
    auto& one = clear.level[clear.levels++];
    one.first = elements;
    int f = 0;
    for (Array<float>* field : {&level.inverse, &level.r, &level.z, &level.t, &level.y, &level.diag})
      field->resize(room), one.field[f++] = field->data();
    for (Array<float>& field : level.w) field.resize(room), one.field[f++] = field.data();
    elements += room;
  }
  forEach(elements, clear);
  for (int l = 1; l <= tail_; ++l) {
    Level<D>&fine = *levels_[l - 1], &coarse = *levels_[l];
    if (l == 1)
      eachTile<D>(fine.tiles.count(), GatherLinks<D, true>{fine.view(), coarse.view(), fine.tiles.view(), coarse.tiles.view()});
    else
      eachTile<D>(fine.tiles.count(), GatherLinks<D, false>{fine.view(), coarse.view(), fine.tiles.view(), coarse.tiles.view()});
    eachTile<D>(coarse.tiles.count(), FinishLevel<D>{{coarse.view()}, {coarse.view(), coarse.count.data()}});
  }
  if (tail_ == used_ - 1) return;
  BuildTail<D> tail{};
  for (int l = tail_; l < used_; ++l) {
    Level<D>& level = *levels_[l];
    tail.level[tail.levels] = level.view(), tail.tiles[tail.levels] = level.tiles.view();
    tail.count[tail.levels++] = level.count.data();
  }
  Crew::work<D>(crewSize<D>(), buildTailKernel<D>, tail);
}

template <int D>
void Multigrid<D>::cycleTail(const Decide& then) {
  const int first = tail_;
  Tail<D> tail;
  tail.levels = used_ - first;
  if (tail.levels > deepest) throw Failure("the grid has more levels than fit");
  for (int i = 0; i < tail.levels; ++i) tail.level[i] = levels_[first + i]->view();
  tail.finest = first == 0;
  tail.inverse = bottom_.inverse();
  tail.cells = bottom_.cells();
  tail.count = bottom_.count();
  tail.part = part_.data();
  tail.then = then;
  Crew::work<D>(crewSize<D>(), tailKernel<D>, tail);
}

template class Bottom<2>;
template class Bottom<3>;
template bool Multigrid<2>::isBottom(int) const;
template bool Multigrid<3>::isBottom(int) const;
template void Multigrid<2>::cycleTail(const Decide&);
template void Multigrid<3>::cycleTail(const Decide&);
template void Multigrid<2>::coarsen();
template void Multigrid<3>::coarsen();

}  // namespace brim::inline BRIM_FLAVOUR
