// Coarse cells are 2^D fine ones and take part if any of those does. Their operator is that of piecewise constant corrections
// (the sum of the fine links between two coarse cells), halved, since constants overestimate the slope between cells twofold; so
// thin sheets, drops and bubbles keep their weight on every level, which states per coarse cell (air beats fluid) lose. Constant
// corrections leave steps between coarse cells, and a strong smoother pays: two Chebyshev steps before and after. 7 to 12
// iterations of conjugate gradients for six digits; the same with trilinear corrections and damped Jacobi took 10 to 27, with air
// beats fluid 11 to 40, and all grew faster with size.
#include "grid/multigrid.h"

#include "grid/rows.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

// Chebyshev steps z += omega (r - A z)/diag against the part [0.4, 2] of the spectrum of A/diag, which coarse cells cannot see:
// 1/omega are the zeros of the polynomial, 1.2 -+ 0.8 cos(pi/4).
constexpr float omega1 = 1.5764984f, omega2 = 0.5663529f;

// Of the links to air that go to the next level. A coarse cell's middle is farther from the surface than a fine one's.
constexpr float airShare = 0.75f;

constexpr int bottomUnknowns = 40;  // for a dense factor

/// The links of one tile.
template <int D, bool finest>
class Links {
 public:
  BRIM_FN Links(const Level<D>& l, int t) {
    if constexpr (finest) {
      sides_ = l.sides.data() + std::size_t(t) * Tiles<D>::cells;
    } else {
      diag_ = l.diag.data() + std::size_t(t) * Tiles<D>::cells;
      for (int k = 0; k < D; ++k) w_[k] = {l.w[k].data(), t, l.beside.data() + 2 * D * t};
    }
  }
  BRIM_FN Row<float> diag(int n) const {
    if constexpr (finest)
      return loadBytes(sides_ + 8 * n);
    else
      return load(diag_ + 8 * n);
  }
  /// Sum over the neighbours of w x_n.
  BRIM_FN Row<float> sum(const Around<D, float>& x, int n) const {
    if constexpr (finest) return x.sides(n);
    Row<float> s = 0;
    for (int k = 0; k < D; ++k) s += w_[k].row(n) * x.below(n, k) + w_[k].above(n, k) * x.above(n, k);
    return s;
  }
  BRIM_FN Row<float> below(int n, int k) const { return w_[k].row(n); }
  BRIM_FN Row<float> above(int n, int k) const { return w_[k].above(n, k); }

 private:
  const std::uint8_t* sides_ = nullptr;
  const float* diag_ = nullptr;
  Around<D, float> w_[D];
};

template <int D, class F>
void eachTile(const Level<D>& l, F body) {
  constexpr int worthThreads = D == 3 ? 16 : 128;
  const int n = l.tiles.count();
  if (n >= worthThreads)
    tbb::parallel_for(tbb::blocked_range<int>(0, n, worthThreads / 4), [&](const auto& r) {
      for (int t = r.begin(); t < r.end(); ++t) body(t);
    });
  else
    for (int t = 0; t < n; ++t) body(t);
}

template <int D>
Around<D, float> around(const Level<D>& l, const Array<float>& field, int t) {
  return {field.data(), t, l.beside.data() + 2 * D * t};
}

/// Rows of a tile summed into those of the 4^D coarse cells it covers.
template <int D>
class Gathered {
 public:
  static constexpr int rows = power(4, D - 1);
  BRIM_FN static int coarseRow(int n) { return D == 2 ? n >> 1 : (n >> 1 & 3) | (n >> 4 & 3) << 2; }
  BRIM_FN void add(int n, Row<float> value) { sum_[coarseRow(n)] += value; }
  /// body(row, the even cells + s * the odd ones) for two rows of four coarse cells at a time.
  template <class F>
  BRIM_FN void eachPair(float s, F body) const {
    for (int m = 0; m < rows; m += 2) {
      const auto a = sum_[m].v, b = sum_[m + 1].v;
      body(m, Row<float>(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)) +
                  Row<float>(s) * Row<float>(__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)));
    }
  }

 private:
  Row<float> sum_[rows] = {};
};

using Half = Pack<float, 4>;

/// Where coarse row m of a part starts, counted from the part's first element.
template <int D>
BRIM_FN int rowOfPart(int m) {
  return 8 * (m & 3) + 64 * (m >> 2);
}
/// Two rows of four into a coarse field.
template <int D>
BRIM_FN void storePair(float* part, int m, Row<float> value) {
  __builtin_memcpy(part + rowOfPart<D>(m), &value, 16);
  __builtin_memcpy(part + rowOfPart<D>(m + 1), reinterpret_cast<const char*>(&value) + 16, 16);
}
template <int D>
BRIM_FN Row<float> loadPair(const float* part, int m) {
  Row<float> value;
  __builtin_memcpy(&value, part + rowOfPart<D>(m), 16);
  __builtin_memcpy(reinterpret_cast<char*>(&value) + 16, part + rowOfPart<D>(m + 1), 16);
  return value;
}

/// Two steps from z = 0, as one polynomial:  z = (o1 + o2) t - o1 o2 A t/diag,  t = r/diag.
template <int D, bool finest>
void smoothFromZero(Level<D>& l) {
  eachTile(l, [&](int t) {
    const Links<D, finest> links(l, t);
    const auto x = around(l, l.t, t);
    const float* const inverse = l.inverse.data() + std::size_t(t) * Tiles<D>::cells;
    float* const z = l.z.data() + std::size_t(t) * Tiles<D>::cells;
    eachRow(l.rows[t], [&](int n) {
      store(z + 8 * n, Row<float>(omega1 + omega2 - omega1 * omega2) * x.row(n) +
                           Row<float>(omega1 * omega2) * load(inverse + 8 * n) * links.sum(x, n));
    });
  });
}

/// The residual r - A z, summed into the right-hand side of the next level; 2^(2 - D) because a coarse face has 2^(D - 1) fine
/// ones and weights stay near 1.
template <int D, bool finest>
void restrictResidual(const Level<D>& l, Level<D>& next) {
  eachTile(l, [&](int t) {
    const Links<D, finest> links(l, t);
    const auto z = around(l, l.z, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float *const r = l.r.data() + first, *const inverse = l.inverse.data() + first;
    Gathered<D> sum;
    eachRow(l.rows[t], [&](int n) {
      const Row<float> rest = load(r + 8 * n) - links.diag(n) * z.row(n) + links.sum(z, n);
      sum.add(n, select(load(inverse + 8 * n) > Row<float>(0.0f), rest, Row<float>(0.0f)));
    });
    float *const rc = next.r.data() + l.coarse[t], *const tc = next.t.data() + l.coarse[t];
    const float* const ic = next.inverse.data() + l.coarse[t];
    sum.eachPair(1, [&](int m, Row<float> value) {
      value *= D == 3 ? 0.5f : 1.0f;
      storePair<D>(rc, m, value);
      storePair<D>(tc, m, loadPair<D>(ic, m) * value);
    });
  });
}

/// z += the coarse cell's correction.
template <int D>
void correct(Level<D>& l, const Level<D>& next) {
  eachTile(l, [&](int t) {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float *const inverse = l.inverse.data() + first, *const part = next.z.data() + l.coarse[t];
    float* const z = l.z.data() + first;
    eachRow(l.rows[t], [&](int n) {
      Half e;
      __builtin_memcpy(&e, part + rowOfPart<D>(Gathered<D>::coarseRow(n)), sizeof e);
      const Row<float> wide = __builtin_shufflevector(e.v, e.v, 0, 0, 1, 1, 2, 2, 3, 3);
      store(z + 8 * n, load(z + 8 * n) + select(load(inverse + 8 * n) > Row<float>(0.0f), wide, Row<float>(0.0f)));
    });
  });
}

/// One step  to = x + omega (r - A x)/diag;  r to per tile if asked for.
template <int D, bool finest>
void smooth(Level<D>& l, const Array<float>& from, Array<float>& to, float omega, double* dot) {
  eachTile(l, [&](int t) {
    const Links<D, finest> links(l, t);
    const auto x = around(l, from, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    const float *const r = l.r.data() + first, *const inverse = l.inverse.data() + first;
    float* const out = to.data() + first;
    Row<float> product = 0;
    eachRow(l.rows[t], [&](int n) {
      const Row<float> rn = load(r + 8 * n);
      const Row<float> value =
          Row<float>(1 - omega) * x.row(n) + Row<float>(omega) * load(inverse + 8 * n) * (rn + links.sum(x, n));
      store(out + 8 * n, value);
      product += rn * value;
    });
    if (dot) dot[t] = sum(product);
  });
}

template <int D>
void clear(const Level<D>& l, Array<float>& field) {
  std::fill_n(field.data(), std::size_t(l.tiles.count()) * Tiles<D>::cells, 0.0f);
}

}  // namespace

template <int D>
void Level<D>::link() {
  constexpr int middle = (Tiles<D>::ways - 1) / 2;
  beside.resize(std::size_t(2 * D) * tiles.count());
  rows.resize(tiles.count());
  for (int t = 0; t < tiles.count(); ++t)
    for (int k = 0; k < D; ++k)
      for (int up = 0; up < 2; ++up) beside[2 * D * t + 2 * k + up] = tiles.around(t)[middle + (up ? 1 : -1) * power(3, k)];
  for (Array<float>* field : {&inverse, &r, &z, &t, &y}) tiles.fit(*field, 0.0f);
}

template <int D>
void Level<D>::findRows() {
  std::vector<int> count(tiles.count());
  eachTile(*this, [&](int tile) {
    const std::size_t first = std::size_t(tile) * Tiles<D>::cells;
    rows[tile] = 0;
    for (int n = 0; n < Tiles<D>::cells / 8; ++n) {
      const float* const inv = inverse.data() + first + 8 * n;
      const int found = int(std::count_if(inv, inv + 8, [](float i) { return i > 0; }));
      count[tile] += found;
      if (found) {
        rows[tile] |= RowBits(1) << n;
        continue;
      }
      for (Array<float>* field : {&z, &t, &y}) store(field->data() + first + 8 * n, Row<float>(0.0f));
    }
  });
  unknowns = 0;
  for (const int c : count) unknowns += c;
}

template <int D>
std::size_t Level<D>::bytes() const {
  std::size_t n = tiles.bytes() + beside.bytes() + rows.bytes() + sides.bytes() + diag.bytes() + coarse.bytes();
  for (const Array<float>* field : {&inverse, &r, &z, &t, &y}) n += field->bytes();
  for (const Array<float>& field : w) n += field.bytes();
  return n;
}

template <int D>
Multigrid<D>::Multigrid() {
  levels_.push_back(std::make_unique<Level<D>>());
}

template <int D>
void Multigrid<D>::coarsen() {
  for (used_ = 1; levels_[used_ - 1]->unknowns > bottomUnknowns; ++used_) {
    if (used_ == int(levels_.size())) levels_.push_back(std::make_unique<Level<D>>());
    Level<D>& fine = *levels_[used_ - 1];
    if (used_ == 1)
      build<true>(fine, *levels_[used_]);
    else
      build<false>(fine, *levels_[used_]);
  }
  factorBottom();
}

template <int D>
template <bool finest>
void Multigrid<D>::build(Level<D>& fine, Level<D>& coarse) {
  const int n = fine.tiles.count();
  Places<D> box = fine.tiles.box();
  for (int k = 0; k < D; ++k) {
    const int last = (box.low[k] + box.size[k] - 1) >> 1;
    box.low[k] >>= 1;
    box.size[k] = last - box.low[k] + 1;
  }
  const TileView<D> tiles = fine.tiles.view();
  const auto parent = [=](int t) {
    Vec<D, int> place = tiles.place(t);
    for (int k = 0; k < D; ++k) place[k] >>= 1;
    return place;
  };
  coarse.tiles.cover(
      box, n,
      [=](int t) {
        Vec<D, int> cell = parent(t);
        for (int k = 0; k < D; ++k) cell[k] *= 8;
        return cell;
      },
      0);
  coarse.link();
  coarse.tiles.fit(coarse.diag, 0.0f);
  for (Array<float>& w : coarse.w) coarse.tiles.fit(w, 0.0f), clear(coarse, w);
  for (Array<float>* field : {&coarse.diag, &coarse.r, &coarse.t}) clear(coarse, *field);
  fine.coarse.resize(n);

  // Links of coarse cells: sums of fine ones. What of diag is no link to an unknown is a link to air.
  eachTile(fine, [&](int t) {
    const Vec<D, int> place = tiles.place(t);
    fine.coarse[t] = coarse.tiles.at(parent(t)) * Tiles<D>::cells;
    for (int k = 0; k < D; ++k) fine.coarse[t] += (place[k] & 1) * 4 * power(8, k);
    const Links<D, finest> links(fine, t);
    const auto inverse = around(fine, fine.inverse, t);
    const Row<float> zero(0.0f), one(1.0f);
    const auto known = [&](Row<float> i) { return select(i > zero, one, zero); };
    Gathered<D> air, w[D];
    eachRow(fine.rows[t], [&](int row) {
      const Row<float> here = known(inverse.row(row));
      Row<float> rest = links.diag(row);
      for (int k = 0; k < D; ++k) {
        const Row<float> below = finest ? here * known(inverse.below(row, k)) : links.below(row, k);
        rest -= below + (finest ? here * known(inverse.above(row, k)) : links.above(row, k));
        const bool lower = k == 0 || (row >> 3 * (k - 1) & 1) == 0;  // on the coarse cell's own face
        if (lower) w[k].add(row, below);
      }
      air.add(row, max(rest, zero) * here);
    });
    constexpr float perFace = 1.0f / power(2, D - 1), perAir = airShare / power(2, D - 2);
    for (int k = 0; k < D; ++k)
      w[k].eachPair(k == 0 ? 0 : 1,
                    [&](int m, Row<float> v) { storePair<D>(coarse.w[k].data() + fine.coarse[t], m, v * perFace); });
    air.eachPair(1, [&](int m, Row<float> v) { storePair<D>(coarse.diag.data() + fine.coarse[t], m, v * perAir); });
  });
  eachTile(coarse, [&](int t) {
    const Links<D, false> links(coarse, t);
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    for (int row = 0; row < Tiles<D>::cells / 8; ++row) {
      Row<float> diag = links.diag(row);
      for (int k = 0; k < D; ++k) diag += links.below(row, k) + links.above(row, k);
      store(coarse.diag.data() + first + 8 * row, diag);
      store(coarse.inverse.data() + first + 8 * row,
            select(diag > Row<float>(0.0f), Row<float>(1.0f) / max(diag, Row<float>(1e-20f)), Row<float>(0.0f)));
    }
  });
  coarse.findRows();
}

// A body of fluid without air makes a singular block, of which one cell is fixed at zero.
template <int D>
void Multigrid<D>::factorBottom() {
  Level<D>& l = *levels_[used_ - 1];
  clear(l, l.z);
  cells_.clear();
  for (int c = 0; c < l.tiles.count() * Tiles<D>::cells; ++c)
    if (l.inverse[c] > 0) cells_.push_back(c);
  const int n = int(cells_.size());
  std::vector<double>& a = bottom_.start(n);
  for (int i = 0; i < n; ++i) {
    const int c = cells_[i], t = c / Tiles<D>::cells;
    a[i * n + i] = used_ == 1 ? l.sides[c] : l.diag[c];
    for (int k = 0; k < D; ++k) {
      const int stride = power(8, k);
      const int below = c >> 3 * k & 7 ? c - stride : c + (l.beside[2 * D * t + 2 * k] - t) * Tiles<D>::cells + 7 * stride;
      const auto j = std::lower_bound(cells_.begin(), cells_.begin() + i, below) - cells_.begin();
      if (cells_[j] == below) a[i * n + j] = used_ == 1 ? -1 : -l.w[k][c];
    }
  }
  bottom_.factor(1e-5);  // weights are in single precision
}

template <int D>
void Multigrid<D>::solveBottom() {
  Level<D>& l = *levels_[used_ - 1];
  x_.resize(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) x_[i] = l.r[cells_[i]];
  bottom_.solve(x_);
  for (std::size_t i = 0; i < cells_.size(); ++i) l.z[cells_[i]] = float(x_[i]);
}

template <int D>
double Multigrid<D>::cycle() {
  Level<D>& top = *levels_[0];
  part_.resize(top.tiles.count());
  for (int l = 0; l + 1 < used_; ++l) {
    if (l == 0) {
      smoothFromZero<D, true>(top);
      restrictResidual<D, true>(top, *levels_[1]);
    } else {
      smoothFromZero<D, false>(*levels_[l]);
      restrictResidual<D, false>(*levels_[l], *levels_[l + 1]);
    }
  }
  solveBottom();
  for (int l = used_ - 2; l >= 0; --l) {
    Level<D>& level = *levels_[l];
    correct(level, *levels_[l + 1]);
    if (l == 0) {
      smooth<D, true>(level, level.z, level.y, omega2, nullptr);
      smooth<D, true>(level, level.y, level.z, omega1, part_.data());
    } else {
      smooth<D, false>(level, level.z, level.y, omega2, nullptr);
      smooth<D, false>(level, level.y, level.z, omega1, nullptr);
    }
  }
  double dot = 0;
  if (used_ == 1)
    for (const int c : cells_) dot += double(top.r[c]) * top.z[c];
  else
    for (const double d : part_) dot += d;
  return dot;
}

template <int D>
std::size_t Multigrid<D>::bytes() const {
  std::size_t n = part_.capacity() * sizeof(double);
  for (const auto& l : levels_) n += l->bytes();
  return n;
}

template struct Level<2>;
template struct Level<3>;
template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace brim::inline BRIM_FLAVOUR
