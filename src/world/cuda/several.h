// Several particles for a thread on a GPU: it waits for all of them at once.
#pragma once
#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int several = 4;  // particles of a thread

/// Of thread t, the particle e < several, or one past the last: those of a warp lie side by side.
__device__ inline int ownOf(int t, int e) {
  return t / int(threads) * int(threads) * several + t % int(threads) + e * int(threads);
}
/// Threads for n particles, whole blocks.
inline int threadsFor(int n) { return (n + int(threads) * several - 1) / (int(threads) * several) * int(threads); }

}  // namespace brim::inline BRIM_FLAVOUR
