// A list of cells as Tiles::cover takes it: a function of a number, for kernels of every machine.
#pragma once
#include <vector>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct CellAt {
  View<const Vec<D, int>> cells;
  BRIM_DEVICE_FN Vec<D, int> operator()(int i) const { return cells[i]; }
};

template <int D>
class CellList {
 public:
  explicit CellList(const std::vector<Vec<D, int>>& cells) { copyIn(cells_, cells.data(), cells.size()); }
  int size() const { return int(cells_.size()); }
  CellAt<D> at() const { return {cells_.read()}; }

 private:
  Array<Vec<D, int>> cells_;
};

}  // namespace brim::inline BRIM_FLAVOUR
