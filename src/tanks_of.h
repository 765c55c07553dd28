// Tanks that step together, in this flavour.
#pragma once
#include "machine.h"

namespace brim::inline BRIM_FLAVOUR {

/// Setups with scenes that match (scene/together.h), each with its fluid; members and solids are the caller's to fill in.
std::unique_ptr<Tanks::Machine> makeTanks(std::vector<Setup>&&);

}  // namespace brim::inline BRIM_FLAVOUR
