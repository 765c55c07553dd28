// Numbers of this flavour: Real is a stored number, Reals has one number of each of `lanes` particles (CUDA: lanes = 1).
#pragma once
#include <cmath>
#include <type_traits>

#include "math/qualifiers.h"
#if !BRIM_CUDA
#include "math/pack.h"
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

/// Reals and Ints hold one number of each lane. truncate and toReals go between them.
#if BRIM_CUDA
using Reals = Real;
using Ints = int;
#else
template <class T, int N>
struct ChooseWide {
  using type = Pack<T, N>;
};
template <class T>
struct ChooseWide<T, 1> {
  using type = T;
};
using Reals = ChooseWide<Real, lanes>::type;
using Ints = ChooseWide<int, lanes>::type;
template <class T, int N>
BRIM_FN Pack<int, N> truncate(Pack<T, N> a) {
  return __builtin_convertvector(a.v, typename Pack<int, N>::V);
}
template <int N>
BRIM_FN Pack<Real, N> toReals(Pack<int, N> a) {
  return __builtin_convertvector(a.v, typename Pack<Real, N>::V);
}
#endif
BRIM_FN int truncate(Real a) { return int(a); }
BRIM_FN Real toReals(int a) { return Real(a); }

#ifdef __CUDA_ARCH__
BRIM_FN Real max(Real a, Real b) { return fmaxf(a, b); }  // one instruction each
BRIM_FN Real min(Real a, Real b) { return fminf(a, b); }
#else
BRIM_FN Real max(Real a, Real b) { return a > b ? a : b; }
BRIM_FN Real min(Real a, Real b) { return a < b ? a : b; }
#endif
BRIM_FN Real select(bool c, Real a, Real b) { return c ? a : b; }
using std::sqrt;

/// sqrt(a) and 1/sqrt(a). A GPU has an instruction for the inverse, and multiplies it by a to get the root.
template <class R>
struct Root {
  R root, inverse;
};
template <class R>
BRIM_FN Root<R> rootOf(R a) {
#ifdef __CUDA_ARCH__
  const R inverse = rsqrtf(a);
  return {a * inverse, inverse};
#else
  const R root = sqrt(a);
  return {root, R(1) / root};
#endif
}
/// max(a, 0) for a <= 1: on a GPU the clamp to [0, 1] is part of the instruction before it.
template <class R>
BRIM_FN R upToOne(R a) {
#ifdef __CUDA_ARCH__
  return __saturatef(a);
#else
  return max(a, R(0));
#endif
}

}  // namespace brim::inline BRIM_FLAVOUR
