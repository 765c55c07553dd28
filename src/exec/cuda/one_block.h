// Loops and reductions of one block: for systems so small that a chain of launches would take longer than their work.
#pragma once
#include "exec/cuda/device.h"

namespace brim::inline BRIM_FLAVOUR {

/// The threads of a kernel that is launched with one block of `size`.
struct OneBlock {
  static constexpr int size = 1024, warps = size / 32;

  /// body(i) for i in [0, n), a thread taking every 1024th. What one loop writes, the next may read.
  template <class F>
  __device__ void each(int n, F body) const {
    for (int i = int(threadIdx.x); i < n; i += size) body(i);
    __syncthreads();
  }
  /// zero combined with term(i) for i in [0, n), in an order that depends on n alone; for all threads.
  template <class T, class F, class Into>
  __device__ T reduce(int n, T zero, F term, Into into) {
    // Two buffers in turn: before a thread writes into one again, all have met at the other's barrier and are done with it.
    __shared__ alignas(T) unsigned char memory[2][warps * sizeof(T)];
    T* const part = reinterpret_cast<T*>(memory[turn = !turn]);
    T s = zero;
    for (int i = int(threadIdx.x); i < n; i += size) into(s, term(i));
    s = overWarp(s, into);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    return overWarp(part[threadIdx.x % 32], into);
  }

 private:
  bool turn = false;

  template <class T, class Into>
  static __device__ T overWarp(T s, Into into) {
    static_assert(sizeof(T) % 4 == 0 && warps == 32);
    for (int apart = 16; apart > 0; apart /= 2) {
      unsigned word[sizeof(T) / 4];
      memcpy(word, &s, sizeof(T));
      BRIM_UNROLL for (unsigned& w : word) w = __shfl_xor_sync(~0u, w, apart);
      T other;
      memcpy(&other, word, sizeof(T));
      into(s, other);
    }
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
