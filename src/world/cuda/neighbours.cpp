// Lists on a GPU: one thread a particle walks the runs of cells around it, a warp's 32 lists lie side by side.
#include "world/neighbours.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
/// Points that lists may hold.
template <int D>
struct Source {
  Runs<D> runs;
  const Record<D>* p;
  int n, first;
};
template <int D>
struct Lister {
  const Record<D>* p;  // whose lists
  int n;
  Window<D> window;
  Real h2;
  Source<D> fluid, periodicGhosts, solid;
  int padding[2], room[2];
  int batch;        // rows that readers have under way: four for each who shares a particle
  const int* tank;  // of each particle its tank, whose cells follow those of the one before; null: there is one
  int* list[2];
  Lists::Slice* slices[2];
  Found* found;

  static_assert(sizeof(Record<D>) == sizeof(float4));
  __device__ static Real distance2(const float4& q, const Vec<3>& x) {
    const Vec<3> r = Vec<3>{q.x, q.y, q.z} - x;
    return dot(r, r);
  }
  __device__ static Real distance2(const float4& q, const Vec<2>& x) {
    const Vec<2> r = Vec<2>{q.x, q.y} - x;
    return dot(r, r);
  }
  /// A list on its way to the device's memory: its first entries wait in the block's, from where a warp moves whole rows. Stored
  /// one by one they would be a sector each.
  struct Draft {
    static constexpr int kept = 48;  // more would leave room for too few blocks
    int *own, *first;                // the threads' lists side by side; the warp's
    int most, count;
    __device__ void add(int j) {
      if (count < kept)
        own[count * int(threads)] = j;
      else if (count < most)
        first[long(count) * Lists::width] = j;
      ++count;
    }
    __device__ void give(int rows, int padding) const {
      for (int m = 0; m < rows; ++m)
        if (m < kept || m >= count) first[long(m) * Lists::width] = m < count ? own[m * int(threads)] : padding;
    }
  };

  /// Where a particle is: its cell, and how far into it along each axis, in cells.
  struct Place {
    Vec<D> x;
    int cell[3] = {0, 0, 0};
    Real into[D];
    int tank = 0;  // its first cell in the table of the fluid
  };
  __device__ Place placeOf(int i) const {
    const Vec<D> x = p[i].x;
    Place a;
    a.x = x;
    if (tank) a.tank = tank[i] * int(window.stretch());
    for (int k = 0; k < D; ++k) {
      a.cell[k] = window.at(x, k);
      a.into[k] = min(max(Real(x[k] * window.scale[k] - double(window.low[k] + a.cell[k])), Real(0)), Real(1));
    }
    return a;
  }
  /// The points of the r-th of the 3^(D-1) rows around a place that may be within reach: cells that the support's sphere, which
  /// is a little smaller than a cell, touches. `before`: cells of other tanks.
  __device__ static Run rowOf(const Runs<D>& runs, const Place& a, int before, int r) {
    constexpr int fine = Window<D>::fine;
    const int offset[3] = {0, r % 3 - 1, D == 3 ? r / 3 - 1 : 0};
    Real left = 1;
    for (int k = 1; k < D; ++k) {
      const Real d = offset[k] == 0 ? 0 : offset[k] < 0 ? a.into[k] : 1 - a.into[k];
      left -= d * d;
    }
    if (left < 0) return {0, 0};
    const Real reach = fine * sqrt(left) + Real(0.01);  // cells along x; the hundredth covers rounding
    const int low = ::max(int(floorf(a.into[0] - reach)), -fine), high = ::min(int(floorf(a.into[0] + reach)), fine);
    const int y = a.cell[1] + offset[1], z = a.cell[2] + offset[2];
    if (!runs.window.dense) return runs.run(a.cell[0] + low, a.cell[0] + high, y, z);
    const int first = (z * int(runs.window.size[1]) + y) * int(runs.window.size[0]) + a.cell[0] + before;
    return {runs.start[first + low], runs.start[first + high + 1]};
  }

  /// Appends the points of a source within reach.
  __device__ void append(const Source<D>& s, const Place& a, int before, Draft& draft) const {
    if (s.n == 0) return;
    constexpr int rows = D == 3 ? 9 : 3;
    Run next = rowOf(s.runs, a, before, 0);
    for (int r = 0; r < rows; ++r) {
      const Run ends = next;
      if (r + 1 < rows) next = rowOf(s.runs, a, before, r + 1);
      // Four at a time, so that their loads are under way together.
      for (int four = ends.first; four < ends.past; four += 4) {
        Real d2[4];
        BRIM_UNROLL
        for (int m = 0; m < 4; ++m)
          d2[m] = distance2(__ldg(reinterpret_cast<const float4*>(s.p) + (four + m < ends.past ? four + m : four)), a.x);
        BRIM_UNROLL
        for (int m = 0; m < 4; ++m)
          if (four + m < ends.past && d2[m] < h2) draft.add(s.first + four + m);
      }
    }
  }
  __device__ void operator()(int i) const {
    __shared__ int kept[Draft::kept * threads];
    const unsigned lane = threadIdx.x % Lists::width;
    const long slice = i / Lists::width;
    const bool here = i < n;
    const Place place = here ? placeOf(i) : Place{};
    int sum = 0;
    for (int set = 0; set < 2; ++set) {
      Draft draft{kept + threadIdx.x, list[set] + slice * room[set] * Lists::width + lane, room[set], 0};
      if (here && set == 0) append(fluid, place, place.tank, draft), append(periodicGhosts, place, 0, draft);
      if (here && set == 1) append(solid, place, 0, draft);
      const int longest = largestOfWarp(draft.count), whole = (longest + batch - 1) / batch * batch;
      const int rows = whole < room[set] ? whole : room[set];
      draft.give(rows, padding[set]);
      if (lane == 0 && slice * Lists::width < n) {  // the last block may have warps without particles
        slices[set][slice] = {list[set] + slice * room[set] * Lists::width, rows};
        if (longest > room[set]) atomicMax(&found->longest[set], longest);
      }
      sum += totalOfWarp(draft.count);
    }
    __shared__ int pairs;
    if (threadIdx.x == 0) pairs = 0;
    __syncthreads();
    if (lane == 0) atomicAdd(&pairs, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&found->pairs, (unsigned long long)(pairs));
  }
};

template <int D>
__global__ void __launch_bounds__(threads) listKernel(Lister<D> lister, BlockPartials partials, Found* seen) {
  awaitTurn();
  lister(int(blockIdx.x * threads + threadIdx.x));
  if (!partials.isLastBlock() || threadIdx.x > 0) return;
  *seen = *lister.found;
  *lister.found = {};
}
}  // namespace

template <int D>
Neighbours<D>::Neighbours() = default;
template <int D>
Neighbours<D>::~Neighbours() {
  if (seen_) cudaFreeHost(seen_);
  if (passed_) cudaEventDestroy(passed_);
}

template <int D>
void Neighbours<D>::build(Real support, const Window<D>& window, View<const Record<D>> p, int n, const Around& around) {
  do start(support, window, p, n, around);
  while (!areComplete());
}

template <int D>
void Neighbours<D>::start(Real support, const Window<D>& window, View<const Record<D>> p, int n, const Around& around) {
  const auto source = [](const Points& s) { return Source<D>{s.table->runs(), s.p.data, s.n, s.first}; };
  Lister<D> lister;
  lister.p = p.data;
  lister.n = n_ = n;
  lister.window = window;
  lister.h2 = support * support;
  lister.fluid = source(around.fluid), lister.periodicGhosts = source(around.periodicGhosts), lister.solid = source(around.solid);
  lister.batch = 4 * sharers(n);
  lister.tank = around.tank.data;
  lister.padding[0] = around.fluidPadding, lister.padding[1] = around.solidPadding;
  const int slices = (n + Lists::width - 1) / Lists::width;
  pairs_ = 0;
  asked_ = n > 0;
  if (n == 0) return;
  if (!seen_) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&seen_), sizeof(Found), cudaHostAllocMapped), "allocate memory");
    check(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming), "make a mark");
    found_.resize(1);
    check(cudaMemsetAsync(found_.data(), 0, sizeof(Found)), "clear memory");
  }
  for (int set = 0; set < 2; ++set) {
    Set& s = sets_[set];
    if (s.room == 0) s.room = set == 0 ? (D == 3 ? 64 : 32) : 32;
    s.slices.resize(slices);
    const std::size_t entries = (std::size_t(slices) * s.room + 2 * lister.batch) * Lists::width;  // readers look ahead
    if (entries * sizeof(int) > s.list.bytes()) {
      s.list = {}, s.list.resize(entries + entries / 8);
      check(cudaMemsetAsync(s.list.data(), 0, s.list.bytes()), "clear memory");  // of what they see there nothing is used
    }
    s.list.resize(entries);
    lister.room[set] = s.room;
    lister.list[set] = s.list.data();
    lister.slices[set] = s.slices.data();
  }
  lister.found = found_.data();
  launch(listKernel<D>, (n - 1) / threads + 1, threads, lister, BlockPartials::ofThread(0), seen_);
  check(cudaEventRecord(passed_), "make a mark");
}

template <int D>
bool Neighbours<D>::areComplete() {
  if (!asked_) return true;
  asked_ = false;
  check(cudaEventSynchronize(passed_), "find neighbours");
  pairs_ = double(seen_->pairs) - n_;  // each without itself
  bool enough = true;
  for (int set = 0; set < 2; ++set)
    if (seen_->longest[set] > sets_[set].room) {
      sets_[set].room = (seen_->longest[set] + seen_->longest[set] / 4 + 15) / 16 * 16;
      sets_[set].list = {};
      enough = false;
    }
  return enough;
}

template <int D>
std::size_t Neighbours<D>::bytes() const {
  std::size_t b = 0;
  for (const Set& s : sets_) b += s.list.bytes() + s.slices.bytes();
  return b;
}

template class Neighbours<2>;
template class Neighbours<3>;

}  // namespace brim::inline BRIM_FLAVOUR
