// Sparse grids: blocks of 8^D cells where they are wanted, so that memory and time grow with the fluid and not with the domain.
#pragma once
#include <atomic>
#include <cstdint>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/// A box of places for tiles. The tile at a place holds the cells 8 place .. 8 place + 7 along each axis.
template <int D>
struct Places {
  Vec<D, int> low{}, size{};

  /// The places of the cells first .. last.
  static Places ofCells(const Vec<D, int>& first, const Vec<D, int>& last) {
    Places p;
    for (int k = 0; k < D; ++k) p.low[k] = first[k] >> 3, p.size[k] = (last[k] >> 3) - p.low[k] + 1;
    return p;
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (int k = 0; k < D; ++k) n *= size[k];
    return n;
  }
  /// The number of a place, x fastest; -1 outside the box.
  BRIM_FN int number(const Vec<D, int>& place) const {
    int n = 0;
    for (int k = D - 1; k >= 0; --k) {
      const int at = place[k] - low[k];
      if (at < 0 || at >= size[k]) return -1;
      n = n * size[k] + at;
    }
    return n;
  }
  BRIM_FN Vec<D, int> place(int number) const {
    Vec<D, int> p;
    for (int k = 0; k < D; ++k) p[k] = low[k] + number % size[k], number /= size[k];
    return p;
  }
  bool operator==(const Places& b) const {
    for (int k = 0; k < D; ++k)
      if (low[k] != b.low[k] || size[k] != b.size[k]) return false;
    return true;
  }
};

/// Tiles as kernels see them.
template <int D>
struct TileView {
  static constexpr int side = 8, cells = power(8, D), ways = power(3, D);
  const int* table;   // per place of the box: its tile, or `count`
  const int* places;  // per tile: the number of its place
  const int* links;   // per tile: the `ways` tiles around it, x fastest, itself in the middle
  Places<D> box;
  int count;

  /// The tile at a place, or `count` where there is none.
  BRIM_FN int at(const Vec<D, int>& place) const {
    const int n = box.number(place);
    return n < 0 ? count : table[n];
  }
  BRIM_FN Vec<D, int> place(int t) const { return box.place(places[t]); }
  BRIM_FN const int* around(int t) const { return links + ways * t; }
  /// Where a field holds this cell.
  BRIM_FN int index(const Vec<D, int>& cell) const {
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = cell[k] >> 3;
    return at(place) * cells + within(cell);
  }
  /// Its place within its tile.
  BRIM_FN static int within(const Vec<D, int>& cell) {
    int n = 0;
    for (int k = D - 1; k >= 0; --k) n = 8 * n + (cell[k] & 7);
    return n;
  }
};

/// The tiles of 8^D cells in use, out of a box of places. Numbered by place (x fastest), so that numbers never depend on threads.
/// A field is an Array<T> of (count() + 1) * cells elements (`fit`): the cells of tile t are contiguous, x fastest, in rows
/// of 8; the last tile stands for every tile that is absent and holds the field's background, so that stencils need no test.
template <int D>
class Tiles {
 public:
  static constexpr int side = 8, cells = power(8, D), ways = power(3, D);
  static constexpr std::int64_t mostPlaces = 1 << 26;

  /// The tiles within `ring` (at most 8) cells of any of n cells; cell(i) gives the i-th. What lies outside the box is left out.
  template <class F>
  void cover(const Places<D>& box, int n, F cell, int ring) {
    begin(box);
    const auto wanted = wanted_.view();
    forEach(n, [=](int i) { want(box, wanted, cell(i), ring); });
    finish();
  }
  /// The tiles around the particles; positions [m] count from the corner of cell 0.
  void cover(const Places<D>& box, int n, View<const Sample<D>> particles, Real cellsPerMetre, int ring) {
    cover(
        box, n,
        [=](int i) {
          const auto x = particles[i].x;
          Vec<D, int> c;
          for (int k = 0; k < D; ++k) c[k] = int(std::floor(x[k] * cellsPerMetre));
          return c;
        },
        ring);
  }

  int count() const { return int(places_.size()); }
  const Places<D>& box() const { return box_; }
  Vec<D, int> place(int t) const { return box_.place(places_[t]); }
  int at(const Vec<D, int>& place) const { return view().at(place); }
  const int* around(int t) const { return links_.data() + ways * t; }
  TileView<D> view() const { return {table_.data(), places_.data(), links_.data(), box_, count()}; }
  /// Makes room for a field; the tile that stands for the absent ones gets the background, the rest keeps what was there.
  template <class T>
  void fit(Array<T>& field, T background) const {
    const int n = count() * cells;
    field.resize(std::size_t(n) + cells);
    for (int c = 0; c < cells; ++c) field[n + c] = background;
  }
  std::size_t bytes() const { return wanted_.bytes() + table_.bytes() + places_.bytes() + links_.bytes(); }

 private:
  /// Sets one bit in wanted[place] for each of the 3^D places that the cells within `ring` of c reach.
  static void want(const Places<D>& box, View<std::uint32_t> wanted, const Vec<D, int>& c, int ring) {
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = c[k] >> 3;
    const int n = box.number(place);
    if (n < 0) return;
    std::uint32_t bits = 1;  // of the ways along the axes so far, the lowest in bit 0
    int width = 1;
    for (int k = 0; k < D; ++k, width *= 3) {
      const int at = c[k] & 7;
      bits = bits << width | (at < ring ? bits : 0) | (at >= 8 - ring ? bits << 2 * width : 0);
    }
    // Bits are only ever added, so the order of the threads does not matter; nearly always they are there already.
    const std::atomic_ref<std::uint32_t> word(wanted[n]);
    if (~word.load(std::memory_order_relaxed) & bits) word.fetch_or(bits, std::memory_order_relaxed);
  }
  void begin(const Places<D>&);
  void finish();

  Places<D> box_;
  Array<std::uint32_t> wanted_;  // per place: which of the places around it to use; 0 between calls
  Array<int> table_, places_, links_;
};

/// body(t) for the tiles [0, n) or what else comes in pieces of some hundred cells.
template <class F>
void forEachTile(int n, F body) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n, 4), [&](const auto& r) {
    for (int t = r.begin(); t < r.end(); ++t) body(t);
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
