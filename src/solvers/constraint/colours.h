// Gauss-Seidel over particles, in threads: rows that share no particle run together, always the same ones.
#pragma once
#include <vector>

#include "step/context.h"
#if BRIM_CUDA
#include "solvers/constraint/cuda/colours.h"
#else

namespace brim::inline BRIM_FLAVOUR {

/// What a row has of one particle, in the order in which sweeps come by: G_ij = f (x_i - x_j). Eight bytes (double: 16), since a
/// sweep waits for memory; places and velocities are records of four numbers, so a pair needs no shuffles either.
struct alignas(2 * sizeof(Real)) RowPair {
  Real f;  // [1/m^2]
  int at;  // 4 j: where the record of j begins among the numbers of a column of records
};

/// The row of particle i reads and writes the particles within one support h of i. Blocks in 2^D colours, of a side of 2h or
/// more: rows of two blocks of one colour are 2h apart and share nothing, and a task takes some thousand rows of one colour.
/// Blocks are counted from the domain's corner and rows in the order of the sort: nothing depends on threads.
template <int D>
class Colours {
 public:
  static constexpr int count = 1 << D;

  /// `apart[i]` leaves row i out: somebody else solves it.
  void build(const StepContext<D>&, const std::vector<char>& apart);

  struct Row {
    int i, length;       // its particle; pairs, a multiple of four
    std::int64_t first;  // in pairs()
    Record<D> G;         // {G_ii, 1/(D + Sigma)} and c of its particle, so that a sweep finds them without a search in memory
    Real c;
  };
  std::vector<Row>& rows() { return rows_; }
  const std::vector<Row>& rows() const { return rows_; }
  /// Calls f(row) for all rows, colour after colour.
  template <class F>
  void forEach(F f) const {
    for (const std::vector<Task>& colour : tasks_)
      tbb::parallel_for(0, int(colour.size()), [&](int t) {
        for (int k = colour[t].first; k < colour[t].last; ++k) f(rows_[k]);
      });
  }
  /// Memory for what the rows hold of their particles; build only says where.
  Array<RowPair>& pairs() { return pairs_; }
  const Array<RowPair>& pairs() const { return pairs_; }
  /// Of each particle: where its row's pairs begin, with room for the next multiple of four of the longest list of its slice;
  /// -1 if it was left out.
  View<const std::int64_t> place() const { return place_.read(); }
  std::size_t bytes() const;

 private:
  struct Task {
    int first, last;  // in rows_
  };

  std::vector<Row> rows_;
  std::vector<Task> tasks_[count];
  Array<std::int64_t> place_;
  Array<RowPair> pairs_;
};

}  // namespace brim::inline BRIM_FLAVOUR
#endif
