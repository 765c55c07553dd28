// Who is near whom at the fluid's present positions: the sort by cells, the periodic ghosts and the lists.
#pragma once
#include "step/periodic.h"
#include "step/reaction.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class Neighbourhood {
 public:
  /// Sorts the fluid by cells at its present positions and builds all lists, those of the reaction too.
  void search(World<D>&, Scratch<D>&, BoundaryReaction<D>&);
  /// The same for those who can begin with lists that may turn out too short: when some work that reads them and changes none of
  /// what they were made from is under way, ask whether they hold. If not, they do now, and the work is to be done again.
  void searchAhead(World<D>&, Scratch<D>&, BoundaryReaction<D>&);
  bool listsHold(World<D>&);

  /// Searches so far: lists with another number than the one remembered are new ones.
  std::int64_t generation() const { return generation_; }
  /// Whether the particles are those, and in the order, that the lists were made for.
  bool matches(const World<D>& w) const { return generation_ > 0 && arrangement_ == w.fluid.arrangement(); }

  NeighbourView lists() const { return neighbours_.view(); }
  double pairs() const { return neighbours_.pairs(); }
  /// The cells of the last search, and the fluid sorted into them.
  const Window<D>& window() const { return window_; }
  const CellTable<D>& cells() const { return table_; }
  const PeriodicGhosts<D>& ghosts() const { return ghosts_; }
  std::size_t bytes() const { return table_.bytes() + neighbours_.bytes(); }

 private:
  void sortFluid(World<D>&, Scratch<D>&);
  typename Neighbours<D>::Around around(const World<D>&) const;

  Window<D> window_;
  CellTable<D> table_;
  PeriodicGhosts<D> ghosts_;
  Neighbours<D> neighbours_;
  std::int64_t generation_ = 0, arrangement_ = -1;
};

}  // namespace brim::inline BRIM_FLAVOUR
