// The kernels of the pressure solver: cell states, copies from and to the caller's fields, and conjugate gradients.
#pragma once
#include "grid/pressure/poisson.h"
#include "grid/tiles/flags.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr bool single = std::is_same_v<Real, float>;

#if !BRIM_CUDA
using Bytes = std::uint64_t;  // of a line
constexpr Bytes ones = 0x0101010101010101ull;

BRIM_FN Bytes loadLine(const std::uint8_t* p) {
  Bytes b;
  __builtin_memcpy(&b, p, sizeof b);
  return b;
}
/// Bit k is the lowest of byte k; the bytes are 0 or 1.
BRIM_FN std::uint64_t bitsOf(Bytes b) { return b * 0x0102040810204080ull >> 56; }

/// The bytes of the cells next to those of line n, f(line of states) each, summed.
template <int D, class F>
BRIM_FN Bytes sumBeside(const std::uint8_t* own, const std::uint8_t* const* beside, int n, F f) {
  const Bytes here = f(loadLine(own + 8 * n));
  Bytes sum = (here << 8 | f(loadLine(beside[0] + 8 * n)) >> 56) + (here >> 8 | f(loadLine(beside[1] + 8 * n)) << 56);
  for (int k = 1; k < D; ++k) {
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    sum += f(loadLine(at ? own + 8 * n - stride : beside[2 * k] + 8 * n + 7 * stride));
    sum += f(loadLine(at < 7 ? own + 8 * n + stride : beside[2 * k + 1] + 8 * n - 7 * stride));
  }
  return sum;
}
#endif

template <class R>
BRIM_DEVICE_FN R magnitude(R a) {
  return max(a, -a);
}

/// A p in a cell whose neighbours' p add up to `sum`; 0 where diag is 0, which is no unknown.
template <class R>
BRIM_DEVICE_FN R operatorOf(R diag, R p, R sum) {
  return select(diag > R(Real(0)), diag * p - sum, R(Real(0)));
}

/// Whether a tile holds fluid.
template <int D>
struct IsWet {
  const std::uint8_t* state;
  int* wet;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::uint8_t* const own = state + std::size_t(t) * Tiles<D>::cells;
#if BRIM_CUDA
    const uchar4 s = reinterpret_cast<const uchar4*>(own)[ownHalfLine()];
    const int any = __syncthreads_or(s.x == fluidCell || s.y == fluidCell || s.z == fluidCell || s.w == fluidCell);
    if (ownHalfLine() == 0) wet[t] = any != 0;
#else
    Bytes any = 0;
    for (int n = 0; n < Tiles<D>::cells / 8; ++n) any |= loadLine(own + 8 * n);
    wet[t] = (any & ones) != 0;
#endif
  }
};

/// Per cell the links to neighbours that are not solid, and which cells air touches.
template <int D>
struct FindStates {
  TileView<D> tiles;
  const std::uint8_t* state;
  const Real* distance;  // null: theta is 1 everywhere
  const int* source;
  float *diag, *inverse;
  std::uint64_t *unknown, *open;
  /// The sum of 1/theta over the neighbours in air of cell c of the caller's tile t.
  BRIM_DEVICE_FN float linksToAir(int t, int c) const {
    const Real own = distance[std::size_t(t) * Tiles<D>::cells + c];
    Real sum = 0;
    for (int k = 0; k < D; ++k)
      for (const int n : {lowerCell(tiles, t, c, k), upperCell(tiles, t, c, k)})
        if (state[n] == airCell) sum += perTheta(own, distance[n]);
    return float(sum);
  }
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int cells = Tiles<D>::cells, middle = (Tiles<D>::ways - 1) / 2, words = cells / 64;
    const int* const links = tiles.around(source[t]);
#if BRIM_CUDA
    int beside[2 * D];
    for (int k = 0; k < D; ++k) beside[2 * k] = links[middle - power(3, k)], beside[2 * k + 1] = links[middle + power(3, k)];
    const AroundCell<D, std::uint8_t> around(state, source[t], beside);
    const int c = ownCell();
    int notSolid = 0, air = 0;
    if (around.own() == fluidCell)
      for (int k = 0; k < D; ++k)
        for (const std::uint8_t s : {around.below(k), around.above(k)}) notSolid += s != solidCell, air += s == airCell;
    const std::size_t at = std::size_t(t) * cells + c;
    const float all = air && distance ? float(notSolid - air) + linksToAir(source[t], c) : float(notSolid);
    diag[at] = all;
    inverse[at] = notSolid ? 1.0f / all : 0.0f;
    const unsigned known = __ballot_sync(0xffffffffu, notSolid > 0), reached = __ballot_sync(0xffffffffu, air > 0);
    if (c % 32 == 0) {
      reinterpret_cast<unsigned*>(unknown + std::size_t(t) * words)[c / 32] = known;
      reinterpret_cast<unsigned*>(open + std::size_t(t) * words)[c / 32] = reached;
    }
#else
    // Eight cells at once, as bytes of a word.
    const auto tileOf = [&](int way) { return state + std::size_t(links[way]) * cells; };
    const std::uint8_t* beside[2 * D];
    for (int k = 0; k < D; ++k) beside[2 * k] = tileOf(middle - power(3, k)), beside[2 * k + 1] = tileOf(middle + power(3, k));
    const std::uint8_t* const own = tileOf(middle);
    constexpr float inverseOf[7] = {0, 1, 1.0f / 2, 1.0f / 3, 1.0f / 4, 1.0f / 5, 1.0f / 6};
    for (int word = 0; word < words; ++word) {
      std::uint64_t known = 0, reached = 0;
      for (int line = 0; line < 8; ++line) {
        const int n = 8 * word + line;
        const Bytes fluid = loadLine(own + 8 * n) & ones;
        Bytes sum = 0, air = 0;
        if (fluid) {
          sum = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s >> 1) & ones; }) & fluid * 255;
          air = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s | s >> 1) & ones; }) & fluid * 255;
        }
        const std::size_t at = std::size_t(t) * cells + 8 * n;
        for (int c = 0; c < 8; ++c) {
          const int notSolid = int(sum >> 8 * c & 255), open = int(air >> 8 * c & 255);
          if (open && distance) {
            diag[at + c] = float(notSolid - open) + linksToAir(source[t], 8 * n + c);
            inverse[at + c] = 1 / diag[at + c];
          } else {
            diag[at + c] = float(notSolid);
            inverse[at + c] = inverseOf[notSolid];
          }
        }
        const auto any = [](Bytes b) { return (b | b >> 1 | b >> 2) & ones; };  // counts are at most 6
        known |= bitsOf(any(sum)) << 8 * line;
        reached |= bitsOf(any(air)) << 8 * line;
      }
      unknown[std::size_t(t) * words + word] = known;
      open[std::size_t(t) * words + word] = reached;
    }
#endif
  }
};

/// The same with faces that solids cut: the links to the cells below, and which of these are there.
template <int D>
struct FindCutStates {
  TileView<D> tiles;
  const std::uint8_t* state;
  const Real* face[D];
  const Real* distance;  // null: theta is 1 everywhere
  const int* source;
  float* w[D];
  float *diag, *inverse;
  std::uint64_t *unknown, *open, *linked[D];

  struct Found {
    bool unknown = false, open = false, linked[D] = {};
  };
  /// Of cell c of tile t, which is the caller's tile `from`.
  BRIM_DEVICE_FN Found find(int t, int from, int c) const {
    const int own = from * Tiles<D>::cells + c, at = t * Tiles<D>::cells + c;
    Found f;
    float sum = 0, below[D] = {};
    if (state[own] == fluidCell)
      for (int k = 0; k < D; ++k) {
        const int lower = lowerCell(tiles, from, c, k), upper = upperCell(tiles, from, c, k);
        sum += link(own, lower, face[k][own], f) + link(own, upper, face[k][upper], f);
        if (state[lower] == fluidCell) below[k] = float(face[k][own]);
        f.linked[k] = below[k] > 0;
      }
    f.unknown = sum > 0;
    diag[at] = sum;
    inverse[at] = sum > 0 ? 1 / sum : 0;
    for (int k = 0; k < D; ++k) w[k][at] = below[k];
    return f;
  }
  BRIM_DEVICE_FN float link(int own, int other, Real open, Found& f) const {
    if (state[other] == solidCell || !(open > 0)) return 0;
    if (state[other] == fluidCell) return float(open);
    f.open = true;
    return float(distance ? open * perTheta(distance[own], distance[other]) : open);
  }
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int words = Tiles<D>::cells / 64;
#if BRIM_CUDA
    const Found f = find(t, source[t], ownCell());
    giveBits(unknown + std::size_t(t) * words, f.unknown);
    giveBits(open + std::size_t(t) * words, f.open);
    for (int k = 0; k < D; ++k) giveBits(linked[k] + std::size_t(t) * words, f.linked[k]);
#else
    for (int word = 0; word < words; ++word) {
      std::uint64_t known = 0, reached = 0, links[D] = {};
      for (int b = 0; b < 64; ++b) {
        const Found f = find(t, source[t], 64 * word + b);
        known |= std::uint64_t(f.unknown) << b, reached |= std::uint64_t(f.open) << b;
        for (int k = 0; k < D; ++k) links[k] |= std::uint64_t(f.linked[k]) << b;
      }
      const std::size_t at = std::size_t(t) * words + word;
      unknown[at] = known, open[at] = reached;
      for (int k = 0; k < D; ++k) linked[k][at] = links[k];
    }
#endif
  }
};

/// From the caller's field to the finest level's, 0 where there is no unknown.
template <int D>
struct Take {
  const float* inverse;
  const int* source;
  const Real* from;
  Real* to;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Real* const f = from + std::size_t(source[t]) * Tiles<D>::cells;
    eachSlice<D>([&](int s) {
      eachLineOf(s, [&](int n) {
        const Cells<Real> known = toReal(load(inverse + first + firstOf(n)));
        store(to + first + firstOf(n), select(known > Cells<Real>(Real(0)), load(f + firstOf(n)), Cells<Real>(Real(0))));
      });
    });
  }
};

/// From the finest level's field to the caller's, 0 where there is no unknown.
template <int D, class T>
struct Give {
  const std::uint64_t* lines;
  const int* wet;
  int tiles;
  const T* from;
  Real* to;
  BRIM_DEVICE_FN void operator()(int outer) const {
    constexpr int cells = Tiles<D>::cells;
    const int t = wet[outer];
    const LineBits used = outer < tiles && wet[outer + 1] > t ? lines[t] : 0;
    eachSlice<D>([&](int s) {
      eachLineOf(s, [&](int n) {
        const bool known = used >> (firstOf(n) >> 3) & 1;
        store(to + std::size_t(outer) * cells + firstOf(n),
              known ? toReal(load(from + std::size_t(t) * cells + firstOf(n))) : Cells<Real>(Real(0)));
      });
    });
  }
};

/// The fields of an iteration, on the finest level.
template <int D>
struct Fields {
  LevelView<D> top;
  Real *b, *x, *p, *q, *r;
  double *mostR, *mostX;

  BRIM_DEVICE_FN void setResidual(std::size_t at, Cells<Real> next) const {
    const Cells<float> rounded = toSingle(next);
    store(r + at, next);
    if (!single) store(top.r + at, rounded);
#if BRIM_CUDA
    store(top.t + at, inverseOf(load(top.diag + at)) * rounded);
#else
    store(top.t + at, load(top.inverse + at) * rounded);
#endif
  }
};

/// r = b - q with q = A x.
template <int D>
struct Rest {
  Fields<D> f;
  const SolveScalars* after;  // run only when these say that the solve is done; null: always
  BRIM_DEVICE_FN void operator()(int t) const {
    if (after && !after->done) return;
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    Cells<Real> mostR = Real(0), mostX = Real(0);
    eachLine(f.top.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      const Cells<Real> next = load(f.b + at) - load(f.q + at);
      mostX = max(mostX, magnitude(load(f.x + at)));
      mostR = max(mostR, magnitude(next));
      f.setResidual(at, next);
    });
    giveLargest(f.mostR[t], f.mostX[t], mostR, mostX);
  }
};

/// x += alpha p, r -= alpha q.
template <int D>
struct Advance {
  Fields<D> f;
  const SolveScalars* scalars;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> a = Real(scalars->alpha);
    Cells<Real> mostR = Real(0), mostX = Real(0);
    eachLine(f.top.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      const Cells<Real> x = load(f.x + at) + a * load(f.p + at);
      store(f.x + at, x);
      mostX = max(mostX, magnitude(x));
      const Cells<Real> next = load(f.r + at) - a * load(f.q + at);
      mostR = max(mostR, magnitude(next));
      f.setResidual(at, next);
    });
    giveLargest(f.mostR[t], f.mostX[t], mostR, mostX);
  }
};

/// The sum over the neighbours of w p_n; w is 1 if links are `unit`.
template <int D, bool unit>
class LinkedSum {
 public:
  BRIM_DEVICE_FN LinkedSum(const LevelView<D>& top, int t) {
    if constexpr (!unit)
      for (int k = 0; k < D; ++k) w_[k] = {top.w[k], t, top.beside + 2 * D * t};
  }
  template <class P>
  BRIM_DEVICE_FN Cells<Real> sum(const P& p, int n) const {
    if constexpr (unit) {
      return p.sides(n);
    } else {
      Cells<Real> s = Real(0);
      for (int k = 0; k < D; ++k) s += toReal(w_[k].line(n)) * p.below(n, k) + toReal(w_[k].above(n, k)) * p.above(n, k);
      return s;
    }
  }

 private:
  Around<D, float> w_[D];
};

/// q = A p, and per tile p q.
template <int D, bool unit>
struct Multiply {
  LevelView<D> top;
  const Real* from;
  Real* to;
  double* part;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Around<D, Real> p(from, t, top.beside + 2 * D * t);
    const LinkedSum<D, unit> beside(top, t);
    Cells<Real> product = Real(0);
    eachLine(top.lines[t], [&](int n) {
      const Cells<Real> diag = toReal(load(top.diag + first + firstOf(n))), own = p.line(n);
      const Cells<Real> q = operatorOf(diag, own, beside.sum(p, n));
      store(to + first + firstOf(n), q);
      product += own * q;
    });
    giveSum(part[t], product);
  }
};

#if BRIM_CUDA
/// Turn and Multiply in one: p = z + beta p, and q = A p of that.
template <int D, bool unit>
struct TurnAndMultiply {
  LevelView<D> top;
  const Real* from;
  Real *turned, *to;
  double* part;
  const SolveScalars* scalars;

  __device__ void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Around<D, float> z(top.z, t, top.beside + 2 * D * t), p(from, t, top.beside + 2 * D * t);
    const LinkedSum<D, unit> beside(top, t);
    const Quad beta(Real(scalars->beta));
    Quad product(Real(0));
    eachLine(top.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      const Quad diag = load(top.diag + at), own = z.line(n) + beta * p.line(n);
      const Quad q = operatorOf(diag, own, beside.sum(z, n) + beta * beside.sum(p, n));
      store(turned + at, own);
      store(to + at, q);
      product = own * q;
    });
    giveSum(part[t], product);
  }
};
#else
/// p = z + beta p.
template <int D>
struct Turn {
  LevelView<D> top;
  Real* p;
  const SolveScalars* scalars;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> b = Real(scalars->beta);
    eachLine(top.lines[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      store(p + at, toReal(load(top.z + at)) + b * load(p + at));
    });
  }
};
#endif

}  // namespace brim::inline BRIM_FLAVOUR
