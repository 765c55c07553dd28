// Neighbour lists of a GPU and the loops over them.
#pragma once
#include "exec/cuda/device.h"
#include "exec/sharing.h"
#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

/// A particle that `parts` threads of one warp share: each thread sums over every parts-th neighbour, and total() adds the
/// partial sums of the threads. The thread with part 0 leads.
template <int parts>
struct Shared {
  int i;
  int part;         // of this thread, in [0, parts)
  unsigned active;  // mask of the warp's threads that have particles
  __device__ operator int() const { return i; }
};
template <int parts>
__device__ bool leads(Shared<parts> i) {
  return i.part == 0;
}
template <int parts>
__device__ float total(Shared<parts> i, float own) {
  for (int apart = warpSize / parts; apart < warpSize; apart *= 2) own += __shfl_xor_sync(i.active, own, apart);
  return own;
}
template <int parts, int D>
__device__ Vec<D> total(Shared<parts> i, const Vec<D>& own) {
  Vec<D> sum;
  for (int k = 0; k < D; ++k) sum[k] = total(i, own[k]);
  return sum;
}

/// Neighbour lists in slices of the 32 particles of a warp, interleaved so that the warp's threads read side by side, padded with
/// the padding entry.
struct Lists {
  static constexpr int width = 32;  // particles of a slice
  struct Slice {
    const int* first;
    int length;
  };
  const Slice* slice;

  /// Reads indices four ahead: four loads are in flight while the four neighbours before are summed, which takes up to a fifth of
  /// a PBF iteration off. Indices read past a list's end are not used; lists leave memory for them.
  template <int rows>
  struct Iterator {
    const int* p;
    int index[4];
    __device__ Iterator(const int* from, bool any) : p(from) {
      if (any)
        for (int k = 0; k < 4; ++k) index[k] = __ldg(p + k * rows * width);
    }
    __device__ int operator*() const { return index[0]; }
    __device__ void operator++() {
      p += rows * width;
      // Written out: from a loop the compiler makes code without loads in flight (40 registers instead of 48).
      index[0] = index[1], index[1] = index[2], index[2] = index[3];
      index[3] = __ldg(p + 3 * rows * width);
    }
    __device__ bool operator!=(const Iterator& b) const { return p != b.p; }
  };
  template <int rows>
  struct Range {
    Iterator<rows> b, e;
    __device__ Iterator<rows> begin() const { return b; }
    __device__ Iterator<rows> end() const { return e; }
  };
  __device__ Range<1> operator[](Index i) const { return (*this)[Shared<1>{i, 0, 0}]; }
  /// This thread's part of the list; lengths are multiples of 4 * parts.
  template <int parts>
  __device__ Range<parts> operator[](Shared<parts> i) const {
    const Slice s = slice[unsigned(i.i) / width];
    const int* const first = s.first + unsigned(i.i) % width + i.part * width;
    return {{first, s.length > 0}, {first + long(width) * s.length, false}};
  }
};

template <int parts, class F>
__global__ void __launch_bounds__(threads) sharedKernel(int n, F body) {
  awaitOthers();
  constexpr unsigned warp = 32, particles = warp / parts;
  const unsigned t = blockIdx.x * threads + threadIdx.x;
  const int i = int(t / warp * particles + t % particles);
  const unsigned active = __ballot_sync(~0u, i < n);
  if (i < n) body(Shared<parts>{i, int(t % warp / particles), active});
}
/// How many threads share a particle in a loop over neighbours. Few particles do not fill the device, and two threads a particle
/// halve the time (16,000 particles: an iteration of PBF in 13 instead of 22 us; from 133,000 on two threads are slower).
/// Tanks of a batch have the bits that each has alone: while a SharedAsBy lives, this thread's loops share as those over its
/// number of particles do.
class SharedAsBy {
 public:
  explicit SharedAsBy(int particles) : before_(as) { as = particles; }
  ~SharedAsBy() { as = before_; }
  SharedAsBy(const SharedAsBy&) = delete;
  SharedAsBy& operator=(const SharedAsBy&) = delete;
  static inline thread_local int as = 0;  // 0: by their own

 private:
  int before_;
};
inline int sharers(int n) { return (SharedAsBy::as > 0 ? SharedAsBy::as : n) <= sharedUpTo ? 2 : 1; }
/// body(i) for i in [0, n), by as many threads as there are sharers; see Shared.
template <class F>
void forEachShared(int n, F body) {
  if (n <= 0) return;
  const unsigned blocks = (n - 1) / (threads / sharers(n)) + 1;
  if (sharers(n) == 2)
    launch(true, sharedKernel<2, F>, blocks, threads, n, body);
  else
    launch(true, sharedKernel<1, F>, blocks, threads, n, body);
}

}  // namespace brim::inline BRIM_FLAVOUR
