#include "scene/walls.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/whole.h"
#include "scene/declare.h"
#include "scene/shell.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// Coordinates along one axis, each with the width it stands for. A point of the tensor lattice is a sample if it is in a layer
// along any axis.
struct Tick {
  double at, width;  // [m]
  bool layer;
};
using Ticks = std::vector<Tick>;

// The fluid's lattice between two walls, evenly stretched: round(side / d) cells.
Ticks between(double low, double high, double d) {
  const int n = std::max(1, whole(std::round((high - low) / d)));
  const double s = (high - low) / n;
  Ticks t;
  for (int i = 0; i < n; i++) t.push_back({low + (i + 0.5) * s, s, false});
  return t;
}

// Layers of wall outside an interval, exactly (k + 1/2) d from its ends.
Ticks around(double low, double high, double d, int layers) {
  Ticks t = between(low, high, d);
  for (int k = 0; k < layers; k++) {
    t.insert(t.begin(), {low - (k + 0.5) * d, d, true});
    t.push_back({high + (k + 0.5) * d, d, true});
  }
  return t;
}

// Layers inside a solid of this half thickness, exactly (k + 1/2) d below its faces, and even steps of at most d in its core.
// Widths add up to the thickness. Where the solid is too thin there are fewer layers, at last one in its middle.
Ticks inset(double half, double d, int layers) {
  const double side = 2 * half;
  const int l = std::min(layers, whole(std::floor((side / d + 1 + 1e-9) / 2)));
  if (l == 0) return {{0, side, true}};
  const double core = std::max(0.0, side - (2 * l - 1) * d);  // between the innermost layers of both faces
  if (core < 1e-9 * d) {                                      // they are the same
    Ticks t;
    for (int k = 1 - l; k < l; k++) t.push_back({k * d, d, true});
    return t;
  }
  const int n = whole(std::ceil(core / d - 1e-9));
  const double s = core / n;
  Ticks t;
  for (int k = 0; k < l; k++) t.push_back({-half + (k + 0.5) * d, k == l - 1 ? (d + s) / 2 : d, true});
  for (int i = 1; i < n; i++) t.push_back({-core / 2 + i * s, s, false});
  for (int k = l - 1; k >= 0; k--) t.push_back({half - (k + 0.5) * d, k == l - 1 ? (d + s) / 2 : d, true});
  return t;
}

void keepWithin(Ticks& t, double low, double high) {
  std::erase_if(t, [&](const Tick& a) { return a.at < low || a.at > high; });
}

void addLattice(const std::array<Ticks, 3>& axis, Shell& out) {
  Ticks onlyLayers;
  std::copy_if(axis[0].begin(), axis[0].end(), std::back_inserter(onlyLayers), [](const Tick& t) { return t.layer; });
  for (const Tick& c : axis[2])
    for (const Tick& b : axis[1])
      for (const Tick& a : b.layer || c.layer ? axis[0] : onlyLayers) {
        out.position.push_back({a.at, b.at, c.at});
        out.volume.push_back(a.width * b.width * c.width);
      }
}

class Sampler {
 public:
  Sampler(const Scene& scene, const std::vector<SolidShape>& shapes, const std::function<double(double)>& W)
      : scene_(scene),
        shapes_(shapes),
        W_(W),
        dim_(scene.dimension),
        layers_(wallLayers(supportOf(scene))),
        d_(scene.resolution.spacing),
        support_(supportOf(scene) * d_) {}

  WallSamples run() {
    addDomain();
    const double calibration = wallCalibration(dim_, d_, supportOf(scene_), W_);
    for (int i = 0; i < int(shapes_.size()); i++) addSolid(i, calibration);
    return std::move(out_);
  }

 private:
  const Scene& scene_;
  const std::vector<SolidShape>& shapes_;
  const std::function<double(double)>& W_;
  const int dim_, layers_;
  const double d_, support_;  // [m]
  WallSamples out_;

  bool walled(int axis) const { return scene_.domain.boundary[axis] == "walls"; }
  bool periodic(int axis) const { return scene_.domain.boundary[axis] == "periodic"; }
  bool rests(int solid) const {
    const int solids = int(scene_.solids.size());
    return solid < solids ? !scene_.solids[solid].motion.moves() : scene_.bodies[solid - solids].held;
  }

  void addDomain() {
    std::array<Ticks, 3> axis;
    axis[2] = {{0, 1, false}};
    for (int i = 0; i < dim_; i++) {
      const double low = scene_.domain.min[i], high = scene_.domain.max[i];
      axis[i] = walled(i) ? around(low, high, d_, layers_) : between(low, high, d_);
    }
    Shell walls;
    addLattice(axis, walls);
    append(walls, -1);
  }

  void addSolid(int i, double calibration) {
    const SolidShape& s = shapes_[i];
    // A solid that rests is sampled only where fluid can be; in its own frame that is a box around the turned domain.
    Vector low = {-1e300, -1e300, -1e300}, high = -low;
    if (rests(i) || s.primitive().kind == Kind::plane) domainIn(s, low, high);
    Shell shell;
    if (s.primitive().kind == Kind::box)
      shell = boxShell(s, low, high);
    else if (s.primitive().kind == Kind::plane)
      shell = planeShell(s, low, high);
    else
      shell = sampleShell(s, {d_, layers_, support_, calibration, W_, low, high});
    append(shell, i);
  }

  void domainIn(const SolidShape& s, Vector& low, Vector& high) const {
    const Vector half = 0.5 * (scene_.domain.max - scene_.domain.min) + Vector{support_, support_, support_};
    const Vector middle = 0.5 * (scene_.domain.min + scene_.domain.max);
    Vector c;
    s.pose().toBody(middle.data(), c.data());
    for (int i = 0; i < 3; i++) {
      double reach = 0;
      for (int j = 0; j < dim_; j++) reach += std::abs(s.pose().rotation[3 * j + i]) * half[j];
      low[i] = c[i] - reach - d_;
      high[i] = c[i] + reach + d_;
    }
  }

  Shell boxShell(const SolidShape& s, const Vector& low, const Vector& high) const {
    std::array<Ticks, 3> axis;
    axis[2] = {{0, 1, false}};
    for (int i = 0; i < dim_; i++) {
      const double half = s.primitive().size[i];
      axis[i] = s.primitive().insideOut ? around(-half, half, d_, layers_) : inset(half, d_, layers_);
      keepWithin(axis[i], low[i], high[i]);
    }
    Shell shell;
    addLattice(axis, shell);
    return shell;
  }

  // Along a side that runs with an axis of the scene, the plane continues the domain's lattice (and fills a period exactly).
  Ticks planeTicks(const SolidShape& s, int side, double low, double high) const {
    const Pose<double>& pose = s.pose();
    for (int a = 0; a < dim_; a++) {
      const double along = pose.rotation[3 * a + side];
      if (std::abs(along) < 1 - 1e-9) continue;
      Ticks t = between(scene_.domain.min[a], scene_.domain.max[a], d_);
      const double step = t[0].width;
      for (int k = 0; !periodic(a) && k * step < support_; k++) {
        t.insert(t.begin(), {t.front().at - step, step, false});
        t.push_back({t.back().at + step, step, false});
      }
      for (Tick& tick : t) tick.at = along * (tick.at - pose.position[a]);
      return t;
    }
    Ticks t;
    for (long k = std::lround(low / d_); k * d_ <= high; k++) t.push_back({(double(k) + 0.5) * d_, d_, false});
    return t;
  }

  Shell planeShell(const SolidShape& s, const Vector& low, const Vector& high) const {
    std::array<Ticks, 3> axis;
    axis[0] = planeTicks(s, 0, low[0], high[0]);
    for (int k = 0; k < layers_; k++) axis[1].push_back({(s.primitive().insideOut ? 1 : -1) * (k + 0.5) * d_, d_, true});
    axis[2] = dim_ == 3 ? planeTicks(s, 2, low[2], high[2]) : Ticks{{0, 1, false}};
    Shell shell;
    addLattice(axis, shell);
    return shell;
  }

  // Distance to the walls of the domain as one solid; a point outside is inside it.
  double wallDistance(const Vector& x) const {
    double phi = 1e300;
    for (int i = 0; i < dim_; i++)
      if (walled(i)) phi = std::min({phi, x[i] - scene_.domain.min[i], scene_.domain.max[i] - x[i]});
    return phi;
  }

  // How much of a sample's volume counts, where solids overlap: space belongs to the first that claims it (the domain's walls
  // come first), so that nothing is counted twice. Samples that no fluid can feel count nothing. Only what rests is compared.
  double share(const Vector& x, int owner) const {
    for (int i = 0; i < dim_; i++) {
      if (x[i] < scene_.domain.min[i] - support_ || x[i] > scene_.domain.max[i] + support_) return 0;
      // A plane has no end of its own; the domain's period ends it.
      const bool once = owner >= 0 && shapes_[owner].primitive().kind == Kind::plane && periodic(i);
      if (once && (x[i] < scene_.domain.min[i] || x[i] >= scene_.domain.max[i])) return 0;
    }
    double part = 1;
    const auto claim = [&](double phi) { part *= std::clamp(0.5 + phi / d_, 0.0, 1.0); };
    if (owner >= 0) claim(wallDistance(x));
    for (int i = 0; i < int(shapes_.size()) && part > 0; i++) {
      if (i == owner || !rests(i)) continue;
      const SolidShape& s = shapes_[i];
      bool apart = false;
      for (int k = 0; k < dim_; k++) apart = apart || x[k] < s.low()[k] - d_ || x[k] > s.high()[k] + d_;
      if (apart) continue;
      const double phi = s.distance(x);
      if (phi < -support_) return 0;
      if (i < owner) claim(phi);
    }
    return part;
  }

  void append(const Shell& shell, int owner) {
    for (std::size_t j = 0; j < shell.position.size(); j++) {
      Vector x = shell.position[j];
      if (owner >= 0) shapes_[owner].pose().toWorld(x.data(), x.data());
      const double part = owner < 0 || rests(owner) ? share(x, owner) : 1;
      const double volume = part * shell.volume[j];
      if (volume <= 1e-6 * std::pow(d_, dim_)) continue;
      out_.position.push_back(shell.position[j]);
      out_.volume.push_back(volume);
      out_.solid.push_back(owner);
    }
  }
};

}  // namespace

double drawnSpacing(const Scene& scene) {
  const SolverInfo* const solver = findSolver(scene.solver.name);
  double d = scene.resolution.spacing;
  for (int k = 0; k < scene.dimension && solver && solver->capabilities.grid; k++)
    d = std::max(d, (scene.domain.max[k] - scene.domain.min[k]) / 400);
  return d;
}

int wallLayers(double support) { return std::max(1, whole(std::ceil(support - 1e-9)) - 1); }

double wallCalibration(int dimension, double d, double support, const std::function<double(double)>& W) {
  const double h = support * d;
  const int n = whole(std::ceil(support));
  double lattice = 0, planes = 0;
  for (int k = 1; k <= wallLayers(support); k++) {
    const double z = k * d;
    for (int i = -n; i <= n; i++)
      for (int j = dimension == 3 ? -n : 0; j <= (dimension == 3 ? n : 0); j++) {
        const double r = std::sqrt(z * z + (i * i + j * j) * d * d);
        if (r < h) lattice += std::pow(d, dimension) * W(r);
      }
    // The plane's integral: 2 pi W r dr from z to h in 3D; in 2D along the line, both ways.
    const int steps = 2000;
    const double far = dimension == 3 ? h : std::sqrt(std::max(0.0, h * h - z * z)), from = dimension == 3 ? z : 0;
    if (far <= from) continue;
    for (int i = 0; i < steps; i++) {
      const double s = from + (i + 0.5) * (far - from) / steps, ds = (far - from) / steps;
      planes += d * ds * (dimension == 3 ? 2 * std::numbers::pi * s * W(s) : 2 * W(std::sqrt(z * z + s * s)));
    }
  }
  return planes > 0 ? lattice / planes : 1;
}

WallSamples sampleWalls(const Scene& scene, const std::vector<SolidShape>& shapes, const std::function<double(double)>& W) {
  return Sampler(scene, shapes, W).run();
}

}  // namespace brim
