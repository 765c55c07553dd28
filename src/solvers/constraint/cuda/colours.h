// Gauss-Seidel over particles on a GPU: rows as lists, and blocks of them of which a warp has one.
#pragma once
#include "step/context.h"

namespace brim::inline BRIM_FLAVOUR {

/// What a row has of one particle. That of the row's own is G_ii, so that a row is a list and nothing else.
template <int D>
struct alignas(16) RowPair {
  Vec<D> g;  // [1/m] G_ij
  int j;
};

/// Rows one after the other, in the order in which sweeps come by.
template <int D>
struct RowLists {
  struct Row {
    int i, first, length;  // its particle; its pairs
    Real c, perD;          // [1/s]; 1/(D + Sigma)
  };
  int size = 0;
  Array<Row> rows;
  Array<RowPair<D>> pairs;

  /// Row k is that of particle of[k], for k below n. Says where its pairs will be.
  void layOut(const StepContext<D>&, View<const int> of, int n);
  std::size_t bytes() const { return rows.bytes() + pairs.bytes() + first_.bytes(); }

 private:
  Array<int> first_;
};

/// The particles around a block: a run of them for every line of cells along x. Those of two blocks of one colour have none in
/// common.
template <int D>
struct Region {
  static constexpr int runs = D == 3 ? 16 : 4;
  int low[3];       // its first cell along each axis, in the window
  int begin[runs];  // first particle
  int past[runs];   // particles of the region up to the run's last

  __device__ int size() const { return past[runs - 1]; }
  /// The number that particle j has here.
  __device__ int numberOf(int j, const Vec<D>& x, const Window<D>& window) const {
    int r = window.at(x, 1) - low[1];
    if (D == 3) r += 4 * (window.at(x, 2) - low[2]);
    return j - begin[r] + (r > 0 ? past[r - 1] : 0);
  }
};

/// Rows that colours leave out: the `count` ones with mark[i] != 0.
struct Apart {
  Array<int> mark;
  int count = 0;
};

/// Blocks of two supports a side in 2^D colours: as on a CPU with few particles, where colours.h says why they share nothing. A
/// block's rows are one warp's, in the order of the sort: short ones, since its time is that of the longest block.
template <int D>
class Colours {
 public:
  static constexpr int count = 1 << D;

  void build(const StepContext<D>&, const Apart&);

  RowLists<D>& lists() { return lists_; }
  const RowLists<D>& lists() const { return lists_; }
  /// Calls f(first block, blocks) for each colour. Block b has the rows begin[b] .. begin[b + 1] - 1.
  template <class F>
  void eachColour(F f) const {
    for (int c = 0; c < count; ++c)
      if (found_[c + 1] > found_[c]) f(found_[c], found_[c + 1] - found_[c]);
  }
  View<const int> begin() const { return begin_.read(); }
  /// The particles that rows of each block may reach; of use while the largest has room in a processor's own memory.
  const Array<Region<D>>& regions() const { return regions_; }
  int largestRegion() const { return found_[count + 1]; }
  /// Of each row: how many blocks begin with it or before.
  View<const int> number() const { return {number_.data() + 1}; }
  std::size_t bytes() const {
    return lists_.bytes() + key_.bytes() + order_.bytes() + number_.bytes() + begin_.bytes() + regions_.bytes();
  }

 private:
  RowLists<D> lists_;
  Array<std::int64_t> key_;            // of each particle: colour, block
  Array<int> order_, number_, begin_;  // rows' particles; blocks that begin before each row; first row of each block
  Array<Region<D>> regions_;
  Array<int> foundThere_;
  int found_[count + 2] = {};  // blocks of all colours before each; particles of the largest region
};

}  // namespace brim::inline BRIM_FLAVOUR
