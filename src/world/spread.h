// The part of the fluid that this rank has. The domain is cut into slabs of whole cells across one axis; a particle belongs to
// the rank whose slab its cell lies in, and comes to it with the sort of each search.
//
// The order within a cell is that of the particles before the sort, as without ranks. Particles from several ranks meet in a
// cell, so each carries its place in the order of all: {key of its last cell, number within it}, which the rank that has the cell
// knows.
#pragma once
#include <functional>

#include "ranks/team.h"
#include "world/cells.h"
#include "world/particles.h"
#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class Spread {
 public:
  Spread(ranks::Team& team, const Vec<D>& extent, const Vec<D, bool>& periodic);

  ~Spread();
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;
  /// From here on spreadOf() finds it.
  void isOf(const World<D>&);

  ranks::Team& team;
  /// Until the first search, and after a restore, every rank has all particles.
  bool active() const { return active_; }
  void restart() { active_ = false; }
  int particles() const { return int(total_); }

  /// Sorts the fluid into cells and gives each rank its part and its halo.
  void place(Particles<D>&, CellTable<D>&, const Window<D>&, Scratch<D>&);
  template <class T>
  void refresh(Array<T>& column) const;
  OwnColumns own(const Particles<D>&) const;
  const char* flags() const { return own_.data(); }
  const std::int64_t* places() const { return place_.data(); }
  /// Rank 0 has all particles in the order of all while task() runs there.
  void whole(Particles<D>&, const std::function<void()>& task);
  void dropHalo(Particles<D>&);
  void fillHoles(const Array<int>& which, int going, const Array<int>& last, int moved, std::int64_t goingOfAll);
  void grow(int count, bool here);

  double imbalance() const { return imbalance_; }  // of the last search: the most particles of a rank over the mean
  std::int64_t cutsMoved() const { return cutsMoved_; }

 private:
  struct Range {
    std::int64_t low, high;  // columns
  };
  std::int64_t columnOf(const Window<D>&, const Vec<D>& x) const;
  void balance(const std::vector<std::int64_t>& histogram, std::int64_t low);
  int ownerOf(std::int64_t column) const;
  Range rangeOf(int rank) const { return {cut_[rank], cut_[rank + 1]}; }
  void prepareTargets(const Window<D>&);
  void targetsOf(const Window<D>&, const Vec<D>& x, std::int64_t column, std::vector<int>& ranks) const;
  int receive(Particles<D>&, const std::vector<std::vector<int>>& go);
  void list(const Particles<D>&, const Window<D>&);
  std::vector<int> ownOf(int n) const;

  bool active_ = false;
  int axis_ = 0, width_ = 1;  // width_: columns of a support
  Vec<D> extent_;
  Vec<D, bool> periodic_;
  std::int64_t total_ = 0, grown_ = 0, cutsMoved_ = 0, arrangement_ = -1;
  double imbalance_ = 1;
  std::vector<std::int64_t> cut_;          // of all ranks: first column; one more
  std::vector<std::vector<int>> targets_;  // of each column of the window: ranks that want its particles
  std::vector<char> own_;
  std::vector<std::int64_t> place_, column_;
  std::vector<std::vector<int>> send_, halo_;  // of each rank: what it wants of here, what is here of it
  std::vector<int> start_, which_;             // own particles by columns
  mutable std::vector<ranks::Bytes> to_, from_;
  Scratch<D> scratch_;
};

/// Null: this process has all of the fluid.
template <int D>
Spread<D>* spreadOf(const World<D>&);

}  // namespace brim::inline BRIM_FLAVOUR
