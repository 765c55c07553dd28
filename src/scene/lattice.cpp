#include "scene/lattice.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "math/whole.h"
#include "scene/declare.h"
#include "scene/sampling.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// Candidate points of a block: origin + i a + j b + k c, in the order of the indices.
struct Lattice {
  Vector origin;
  std::array<Vector, 3> step;
  std::array<int, 3> count;
  Vector at(int i, int j, int k) const { return origin + double(i) * step[0] + double(j) * step[1] + double(k) * step[2]; }
};

Vector sidesOf(const SolidShape& box) {
  const double* half = box.primitive().size;
  return {2 * half[0], 2 * half[1], 2 * half[2]};
}

Lattice latticeOfBox(const SolidShape& shape, double d, int dim) {
  const Pose<double>& pose = shape.pose();
  const Vector side = sidesOf(shape);
  const auto n = latticeCounts(side, d, dim);
  Lattice l{{pose.position[0], pose.position[1], pose.position[2]}, {}, n};
  for (int i = 0; i < dim; i++) {
    const Vector axis = {pose.rotation[i], pose.rotation[3 + i], pose.rotation[6 + i]};
    l.step[i] = (side[i] / n[i]) * axis;
    l.origin = l.origin - (0.5 * (n[i] - 1)) * l.step[i];
  }
  return l;
}

// The domain's lattice, over the part of the domain that the shape's bounds reach.
Lattice latticeOfDomain(const Scene& scene, const SolidShape& shape) {
  const double d = scene.resolution.spacing;
  Lattice l{{0, 0, 0}, {}, {1, 1, 1}};
  for (int i = 0; i < scene.dimension; i++) {
    const double low = std::max(shape.low()[i], scene.domain.min[i]), high = std::min(shape.high()[i], scene.domain.max[i]);
    const double first = std::floor((low - scene.domain.min[i]) / d);
    l.count[i] = high > low ? whole(std::ceil((high - scene.domain.min[i]) / d) - first) : 0;
    l.origin[i] = scene.domain.min[i] + (first + 0.5) * d;
    l.step[i][i] = d;
  }
  return l;
}

bool outsideDomain(const Scene& scene, const Vector& x) {
  const double slack = 1e-9 * scene.resolution.spacing;
  for (int i = 0; i < scene.dimension; i++)
    if (x[i] < scene.domain.min[i] - slack || x[i] > scene.domain.max[i] + slack) return true;
  return false;
}

// Whether x is in the shape, or less than `off` [m] outside it. Baked distances decide all but the points near that surface.
bool isWithin(const SolidShape& s, const Vector& x, double off) {
  if (const Primitive<double>& p = s.primitive(); p.kind == Kind::mesh) {
    Vector y;
    s.pose().toBody(x.data(), y.data());
    const double phi = p.distance(y.data());
    if (std::abs(phi - off) > 2 * p.cell) return phi < off;
  }
  return s.distance(x) < off;
}

bool withinAny(const std::vector<SolidShape>& solids, const Vector& x, double off) {
  for (const SolidShape& s : solids) {
    bool apart = false;
    for (int i = 0; i < s.primitive().dimension; i++) apart = apart || x[i] < s.low()[i] - off || x[i] > s.high()[i] + off;
    if (!apart && isWithin(s, x, off)) return true;
  }
  return false;
}

/// Points of the shape drawn evenly: the same on every machine.
void scatter(const Scene& scene, const SolidShape& shape, int block, const std::vector<SolidShape>& solids, Filling& filling) {
  const Block& b = scene.fluid.blocks[block];
  const Vector low = upper(shape.low(), scene.domain.min), high = lower(shape.high(), scene.domain.max);
  std::mt19937 random(std::uint32_t(block + 1));
  const std::int64_t count = std::int64_t(b.particles), tries = 1000 * count;
  std::int64_t placed = 0;
  for (std::int64_t t = 0; t < tries && placed < count; t++) {
    Vector x = {0, 0, 0};
    for (int k = 0; k < scene.dimension; k++) x[k] = low[k] + (high[k] - low[k]) * (random() / 4294967296.0);
    if (!isWithin(shape, x, 0)) continue;
    if (!b.in_solids && withinAny(solids, x, 0)) {
      filling.insideSolids++;
      continue;
    }
    filling.points.push_back(x);
    placed++;
  }
  filling.block.resize(filling.points.size(), block);
}

}  // namespace

// The mass of so many points over that of a box of these sides.
static double massRatio(const std::array<int, 3>& n, const Vector& side, double d, int dim) {
  double ratio = 1;
  for (int i = 0; i < dim; i++) ratio *= n[i] * d / side[i];
  return ratio;
}

std::array<int, 3> latticeCounts(const Vector& side, double d, int dim) {
  std::array<int, 3> nearest = {1, 1, 1}, best;
  const auto massError = [&](const std::array<int, 3>& n) { return std::abs(massRatio(n, side, d, dim) - 1); };
  for (int i = 0; i < dim; i++) nearest[i] = std::max(1, whole(std::round(side[i] / d)));
  best = nearest;
  if (massError(best) <= 0.005) return best;
  for (int choice = 0; choice < 1 << dim; choice++) {
    std::array<int, 3> n = nearest;
    bool mild = true;
    for (int i = 0; i < dim; i++) {
      if (!(choice >> i & 1)) continue;
      n[i] += n[i] * d > side[i] ? -1 : 1;
      mild = mild && n[i] > 0 && std::abs(n[i] * d / side[i] - 1) < 0.03;
    }
    if (mild && massError(n) < massError(best) - 1e-12) best = n;
  }
  return best;
}

double latticeExcess(const SolidShape& box, double spacing, int dimension) {
  const Vector side = sidesOf(box);
  return massRatio(latticeCounts(side, spacing, dimension), side, spacing, dimension) - 1;
}

void fillLattice(const Scene& scene, const SolidShape& shape, int block, const std::vector<SolidShape>& solids,
                 Filling& filling) {
  // Fluid rests at d/2 from a surface. A particle on it has a third more than its density, and jumps off at 20 m/s in wcsph; a
  // grid does not mind.
  const SolverInfo* const solver = findSolver(scene.solver.name);
  const double d = scene.resolution.spacing, off = solver && solver->capabilities.grid ? -1e-6 * d : 0.4 * d;
  const bool isBox = shape.primitive().kind == Kind::box && !shape.primitive().insideOut;
  const bool inSolids = scene.fluid.blocks[block].in_solids;
  const Lattice l = isBox ? latticeOfBox(shape, d, scene.dimension) : latticeOfDomain(scene, shape);

  PointGrid earlier(d, filling.points.size());
  for (const Vector& x : filling.points) earlier.add(x);
  const bool alone = filling.points.empty();

  // Row by row: points do not depend on the threads, nor does their order.
  struct Row {
    std::vector<Vector> points;
    std::int64_t solid = 0, taken = 0;
  };
  const std::int64_t rows = std::int64_t(l.count[1]) * l.count[2];
  std::vector<Row> row(rows);
  tbb::parallel_for(std::int64_t(0), rows, [&](std::int64_t r) {
    for (int i = 0; i < l.count[0]; i++) {
      const Vector x = l.at(i, int(r % l.count[1]), int(r / l.count[1]));
      if (!isBox && !isWithin(shape, x, 0)) continue;
      if (outsideDomain(scene, x) || (!inSolids && withinAny(solids, x, off)))
        row[r].solid++;
      else if (!alone && earlier.anyWithin(x, 0.7 * d))
        row[r].taken++;
      else
        row[r].points.push_back(x);
    }
  });
  std::vector<std::size_t> begin(1, filling.points.size());
  for (const Row& r : row) {
    begin.push_back(begin.back() + r.points.size());
    filling.insideSolids += r.solid;
    filling.overlapping += r.taken;
  }
  filling.points.resize(begin.back());
  tbb::parallel_for(std::int64_t(0), rows, [&](std::int64_t r) {
    std::copy(row[r].points.begin(), row[r].points.end(), filling.points.begin() + std::ptrdiff_t(begin[r]));
    std::vector<Vector>().swap(row[r].points);
  });
  filling.block.resize(filling.points.size(), block);
}

Filling fillBlocks(const Scene& scene, const std::vector<SolidShape>& solids) {
  Filling filling;
  for (int i = 0; i < int(scene.fluid.blocks.size()); i++) {
    const SolidShape shape(scene, scene.fluid.blocks[i].shape, fmt::format("fluid.blocks[{}]", i));
    if (scene.fluid.blocks[i].particles > 0)
      scatter(scene, shape, i, solids, filling);
    else
      fillLattice(scene, shape, i, solids, filling);
  }
  return filling;
}

}  // namespace brim
