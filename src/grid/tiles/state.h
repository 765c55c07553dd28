// What the stages of a grid solver share: every stage takes this and what is special to it.
#pragma once
#include "grid/tiles/fields.h"
#include "grid/tiles/flags.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
struct GridState {
  GridGeometry<D> geometry;
  SolidCells<D> solids;  // solids.open(k): which part of each face is open to fluid, if solids.cut()

  // Of the particles' present positions.
  Tiles<D> tiles;
  Bins<D> bins;
  Flags<D> flags;

  // Fields over `tiles`.
  Faces<D> faces;                 // velocities [m/s]; in the density projection displacements [m]
  Array<Real> rho;                // density over rho0 at the centres of the cells
  Array<Real> rhs, phi;           // [1/s] both sides of the pressure equation
  Array<Real> slope[D];           // [1/s] of phi within a fluid cell, from one side to the other
  Array<std::uint64_t> released;  // cells that let go of walls in the velocity projection
  Array<std::uint64_t> enclosed;  // cells of liquid that no air touches
  Array<Vec<D>> pushOut;          // [m] of the deepest particle of each solid cell that holds any
  Array<int> filled;              // per tile with particles: its volume of Eq. 19 in particles
  Array<std::uint64_t> spare[D];  // bits of faces, for extrapolation
  Blocks<D> padded;               // face values of the tiles that hold particles; before, what particles give to the density

  // The grid's velocities after the velocity projection, which stay while `tiles` follow the moved particles.
  Tiles<D> velocityTiles;
  Blocks<D> velocity;  // of all tiles; before, what particles give to the faces

  GridState(const GridGeometry<D>& where, const std::vector<char>& moves) : geometry(where), solids(geometry, moves) {}

  /// Tiles within `ring` cells of the particles, the particles by tile, and the solids there.
  void sort(const Particles<D>& fluid, const Solids<D>& bodies, int ring) {
    bins.sort(tiles, geometry, fluid, ring);
    solids.update(bodies, tiles);
    flags.fit(tiles);
  }
  /// Cell states, once flags.held has the cells that hold particles and `rho` their densities.
  void finishFlags() { flags.finish(tiles, solids, rho); }
  std::size_t bytes() const {
    return tiles.bytes() + velocityTiles.bytes() + bins.bytes() + flags.bytes() + faces.bytes() + velocity.bytes() +
           padded.bytes() + 3 * rhs.bytes() + solids.bytes();
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
