#include "scene/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "brim/estimate.h"
#include "scene/mesh.h"
#include "scene/shape.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr double mostParticles = 2e9, mostInALayer = 1e8, mostNodes = 2e7;

class Sizes {
 public:
  Sizes(const Scene& scene, Mistakes& mistakes) : s(scene), D(scene.dimension), mistakes_(mistakes) {}

  // A far corner by a slip of the pen would be sampled all the way.
  bool extent(const std::string& path, const Shape& shape) {
    if (shape.kind == "plane" || !trusts({path})) return true;
    double longest = 0;
    try {
      if (shape.kind == "mesh") {
        const auto file = std::filesystem::path(s.file).parent_path() / shape.file;
        const auto box = bounds(readSurface(file.string(), shape.scale, {0, 0, 0}, s.at(path + ".file")).points);
        for (int k = 0; k < D; ++k) longest = std::max(longest, box[1][k] - box[0][k]);
      } else {
        const SolidShape solid(s, shape, path);
        for (int k = 0; k < D; ++k) longest = std::max(longest, solid.bodyHigh()[k] - solid.bodyLow()[k]);
      }
    } catch (const SceneError& broken) {
      for (const Mistake& m : broken.mistakes()) mistakes_.add(path, m.at, m.what);
      return false;
    }
    const double n = longest / s.resolution.spacing;
    if (n <= mostSpacings) return true;
    add(path, fmt::format("the solid is {:.3g} m long, {:.3g} spacings; at most {:g} can be sampled", longest, n, mostSpacings));
    return false;
  }

  // Openings let in layer after layer, and every particle has a number of its own.
  bool emitter(const std::string& path, const Emitter& e) {
    const double d = s.resolution.spacing;
    const double layer = (e.kind == "disc" ? M_PI * e.radius * e.radius
                          : D == 2         ? e.width
                                           : e.width * e.height) /
                         std::pow(d, D - 1);
    const double time = std::max(0.0, std::min(e.until, s.time.until) - e.start),
                 all = std::min(e.count, layer * e.speed * time / d);
    if (layer > mostInALayer)
      add(path, fmt::format("a layer of this emitter has {:.3g} particles; at most {:g} can be", layer, mostInALayer));
    else if (all > mostParticles)
      add(path, fmt::format("the emitter lets in {:.3g} particles until {:g} s; at most {:g} can be", all, s.time.until,
                            mostParticles));
    else
      return true;
    return false;
  }

  bool sheet(const std::string& path, double lengths, double area, double cell) {
    if (lengths / cell <= mostSpacings && area / (cell * cell) <= mostNodes) return true;
    add(path, fmt::format("cells of {:g} m make {:.3g} nodes; at most {:g} can be", cell,
                          std::max(lengths / cell, area / (cell * cell)), mostNodes));
    return false;
  }

  // What grows with a size of its own and not with the domain's.
  bool others() {
    const double d = s.resolution.spacing;
    bool small = true;
    for (std::size_t i = 0; i < s.fluid.emitters.size(); ++i)
      small = emitter(fmt::format("fluid.emitters[{}]", i), s.fluid.emitters[i]) && small;
    for (std::size_t i = 0; i < s.cloth.size() && trusts({"cloth"}); ++i) {
      const Cloth& c = s.cloth[i];
      const double cell = c.cell > 0 ? c.cell : d;
      for (const double step : {cell, d})  // of nodes and of samples
        if (c.kind == "rope")
          small = sheet(fmt::format("cloth[{}]", i), length(c.to - c.from), 0, step) && small;
        else if (c.kind == "rectangle")
          small = sheet(fmt::format("cloth[{}]", i), std::max(length(c.along), length(c.across)),
                        length(c.along) * length(c.across), step) &&
                  small;
    }
    for (std::size_t i = 0; i < s.soft.size() && trusts({"soft"}); ++i) {
      const std::string path = fmt::format("soft[{}]", i);
      if (!extent(path, s.soft[i].shape) || s.soft[i].shape.kind == "mesh") continue;
      const SolidShape solid(s, s.soft[i].shape, path);
      const Vector size = solid.bodyHigh() - solid.bodyLow();
      const double cell = s.soft[i].cell > 0 ? s.soft[i].cell : 2 * d;
      const double nodes = size[0] * size[1] * (D == 3 ? size[2] : 1) / std::pow(cell, D);
      if (nodes <= mostNodes) continue;
      add(path, fmt::format("cells of {:g} m make {:.3g} nodes; at most {:g} can be", cell, nodes, mostNodes));
      small = false;
    }
    for (std::size_t i = 0; i < s.gauges.size() && trusts({"gauges"}); ++i)
      if (const double n = length(s.gauges[i].to - s.gauges[i].from) / d; s.gauges[i].kind == "level" && n > mostSpacings) {
        add(fmt::format("gauges[{}].to", i),
            fmt::format("the line of the level is {:.3g} spacings long; at most {:g} can be", n, mostSpacings));
        small = false;
      }
    return small;
  }

  // A scene that cannot fit is told here, with a spacing that would, and not by the system when memory runs out.
  void run() {
    if (!trusts({"domain", "resolution", "fluid", "solids", "bodies", "time", "output"})) return;
    if (const double frames = s.time.until * s.output.frames_per_second; frames > 1e9)
      add("output.frames_per_second",
          fmt::format("{:.3g} frames until {:g} s are more than a folder holds (1e9)", frames, s.time.until));
    bool small = true;
    for (std::size_t i = 0; i < s.solids.size(); ++i) small = extent(fmt::format("solids[{}]", i), s.solids[i].shape) && small;
    for (std::size_t i = 0; i < s.bodies.size(); ++i) small = extent(fmt::format("bodies[{}]", i), s.bodies[i].shape) && small;
    if (!others() || !small) return;
    Estimate e;
    try {
      e = estimate(s);
    } catch (const SceneError& broken) {
      for (const Mistake& m : broken.mistakes()) mistakes_.add("fluid", m.at, m.what);
      return;
    }
    const double memory = physicalMemory(), most = mostParticles;
    const auto fits = [&](const Estimate& x) { return x.particles <= most && x.samples <= most && x.bytes <= memory; };
    if (fits(e)) {
      for (int k = 0; k < D; ++k)
        if (const double n = (s.domain.max[k] - s.domain.min[k]) / s.resolution.spacing; n > mostSpacings)
          return add("domain.max", fmt::format("the domain is {:.3g} spacings long; at most {:g} can be", n, mostSpacings));
      return;
    }
    double d = s.resolution.spacing;
    Estimate coarse = e;
    for (int k = 0; k < 10000 && !fits(coarse); ++k) refine(s, d *= 1.02, coarse);
    const double digit = std::pow(10, std::floor(std::log10(d)) - 1);
    add("resolution.spacing",
        fmt::format(
            "the scene asks for {:.3g} particles and {:.3g} boundary samples, about {:.3g} GB; this machine has {:.3g} GB: a "
            "spacing of {:.2g} m would fit",
            e.particles, e.samples, e.bytes / 1e9, memory / 1e9, std::ceil(d / digit) * digit));
  }

 private:
  bool trusts(std::initializer_list<std::string> paths) const {
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& p) { return mistakes_.trusts(p); });
  }
  void add(const std::string& path, const std::string& what) { mistakes_.add(path, s.at(path), what); }

  const Scene& s;
  const int D;
  Mistakes& mistakes_;
};

}  // namespace

void checkSizes(const Scene& scene, Mistakes& mistakes) { Sizes(scene, mistakes).run(); }

}  // namespace brim
