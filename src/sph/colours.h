// Gauss-Seidel over particles, in lanes and threads: rows that share no particle run together, always the same ones.
#pragma once
#include <vector>

#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// The row of particle i reads and writes the particles within one support h of i. Blocks of side 2h in 2^D colours: rows of two
/// blocks of one colour are 2h apart and share nothing. A lane takes whole blocks, one row after the other, so the rows in the
/// lanes of one step come from different blocks; a task takes some thousand rows of one colour. Blocks are counted from the
/// domain's corner and rows in the order of the sort: nothing depends on threads.
template <int D>
class Colours {
 public:
  static constexpr int count = 1 << D;

  /// `apart[i]` leaves row i out: somebody else solves it.
  void build(const World<D>&, const std::vector<char>& apart);

  /// One step of a task: a row for each lane, and their neighbours, interleaved and padded with the ghost. Lanes without a row
  /// have the ghost's.
  struct Step {
    const int* rows;
    const int* list;
    int length;
    Neighbour row() const { return {rows}; }
    Neighbour operator[](int m) const { return {list + m * lanes}; }
  };
  /// body(step) for all rows, colour after colour.
  template <class F>
  void forEach(F body) const {
    for (const std::vector<Task>& colour : tasks_)
      tbb::parallel_for(0, int(colour.size()), [&](int t) {
        const Task& task = colour[t];
        const int* list = task.list.data();
        for (std::size_t s = 0; s < task.length.size(); ++s) {
          body(Step{task.rows.data() + s * lanes, list, task.length[s]});
          list += long(lanes) * task.length[s];
        }
      });
  }
  /// Neighbours of one row at most.
  int longest() const { return longest_; }
  std::size_t bytes() const;

 private:
  struct Block {
    int first, last;  // in order_
  };
  struct Task {
    std::vector<Block> blocks;
    std::vector<int> rows, list, length;
  };
  void fillTask(const World<D>&, Task&) const;

  std::vector<int> order_;  // rows by colour and block
  std::vector<Task> tasks_[count];
  int longest_ = 0;
};

/// Calls body(j) for the fluid neighbours j of i in list order, itself included.
template <class F>
void eachFluidNeighbour(const Lists& lists, int i, int ghost, F body) {
  const Lists::Slice s = lists.slice[unsigned(i) / lanes];
  const int* p = s.first + unsigned(i) % lanes;
  for (int m = 0; m < s.length && p[long(m) * lanes] != ghost; ++m) body(p[long(m) * lanes]);
}

}  // namespace brim::inline BRIM_FLAVOUR
