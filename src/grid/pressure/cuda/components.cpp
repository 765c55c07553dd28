// Enclosed components on a GPU: cells that touch are joined in trees whose roots are their lowest numbers (Playne & Hawick 2018).
#include "grid/pressure/components.h"

#include <algorithm>

#include "grid/tiles/lines.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// Trees that many threads climb and join: in the device's memory, or in a block's, where every access is atomic so that
/// compute-sanitizer sees no race.
struct OfDevice {
  __device__ static int parentOf(int* parent, int c) { return *static_cast<volatile int*>(parent + c); }
  __device__ static void shorten(int* parent, int c, int to) { *static_cast<volatile int*>(parent + c) = to; }
};
struct OfBlock {
  __device__ static int parentOf(int* parent, int c) { return atomicOr(parent + c, 0); }
  __device__ static void shorten(int* parent, int c, int to) { atomicMin(parent + c, to); }
};
template <class Memory = OfDevice>
__device__ int rootOf(int* parent, int c) {
  for (int next; (next = Memory::parentOf(parent, c)) != c; c = next) {
    const int beyond = Memory::parentOf(parent, next);
    if (beyond != next) Memory::shorten(parent, c, beyond);  // for the next thread; numbers only fall, so no thread is misled
  }
  return c;
}
template <class Memory = OfDevice>
__device__ void join(int* parent, int a, int b) {
  for (;;) {
    a = rootOf<Memory>(parent, a), b = rootOf<Memory>(parent, b);
    if (a == b) return;
    const int high = a < b ? b : a, low = a < b ? a : b;
    const int was = atomicMin(parent + high, low);
    if (was == high) return;
    a = was, b = low;
  }
}

template <int D>
struct Trees {
  LevelView<D> l;
  const std::uint64_t *unknown, *open;
  const std::uint64_t* linked[D];  // null: cells that touch are linked
  int* parent;
  std::uint8_t* reached;

  /// Whether a cell is linked to the one below along axis k.
  __device__ bool isLinked(int c, int k) const { return !linked[k] || is(linked[k], c); }
  __device__ bool is(const std::uint64_t* bits, int c) const { return bits[c >> 6] >> (c & 63) & 1; }
  /// The element below cell c of tile t along axis k, or -1.
  __device__ int below(int t, int c, int k) const {
    const int to = lowerElement<D>(l.beside, t * power(8, D) + c, k);
    return to < l.tiles * power(8, D) ? to : -1;
  }
};
/// A tile begins with the trees of its own cells, found in the block's memory: first the runs of cells along x, then these
/// joined. Their roots know whether air touches them.
template <int D>
struct BeginTrees {
  Trees<D> trees;
  __device__ void operator()(int t) const {
    __shared__ int own[power(8, D)], reached[power(8, D)];
    const int c = ownCell(), at = t * power(8, D) + c, x = c & 7;
    if (at == 0) trees.parent[trees.l.tiles * power(8, D)] = 0;  // counts the enclosed components
    reached[c] = 0;
    const unsigned line = unsigned(trees.unknown[at >> 6] >> (c & 56)) & 255u;
    const unsigned gaps = ~line & ((1u << x) - 1);
    const bool unknown = line >> x & 1;
    const unsigned links = trees.linked[0] ? unsigned(trees.linked[0][at >> 6] >> (c & 56)) & 255u : 255u;
    const unsigned breaks = ~links & ((2u << x) - 1);  // of cells up to this one that are not linked to the one before
    const int afterGap = gaps ? 32 - __clz(gaps) : 0, fromBreak = breaks ? 31 - __clz(breaks) : 0;
    own[c] = unknown ? c - x + (afterGap > fromBreak ? afterGap : fromBreak) : c;
    __syncthreads();
    for (int k = 1; k < D && unknown; ++k) {
      const int to = c - (1 << 3 * k);
      if ((c >> 3 * k & 7) == 0 || !trees.is(trees.unknown, at - c + to) || !trees.isLinked(at, k)) continue;
      // The cells to the left of both have joined these runs already.
      if (!trees.linked[0] && x && trees.is(trees.unknown, at - 1) && trees.is(trees.unknown, at - c + to - 1)) continue;
      join<OfBlock>(own, c, to);
    }
    __syncthreads();
    const int root = unknown ? rootOf<OfBlock>(own, c) : c;
    if (trees.is(trees.open, at)) atomicOr(reached + root, 1);
    trees.parent[at] = at - c + root;
    __syncthreads();
    trees.reached[at] = std::uint8_t(reached[c]);
  }
};
/// The trees of tiles that touch.
template <int D>
struct JoinTrees {
  Trees<D> trees;
  __device__ void operator()(int t) const {
    const int c = ownCell(), at = t * power(8, D) + c;
    if (!trees.is(trees.unknown, at)) return;
    for (int k = 0; k < D; ++k) {
      if (c >> 3 * k & 7) continue;
      const int to = trees.below(t, c, k);
      if (to < 0 || !trees.is(trees.unknown, to) || !trees.isLinked(at, k)) continue;
      bool joined = false;  // by two cells beside both
      for (int a = 0; a < D && !trees.linked[0]; ++a) {
        const int stride = 1 << 3 * a;
        joined = joined ||
                 (a != k && (c >> 3 * a & 7) && trees.is(trees.unknown, at - stride) && trees.is(trees.unknown, to - stride));
      }
      if (!joined) join(trees.parent, at, to);
    }
  }
};
template <int D>
struct ReachTrees {
  Trees<D> trees;
  __device__ void operator()(int t) const {
    const int at = t * power(8, D) + ownCell();
    if (trees.reached[at]) trees.reached[rootOf(trees.parent, at)] = 1;
  }
};
template <int D>
struct IsEnclosed {
  Trees<D> trees;
  __device__ bool operator()(int c) const { return trees.is(trees.unknown, c) && !trees.reached[rootOf(trees.parent, c)]; }
};
/// Roots without air.
template <int D>
struct CountEnclosed {
  Trees<D> trees;
  int* count;
  __device__ void operator()(int t) const {
    const int at = t * power(8, D) + ownCell();
    if (trees.parent[at] == at && !trees.reached[at] && trees.is(trees.unknown, at)) atomicAdd(count, 1);
  }
};
template <int D>
struct MarkEnclosed {
  IsEnclosed<D> closed;
  int* mark;
  __device__ void operator()(int c) const { mark[c] = closed(c); }
};
template <int D>
struct ListEnclosed {
  IsEnclosed<D> closed;
  const int* before;
  std::int64_t* key;
  __device__ void operator()(int c) const {
    if (closed(c)) key[before[c]] = std::int64_t(rootOf(closed.trees.parent, c)) << 32 | c;
  }
};

}  // namespace

template <int D>
static Trees<D> treesOf(Level<D>& l, Array<std::uint64_t>& unknown, Array<std::uint64_t>& open, Array<std::uint64_t> (&linked)[D],
                        bool unit, Array<int>& root, Array<std::uint8_t>& reached) {
  Trees<D> trees{l.view(), unknown.data(), open.data(), {}, root.data(), reached.data()};
  for (int k = 0; k < D && !unit; ++k) trees.linked[k] = linked[k].data();
  return trees;
}

template <int D>
void EnclosedComponents<D>::begin(Level<D>& l) {
  const int n = l.tiles.count(), cells = n * Tiles<D>::cells;
  first_.assign(1, 0);
  if (n == 0) return;
  root_.resize(cells + 1);
  reached_.resize(cells);
  const Trees<D> trees = treesOf<D>(l, unknown_, open_, linked_, unit_, root_, reached_);
  eachCellOfTiles<D>(n, BeginTrees<D>{trees});
  eachCellOfTiles<D>(n, JoinTrees<D>{trees});
  eachCellOfTiles<D>(n, ReachTrees<D>{trees});
  eachCellOfTiles<D>(n, CountEnclosed<D>{trees, root_.data() + cells});
  if (!readback_.enclosed) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&readback_.enclosed), sizeof(int), cudaHostAllocMapped), "allocate memory");
    check(cudaEventCreateWithFlags(&readback_.passed, cudaEventDisableTiming), "make a mark");
  }
  copyToStaging(readback_.enclosed, root_.data() + cells, sizeof(int));
  check(cudaEventRecord(readback_.passed), "make a mark");
}

template <int D>
void EnclosedComponents<D>::find(Level<D>& l) {
  const int cells = l.tiles.count() * Tiles<D>::cells;
  if (cells == 0) return;
  check(cudaEventSynchronize(readback_.passed), "find components of fluid");
  if (*readback_.enclosed == 0) return;
  const Trees<D> trees = treesOf<D>(l, unknown_, open_, linked_, unit_, root_, reached_);

  Array<int> mark, order;
  mark.resize(cells + 1);
  forEach(cells, MarkEnclosed<D>{{trees}, mark.data()});
  scan(mark, cells + 1);
  const int closed = elementOf(mark, cells);
  Array<std::int64_t> keys;
  keys.resize(closed);
  forEach(cells, ListEnclosed<D>{{trees}, mark.data(), keys.data()});
  sortKeys(keys, order, closed);
  const std::vector<std::int64_t> sorted = onHost(keys, closed);
  std::vector<int> list(closed);
  for (int k = 0; k < closed; ++k) {
    list[k] = int(sorted[k] & 0x7fffffff);
    if (k > 0 && sorted[k] >> 32 != sorted[k - 1] >> 32) first_.push_back(k);
  }
  first_.push_back(closed);
  copyIn(cells_, list.data(), list.size());
}

template class EnclosedComponents<2>;
template class EnclosedComponents<3>;

}  // namespace brim::inline BRIM_FLAVOUR
