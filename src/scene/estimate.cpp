#include "brim/estimate.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "scene/declare.h"
#include "scene/mesh.h"
#include "scene/shape.h"
#include "scene/vector.h"
#include "scene/velocity_field.h"
#include "scene/walls.h"

namespace brim {

using namespace vectors;

namespace {

struct Extent {
  Vector low, high;  // [m] within the domain
  double volume;     // [m^D]
};

// Planes and shapes that are inside out end where the domain does: count the points of a lattice that are inside.
double volumeInDomain(const Scene& s, const SolidShape& shape) {
  const int n = 24, D = s.dimension;
  const Vector side = s.domain.max - s.domain.min;
  std::int64_t inside = 0, all = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (D == 3 ? n : 1); ++k, ++all) {
        const Vector f = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
        const Vector x = {s.domain.min[0] + f[0] * side[0], s.domain.min[1] + f[1] * side[1],
                          D == 3 ? s.domain.min[2] + f[2] * side[2] : 0};
        inside += shape.distance(x) < 0;
      }
  return double(inside) / double(all) * side[0] * side[1] * (D == 3 ? side[2] : 1);
}

Extent extentOf(const Scene& s, const Shape& shape, const std::string& path) {
  Extent e;
  if (shape.kind == "mesh") {
    const auto file = std::filesystem::path(s.file).parent_path() / shape.file;
    const Mesh mesh = readMesh(file.string(), shape.scale, shape.translate, s.at(path + ".file"));
    const auto box = bounds(mesh.points);
    e = {box[0], box[1], volume(mesh)};
  } else {
    const SolidShape solid(s, shape, path);
    e = {solid.low(), solid.high(), solid.volume()};
    if (!std::isfinite(e.volume)) e.volume = volumeInDomain(s, solid);
  }
  e.low = upper(e.low, s.domain.min);
  e.high = lower(e.high, s.domain.max);
  return e;
}

double surface(const Vector& side, int D) {
  return D == 2 ? 2 * (side[0] + side[1]) : 2 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
}

}  // namespace

Estimate estimate(const Scene& s) {
  Estimate e;
  const int D = s.dimension;
  const Vector side = s.domain.max - s.domain.min;
  const Vector g = s.gravity_keys.empty() ? s.gravity : s.gravity_keys.front().value;
  int down = 1;
  for (int k = 0; k < D; ++k)
    if (std::abs(g[k]) > std::abs(g[down])) down = k;

  const auto reach = [&](double low, double high) {
    e.height = std::max(e.height, g[down] <= 0 ? high - s.domain.min[down] : s.domain.max[down] - low);
  };
  for (std::size_t i = 0; i < s.fluid.blocks.size(); ++i) {
    const Extent x = extentOf(s, s.fluid.blocks[i].shape, "fluid.blocks[" + std::to_string(i) + "]");
    const double particles = s.fluid.blocks[i].particles;
    e.volume += particles > 0 ? particles * std::pow(s.resolution.spacing, D) : x.volume;
    reach(x.low[down], x.high[down]);
    e.speed = std::max(e.speed, largestSpeed(s, i));
  }
  for (const Emitter& emitter : s.fluid.emitters) reach(emitter.centre[down], emitter.centre[down]);

  const SolverInfo* const solver = findSolver(s.solver.name);
  e.grid = solver && solver->capabilities.grid;
  for (int k = 0; k < D && !e.grid; ++k) {
    const double face = D == 2 ? side[1 - k] : side[(k + 1) % 3] * side[(k + 2) % 3];
    if (s.domain.boundary[k] == "walls") e.area += 2 * face;
  }
  // What rests is sampled only where fluid can be: boxes and planes exactly, other shapes by facets of 1/128 of their size; an
  // outline is sampled whole. What moves is sampled whole.
  const auto addSurface = [&](const Shape& shape, bool rests, const std::string& path) {
    Vector size;
    if (shape.kind == "mesh") {
      const auto file = std::filesystem::path(s.file).parent_path() / shape.file;
      const auto box = bounds(readSurface(file.string(), shape.scale, {0, 0, 0}, s.at(path + ".file")).points);
      size = box[1] - box[0];
    } else {
      const SolidShape solid(s, shape, path);
      size = solid.bodyHigh() - solid.bodyLow();
    }
    const bool box = shape.kind == "box" || shape.kind == "plane";
    if (rests && (box || D == 3)) size = lower(size, side + (box ? 0.0 : 1.0 / 128) * size);
    if (shape.kind == "plane") size = lower(size, side);
    e.area += surface(upper(size, {0, 0, 0}), D);
  };
  for (std::size_t i = 0; i < s.solids.size(); ++i)
    addSurface(s.solids[i].shape, !s.solids[i].motion.moves(), "solids[" + std::to_string(i) + "]");
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    addSurface(s.bodies[i].shape, s.bodies[i].held, "bodies[" + std::to_string(i) + "]");
  for (int k = 0; k < D; ++k) e.domain *= side[k];
  refine(s, s.resolution.spacing, e);
  return e;
}

void refine(const Scene& s, double d, Estimate& e) {
  e.particles = e.volume / std::pow(d, s.dimension);
  e.samples = wallLayers(supportOf(s)) * e.area / std::pow(d, s.dimension - 1);
  // Positions, velocities, multipliers, neighbour lists and their copies for sorting; samples have no lists of their own.
  // Grids have no lists, and some fields for each of the 8 or 9 particles' cells.
  e.bytes = (e.grid ? 160 : 450) * e.particles + 100 * e.samples;
  if (e.grid) e.bytes += 4 * e.domain / std::pow(8 * 2 * d, s.dimension);  // the table of tiles of 8 cells, each of two spacings
}

double physicalMemory() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)); }

}  // namespace brim
