// What a cell of the grid holds.
#pragma once
#include <cstdint>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

enum CellState : std::uint8_t { airCell = 0, fluidCell = 1, solidCell = 2 };

}  // namespace brim::inline BRIM_FLAVOUR
