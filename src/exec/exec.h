// Arrays, loops and reductions of this flavour's machine. Kernels are written for one particle `i`; on a CPU every value
// they touch is `lanes` wide. Sums run over the neighbours of each lane in list order and reductions in fixed blocks, so
// the bits do not depend on the number of threads.
#pragma once
#include "math/vec.h"
#if BRIM_CUDA
#include "exec/cuda.h"
#else
#include "exec/cpu.h"
#endif

namespace brim::inline BRIM_FLAVOUR {

/// The sum sign of the papers: term(j) added over a list.
template <class L, class F>
BRIM_DEVICE_FN auto sumOver(L list, F term) {
  decltype(term(*list.begin())) s{};
  for (auto j : list) s += term(j);
  return s;
}

/// Entries a gathered field needs for n particles: whole slices, then room for the ghost that pads the lists.
constexpr int wholeSlices(int n) { return (n + lanes - 1) / lanes * lanes; }

/// Where the ghost is [m]: every kernel is zero there, and squares stay finite in float.
constexpr Real farAway = Real(1e15);

}  // namespace brim::inline BRIM_FLAVOUR
