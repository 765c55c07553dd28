// Numbers of this flavour: Real is one as stored, Reals those of `lanes` particles (CUDA: one).
#pragma once
#include <cmath>
#include <type_traits>

#include "exec/words.h"
#if !BRIM_CUDA
#include "exec/pack.h"
#endif

#if BRIM_CUDA
#define BRIM_KERNEL __device__
#define BRIM_DEVICE_FN __device__ inline
#else
#define BRIM_KERNEL
#define BRIM_DEVICE_FN [[gnu::always_inline]] inline
#endif

namespace brim::inline BRIM_FLAVOUR {

#if BRIM_DOUBLE
using Real = double;
#else
using Real = float;
#endif

#if BRIM_CUDA
constexpr int lanes = 1;
#elif defined(BRIM_LANES)
constexpr int lanes = BRIM_LANES;
#elif defined(__AVX__)
constexpr int lanes = 32 / sizeof(Real);
#else
constexpr int lanes = 16 / sizeof(Real);
#endif

#if BRIM_CUDA
using Reals = Real;
#else
template <int N>
struct ChooseReals {
  using type = Pack<Real, N>;
};
template <>
struct ChooseReals<1> {
  using type = Real;
};
using Reals = ChooseReals<lanes>::type;
#endif

BRIM_FN Real max(Real a, Real b) { return a > b ? a : b; }
BRIM_FN Real min(Real a, Real b) { return a < b ? a : b; }
BRIM_FN Real select(bool c, Real a, Real b) { return c ? a : b; }
using std::sqrt;

}  // namespace brim::inline BRIM_FLAVOUR
