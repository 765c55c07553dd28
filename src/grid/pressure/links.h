// The operator of a level: links between cells, how coarse levels get theirs, and the matrix of the coarsest.
#pragma once
#include "grid/pressure/coarse_cells.h"
#include "grid/pressure/multigrid.h"

namespace brim::inline BRIM_FLAVOUR {

// The part of the links to air that goes to the next level: a coarse cell's middle is farther from the surface than a fine one's.
constexpr float airShare = 0.75f;

/// The links of one tile.
template <int D, bool unit>
class Links {
 public:
  BRIM_DEVICE_FN Links(const LevelView<D>& l, int t) {
    inverse_ = l.inverse + std::size_t(t) * Tiles<D>::cells;
    diag_ = l.diag + std::size_t(t) * Tiles<D>::cells;
    if constexpr (!unit)
      for (int k = 0; k < D; ++k) w_[k] = {l.w[k], t, l.beside + 2 * D * t};
  }
  BRIM_DEVICE_FN Cells<float> diag(int n) const { return load(diag_ + firstOf(n)); }
  /// 1 / diag, 0 where there is no unknown. To a GPU a division is cheaper than four more bytes.
  BRIM_DEVICE_FN Cells<float> inverse(int n) const {
#if BRIM_CUDA
    if constexpr (unit) return inverseOf(diag(n));
#endif
    return load(inverse_ + firstOf(n));
  }
  /// Sum over the neighbours of w x_n.
  template <class X>
  BRIM_DEVICE_FN Cells<float> sum(const X& x, int n) const {
    if constexpr (unit) {
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
  const float *inverse_, *diag_;
  Around<D, float> w_[D];
};

template <int D>
BRIM_DEVICE_FN Around<D, float> around(const LevelView<D>& l, const float* field, int t) {
  return {field, t, l.beside + 2 * D * t};
}

/// Links of coarse cells: sums of fine ones. What of diag is no link to an unknown is a link to air.
template <int D, bool unit>
struct GatherLinks {
  LevelView<D> fine, coarse;
  TileView<D> tiles, parents;
  BRIM_DEVICE_FN void operator()(int t) const {
    Vec<D, int> place = tiles.place(t);
    int part = 0;
    for (int k = 0; k < D; ++k) part += (place[k] & 1) * 4 * power(8, k), place[k] >>= 1;
    part += parents.at(place) * Tiles<D>::cells;
    fine.coarse[t] = part;
    const Links<D, unit> links(fine, t);
    const auto inverse = around(fine, fine.inverse, t);
    const Cells<float> zero(0.0f), one(1.0f);
    const auto known = [&](Cells<float> i) { return select(i > zero, one, zero); };
    Gathered<D> air(0), wx(1), wy(2), wz(D);
    eachLine(fine.lines[t], [&](int line) {
      const Cells<float> here = known(inverse.line(line));
      Cells<float> rest = links.diag(line);
      for (int k = 0; k < D; ++k) {
        const Cells<float> below = unit ? here * known(inverse.below(line, k)) : links.below(line, k);
        rest -= below + (unit ? here * known(inverse.above(line, k)) : links.above(line, k));
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

/// diag and its inverse, from the links to air and to each other. Links to where the level has no tile are cut: those across
/// periodic sides, where the level has no whole tiles between these.
template <int D>
struct AddLinks {
  LevelView<D> l;
  BRIM_DEVICE_FN void operator()(int t) const {
    const std::size_t first = std::size_t(t) * Tiles<D>::cells;
    for (int k = 0; k < D; ++k)
      if (l.beside[2 * D * t + 2 * k] == l.tiles) cutLower(l.w[k] + first, k);
    const Links<D, false> links(l, t);
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
  /// The links w of a tile's lowest cells along k to those below become 0.
  BRIM_DEVICE_FN static void cutLower(float* w, int k) {
    eachSlice<D>([&](int s) {
      eachLineOf(s, [&](int line) {
        if (k == 0 ? (firstOf(line) & 7) == 0 : alongAxis(line, k) == 0) {
          if (k == 0)
            w[firstOf(line)] = 0;
          else
            store(w + firstOf(line), Cells<float>(0.0f));
        }
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

/// A coarse level from the next finer one, whose links are `unit` or not.
template <int D>
void gatherLevel(Level<D>& fine, Level<D>& coarse, bool unit) {
  const int n = fine.tiles.count();
  if (unit)
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
  bool unit;
  BRIM_DEVICE_FN double diag(int c) const { return l.diag[c]; }
  /// The cell below c along axis k, and the entry of both.
  BRIM_DEVICE_FN int below(int c, int k) const { return lowerElement<D>(l.beside, c, k); }
  BRIM_DEVICE_FN double link(int c, int k) const { return unit ? -1.0f : -l.w[k][c]; }
};

}  // namespace brim::inline BRIM_FLAVOUR
