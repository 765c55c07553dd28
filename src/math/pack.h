// N numbers that behave like one. GCC/Clang vector extensions, so that arithmetic and comparisons lower to AVX2, SSE,
// NEON or plain scalar code; only the square root, max and the moves between memory and lanes know an instruction set.
#pragma once
#include <cmath>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "math/qualifiers.h"

namespace brim::inline BRIM_FLAVOUR {

template <class T, int N>
struct VectorOf {  // apart from Pack: GCC 12 takes a dependent vector_size typedef for T itself when it checks overloads
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};

template <class T, int N>
struct Pack {
  using V = typename VectorOf<T, N>::type;
  using M = decltype(V{} < V{});  // a comparison: all bits set where true
  V v;

  Pack() = default;
  BRIM_FN Pack(V a) : v(a) {}
  BRIM_FN Pack(T s) : v(s - V{}) {}       // broadcast
  BRIM_FN static Pack load(const T* p) {  // from any address
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  BRIM_FN void store(T* p) const { __builtin_memcpy(p, &v, sizeof v); }
  BRIM_FN T operator[](int k) const { return v[k]; }
  BRIM_FN Pack& operator+=(Pack b) { return v += b.v, *this; }
  BRIM_FN Pack& operator-=(Pack b) { return v -= b.v, *this; }
  BRIM_FN Pack& operator*=(Pack b) { return v *= b.v, *this; }
  BRIM_FN friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  BRIM_FN friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  BRIM_FN friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  BRIM_FN friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  BRIM_FN friend Pack operator-(Pack a) { return -a.v; }
  BRIM_FN friend M operator<(Pack a, Pack b) { return a.v < b.v; }
  BRIM_FN friend M operator>(Pack a, Pack b) { return a.v > b.v; }
  BRIM_FN friend Pack select(M m, Pack a, Pack b) { return m ? a.v : b.v; }
  BRIM_FN friend Pack min(Pack a, Pack b) { return a.v < b.v ? a.v : b.v; }
  BRIM_FN friend Pack max(Pack a, Pack b) {
#if defined(__AVX__)  // GCC 12 makes compare + and of the ternary when b is zero
    if constexpr (sizeof(V) == 32 && sizeof(T) == 4) return V(_mm256_max_ps(__m256(a.v), __m256(b.v)));
    if constexpr (sizeof(V) == 32 && sizeof(T) == 8) return V(_mm256_max_pd(__m256d(a.v), __m256d(b.v)));
#endif
    return a.v > b.v ? a.v : b.v;
  }
  BRIM_FN friend Pack sqrt(Pack a) {
#if defined(__AVX__)
    if constexpr (sizeof(V) == 32 && sizeof(T) == 4) return V(_mm256_sqrt_ps(__m256(a.v)));
    if constexpr (sizeof(V) == 32 && sizeof(T) == 8) return V(_mm256_sqrt_pd(__m256d(a.v)));
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(V) == 16 && sizeof(T) == 4) return V(_mm_sqrt_ps(__m128(a.v)));
    if constexpr (sizeof(V) == 16 && sizeof(T) == 8) return V(_mm_sqrt_pd(__m128d(a.v)));
#endif
    Pack r = a;
    for (int k = 0; k < N; ++k) r.v[k] = std::sqrt(a.v[k]);
    return r;
  }
};

#if defined(__AVX__)
/// 4 x 4 transposes within the two halves of four AVX registers. Up to the order of the lanes the function is its own inverse.
BRIM_FN void transposeHalves(__m256& a, __m256& b, __m256& c, __m256& d) {
  const __m256 ab = _mm256_unpacklo_ps(a, b), AB = _mm256_unpackhi_ps(a, b);
  const __m256 cd = _mm256_unpacklo_ps(c, d), CD = _mm256_unpackhi_ps(c, d);
  a = _mm256_shuffle_ps(ab, cd, 0x44);
  b = _mm256_shuffle_ps(ab, cd, 0xee);
  c = _mm256_shuffle_ps(AB, CD, 0x44);
  d = _mm256_shuffle_ps(AB, CD, 0xee);
}
BRIM_FN void transpose(__m256d& a, __m256d& b, __m256d& c, __m256d& d) {
  const __m256d ab = _mm256_unpacklo_pd(a, b), AB = _mm256_unpackhi_pd(a, b);
  const __m256d cd = _mm256_unpacklo_pd(c, d), CD = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab, cd, 0x20);
  b = _mm256_permute2f128_pd(AB, CD, 0x20);
  c = _mm256_permute2f128_pd(ab, cd, 0x31);
  d = _mm256_permute2f128_pd(AB, CD, 0x31);
}
#endif

/// Columns of N four-number records: out[c][k] = p[at(k)][c]. With AVX2 eight 16-byte loads and twelve shuffles, more than twice
/// as fast as gather instructions.
template <class T, int N, class At>
BRIM_FN void loadRecords(const T* p, At at, Pack<T, N>* out) {
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4 && N == 8) {
    auto load = [&](int k) { return _mm_load_ps((const float*)p + 4 * (long)at(k)); };
    auto two = [&](int k) { return _mm256_insertf128_ps(_mm256_castps128_ps256(load(k)), load(k + 4), 1); };
    __m256 a = two(0), b = two(1), c = two(2), d = two(3);
    transposeHalves(a, b, c, d);
    out[0].v = a, out[1].v = b, out[2].v = c, out[3].v = d;
    return;
  }
  if constexpr (sizeof(T) == 8 && N == 4) {
    auto load = [&](int k) { return _mm256_load_pd((const double*)p + 4 * (long)at(k)); };
    __m256d a = load(0), b = load(1), c = load(2), d = load(3);
    transpose(a, b, c, d);
    out[0].v = a, out[1].v = b, out[2].v = c, out[3].v = d;
    return;
  }
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(T) == 4 && N == 4) {
    auto load = [&](int k) { return _mm_load_ps((const float*)p + 4 * (long)at(k)); };
    __m128 a = load(0), b = load(1), c = load(2), d = load(3);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0].v = a, out[1].v = b, out[2].v = c, out[3].v = d;
    return;
  }
#endif
  for (int c = 0; c < 4; ++c) {
    typename Pack<T, N>::V v{};
    for (int k = 0; k < N; ++k) v[k] = p[4 * (long)at(k) + c];
    out[c].v = v;
  }
}

/// The inverse: p[at(k)][c] = in[c][k].
template <class T, int N, class At>
BRIM_FN void storeRecords(T* p, At at, const Pack<T, N>* in) {
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4 && N == 8) {
    __m256 a = in[0].v, b = in[1].v, c = in[2].v, d = in[3].v;
    transposeHalves(a, b, c, d);
    const __m256 row[4] = {a, b, c, d};
    for (int k = 0; k < 4; ++k) {
      _mm_store_ps((float*)p + 4 * (long)at(k), _mm256_castps256_ps128(row[k]));
      _mm_store_ps((float*)p + 4 * (long)at(k + 4), _mm256_extractf128_ps(row[k], 1));
    }
    return;
  }
  if constexpr (sizeof(T) == 8 && N == 4) {
    __m256d a = in[0].v, b = in[1].v, c = in[2].v, d = in[3].v;
    transpose(a, b, c, d);
    const __m256d row[4] = {a, b, c, d};
    for (int k = 0; k < 4; ++k) _mm256_store_pd((double*)p + 4 * (long)at(k), row[k]);
    return;
  }
#endif
  for (int k = 0; k < N; ++k)
    for (int c = 0; c < 4; ++c) p[4 * (long)at(k) + c] = in[c].v[k];
}

#if defined(__AVX2__)
/// compressed[mask]: the numbers of the set bits of mask, one per byte, lowest first.
struct Compressed {
  unsigned long long v[256] = {};
  constexpr Compressed() {
    for (int m = 0; m < 256; ++m)
      for (int k = 0, at = 0; k < 8; ++k)
        if (m >> k & 1) v[m] |= (unsigned long long)k << (8 * at++);
  }
};
inline constexpr Compressed compressed;
#endif

/// The lanes where d2 < h2, as a mask, and a compaction of values by that mask.
template <class T, int N>
class Below {
 public:
  BRIM_FN Below(Pack<T, N> d2, Pack<T, N> h2) {
#if defined(__AVX2__)
    if constexpr (eight) {
      mask_ = unsigned(_mm256_movemask_ps(_mm256_cmp_ps(__m256(d2.v), __m256(h2.v), _CMP_LT_OQ)));
      lane_ = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)&compressed.v[mask_]));
      return;
    }
#endif
    for (int k = 0; k < N; ++k) mask_ |= unsigned(d2.v[k] < h2.v[k]) << k;
  }
  BRIM_FN int count() const { return __builtin_popcount(mask_); }
  /// Only the first n lanes.
  BRIM_FN void cut(int n) {
    if (n < N) mask_ &= (1u << n) - 1;
  }
  /// Writes from[k] of the set lanes to `to`, one after the other. `to` needs memory for N elements; those past count() get no
  /// meaning.
  template <class S>
  BRIM_FN void append(Pack<S, N> from, S* to) const {
#if defined(__AVX2__)
    if constexpr (eight) {
      _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32(__m256i(from.v), lane_));
      return;
    }
#endif
    for (int k = 0, n = 0; k < N; ++k) {
      to[n] = from.v[k];
      n += mask_ >> k & 1;
    }
  }

 private:
  static constexpr bool eight = sizeof(T) == 4 && N == 8;
  unsigned mask_ = 0;
#if defined(__AVX2__)
  __m256i lane_;  // with eight lanes: the source lane of each element
#endif
};

/// out[m * N + l] = in[l * stride + m] for m < N: eight lists of eight indices become eight packs.
template <int N>
BRIM_FN void interleave(const int* in, long stride, int* out) {
#if defined(__AVX2__)
  if constexpr (N == 8) {
    __m256i r[8], s[8];
    for (int l = 0; l < 8; ++l) r[l] = _mm256_loadu_si256((const __m256i*)(in + l * stride));
    for (int l = 0; l < 8; l += 2) s[l] = _mm256_unpacklo_epi32(r[l], r[l + 1]), s[l + 1] = _mm256_unpackhi_epi32(r[l], r[l + 1]);
    for (int l = 0; l < 8; l += 4) {
      r[l] = _mm256_unpacklo_epi64(s[l], s[l + 2]), r[l + 1] = _mm256_unpackhi_epi64(s[l], s[l + 2]);
      r[l + 2] = _mm256_unpacklo_epi64(s[l + 1], s[l + 3]), r[l + 3] = _mm256_unpackhi_epi64(s[l + 1], s[l + 3]);
    }
    for (int l = 0; l < 4; ++l) {
      _mm256_storeu_si256((__m256i*)(out + 8 * l), _mm256_permute2x128_si256(r[l], r[l + 4], 0x20));
      _mm256_storeu_si256((__m256i*)(out + 8 * (l + 4)), _mm256_permute2x128_si256(r[l], r[l + 4], 0x31));
    }
    return;
  }
#endif
  for (int l = 0; l < N; ++l)
    for (int m = 0; m < N; ++m) out[m * N + l] = in[l * stride + m];
}

}  // namespace brim::inline BRIM_FLAVOUR
