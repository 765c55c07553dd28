// Fluid beyond the periodic faces: particles of the far side, appended to the fluid's columns so that lists can point at them.
#pragma once
#include "world/cells.h"
#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

/// What a column holds: positions move by the domain's extent with a periodic ghost, other values do not.
enum class Holds { values, positions };

template <int D>
class PeriodicGhosts {
 public:
  /// Finds the particles within `support` of the periodic faces; the fluid is sorted already.
  void make(Particles<D>&, const Vec<D>& extent, const Vec<D, bool>& periodic, Real support);
  /// Sorts the ghosts into cells.
  void sort(Particles<D>&, const Window<D>&);
  /// Gives the ghosts of a column what their particles have now.
  template <class T>
  void refresh(const Particles<D>& fluid, Array<T>& column) const {
    const int first = fluid.firstPeriodicGhost();
    const auto c = column.view();
    const auto source = source_.read();
    forEach(fluid.periodicGhosts(), [=] BRIM_KERNEL(int k) { c[first + k] = c[source[k]]; });
  }
  /// The same for {position, value}.
  void refreshPositions(const Particles<D>& fluid, Array<Record<D>>& positions) const;

  const CellTable<D>& table() const { return table_; }
  /// Of each ghost: the particle it is one of.
  const Array<int>& source() const { return source_; }

 private:
  Array<int> source_;
  Array<Record<D>> shift_;
  CellTable<D> table_;
};

}  // namespace brim::inline BRIM_FLAVOUR
