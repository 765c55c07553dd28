#include "scene/shell.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "scene/sampling.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// Samples of one layer keep this distance, in spacings: at 0.8 a wall's share of the density varies by
// 0.3 % of rho0 (standard deviation, spheres of 5 and 10 d), at 0.9 by 0.5 %; 0.7 needs a third more samples. On curves they come
// evenly spaced and only crowding is removed.
double diskRadius(int dimension) { return dimension == 3 ? 0.8 : 0.6; }
// Grains a spacing: a layer of the solid is represented by small volumes, the grains, that its samples share out.
constexpr int grainsPerSpacing = 3;

struct Grain {
  Vector x;  // [m] moved to the depth of its layer
  double v;  // [m^dimension]
};

struct Level {
  double from, to, at;  // [m] grains with distances in [from, to] are moved to the distance `at`
};

// Follows the gradient to the place where the distance is `at`, or as near to it as the solid's thickness allows.
Vector moveTo(const Primitive<double>& p, Vector x, double at, double d) {
  Vector best = x;
  double least = 1e300;
  for (int i = 0; i < 6; i++) {
    const double off = p.distance(x.data()) - at;
    if (std::abs(off) < least) least = std::abs(off), best = x;
    if (std::abs(off) < 1e-4 * d) break;
    Vector n;
    p.normal(x.data(), 0.02 * d, n.data());
    if (dot(n, n) == 0) break;
    x = x - off * n;
  }
  return best;
}

// Cells of side e whose centres lie in the level, by blocks, so that most of the space is passed by with one look.
std::vector<Grain> grains(const Primitive<double>& p, const Vector& low, const Vector& high, const Level& level, double d,
                          int fineness) {
  constexpr int side = 8;
  const double e = d / fineness;
  const int dim = p.dimension;
  std::array<long, 3> blocks = {1, 1, 1};
  for (int i = 0; i < dim; i++) blocks[i] = std::max(1L, long(std::ceil((high[i] - low[i]) / (side * e))));
  const auto corner = [&](long b) {
    return Vector{low[0] + double(b % blocks[0]) * side * e, low[1] + double(b / blocks[0] % blocks[1]) * side * e,
                  dim == 3 ? low[2] + double(b / blocks[0] / blocks[1]) * side * e : 0};
  };
  std::vector<long> wanted;
  const double half = 0.5 * side * e, reach = std::sqrt(double(dim)) * half + e;
  for (long b = 0; b < blocks[0] * blocks[1] * blocks[2]; b++) {
    const Vector c = corner(b) + Vector{half, half, dim == 3 ? half : 0};
    const double phi = p.distance(c.data());
    if (phi > level.from - reach && phi < level.to + reach) wanted.push_back(b);
  }

  std::vector<std::vector<Grain>> found(wanted.size());
  tbb::parallel_for(std::size_t(0), wanted.size(), [&](std::size_t b) {
    const Vector c = corner(wanted[b]);
    for (int k = 0; k < (dim == 3 ? side : 1); k++)
      for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
          const Vector x = c + Vector{(i + 0.5) * e, (j + 0.5) * e, dim == 3 ? (k + 0.5) * e : 0};
          const double phi = p.distance(x.data());
          // The part of the cell between the two surfaces, as if they were flat and parallel to its sides.
          const double part =
              std::clamp((level.to - phi) / e + 0.5, 0.0, 1.0) - std::clamp((level.from - phi) / e + 0.5, 0.0, 1.0);
          if (part > 0) found[b].push_back({moveTo(p, x, level.at, d), part * std::pow(e, dim)});
        }
  });
  std::vector<Grain> all;
  for (const auto& f : found) all.insert(all.end(), f.begin(), f.end());
  return all;
}

// The grains of each cell of this side as one, at their middle. A fifth as many, they are enough to say what a point outside
// sees, but too few to share out: with them the density varies twice as much.
std::vector<Grain> gathered(const std::vector<Grain>& grain, double side) {
  std::unordered_map<std::uint64_t, std::size_t> index;
  std::vector<Grain> sum;
  for (const Grain& g : grain) {
    std::uint64_t key = 0;
    for (int i = 0; i < 3; i++) key = key << 21 | (std::uint64_t(std::llround(std::floor(g.x[i] / side)) + (1 << 20)) & 0x1fffff);
    const auto [it, fresh] = index.try_emplace(key, sum.size());
    if (fresh) sum.push_back({{0, 0, 0}, 0});
    Grain& s = sum[it->second];
    s = {s.x + g.v * g.x, s.v + g.v};
  }
  for (Grain& s : sum) s.x = (1 / s.v) * s.x;
  return sum;
}

Mesh partWithin(const Mesh& m, const Vector& low, const Vector& high) {
  Mesh part;
  part.points = m.points;
  for (const auto& t : m.triangles) {
    const auto [a, b] = bounds({m.points[t[0]], m.points[t[1]], m.points[t[2]]});
    bool apart = false;
    for (int i = 0; i < 3; i++) apart = apart || a[i] > high[i] || b[i] < low[i];
    if (!apart) part.triangles.push_back(t);
  }
  return part;
}

std::vector<Vector> surfaceSamples(const SolidShape& shape, const ShellNeeds& needs, int layer) {
  const Primitive<double>& p = shape.primitive();
  const double d = needs.spacing;
  if (p.dimension == 2) return sampleCurve(outline(p, d / 8), d);
  if (const Mesh* m = shape.mesh())
    return samplePoissonDisk(partWithin(*m, needs.low, needs.high), diskRadius(p.dimension) * d, 1 + layer);
  const double edge = std::max(d / 2, length(shape.bodyHigh()) / 256);  // the distance field corrects what is coarse
  return samplePoissonDisk(partWithin(triangulate(p, edge), needs.low, needs.high), diskRadius(p.dimension) * d, 1 + layer);
}

// Surface samples come first. Where the layer is narrower than the surface they crowd, and some are left out; where it is
// wider (an inner edge) gaps open, and grains in random order fill them.
PointGrid chooseSamples(const SolidShape& shape, const ShellNeeds& needs, const std::vector<Grain>& grain, int layer) {
  const double d = needs.spacing, r = diskRadius(shape.primitive().dimension) * d;
  PointGrid chosen(d);
  for (const Vector& s : surfaceSamples(shape, needs, layer)) {
    bool inside = true;
    for (int i = 0; i < shape.primitive().dimension; i++) inside = inside && s[i] >= needs.low[i] && s[i] <= needs.high[i];
    if (inside) chosen.addIfFree(moveTo(shape.primitive(), s, -(layer + 0.5) * d, d), r);
  }
  std::vector<int> order(grain.size());
  Random random(101 + layer);
  for (std::size_t i = 0; i < order.size(); i++) {
    const std::size_t j = random.below(i + 1);
    order[i] = order[j];
    order[j] = int(i);
  }
  for (const int i : order) chosen.addIfFree(grain[i].x, r);
  return chosen;
}

// Every grain goes to its nearest sample; returns the grains' volumes there, and moves samples to the middle of their grains
// (Lloyd) where `smooth` asks for it.
std::vector<double> shareOut(const Primitive<double>& p, double depth, double d, const std::vector<Grain>& grain,
                             std::vector<Vector>& sample, bool smooth) {
  PointGrid grid(1.2 * d, sample.size());
  for (const Vector& s : sample) grid.add(s);
  std::vector<int> owner(grain.size());
  tbb::parallel_for(std::size_t(0), grain.size(), [&](std::size_t i) { owner[i] = grid.nearest(grain[i].x); });
  std::vector<double> volume(sample.size(), 0.0);
  std::vector<Vector> middle(sample.size(), {0, 0, 0});
  for (std::size_t i = 0; i < grain.size(); i++)
    if (const int j = owner[i]; j >= 0) volume[j] += grain[i].v, middle[j] = middle[j] + grain[i].v * grain[i].x;
  if (smooth)
    tbb::parallel_for(std::size_t(0), sample.size(), [&](std::size_t j) {
      if (volume[j] > 0) sample[j] = moveTo(p, (1 / volume[j]) * middle[j], -depth, d);
    });
  return volume;
}

struct Pull {
  int j;
  double w;
};

// V_j <- V_j (sum_m W_mj T_m / S_m) / (sum_m W_mj), where S_m = sum_j W_mj V_j is what the point m outside the surface sees of
// the samples and T_m what it sees of the grains. Keeps volumes positive; a few rounds remove most of the difference.
void correctVolumes(const std::vector<Vector>& outside, const std::vector<Grain>& grain, const ShellNeeds& needs, Shell& shell) {
  PointGrid grains(needs.support, grain.size()), samples(needs.support, shell.position.size());
  for (const Grain& g : grain) grains.add(g.x);
  for (const Vector& s : shell.position) samples.add(s);
  std::vector<double> target(outside.size(), 0.0);
  std::vector<std::vector<Pull>> pull(outside.size());
  tbb::parallel_for(std::size_t(0), outside.size(), [&](std::size_t m) {
    grains.visitWithin(outside[m], needs.support, [&](int j, double r2) {
      target[m] += needs.calibration * grain[j].v * needs.W(std::sqrt(r2));
      return false;
    });
    samples.visitWithin(outside[m], needs.support, [&](int j, double r2) {
      pull[m].push_back({j, needs.W(std::sqrt(r2))});
      return false;
    });
  });
  std::vector<double> up(shell.volume.size()), down(shell.volume.size());
  for (int round = 0; round < 20; round++) {
    std::fill(up.begin(), up.end(), 0.0);
    std::fill(down.begin(), down.end(), 0.0);
    for (std::size_t m = 0; m < outside.size(); m++) {
      double seen = 0;
      for (const Pull& a : pull[m]) seen += a.w * shell.volume[a.j];
      if (seen <= 0) continue;
      for (const Pull& a : pull[m]) up[a.j] += a.w * target[m] / seen, down[a.j] += a.w;
    }
    for (std::size_t j = 0; j < shell.volume.size(); j++)
      if (down[j] > 0) shell.volume[j] *= up[j] / down[j];
  }
}

}  // namespace

Shell sampleShell(const SolidShape& shape, const ShellNeeds& needs) {
  const Primitive<double>& p = shape.primitive();
  const double d = needs.spacing, reach = (needs.layers + 1) * d;
  Vector low, high;
  for (int i = 0; i < 3; i++) {
    low[i] = std::max(needs.low[i], shape.bodyLow()[i] - reach);
    high[i] = std::min(needs.high[i], shape.bodyHigh()[i] + reach);
  }
  Shell shell;
  for (int i = 0; i < p.dimension; i++)
    if (low[i] >= high[i]) return shell;

  std::vector<Grain> all;
  for (int k = 0; k < needs.layers; k++) {
    const double depth = (k + 0.5) * d;
    const auto grain = grains(p, low, high, {-(k + 1) * d, -k * d, -depth}, d, grainsPerSpacing);
    auto sample = chooseSamples(shape, needs, grain, k).points();
    for (int round = 0; round < 4; round++) shareOut(p, depth, d, grain, sample, true);
    const auto volume = shareOut(p, depth, d, grain, sample, false);
    for (std::size_t j = 0; j < sample.size(); j++) {
      if (volume[j] <= 0) continue;
      shell.position.push_back(sample[j]);
      shell.volume.push_back(needs.calibration * volume[j]);
    }
    for (const Grain& g : gathered(grain, d / 2)) all.push_back({moveTo(p, g.x, -depth, d), g.v});
  }

  PointGrid outside(d);
  for (const Grain& g : grains(p, low, high, {0, d, 0.5 * d}, d, 2)) outside.addIfFree(g.x, 0.45 * d);
  correctVolumes(outside.points(), all, needs, shell);
  return shell;
}

}  // namespace brim
