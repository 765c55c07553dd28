// Boxes of cells for tests of the grid's solvers.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <random>

#include "grid/pressure/poisson.h"
#include "internal/cells.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr bool isSingle = sizeof(Real) == 4;

/// A walled box of cells, most of it in tiles; what no tile holds is air.
template <int D>
struct Box {
  using Cell = Vec<D, int>;
  using States = std::function<int(const Vec<D, double>&, const Cell&)>;  // of the middle, in parts of the box, and the cell

  Cell size;
  std::vector<std::uint8_t> states;
  Tiles<D> tiles;
  Array<std::uint8_t> state;

  Box(const Cell& boxSize, const States& stateOf) : size(boxSize) {
    std::vector<Cell> wet;
    long cells = 1;
    for (int k = 0; k < D; ++k) cells *= size[k];
    states.resize(cells);
    for (long i = 0; i < cells; ++i) {
      const Cell c = cell(i);
      Vec<D, double> x;
      for (int k = 0; k < D; ++k) x[k] = (c[k] + 0.5) / size[k];
      states[i] = std::uint8_t(stateOf(x, c));
      if (states[i] == fluidCell) wet.push_back(c);
    }
    Cell first, last;
    for (int k = 0; k < D; ++k) first[k] = -8, last[k] = size[k] + 7;
    const CellList<D> list(wet);
    tiles.cover(Places<D>::ofCells(first, last), list.size(), list.at(), 1);
    tiles.fit(state, std::uint8_t(airCell));
    for (int i = 0; i < tiles.count() * Tiles<D>::cells; ++i) {
      Cell c = tiles.place(i / Tiles<D>::cells);
      for (int k = 0; k < D; ++k) c[k] = 8 * c[k] + (i >> 3 * k & 7);
      state[i] = stateAt(c);
    }
  }
  Cell cell(long i) const {
    Cell c;
    for (int k = 0; k < D; ++k) c[k] = int(i % size[k]), i /= size[k];
    return c;
  }
  long number(const Cell& c) const {
    long n = 0;
    for (int k = D - 1; k >= 0; --k) {
      if (c[k] < 0 || c[k] >= size[k]) return -1;
      n = n * size[k] + c[k];
    }
    return n;
  }
  std::uint8_t stateAt(const Cell& c) const { return number(c) < 0 ? std::uint8_t(solidCell) : states[number(c)]; }
  template <class F>
  static void eachBeside(const Cell& c, F body) {
    for (int k = 0; k < D; ++k)
      for (int step : {-1, 1}) {
        Cell b = c;
        b[k] += step;
        body(b);
      }
  }
  int index(const Cell& c) const { return tiles.view().index(c); }
  template <class F>
  void eachFluid(F body) const {
    for (long i = 0; i < long(states.size()); ++i)
      if (states[i] == fluidCell) body(cell(i));
  }

  /// A field with random numbers in [-1, 1] in fluid cells and what no solver may read elsewhere.
  Array<Real> random(unsigned seed) const {
    Array<Real> f;
    tiles.fit(f, std::numeric_limits<Real>::quiet_NaN());
    fill(f, 0, int(f.size()), std::numeric_limits<Real>::quiet_NaN());
    std::mt19937 generator(seed);
    eachFluid([&](const Cell& c) { f[index(c)] = Real(generator() / 2147483648.0 - 1); });
    return f;
  }
  Array<Real> field() const {
    Array<Real> f;
    tiles.fit(f, Real(0));
    fill(f, 0, int(f.size()), Real(0));
    return f;
  }
  /// Distances from a surface anywhere between the centres of fluid cells and those of air, at random.
  Array<Real> distances(unsigned seed) const {
    Array<Real> f;
    tiles.fit(f, Real(1));
    std::mt19937 generator(seed);
    for (int i = 0; i < tiles.count() * Tiles<D>::cells; ++i) {
      const Real d = Real(generator() / 4294967296.0);
      f[i] = state[i] == fluidCell ? -d : d;
    }
    return f;
  }
  /// Open parts of the lower faces: whole, or for some of them anything, at random; 0 beside solid cells.
  std::array<Array<Real>, D> openFaces(unsigned seed) const {
    std::array<Array<Real>, D> open;
    std::mt19937 generator(seed);
    for (int k = 0; k < D; ++k) {
      tiles.fit(open[k], Real(1));
      for (int i = 0; i < tiles.count() * Tiles<D>::cells; ++i) {
        const double part = generator() / 4294967296.0;
        open[k][i] = Real(float(part < 0.7 ? 1 : std::max(0.02, (part - 0.7) / 0.3)));
        Cell c = tiles.place(i / Tiles<D>::cells), below;
        for (int a = 0; a < D; ++a) c[a] = 8 * c[a] + (i >> 3 * a & 7);
        below = c, below[k] -= 1;
        if (stateAt(c) == solidCell || stateAt(below) == solidCell) open[k][i] = 0;
      }
    }
    return open;
  }
  double dot(const Array<Real>& a, const Array<Real>& b) const {
    double s = 0;
    eachFluid([&](const Cell& c) { s += double(a[index(c)]) * b[index(c)]; });
    return s;
  }
  double largest(const Array<Real>& a) const {
    double s = 0;
    eachFluid([&](const Cell& c) { s = std::max(s, std::abs(double(a[index(c)]))); });
    return s;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
