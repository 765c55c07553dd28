// Gauss-Seidel over particles on a GPU: rows as lists, and blocks of them of which a warp has one.
#pragma once
#include "world/world.h"

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
  void layOut(const World<D>&, View<const int> of, int n);
  std::size_t bytes() const { return rows.bytes() + pairs.bytes() + first_.bytes(); }

 private:
  Array<int> first_;
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

  void build(const World<D>&, const Apart&);

  RowLists<D>& lists() { return lists_; }
  const RowLists<D>& lists() const { return lists_; }
  /// body(first block, blocks) for each colour. Block b has the rows begin[b] .. begin[b + 1] - 1.
  template <class F>
  void eachColour(F body) const {
    for (int c = 0; c < count; ++c)
      if (ends_[c + 1] > ends_[c]) body(ends_[c], ends_[c + 1] - ends_[c]);
  }
  View<const int> begin() const { return begin_.read(); }
  std::size_t bytes() const { return lists_.bytes() + key_.bytes() + order_.bytes() + number_.bytes() + begin_.bytes(); }

 private:
  RowLists<D> lists_;
  Array<std::int64_t> key_;            // of each particle: colour, block
  Array<int> order_, number_, begin_;  // rows' particles; blocks that begin before each row; first row of each block
  Array<int> endsThere_;
  int ends_[count + 1] = {};  // blocks of all colours before
};

}  // namespace brim::inline BRIM_FLAVOUR
