// Loops over items that are few and have much to loop over themselves: a GPU gives each of them several threads.
#pragma once
#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

#if BRIM_CUDA

/// Threads of a warp that share an item's loops: for (j = a + team.rank; j < b; j += team.size).
template <int most>
struct Team {
  static constexpr int size = most;
  int rank;
  unsigned active;  // mask of the warp's threads that have items
  __device__ bool leads() const { return rank == 0; }
  /// The sum over the team, for all of it.
  __device__ double total(double own) const {
    for (int apart = most / 2; apart > 0; apart /= 2) own += __shfl_xor_sync(active, own, apart);
    return own;
  }
};
template <int most, class F>
__global__ void __launch_bounds__(threads) teamKernel(int n, F body) {
  awaitTurn();
  const unsigned t = blockIdx.x * threads + threadIdx.x, i = t / most;
  const unsigned active = __ballot_sync(~0u, i < unsigned(n));
  if (i < unsigned(n)) body(int(i), Team<most>{int(t % most), active});
}
/// body(i, team) for i in [0, n).
template <int most, class F>
void forEachTeam(int n, F body) {
  if (n <= 0) return;
  launch(teamKernel<most, F>, (n - 1) / (threads / most) + 1, threads, n, body);
}

#else

/// One thread, which has an item to itself.
template <int>
struct Team {
  static constexpr int rank = 0, size = 1;
  BRIM_FN bool leads() const { return true; }
  BRIM_FN double total(double own) const { return own; }
};
template <int most, class F>
void forEachTeam(int n, F body) {
  forEach(n, [=](int i) { body(i, Team<most>{}); });
}

#endif

}  // namespace brim::inline BRIM_FLAVOUR
