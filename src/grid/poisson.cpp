#include "grid/poisson.h"

#include <limits>

#include "grid/rows.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

constexpr bool single = std::is_same_v<Real, float>;
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

/// Of the finest level's residual and one of our own the one in this flavour's precision.
[[maybe_unused]] float* residual(Array<float>& finest, Array<float>&) { return finest.data(); }
[[maybe_unused]] double* residual(Array<float>&, Array<double>& own) { return own.data(); }

template <class R>
BRIM_FN R magnitude(R a) {
  return max(a, -a);
}

}  // namespace

template <int D>
void Poisson<D>::prepare(const Tiles<D>& tiles, const Array<std::uint8_t>& state) {
  constexpr int cells = Tiles<D>::cells;
  tiles_ = tiles.count();
  std::vector<char> wet(tiles_);
  forEachTile(tiles_, [&](int t) {
    Bytes any = 0;
    for (int n = 0; n < cells / 8; ++n) any |= loadRow(state.data() + std::size_t(t) * cells + 8 * n);
    wet[t] = (any & ones) != 0;
  });
  source_.resize(0);
  source_.resize(tiles_);
  int n = 0;
  for (int t = 0; t < tiles_; ++t)
    if (wet[t]) source_[n++] = t;
  source_.resize(n);

  Level<D>& top = grid_.finest();
  const TileView<D> view = tiles.view();
  const int* const source = source_.data();
  top.tiles.cover(
      tiles.box(), n,
      [=](int t) {
        Vec<D, int> cell = view.place(source[t]);
        for (int k = 0; k < D; ++k) cell[k] *= 8;
        return cell;
      },
      0);
  top.link();
  top.tiles.fit(top.sides, std::uint8_t(0));
  closed_.fit(top.tiles);
  for (Array<Real>* field : {&b_, &x_, &p_, &q_}) top.tiles.fit(*field, Real(0));
  if (!single) top.tiles.fit(r_, Real(0));
  findStates(tiles, state);
  top.findRows();
  grid_.coarsen();
  closed_.find(top);
}

// Per cell the number of neighbours that are not solid, and which cells air touches; eight cells at once, as bytes of a word.
template <int D>
void Poisson<D>::findStates(const Tiles<D>& tiles, const Array<std::uint8_t>& state) {
  constexpr int cells = Tiles<D>::cells, middle = (Tiles<D>::ways - 1) / 2;
  Level<D>& top = grid_.finest();
  float inverse[256] = {};
  for (int i = 1; i <= 2 * D; ++i) inverse[i] = 1.0f / float(i);
  forEachTile(top.tiles.count(), [&](int t) {
    const auto tileOf = [&](int way) { return state.data() + std::size_t(tiles.around(source_[t])[way]) * cells; };
    const std::uint8_t* beside[2 * D];
    for (int k = 0; k < D; ++k) beside[2 * k] = tileOf(middle - power(3, k)), beside[2 * k + 1] = tileOf(middle + power(3, k));
    const std::uint8_t* const own = tileOf(middle);
    for (int word = 0; word < ClosedBodies<D>::words; ++word) {
      std::uint64_t unknown = 0, open = 0;
      for (int row = 0; row < 8; ++row) {
        const int n = 8 * word + row;
        const Bytes fluid = loadRow(own + 8 * n) & ones;
        Bytes sides = 0, air = 0;
        if (fluid) {
          sides = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s >> 1) & ones; }) & fluid * 255;
          air = sumBeside<D>(own, beside, n, [](Bytes s) { return ~(s | s >> 1) & ones; }) & fluid * 255;
        }
        const std::size_t at = std::size_t(t) * cells + 8 * n;
        __builtin_memcpy(top.sides.data() + at, &sides, sizeof sides);
        for (int c = 0; c < 8; ++c) top.inverse[at + c] = inverse[top.sides[at + c]];
        const auto any = [](Bytes b) { return (b | b >> 1 | b >> 2) & ones; };  // counts are at most 6
        unknown |= bitsOf(any(sides)) << 8 * row;
        open |= bitsOf(any(air)) << 8 * row;
      }
      closed_.unknown(t)[word] = unknown;
      closed_.open(t)[word] = open;
    }
  });
}

template <int D>
void Poisson<D>::take(const Array<Real>& from, Array<Real>& to) const {
  const Level<D>& top = grid_.finest();
  forEachTile(top.tiles.count(), [&](int t) {
    const Real* const f = from.data() + std::size_t(source_[t]) * Tiles<D>::cells;
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    for (int n = 0; n < Tiles<D>::cells / 8; ++n) {
      const Row<Real> known = toReal(load(top.inverse.data() + first + 8 * n));
      store(to.data() + first + 8 * n, select(known > Row<Real>(Real(0)), load(f + 8 * n), Row<Real>(Real(0))));
    }
  });
}

template <int D>
template <class T>
void Poisson<D>::give(const Array<T>& from, Array<Real>& to) const {
  constexpr int cells = Tiles<D>::cells;
  const Level<D>& top = grid_.finest();
  forEachTile(tiles_ + 1, [&](int outer) {
    Real* const o = to.data() + std::size_t(outer) * cells;
    const int t = int(std::lower_bound(source_.data(), source_.data() + source_.size(), outer) - source_.data());
    const bool wet = t < int(source_.size()) && source_[t] == outer;
    for (int n = 0; n < cells / 8; ++n) {
      const bool known = wet && (top.rows[t] >> n & 1);
      store(o + 8 * n, known ? toReal(load(from.data() + std::size_t(t) * cells + 8 * n)) : Row<Real>(Real(0)));
    }
  });
}

/// r = b - A x, from scratch, and what the preconditioner wants of it.
template <int D>
auto Poisson<D>::findResidual() -> Largest {
  Level<D>& top = grid_.finest();
  std::swap(x_, p_);
  multiply();
  std::swap(x_, p_);
  Real* const r = residual(top.r, r_);
  forEachTile(top.tiles.count(), [&](int t) {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachRow(top.rows[t], [&](int n) {
      const std::size_t at = first + 8 * n;
      store(r + at, load(b_.data() + at) - load(q_.data() + at));
      store(q_.data() + at, Row<Real>(Real(0)));
    });
  });
  return advance(0);
}

/// x += alpha p, r -= alpha A p.
template <int D>
auto Poisson<D>::advance(double alpha) -> Largest {
  Level<D>& top = grid_.finest();
  Real* const r = residual(top.r, r_);
  const Row<Real> a = Real(alpha);
  forEachTile(top.tiles.count(), [&](int t) {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    Row<Real> mostR = Real(0), mostX = Real(0);
    eachRow(top.rows[t], [&](int n) {
      const std::size_t at = first + 8 * n;
      const Row<Real> x = load(x_.data() + at) + a * load(p_.data() + at);
      store(x_.data() + at, x);
      mostX = max(mostX, magnitude(x));
      const Row<Real> next = load(r + at) - a * load(q_.data() + at);
      const Row<float> rounded = toSingle(next);
      mostR = max(mostR, magnitude(next));
      store(r + at, next);
      if (!single) store(top.r.data() + at, rounded);
      store(top.t.data() + at, load(top.inverse.data() + at) * rounded);
    });
    largest_[t] = {largest(mostR), largest(mostX)};
  });
  Largest all{0, 0};
  for (const Largest& l : largest_) all = {std::max(all.r, l.r), std::max(all.x, l.x)};
  return all;
}

/// p = z + beta p.
template <int D>
void Poisson<D>::turn(double beta) {
  const Level<D>& top = grid_.finest();
  const Row<Real> b = Real(beta);
  forEachTile(top.tiles.count(), [&](int t) {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    eachRow(top.rows[t], [&](int n) {
      const std::size_t at = first + 8 * n;
      store(p_.data() + at, toReal(load(top.z.data() + at)) + b * load(p_.data() + at));
    });
  });
}

/// q = A p; returns p q.
template <int D>
double Poisson<D>::multiply() {
  const Level<D>& top = grid_.finest();
  forEachTile(top.tiles.count(), [&](int t) {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const Around<D, Real> p(p_.data(), t, top.beside.data() + 2 * D * t);
    Row<Real> product = Real(0);
    eachRow(top.rows[t], [&](int n) {
      const Row<Real> diag = toReal(loadBytes(top.sides.data() + first + 8 * n)), own = p.row(n);
      const Row<Real> q = select(diag > Row<Real>(Real(0)), diag * own - p.sides(n), Row<Real>(Real(0)));
      store(q_.data() + first + 8 * n, q);
      product += own * q;
    });
    part_[t] = sum(product);
  });
  double dot = 0;
  for (const double d : part_) dot += d;
  return dot;
}

template <int D>
PoissonReport Poisson<D>::solve(const Array<Real>& rhs, Array<Real>& p, double tolerance, int iterations, bool warm) {
  Level<D>& top = grid_.finest();
  part_.resize(top.tiles.count());
  largest_.resize(top.tiles.count());
  take(rhs, b_);
  closed_.removeMeans(b_, b_);
  const std::size_t n = std::size_t(top.tiles.count()) * Tiles<D>::cells;
  std::fill_n(p_.data(), n, Real(0));
  if (warm)
    take(p, x_);
  else
    std::fill_n(x_.data(), n, Real(0));

  // x is rounded to half a digit, and A x to 2 D of these: no residual can be told from that.
  const auto rounding = [](double x) { return 2 * D * double(std::numeric_limits<Real>::epsilon()) * x; };
  Largest now = findResidual();
  int done = 0;
  while (now.r > std::max(tolerance, rounding(now.x)) && done < iterations) {
    const double before = now.r;
    double rz = 0, least = before;
    for (bool first = true; now.r > std::max(tolerance, rounding(now.x) / 4) && done < iterations; first = false, ++done) {
      // Where no air is, a constant in r is rounding, which A cannot take away and M magnifies.
      double next = grid_.cycle();
      next -= closed_.removeMeans(top.z, top.r);
      if (!(next > 0)) break;
      turn(first ? 0 : next / rz);
      const double pq = multiply();
      if (!(pq > 0)) break;
      rz = next;
      now = advance(rz / pq);
      least = std::min(least, now.r);
      if (now.r > 10 * least) break;  // rounding has the upper hand
    }
    // The residual of what x has become, free of what rounding made of the recursion; another round if this one helped.
    now = findResidual();
    if (now.r > before / 2) break;
  }
  closed_.removeMeans(x_, x_);
  give(x_, p);
  return {done, now.r};
}

template <int D>
void Poisson<D>::apply(const Array<Real>& p, Array<Real>& q) {
  part_.resize(grid_.finest().tiles.count());
  take(p, p_);
  multiply();
  give(q_, q);
}

template <int D>
void Poisson<D>::precondition(const Array<Real>& r, Array<Real>& z) {
  Level<D>& top = grid_.finest();
  part_.resize(top.tiles.count());
  largest_.resize(top.tiles.count());
  std::fill_n(p_.data(), p_.size(), Real(0));
  std::fill_n(x_.data(), x_.size(), Real(0));
  take(r, b_);
  findResidual();
  grid_.cycle();
  give(top.z, z);
}

template <int D>
std::size_t Poisson<D>::bytes() const {
  std::size_t n = grid_.bytes() + closed_.bytes() + source_.bytes() + part_.capacity() * sizeof(double) +
                  largest_.capacity() * sizeof(Largest);
  for (const Array<Real>* field : {&b_, &x_, &p_, &q_, &r_}) n += field->bytes();
  return n;
}

template class Poisson<2>;
template class Poisson<3>;

}  // namespace brim::inline BRIM_FLAVOUR
