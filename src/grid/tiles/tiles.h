// Sparse grids: blocks of 8^D cells where they are wanted, so that memory and time grow with the fluid and not with the domain.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

BRIM_FN constexpr int power(int base, int exponent) {
  int p = 1;
  for (int k = 0; k < exponent; ++k) p *= base;
  return p;
}

/// A box of places for tiles. The tile at a place holds the cells 8 place .. 8 place + 7 along each axis. Along an axis that
/// `wraps` the last place is followed by the first, so that fields are periodic there without copies.
template <int D>
struct Places {
  Vec<D, int> low{}, size{};
  Vec<D, bool> wraps{};

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
      int at = place[k] - low[k];
      if (at < 0 || at >= size[k]) {
        if (!wraps[k]) return -1;
        at %= size[k];
        if (at < 0) at += size[k];
      }
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
      if (low[k] != b.low[k] || size[k] != b.size[k] || wraps[k] != b.wraps[k]) return false;
    return true;
  }
};

/// Tiles as kernels see them.
template <int D>
struct TileView {
  static constexpr int side = 8, cells = power(8, D), ways = power(3, D);
  View<const int> table;   // per place of the box: its tile, or `count`
  View<const int> places;  // per tile: the number of its place
  const int* links;        // per tile: the `ways` tiles around it, x fastest, itself in the middle
  Places<D> box;
  int count;

  /// The tile at a place, or `count` where there is none.
  BRIM_ELEMENT_FN int at(const Vec<D, int>& place) const {
    const int n = box.number(place);
    return n < 0 ? count : table[n];
  }
  BRIM_ELEMENT_FN Vec<D, int> place(int t) const { return box.place(places[t]); }
  BRIM_FN const int* around(int t) const { return links + ways * t; }
  /// Where a field holds this cell.
  BRIM_ELEMENT_FN int index(const Vec<D, int>& cell) const {
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = cell[k] >> 3;
    return at(place) * cells + within(cell);
  }
  /// A cell's number within its tile.
  BRIM_FN static int within(const Vec<D, int>& cell) {
    int n = 0;
    for (int k = D - 1; k >= 0; --k) n = 8 * n + (cell[k] & 7);
    return n;
  }
};

/// The element of a field below (above) element c along axis k; `beside` are the tiles below and above each tile along each axis.
/// Beyond all tiles it is one of the background's.
template <int D>
BRIM_FN int lowerElement(const int* beside, int c, int k) {
  constexpr int cells = power(8, D);
  const int stride = 1 << 3 * k, t = c / cells;
  return c >> 3 * k & 7 ? c - stride : c + (beside[2 * D * t + 2 * k] - t) * cells + 7 * stride;
}
template <int D>
BRIM_FN int upperElement(const int* beside, int c, int k) {
  constexpr int cells = power(8, D);
  const int stride = 1 << 3 * k, t = c / cells;
  return (c >> 3 * k & 7) < 7 ? c + stride : c + (beside[2 * D * t + 2 * k + 1] - t) * cells - 7 * stride;
}

/// Sets one bit in wanted[place] for each of the 3^D places that the cells within `ring` of cell(i) reach. Bits are only ever
/// added, so the order of the threads does not matter.
template <int D, class F>
struct Want {
  Places<D> box;
  View<std::uint32_t> wanted;
  F cell;
  int n, ring;

#if BRIM_CUDA
  static constexpr int each = 4;  // of the i for a thread: a thread waits for all of them at once
  __device__ void operator()(int t) const {
    int place[each];
    std::uint32_t bits[each];
    BRIM_UNROLL
    for (int k = 0; k < each; ++k) {
      const Vec<D, int> c = cell(each * t + k < n ? each * t + k : n - 1);
      place[k] = box.number(placeOf(c));
      bits[k] = reached(c);
    }
    BRIM_UNROLL
    for (int k = 0; k < each; ++k) {
      if (k + 1 < each && place[k] == place[k + 1])
        bits[k + 1] |= bits[k];
      else if (place[k] >= 0)
        want(place[k], bits[k]);
    }
  }
  // Particles that follow each other are mostly in one tile: one thread of the warp asks for all of them.
  __device__ void want(int place, std::uint32_t bits) const {
    const unsigned together = __match_any_sync(__activemask(), place);
    bits = bitsOfWarp(together, bits);
    if (int(threadIdx.x % 32) == __ffs(int(together)) - 1) setBits(wanted[place], bits);
  }
#else
  static constexpr int each = 1;
  BRIM_FN void operator()(int i) const {
    const Vec<D, int> c = cell(i);
    if (const int place = box.number(placeOf(c)); place >= 0) setBits(wanted[place], reached(c));
  }
#endif
  BRIM_FN static Vec<D, int> placeOf(const Vec<D, int>& cell) {
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = cell[k] >> 3;
    return place;
  }
  /// Bits of the 3^D directions to the places that the ring around a cell reaches.
  BRIM_DEVICE_FN std::uint32_t reached(const Vec<D, int>& c) const {
    std::uint32_t bits = 1;  // of the ways along the axes so far, the lowest in bit 0
    int width = 1;
    for (int k = 0; k < D; ++k, width *= 3) {
      const int at = c[k] & 7;
      bits = bits << width | (at < ring ? bits : 0) | (at >= 8 - ring ? bits << 2 * width : 0);
    }
    return bits;
  }
};

#if BRIM_CUDA
/// Sets elements of several fields at once, four of each.
struct Zeros {
  static constexpr int most = 12;
  float4* field[most];
  int fields;
  __device__ void operator()(int c) const {
    BRIM_UNROLL
    for (int f = 0; f < most; ++f)
      if (f < fields) field[f][c] = make_float4(0, 0, 0, 0);
  }
};
#endif

/// The tiles of 8^D cells in use, out of a box of places. Numbered by place (x fastest), so that numbers never depend on threads.
/// A field is an Array<T> of (count() + 1) * cells elements (`fit`): the cells of tile t are contiguous, x fastest, in lines
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
    constexpr int each = Want<D, F>::each;
    forEach((n + each - 1) / each, Want<D, F>{box, wanted_.view(), cell, n, ring});
    finish();
  }
  /// n of the tiles of another set: those of ascending numbers `which`.
  void choose(const Tiles& from, const Array<int>& which, int n);

  int count() const { return count_; }
  const Places<D>& box() const { return box_; }
  /// Per tile: the tiles below and above along each axis.
  const Array<int>& beside() const { return beside_; }
  TileView<D> view() const { return {table_.read(), places_.read(), links_.data(), box_, count()}; }
#if !BRIM_CUDA || BRIM_HOST_ACCESS  // for the host
  Vec<D, int> place(int t) const { return box_.place(places_[t]); }
  int at(const Vec<D, int>& place) const { return view().at(place); }
  const int* around(int t) const { return links_.data() + ways * t; }
#endif
  /// Resizes a field; the tile that stands for the absent ones gets the background, the rest keeps what was there.
  template <class T>
  void fit(Array<T>& field, T background) const {
    const int n = count() * cells;
    field.resize(std::size_t(n) + cells);
    fill(field, n, n + cells, background);
  }
  /// The same for several fields with a background of 0.
  template <class T>
  void fit(std::initializer_list<Array<T>*> fields) const {
    for (Array<T>* f : fields) f->resize(std::size_t(count() + 1) * cells);
    setZero(fields, count() * cells, (count() + 1) * cells);
  }
  /// Resizes fields and sets them to 0 everywhere.
  template <class T>
  void fitCleared(std::initializer_list<Array<T>*> fields) const {
    for (Array<T>* f : fields) f->resize(std::size_t(count() + 1) * cells);
    setZero(fields, 0, (count() + 1) * cells);
  }
  /// Sets every cell of fields of the right size to 0.
  template <class T>
  void clear(std::initializer_list<Array<T>*> fields) const {
    setZero(fields, 0, count() * cells);
  }
  std::size_t bytes() const {
    return wanted_.bytes() + number_.bytes() + table_.bytes() + places_.bytes() + links_.bytes() + beside_.bytes();
  }

  // Steps of cover(); public because nvcc wants kernels there.
  void begin(const Places<D>&);
  void finish();
  /// `used` tiles of a box. number[offset + p] counts the places in use before place p.
  void number(const Places<D>& box, const Array<int>& number, int offset, int used);
#if BRIM_CUDA
  /// The same for several sets at once, whose places follow each other in `number`.
  struct Numbered {
    Tiles* tiles;
    Places<D> box;
    int offset, used;
  };
  static void numberAll(const std::vector<Numbered>&, const Array<int>& number);
#endif
  void link();

 private:
  template <class T>
  static void setZero(std::initializer_list<Array<T>*> fields, int first, int last) {
#if BRIM_CUDA  // a launch for each takes longer than the few tiles of a coarse level
    static_assert(sizeof(T) == sizeof(float) && cells % 4 == 0);
    Zeros zeros{};
    const auto launch = [&] { forEach((last - first) / 4, zeros), zeros.fields = 0; };
    for (Array<T>* f : fields) {
      if (zeros.fields == Zeros::most) launch();
      zeros.field[zeros.fields++] = reinterpret_cast<float4*>(f->data() + first);
    }
    launch();
#else
    for (Array<T>* f : fields) fill(*f, first, last, T(0));
#endif
  }

  Places<D> box_;
  int count_ = 0;
  Array<std::uint32_t> wanted_;  // per place: which of the places around it to use; 0 between calls
  Array<int> number_;            // per place: how many places before it are in use
  Array<int> table_, places_, links_, beside_;
};

}  // namespace brim::inline BRIM_FLAVOUR
