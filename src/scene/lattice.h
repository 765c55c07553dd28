// Fluid at rest: shapes filled with particles on a lattice.
#pragma once
#include <cstdint>
#include <vector>

#include "brim/scene.h"
#include "scene/shape.h"

namespace brim {

struct Filling {
  std::vector<Vector> points;     // [m] in the scene, in an order that does not depend on threads
  std::vector<int> block;         // the block of each point
  std::int64_t insideSolids = 0;  // points left out because a solid is there or too near, or the outside of the domain
  std::int64_t overlapping = 0;   // points left out because an earlier block has fluid there
};

/// Fills one shape and appends to `filling`. Boxes get whole counts along each side, evenly stretched to fill it; other
/// shapes the points domain.min + (i + 1/2) d inside them. Points in solids are left out, for solvers without a grid also those
/// nearer than 0.4 d. Each particle stands for spacing^dimension.
void fillLattice(const Scene&, const SolidShape& shape, int block, const std::vector<SolidShape>& solids, Filling& filling);

/// All blocks of the scene.
Filling fillBlocks(const Scene&, const std::vector<SolidShape>& solids);

/// Points along each side of a box of these sides [m]: the nearest whole numbers, or the neighbouring ones where those bring
/// the mass nearer and stretch little.
std::array<int, 3> latticeCounts(const Vector& side, double spacing, int dimension);

/// How much more than a box's own mass its lattice has, as a part of it.
double latticeExcess(const SolidShape& box, double spacing, int dimension);

}  // namespace brim
