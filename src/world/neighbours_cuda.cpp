// Lists on a GPU: one thread a particle walks the runs of cells around it, a warp's 32 lists lie side by side.
#include "world/neighbours.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
/// Points that lists may hold.
template <int D>
struct Source {
  Runs<D> runs;
  const Sample<D>* p;
  int n, first;
};
struct Found {
  int longest[2];            // of all lists: fluid, solid
  unsigned long long pairs;  // of both kinds
};

template <int D>
struct Lister {
  const Sample<D>* p;  // whose lists
  int n;
  Window<D> window;
  Real h2;
  Source<D> fluid, images, solid;
  int ghost[2], room[2];
  int* list[2];
  Lists::Slice* slices[2];
  Found* found;

  /// Appends the points of a source within reach; returns how many there are, stored or not.
  __device__ int append(const Source<D>& s, const Vec<D>& x, const int (&cell)[3], int* first, int most, int count) const {
    if (s.n == 0) return count;
    for (int dz = D == 3 ? -1 : 0; dz <= (D == 3 ? 1 : 0); ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const auto ends = s.runs.run(cell[0] - Window<D>::fine, cell[0] + Window<D>::fine, cell[1] + dy, cell[2] + dz);
        for (int j = ends.first; j < ends.past; ++j) {
          const Vec<D> r = s.p[j].x - x;
          if (!(dot(r, r) < h2)) continue;
          if (count < most) first[long(count) * Lists::width] = s.first + j;
          ++count;
        }
      }
    return count;
  }
  __device__ void operator()(int i) const {
    constexpr unsigned all = 0xffffffffu;
    const unsigned lane = threadIdx.x % Lists::width;
    const long slice = i / Lists::width;
    if (slice * Lists::width >= n) return;  // a warp of the last block without particles
    Vec<D> x{};
    int cell[3] = {0, 0, 0};
    if (i < n) {
      x = p[i].x;
      for (int k = 0; k < D; ++k) cell[k] = window.at(x, k);
    }
    int sum = 0;
    for (int set = 0; set < 2; ++set) {
      int* const first = list[set] + slice * room[set] * Lists::width + lane;
      int count = 0;
      if (i < n) {
        if (set == 0) {
          count = append(fluid, x, cell, first, room[0], 0);
          count = append(images, x, cell, first, room[0], count);
        } else {
          count = append(solid, x, cell, first, room[1], 0);
        }
      }
      const int longest = __reduce_max_sync(all, count), rows = longest < room[set] ? longest : room[set];
      for (int m = count; m < rows; ++m) first[long(m) * Lists::width] = ghost[set];
      if (lane == 0) {
        slices[set][slice] = {list[set] + slice * room[set] * Lists::width, rows};
        if (longest > room[set]) atomicMax(&found->longest[set], longest);
      }
      sum += __reduce_add_sync(all, count);
    }
    if (lane == 0) atomicAdd(&found->pairs, (unsigned long long)(sum));
  }
};

template <int D>
__global__ void __launch_bounds__(threads) listKernel(Lister<D> lister) {
  lister(int(blockIdx.x * threads + threadIdx.x));
}
}  // namespace

template <int D>
Neighbours<D>::Neighbours() = default;
template <int D>
Neighbours<D>::~Neighbours() = default;

template <int D>
void Neighbours<D>::build(Real support, const Window<D>& window, View<const Sample<D>> p, int n, const Around& around) {
  const auto source = [](const Points& s) { return Source<D>{s.table->runs(), s.p.data, s.n, s.first}; };
  Lister<D> lister;
  lister.p = p.data;
  lister.n = n;
  lister.window = window;
  lister.h2 = support * support;
  lister.fluid = source(around.fluid), lister.images = source(around.images), lister.solid = source(around.solid);
  lister.ghost[0] = around.fluidGhost, lister.ghost[1] = around.solidGhost;
  const int slices = (n + Lists::width - 1) / Lists::width;
  pairs_ = 0;
  if (n == 0) return;
  static Array<Found> found;
  found.resize(1);
  for (;;) {
    for (int set = 0; set < 2; ++set) {
      Set& s = sets_[set];
      if (s.room == 0) s.room = set == 0 ? (D == 3 ? 64 : 32) : 32;
      s.slices.resize(slices);
      s.list.resize(std::size_t(slices) * s.room * Lists::width);
      lister.room[set] = s.room;
      lister.list[set] = s.list.data();
      lister.slices[set] = s.slices.data();
    }
    lister.found = found.data();
    check(cudaMemsetAsync(found.data(), 0, sizeof(Found)), "clear memory");
    listKernel<<<(n - 1) / threads + 1, threads>>>(lister);
    check(cudaGetLastError(), "start a kernel");
    Found seen;
    copyOut(found, &seen, 1);
    pairs_ = double(seen.pairs) - n;  // each without itself
    bool enough = true;
    for (int set = 0; set < 2; ++set)
      if (seen.longest[set] > sets_[set].room) {
        sets_[set].room = seen.longest[set] + seen.longest[set] / 4;
        sets_[set].list = {};
        enough = false;
      }
    if (enough) return;
  }
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
