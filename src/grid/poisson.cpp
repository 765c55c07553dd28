#include "grid/poisson.h"

#include <limits>

#include "grid/rows.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

constexpr bool single = std::is_same_v<Real, float>;

#if !BRIM_CUDA
using Bytes = std::uint64_t;  // of a row
constexpr Bytes ones = 0x0101010101010101ull;

BRIM_FN Bytes loadRow(const std::uint8_t* p) {
  Bytes b;
  __builtin_memcpy(&b, p, sizeof b);
  return b;
}
/// Bit k is the lowest of byte k; the bytes are 0 or 1.
BRIM_FN std::uint64_t bitsOf(Bytes b) { return b * 0x0102040810204080ull >> 56; }

/// The bytes of the cells next to those of row n, f(row of states) each, summed.
template <int D, class F>
BRIM_FN Bytes sumBeside(const std::uint8_t* own, const std::uint8_t* const* beside, int n, F f) {
  const Bytes here = f(loadRow(own + 8 * n));
  Bytes sum = (here << 8 | f(loadRow(beside[0] + 8 * n)) >> 56) + (here >> 8 | f(loadRow(beside[1] + 8 * n)) << 56);
  for (int k = 1; k < D; ++k) {
    const int stride = power(8, k), at = n >> 3 * (k - 1) & 7;
    sum += f(loadRow(at ? own + 8 * n - stride : beside[2 * k] + 8 * n + 7 * stride));
    sum += f(loadRow(at < 7 ? own + 8 * n + stride : beside[2 * k + 1] + 8 * n - 7 * stride));
  }
  return sum;
}
#endif

/// Of the finest level's residual and one of our own the one in this flavour's precision.
[[maybe_unused]] float* residual(Array<float>& finest, Array<float>&) { return finest.data(); }
[[maybe_unused]] double* residual(Array<float>&, Array<double>& own) { return own.data(); }

template <class R>
BRIM_DEVICE_FN R magnitude(R a) {
  return max(a, -a);
}

/// Whether a tile holds fluid.
template <int D>
struct IsWet {
  const std::uint8_t* state;
  int* wet;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::uint8_t* const own = state + std::size_t(t) * Tiles<D>::cells;
#if BRIM_CUDA
    const int any = __syncthreads_or(own[ownCell()] == fluidCell);
    if (ownCell() == 0) wet[t] = any != 0;
#else
    Bytes any = 0;
    for (int n = 0; n < Tiles<D>::cells / 8; ++n) any |= loadRow(own + 8 * n);
    wet[t] = (any & ones) != 0;
#endif
  }
};

/// Per cell the number of neighbours that are not solid, and which cells air touches.
template <int D>
struct FindStates {
  TileView<D> tiles;
  const std::uint8_t* state;
  const int* source;
  std::uint8_t* sides;
  float* inverse;
  std::uint64_t *unknown, *open;
  BRIM_DEVICE_FN void operator()(int t) const {
    constexpr int cells = Tiles<D>::cells, middle = (Tiles<D>::ways - 1) / 2, words = cells / 64;
    const int* const links = tiles.around(source[t]);
#if BRIM_CUDA
    int beside[2 * D];
    for (int k = 0; k < D; ++k) beside[2 * k] = links[middle - power(3, k)], beside[2 * k + 1] = links[middle + power(3, k)];
    const Around<D, std::uint8_t> around(state, source[t], beside);
    const int c = ownCell();
    int notSolid = 0, air = 0;
    if (around.row(c) == fluidCell)
      for (int k = 0; k < D; ++k)
        for (const std::uint8_t s : {around.below(c, k), around.above(c, k)}) notSolid += s != solidCell, air += s == airCell;
    const std::size_t at = std::size_t(t) * cells + c;
    sides[at] = std::uint8_t(notSolid);
    inverse[at] = notSolid ? 1.0f / float(notSolid) : 0.0f;
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
      for (int row = 0; row < 8; ++row) {
        const int n = 8 * word + row;
        const Bytes fluid = loadRow(own + 8 * n) & ones;
        Bytes sum = 0, air = 0;
        if (fluid) {
          sum = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s >> 1) & ones; }) & fluid * 255;
          air = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s | s >> 1) & ones; }) & fluid * 255;
        }
        const std::size_t at = std::size_t(t) * cells + 8 * n;
        __builtin_memcpy(sides + at, &sum, sizeof sum);
        for (int c = 0; c < 8; ++c) inverse[at + c] = inverseOf[sides[at + c]];
        const auto any = [](Bytes b) { return (b | b >> 1 | b >> 2) & ones; };  // counts are at most 6
        known |= bitsOf(any(sum)) << 8 * row;
        reached |= bitsOf(any(air)) << 8 * row;
      }
      unknown[std::size_t(t) * words + word] = known;
      open[std::size_t(t) * words + word] = reached;
    }
#endif
  }
};

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
      eachRowOf(s, [&](int n) {
        const Cells<Real> known = toReal(load(inverse + first + firstOf(n)));
        store(to + first + firstOf(n), select(known > Cells<Real>(Real(0)), load(f + firstOf(n)), Cells<Real>(Real(0))));
      });
    });
  }
};

template <int D, class T>
struct Give {
  const std::uint64_t* rows;
  const int* wet;
  int tiles;
  const T* from;
  Real* to;
  BRIM_DEVICE_FN void operator()(int outer) const {
    constexpr int cells = Tiles<D>::cells;
    const int t = wet[outer];
    const RowBits used = outer < tiles && wet[outer + 1] > t ? rows[t] : 0;
    eachSlice<D>([&](int s) {
      eachRowOf(s, [&](int n) {
        const bool known = used >> (firstOf(n) >> 3) & 1;
        store(to + std::size_t(outer) * cells + firstOf(n),
              known ? toReal(load(from + std::size_t(t) * cells + firstOf(n))) : Cells<Real>(Real(0)));
      });
    });
  }
};

/// What an iteration moves: fields of the finest level.
template <int D>
struct Fields {
  LevelView<D> top;
  Real *b, *x, *p, *q, *r;
  double *mostR, *mostX;

  BRIM_DEVICE_FN void setResidual(std::size_t at, Cells<Real> next) const {
    const Cells<float> rounded = toSingle(next);
    store(r + at, next);
    if (!single) store(top.r + at, rounded);
    store(top.t + at, load(top.inverse + at) * rounded);
  }
};

template <int D>
struct Rest {
  Fields<D> f;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    Cells<Real> mostR = Real(0), mostX = Real(0);
    eachRow(f.top.rows[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      const Cells<Real> next = load(f.b + at) - load(f.q + at);
      mostX = max(mostX, magnitude(load(f.x + at)));
      mostR = max(mostR, magnitude(next));
      f.setResidual(at, next);
    });
    giveLargest(f.mostR[t], f.mostX[t], mostR, mostX);
  }
};

template <int D>
struct Advance {
  Fields<D> f;
  const SolveScalars* scalars;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> a = Real(scalars->alpha);
    Cells<Real> mostR = Real(0), mostX = Real(0);
    eachRow(f.top.rows[t], [&](int n) {
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

template <int D>
struct Turn {
  Fields<D> f;
  const SolveScalars* scalars;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Cells<Real> b = Real(scalars->beta);
    eachRow(f.top.rows[t], [&](int n) {
      const std::size_t at = first + firstOf(n);
      store(f.p + at, toReal(load(f.top.z + at)) + b * load(f.p + at));
    });
  }
};

template <int D>
struct Multiply {
  LevelView<D> top;
  const Real* from;
  Real* to;
  double* part;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Around<D, Real> p(from, t, top.beside + 2 * D * t);
    Cells<Real> product = Real(0);
    eachRow(top.rows[t], [&](int n) {
      const Cells<Real> diag = toReal(loadBytes(top.sides + first + firstOf(n))), own = p.row(n);
      const Cells<Real> q = select(diag > Cells<Real>(Real(0)), diag * own - p.sides(n), Cells<Real>(Real(0)));
      store(to + first + firstOf(n), q);
      product += own * q;
    });
    giveSum(part[t], product);
  }
};

/// A decision by itself.
struct Alone {
  Decide decide;
  BRIM_DEVICE_FN void operator()(int) const { decide(); }
};

}  // namespace

template <int D>
void Poisson<D>::prepare(const Tiles<D>& tiles, const Array<std::uint8_t>& state) {
  tiles_ = tiles.count();
  findWet(state);
  const int n = elementOf(wet_, tiles_);
  source_.resize(n);
  const auto source = source_.view();
  const auto wet = wet_.read();
  forEach(tiles_, [=] BRIM_KERNEL(int t) {
    if (wet[t + 1] > wet[t]) source[wet[t]] = t;
  });
  Level<D>& top = grid_.finest();
  top.tiles.choose(tiles, source_, n);
  top.link();
  top.tiles.fit(top.sides, std::uint8_t(0));
  closed_.fit(top.tiles);
  top.tiles.fit({&b_, &x_, &p_, &q_});
  if (!single) top.tiles.fit(r_, Real(0));
  for (Array<double>* a : {&part_, &mostR_, &mostX_}) a->resize(n);
  scalars_.resize(1);
  findStates(tiles, state);
  top.findRows();
  grid_.coarsen();
  closed_.find(top);
}

template <int D>
void Poisson<D>::findWet(const Array<std::uint8_t>& state) {
  wet_.resize(tiles_ + 1);
  fill(wet_, tiles_, tiles_ + 1, 0);
  eachTile<D>(tiles_, IsWet<D>{state.data(), wet_.data()});
  scan(wet_, tiles_ + 1);
}

template <int D>
void Poisson<D>::findStates(const Tiles<D>& tiles, const Array<std::uint8_t>& state) {
  Level<D>& top = grid_.finest();
  eachTile<D>(top.tiles.count(), FindStates<D>{tiles.view(), state.data(), source_.data(), top.sides.data(), top.inverse.data(),
                                               closed_.unknown(0), closed_.open(0)});
}

template <int D>
void Poisson<D>::take(const Array<Real>& from, Array<Real>& to) {
  const Level<D>& top = grid_.finest();
  eachTile<D>(top.tiles.count(), Take<D>{top.inverse.data(), source_.data(), from.data(), to.data()});
}

template <int D>
template <class T>
void Poisson<D>::give(const Array<T>& from, Array<Real>& to) {
  eachTile<D>(tiles_ + 1, Give<D, T>{grid_.finest().rows.data(), wet_.data(), tiles_, from.data(), to.data()});
}

template <int D>
Decide Poisson<D>::decide(Decide::Kind kind, const Array<double>& parts) {
  Decide d;
  d.kind = kind;
  d.limits = limits_;
  d.s = scalars_.data();
  d.part = parts.data(), d.mostX = mostX_.data();
  d.tiles = grid_.finest().tiles.count();
  return d;
}

template <int D>
void Poisson<D>::findResidual(Decide::Kind kind) {
  Level<D>& top = grid_.finest();
  multiply(x_, Decide::nothing);
  eachTileThen<D>(
      top.tiles.count(),
      Rest<D>{{top.view(), b_.data(), x_.data(), p_.data(), q_.data(), residual(top.r, r_), mostR_.data(), mostX_.data()}},
      decide(kind, mostR_));
}

template <int D>
void Poisson<D>::advance() {
  Level<D>& top = grid_.finest();
  eachTileThen<D>(
      top.tiles.count(),
      Advance<D>{{top.view(), b_.data(), x_.data(), p_.data(), q_.data(), residual(top.r, r_), mostR_.data(), mostX_.data()},
                 scalars_.data()},
      decide(Decide::iteration, mostR_));
}

template <int D>
void Poisson<D>::turn() {
  Level<D>& top = grid_.finest();
  eachTile<D>(top.tiles.count(),
              Turn<D>{{top.view(), b_.data(), x_.data(), p_.data(), q_.data(), residual(top.r, r_), mostR_.data(), mostX_.data()},
                      scalars_.data()});
}

template <int D>
void Poisson<D>::multiply(const Array<Real>& p, Decide::Kind kind) {
  Level<D>& top = grid_.finest();
  eachTileThen<D>(top.tiles.count(), Multiply<D>{top.view(), p.data(), q_.data(), part_.data()}, decide(kind, part_));
}

template <int D>
void Poisson<D>::start(const Array<Real>& rhs, const Array<Real>& p, bool warm) {
  take(rhs, b_);
  closed_.removeMeans(b_, b_);
  grid_.finest().tiles.clear({&p_, &x_});
  if (warm) take(p, x_);
}

template <int D>
PoissonReport Poisson<D>::solve(const Array<Real>& rhs, Array<Real>& p, double tolerance, int iterations, bool warm) {
  Level<D>& top = grid_.finest();
  start(rhs, p, warm);
  // x is rounded to half a digit, and A x to 2 D of these: no residual can be told from that.
  limits_ = {tolerance, 2 * D * double(std::numeric_limits<Real>::epsilon()), iterations};
  SolveScalars s{};
  s.done = top.tiles.count() == 0;
  copyIn(scalars_, &s, 1);
  findResidual(Decide::first);
  const auto isDone = [&] { return s = elementOf(scalars_, 0), s.done; };
  // A device is not asked how it is going before as many iterations as it took last time, less one: that would mean to wait.
  const int sure = onDevice ? last_ - 1 : 0;
  for (int round = 0;; ++round) {
    if ((round > 0 || sure <= 0) && isDone()) break;
    for (int k = 0;; ++k) {
      if (closed_.count() == 0) {
        grid_.cycle(decide(Decide::direction, grid_.parts()));
      } else {
        // Where no air is, a constant in r is rounding, which A cannot take away and M magnifies.
        grid_.cycle({});
        Decide then = decide(Decide::direction, grid_.parts());
        then.less = closed_.removeMeans(top.z, top.r);
        eachTile<D>(1, Alone{then});
      }
      turn();
      multiply(p_, Decide::stride);
      advance();
      if (round == 0 && k + 1 < sure) continue;
      if (isDone()) break;
    }
    // The residual of what x has become, free of what rounding made of the recursion.
    findResidual(Decide::again);
  }
  last_ = s.iterations;
  closed_.removeMeans(x_, x_);
  give(x_, p);
  return {s.iterations, s.r};
}

template <int D>
void Poisson<D>::apply(const Array<Real>& p, Array<Real>& q) {
  take(p, p_);
  multiply(p_, Decide::nothing);
  give(q_, q);
}

template <int D>
void Poisson<D>::precondition(const Array<Real>& r, Array<Real>& z) {
  take(r, b_);
  grid_.finest().tiles.clear({&p_, &x_});
  findResidual(Decide::nothing);
  grid_.cycle({});
  give(grid_.finest().z, z);
}

template <int D>
std::size_t Poisson<D>::bytes() const {
  std::size_t n = grid_.bytes() + closed_.bytes() + wet_.bytes() + source_.bytes() + 3 * part_.bytes();
  for (const Array<Real>* field : {&b_, &x_, &p_, &q_, &r_}) n += field->bytes();
  return n;
}

template class Poisson<2>;
template class Poisson<3>;

}  // namespace brim::inline BRIM_FLAVOUR
