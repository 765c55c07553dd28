// The kernels of the V-cycle.
//
// Coarse cells are 2^D fine ones and take part if any of those does. Their operator is that of piecewise constant corrections
// (the sum of the fine links between two coarse cells), halved, since constants overestimate the slope between cells twofold; so
// thin sheets, drops and bubbles keep their weight on every level, which states per coarse cell (air beats fluid) lose. Constant
// corrections leave steps between coarse cells, and a strong smoother pays: two Chebyshev steps before and after. 7 to 12
// iterations of conjugate gradients for six digits; the same with trilinear corrections and damped Jacobi took 10 to 27, with air
// beats fluid 11 to 40, and all grew faster with size.
#pragma once
#include "grid/pressure/multigrid.h"
#include "grid/tiles/lines.h"

namespace brim::inline BRIM_FLAVOUR {

// Chebyshev steps z += omega (r - A z)/diag against the part [0.4, 2] of the spectrum of A/diag, which coarse cells cannot see:
// 1/omega are the zeros of the polynomial, 1.2 -+ 0.8 cos(pi/4).
constexpr float omega1 = 1.5764984f, omega2 = 0.5663529f;

/// Two steps from z = 0, as one polynomial:  z = (o1 + o2) t - o1 o2 A t/diag,  t = r/diag. `sum` is over the neighbours of w
/// t_n.
template <class T>
BRIM_DEVICE_FN T chebyshevFromZero(T t, T inverse, T sum) {
  return T(omega1 + omega2 - omega1 * omega2) * t + T(omega1 * omega2) * inverse * sum;
}
/// One step  x + omega (r - A x)/diag,  `sum` over the neighbours of w x_n.
template <class T>
BRIM_DEVICE_FN T chebyshevStep(float omega, T x, T inverse, T r, T sum) {
  return T(1 - omega) * x + T(omega) * inverse * (r + sum);
}
/// r - A z,  `sum` over the neighbours of w z_n.
template <class T>
BRIM_DEVICE_FN T residualOf(T r, T diag, T z, T sum) {
  return r - diag * z + sum;
}
/// Of a residual on the next level: 2^(2 - D), because a coarse face has 2^(D - 1) fine ones and weights stay near 1.
template <int D>
constexpr float restriction = D == 3 ? 0.5f : 1.0f;

// Of the links to air that go to the next level. A coarse cell's middle is farther from the surface than a fine one's.
constexpr float airShare = 0.75f;

/// The links of one tile.
template <int D, bool finest>
class Links {
 public:
  BRIM_DEVICE_FN Links(const LevelView<D>& l, int t) {
    inverse_ = l.inverse + std::size_t(t) * Tiles<D>::cells;
    if constexpr (finest) {
      sides_ = l.sides + std::size_t(t) * Tiles<D>::cells;
    } else {
      diag_ = l.diag + std::size_t(t) * Tiles<D>::cells;
      for (int k = 0; k < D; ++k) w_[k] = {l.w[k], t, l.beside + 2 * D * t};
    }
  }
  BRIM_DEVICE_FN Cells<float> diag(int n) const {
    if constexpr (finest)
      return loadBytes(sides_ + firstOf(n));
    else
      return load(diag_ + firstOf(n));
  }
  /// 1 / diag, 0 where there is no unknown. To a GPU a division is cheaper than three more bytes.
  BRIM_DEVICE_FN Cells<float> inverse(int n) const {
#if BRIM_CUDA
    if constexpr (finest) return inverseOf(diag(n));
#endif
    return load(inverse_ + firstOf(n));
  }
  /// Sum over the neighbours of w x_n.
  template <class X>
  BRIM_DEVICE_FN Cells<float> sum(const X& x, int n) const {
    if constexpr (finest) {
      return x.sides(n);
    } else {
      Cells<float> s = 0;
      for (int k = 0; k < D; ++k) s += w_[k].line(n) * x.below(n, k) + w_[k].above(n, k) * x.above(n, k);
      return s;
    }
  }
  BRIM_DEVICE_FN Cells<float> below(int n, int k) const { return w_[k].line(n); }
  BRIM_DEVICE_FN Cells<float> above(int n, int k) const { return w_[k].above(n, k); }

 private:
  const std::uint8_t* sides_ = nullptr;
  const float *inverse_, *diag_ = nullptr;
  Around<D, float> w_[D];
};

template <int D>
BRIM_DEVICE_FN Around<D, float> around(const LevelView<D>& l, const float* field, int t) {
  return {field, t, l.beside + 2 * D * t};
}

#if BRIM_CUDA
/// Of the cells of a tile that coarse cell m covers, the even ones + s * the odd ones.
template <int D>
__device__ inline float pairOf(const float* cells, int m, float s) {
  const int first = 2 * (m & 3) + 16 * (m >> 2 & 3) + 128 * (m >> 4);
  float even = 0, odd = 0;
  for (int z = 0; z < (D == 3 ? 2 : 1); ++z)
    for (int y = 0; y < 2; ++y) even += cells[first + 8 * y + 64 * z], odd += cells[first + 8 * y + 64 * z + 1];
  return even + s * odd;
}
/// Cells of a tile summed into the 4^D coarse cells that it covers; `which` of several that are in use at once.
template <int D>
class Gathered {
 public:
  __device__ explicit Gathered(int which = 0) : own_(memory() + which * power(8, D)) {
    store(own_ + firstOf(ownHalfLine()), Quad(0));
  }
  __device__ void add(int n, const Quad& value) { store(own_ + firstOf(n), value); }  // a thread adds once
  /// body(cell, the even cells + s * the odd ones) for each coarse cell.
  template <class F>
  __device__ void eachPair(float s, F body) const {
    __syncthreads();
    const int m = int(threadIdx.x);
    if (m < power(4, D)) body(m, pairOf<D>(own_, m, s));
    __syncthreads();
  }

 private:
  __device__ static float* memory() {
    __shared__ alignas(16) float all[(D + 1) * power(8, D)];
    return all;
  }
  float* own_;
};
template <int D>
__device__ inline int cellOfPart(int m) {
  return (m & 3) + 8 * (m >> 2 & 3) + 64 * (m >> 4);
}
template <int D>
__device__ inline void storePair(float* part, int m, float value) {
  part[cellOfPart<D>(m)] = value;
}
template <int D>
__device__ inline float loadPair(const float* part, int m) {
  return part[cellOfPart<D>(m)];
}
/// What the coarse cells have for half line n, and for cell c.
template <int D>
__device__ inline Quad loadCoarse(const float* part, int n) {
  const float2 two = *reinterpret_cast<const float2*>(part + 2 * (n & 1) + 8 * (n >> 2 & 3) + 64 * (n >> 5 & 3));
  return {two.x, two.x, two.y, two.y};
}
__device__ inline int coarseOf(int c) { return (c >> 1 & 3) + 8 * (c >> 4 & 3) + 64 * (c >> 7 & 3); }
#else
/// Lines of a tile summed into those of the 4^D coarse cells it covers.
template <int D>
class Gathered {
 public:
  static constexpr int lines = power(4, D - 1);
  explicit Gathered(int = 0) {}
  BRIM_FN static int coarseLine(int n) { return D == 2 ? n >> 1 : (n >> 1 & 3) | (n >> 4 & 3) << 2; }
  BRIM_FN void add(int n, Cells<float> value) { sum_[coarseLine(n)] += value; }
  /// body(line, the even cells + s * the odd ones) for two lines of four coarse cells at a time.
  template <class F>
  BRIM_FN void eachPair(float s, F body) const {
    for (int m = 0; m < lines; m += 2) {
      const auto a = sum_[m].v, b = sum_[m + 1].v;
      body(m, Cells<float>(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)) +
                  Cells<float>(s) * Cells<float>(__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)));
    }
  }

 private:
  Cells<float> sum_[lines] = {};
};
/// Where coarse line m of a part starts, counted from the part's first element.
template <int D>
BRIM_FN int lineOfPart(int m) {
  return 8 * (m & 3) + 64 * (m >> 2);
}
/// Two lines of four into a coarse field.
template <int D>
BRIM_FN void storePair(float* part, int m, Cells<float> value) {
  __builtin_memcpy(part + lineOfPart<D>(m), &value, 16);
  __builtin_memcpy(part + lineOfPart<D>(m + 1), reinterpret_cast<const char*>(&value) + 16, 16);
}
template <int D>
BRIM_FN Cells<float> loadPair(const float* part, int m) {
  Cells<float> value;
  __builtin_memcpy(&value, part + lineOfPart<D>(m), 16);
  __builtin_memcpy(reinterpret_cast<char*>(&value) + 16, part + lineOfPart<D>(m + 1), 16);
  return value;
}
/// What the coarse cells have for the cells of line n.
template <int D>
BRIM_FN Cells<float> loadCoarse(const float* part, int n) {
  Pack<float, 4> e;
  __builtin_memcpy(&e, part + lineOfPart<D>(Gathered<D>::coarseLine(n)), sizeof e);
  return __builtin_shufflevector(e.v, e.v, 0, 0, 1, 1, 2, 2, 3, 3);
}
#endif

/// Two Chebyshev steps from z = 0.
template <int D, bool finest>
struct SmoothFromZero {
  LevelView<D> l;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, finest> links(l, t);
    const auto x = around(l, l.t, t);
    float* const z = l.z + std::size_t(t) * Tiles<D>::cells;
    eachLine(l.lines[t], [&](int n) { store(z + firstOf(n), chebyshevFromZero(x.line(n), links.inverse(n), links.sum(x, n))); });
  }
};

/// The residual r - A z, summed into the right-hand side of the next level.
template <int D, bool finest>
struct RestrictResidual {
  LevelView<D> l, next;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, finest> links(l, t);
    const auto z = around(l, l.z, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float* const r = l.r + first;
    Gathered<D> sum;
    eachLine(l.lines[t], [&](int n) {
      const Cells<float> rest = residualOf(load(r + firstOf(n)), links.diag(n), z.line(n), links.sum(z, n));
      sum.add(n, select(links.inverse(n) > Cells<float>(0.0f), rest, Cells<float>(0.0f)));
    });
    float *const rc = next.r + l.coarse[t], *const tc = next.t + l.coarse[t];
    const float* const ic = next.inverse + l.coarse[t];
    sum.eachPair(1, [&](int m, auto value) {
      value *= restriction<D>;
      storePair<D>(rc, m, value);
      storePair<D>(tc, m, loadPair<D>(ic, m) * value);
    });
  }
};

/// z += the coarse cell's correction.
template <int D>
struct Correct {
  LevelView<D> l, next;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float *const inverse = l.inverse + first, *const part = next.z + l.coarse[t];
    float* const z = l.z + first;
    eachLine(l.lines[t], [&](int n) {
      store(z + firstOf(n), load(z + firstOf(n)) + select(load(inverse + firstOf(n)) > Cells<float>(0.0f), loadCoarse<D>(part, n),
                                                          Cells<float>(0.0f)));
    });
  }
};

/// One Chebyshev step from x to `to`, and per tile the product of r and `to` if asked for.
template <int D, bool finest>
struct Smooth {
  LevelView<D> l;
  const float* from;
  float* to;
  float omega;
  double* dot;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, finest> links(l, t);
    const auto x = around(l, from, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float* const r = l.r + first;
    float* const out = to + first;
    Cells<float> product = 0;
    eachLine(l.lines[t], [&](int n) {
      const Cells<float> rn = load(r + firstOf(n));
      const Cells<float> value = chebyshevStep(omega, x.line(n), links.inverse(n), rn, links.sum(x, n));
      store(out + firstOf(n), value);
      product += rn * value;
    });
    if (dot) giveSum(dot[t], product);
  }
};

#if BRIM_CUDA
/// z of a level with the next one's correction.
template <int D, bool finest>
struct CorrectedField {
  LevelView<D> l;
  const float* next;

  __device__ Quad operator()(int t, int n) const {
    const int at = t * power(8, D) + firstOf(n);
    const Quad own = load(l.z + at);
    if (t >= l.tiles) return own;
    const Quad known = finest ? loadBytes(l.sides + at) : load(l.inverse + at);
    return own + select(known > Quad(0), loadCoarse<D>(next + l.coarse[t], n), Quad(0));
  }
  __device__ float cell(int t, int c) const {
    const int at = t * power(8, D) + c;
    return l.z[at] + ((finest ? l.sides[at] > 0 : l.inverse[at] > 0) ? next[l.coarse[t] + coarseOf(c)] : 0.0f);
  }
};
/// Correct and Smooth in one.
template <int D, bool finest>
struct SmoothCorrected {
  LevelView<D> l, next;
  float* to;
  float omega;
  __device__ void operator()(int t) const {
    const Links<D, finest> links(l, t);
    const AroundField<D, CorrectedField<D, finest>> x({l, next.z}, t, l.beside + 2 * D * t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachLine(l.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      store(to + at, chebyshevStep(omega, x.line(n), links.inverse(n), load(l.r + at), links.sum(x, n)));
    });
  }
};
#endif

/// Links of coarse cells: sums of fine ones. What of diag is no link to an unknown is a link to air.
template <int D, bool finest>
struct GatherLinks {
  LevelView<D> fine, coarse;
  TileView<D> tiles, parents;
  BRIM_DEVICE_FN void operator()(int t) const {
    Vec<D, int> place = tiles.place(t);
    int part = 0;
    for (int k = 0; k < D; ++k) part += (place[k] & 1) * 4 * power(8, k), place[k] >>= 1;
    part += parents.at(place) * Tiles<D>::cells;
    fine.coarse[t] = part;
    const Links<D, finest> links(fine, t);
    const auto inverse = around(fine, fine.inverse, t);
    const Cells<float> zero(0.0f), one(1.0f);
    const auto known = [&](Cells<float> i) { return select(i > zero, one, zero); };
    Gathered<D> air(0), wx(1), wy(2), wz(D);
    eachLine(fine.lines[t], [&](int line) {
      const Cells<float> here = known(inverse.line(line));
      Cells<float> rest = links.diag(line);
      for (int k = 0; k < D; ++k) {
        const Cells<float> below = finest ? here * known(inverse.below(line, k)) : links.below(line, k);
        rest -= below + (finest ? here * known(inverse.above(line, k)) : links.above(line, k));
        const bool lower = k == 0 || (alongAxis(line, k) & 1) == 0;  // on the coarse cell's own face
        if (lower) (k == 0 ? wx : k == 1 ? wy : wz).add(line, below);
      }
      air.add(line, max(rest, zero) * here);
    });
    constexpr float perFace = 1.0f / power(2, D - 1), perAir = airShare / power(2, D - 2);
    for (int k = 0; k < D; ++k)
      (k == 0   ? wx
       : k == 1 ? wy
                : wz)
          .eachPair(k == 0 ? 0.0f : 1.0f, [&](int m, auto v) { storePair<D>(coarse.w[k] + part, m, v * perFace); });
    air.eachPair(1, [&](int m, auto v) { storePair<D>(coarse.diag + part, m, v * perAir); });
  }
};

/// diag and its inverse, from the links to air and to each other.
template <int D>
struct AddLinks {
  LevelView<D> l;
  BRIM_DEVICE_FN void operator()(int t) const {
    const Links<D, false> links(l, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachSlice<D>([&](int s) {
      eachLineOf(s, [&](int line) {
        Cells<float> diag = links.diag(line);
        for (int k = 0; k < D; ++k) diag += links.below(line, k) + links.above(line, k);
        store(l.diag + first + firstOf(line), diag);
        store(l.inverse + first + firstOf(line),
              select(diag > Cells<float>(0.0f), Cells<float>(1.0f) / max(diag, Cells<float>(1e-20f)), Cells<float>(0.0f)));
      });
    });
  }
};

/// The lines of a tile with unknowns, and how many these are; in the other lines what smoothing never touches becomes 0.
template <int D>
struct FindLines {
  LevelView<D> l;
  double* count;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const auto clear = [&](int n) {
      for (float* field : {l.z, l.t, l.y}) store(field + first + firstOf(n), Cells<float>(0.0f));
    };
#if BRIM_CUDA
    const int n = ownHalfLine();
    const Quad known = select(load(l.inverse + first + firstOf(n)) > Quad(0), Quad(1), Quad(0));
    const float found = (known[0] + known[1]) + (known[2] + known[3]);
    unsigned lines = __ballot_sync(wholeWarp(), found > 0);  // of the warp, the halves of each beside each other
    lines = (lines | lines >> 1) & 0x55555555u;
    if (!(lines >> (n & 30) & 1)) clear(n);
    for (int k = 1; k < 16; k *= 2)
      lines = (lines | lines >> k) & (k == 1 ? 0x33333333u : k == 2 ? 0x0f0f0f0fu : k == 4 ? 0x00ff00ffu : 0x0000ffffu);
    if (D == 2 && n == 0) l.lines[t] = lines;
    if (D == 3 && n % 32 == 0) reinterpret_cast<std::uint16_t*>(l.lines + t)[n / 32] = std::uint16_t(lines);
    giveSum(count[t], found);
#else
    LineBits lines = 0;
    int all = 0;
    for (int n = 0; n < Tiles<D>::cells / 8; ++n) {
      const float* const inv = l.inverse + first + 8 * n;
      const int found = int(std::count_if(inv, inv + 8, [](float i) { return i > 0; }));
      all += found;
      if (found)
        lines |= LineBits(1) << n;
      else
        clear(n);
    }
    l.lines[t] = lines;
    count[t] = all;
#endif
  }
};

template <int D>
struct FinishLevel {
  AddLinks<D> add;
  FindLines<D> find;
  BRIM_DEVICE_FN void operator()(int t) const { add(t), find(t); }
};

/// A coarse level from the next finer one, which is the `finest` or not.
template <int D>
void gatherLevel(Level<D>& fine, Level<D>& coarse, bool finest) {
  const int n = fine.tiles.count();
  if (finest)
    eachTile<D>(n, GatherLinks<D, true>{fine.view(), coarse.view(), fine.tiles.view(), coarse.tiles.view()});
  else
    eachTile<D>(n, GatherLinks<D, false>{fine.view(), coarse.view(), fine.tiles.view(), coarse.tiles.view()});
  eachTile<D>(coarse.tiles.count(), FinishLevel<D>{{coarse.view()}, {coarse.view(), coarse.count.data()}});
}

/// The matrix of the coarsest level, whose unknowns are the cells c with inverse > 0.
template <int D>
struct CoarsestMatrix {
  static constexpr double leastPivot = 1e-5;  // over the diagonal: weights are in single precision
  LevelView<D> l;
  bool finest;
  BRIM_DEVICE_FN double diag(int c) const { return finest ? float(l.sides[c]) : l.diag[c]; }
  /// The cell below c along axis k, and the entry of both.
  BRIM_DEVICE_FN int below(int c, int k) const { return lowerElement<D>(l.beside, c, k); }
  BRIM_DEVICE_FN double link(int c, int k) const { return finest ? -1.0f : -l.w[k][c]; }
};

}  // namespace brim::inline BRIM_FLAVOUR
