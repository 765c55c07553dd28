// From the particles of a frame to the surface of the liquid, and surfaces as files.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "brim/mesh.h"
#include "brim/snapshot.h"

namespace brim {

class Scenery;  // what stays the same from frame to frame

struct LiquidSurface {
  Mesh mesh;                                   // [m] closed; triangles anticlockwise seen from the air
  std::vector<std::array<float, 3>> velocity;  // [m/s] of the liquid at every point
};

struct SurfaceOptions {
  /// anisotropic  kernels that follow the surface (Yu & Turk 2013): smooth, with thin sheets
  /// spheres      round kernels at the particles' own places (Mueller et al. 2003): quick and lumpy
  /// levelset     distance to the mean of the particles around (Zhu & Bridson 2005): smooth, fills dents
  std::string method = "anisotropic";
  double voxel = 0.5;  // [spacings] side of a cell of the lattice
};

const std::vector<std::string>& surfaceMethods();

/// The level is shifted, within limits that keep lone drops as they are, so that the surface encloses spacing^3 a particle.
/// Periodic sides are closed like walls. 3D; throws Failure for flat frames.
LiquidSurface surfaceOf(const Snapshot&, double spacing, const SurfaceOptions& = {});

/// What moves beside the liquid, frame by frame, as meshes in the coordinates of the scene [m]. 3D.
class MovingMeshes {
 public:
  explicit MovingMeshes(const Scene&);
  ~MovingMeshes();
  /// Sheets and soft bodies; without triangles where there are none.
  Mesh cloth(const Snapshot&) const;
  /// Rigid bodies, with velocities; without triangles where there are none.
  LiquidSurface bodies(const Snapshot&) const;
  /// Solids that are bounded and not inside out, with velocities.
  LiquidSurface solids(const Snapshot&) const;
  /// Whether a solid moves; if not, they are the same in every frame.
  bool solidsMove() const;

 private:
  std::unique_ptr<const Scenery> scenery_;
};

/// Binary PLY: x y z vx vy vz as floats, and triangles; `time` [s] as a comment.
void writeSurfacePly(const std::string& path, const LiquidSurface&, double time);
/// OBJ: points and triangles; it knows no velocities.
void writeSurfaceObj(const std::string& path, const LiquidSurface&, double time);

/// Whether this Brim was built with OpenVDB.
bool vdbAvailable();
/// OpenVDB: a level set named "surface": signed distance [m], negative in the liquid, three cells to either side of it; `voxel`
/// [m]. Throws Failure where Brim was built without OpenVDB.
void writeSurfaceVdb(const std::string& path, const LiquidSurface&, double voxel, double time);

}  // namespace brim
