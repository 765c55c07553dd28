// The only file that knows OpenVDB, whose headers take long to compile.
#include "surface/vdb.h"

#include <fmt/format.h>

#include <filesystem>

#ifdef BRIM_VDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetMeasure.h>
#include <openvdb/tools/MeshToVolume.h>
#endif

namespace brim {

#ifdef BRIM_VDB

bool vdbAvailable() { return true; }

void writeSurfaceVdb(const std::string& path, const LiquidSurface& s, double voxel, double time) {
  openvdb::initialize();
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Vector& x : s.mesh.points) points.emplace_back(float(x[0]), float(x[1]), float(x[2]));
  // OpenVDB's surfaces turn the other way round; its sign comes from what is outside, whichever way they turn.
  for (const auto& t : s.mesh.triangles) triangles.emplace_back(unsigned(t[0]), unsigned(t[1]), unsigned(t[2]));
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel);
  openvdb::FloatGrid::Ptr grid;
  if (triangles.empty()) {
    grid = openvdb::FloatGrid::create(float(3 * voxel));
    grid->setTransform(transform);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
  } else {
    grid = openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, points, triangles, 3.f);
  }
  grid->setName("surface");
  grid->insertMeta("time", openvdb::DoubleMetadata(time));
  const std::string temporary = path + ".tmp";
  try {
    openvdb::io::File file(temporary);
    file.write(openvdb::GridPtrVec{grid});
    file.close();
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& e) {
    throw Failure(fmt::format("cannot write {}: {}", path, e.what()));
  }
}

VdbFacts readSurfaceVdb(const std::string& path) {
  openvdb::initialize();
  try {
    openvdb::io::File file(path);
    file.open();
    const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("surface"));
    return {grid->getName(), openvdb::tools::levelSetVolume(*grid)};
  } catch (const std::exception& e) {
    throw Failure(fmt::format("cannot read {}: {}", path, e.what()));
  }
}

#else

namespace {

[[noreturn]] void without() {
  throw Failure("this brim was built without OpenVDB; install Debian's package libopenvdb-dev, configure and build again");
}

}  // namespace

bool vdbAvailable() { return false; }
void writeSurfaceVdb(const std::string&, const LiquidSurface&, double, double) { without(); }
VdbFacts readSurfaceVdb(const std::string&) { without(); }

#endif

}  // namespace brim
