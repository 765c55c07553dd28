#include "render/froth.h"

#include <cmath>

#include "render/backdrop.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

/// A spot in the picture: a Gaussian, drawn out along its motion.
struct Spot {
  float x, y;    // [px]
  float dx, dy;  // [px] half of its way while the shutter is open
  float sigma;   // [px]
  float peak;    // of the optical depth
  float depth;   // [m]
  Colour colour;
  Extent extent;
};

constexpr Colour white = {0.975f, 0.985f, 0.99f}, deep = {0.10f, 0.42f, 0.58f};

Spot spotOf(const Drop& drop, const Shot& shot) {
  Spot s = {};
  s.extent = {0, -1, 0, -1};
  const Vector x = {drop.middle[0], drop.middle[1], drop.middle[2]};
  const Projected p = shot.camera.project(x);
  if (shot.camera.perspective() && !(p.depth > 0)) return s;
  s.x = float(p.x), s.y = float(p.y), s.depth = float(p.depth);
  const float size = float(drop.radius * shot.camera.scale(p.depth)) * 0.6f, lens = 0.6f * shot.blur(s.depth);
  if (shot.shutter > 0) {
    const auto way = shot.motion(x, {drop.velocity[0], drop.velocity[1], drop.velocity[2]});
    s.dx = way[0] / 2, s.dy = way[1] / 2;
  }
  const float length = std::sqrt(s.dx * s.dx + s.dy * s.dy);
  // Half a pixel of the picture itself: what is smaller grows fainter and not smaller.
  s.sigma = std::sqrt(size * size + lens * lens + 0.25f);
  const float area = 6.2832f * s.sigma * s.sigma + 2 * length * 2.5066f * s.sigma;
  s.peak = drop.thickness * 6.2832f * size * size / area;
  const float reach = 2.6f * s.sigma;
  s.extent = {toSample(std::floor(s.x - std::abs(s.dx) - reach)), toSample(std::ceil(s.x + std::abs(s.dx) + reach)),
              toSample(std::floor(s.y - std::abs(s.dy) - reach)), toSample(std::ceil(s.y + std::abs(s.dy) + reach))};
  return s;
}

}  // namespace

void drawFroth(Image& image, const Layers& layers, const Shot& shot, const Stage& stage) {
  if (stage.froth.empty()) return;
  const Canvas canvas(image.width, image.height, shot.camera, 1);
  std::vector<Spot> spots(stage.froth.size());
  tbb::parallel_for(std::size_t(0), spots.size(), [&](std::size_t k) { spots[k] = spotOf(stage.froth[k], shot); });
  const float d = float(stage.spacing), size = float(length(stage.high - stage.low));
  const bool flat = stage.dimension == 2;
  struct Veil {
    float depth = 0;  // optical
    float colour[3] = {0, 0, 0};
  };
  std::vector<Veil> veil(layers.solid.size());
  drawInTiles(
      canvas, int(spots.size()), [&](int i) { return spots[std::size_t(i)].extent; },
      [&](int i, const Extent& e) {
        const Spot& s = spots[std::size_t(i)];
        const Drop& drop = stage.froth[std::size_t(i)];
        const float l2 = s.dx * s.dx + s.dy * s.dy, falloff = -0.5f / (s.sigma * s.sigma);
        for (int y = e.y0; y <= e.y1; ++y)
          for (int x = e.x0; x <= e.x1; ++x) {
            const auto at = layers.at(x, y);
            float seen = 1, clear = 1;
            if (!flat) {
              if (!(s.depth < layers.solid[at] + d)) continue;
              // Foam lies in the surface, which is smoothed: it counts as in front for a spacing and a half. Below, water hides
              // it.
              const float below = s.depth - layers.water[at] - 1.5f * d;
              if (below > 0) {
                clear = std::exp(-7 * below / size);
                seen = drop.kind == Drop::bubble ? clear : std::exp(-below / d);
                if (seen < 0.01f) continue;
              }
            }
            const float px = float(x) + 0.5f - s.x, py = float(y) + 0.5f - s.y;
            const float t = l2 > 0 ? std::clamp((px * s.dx + py * s.dy) / l2, -1.f, 1.f) : 0;
            const float qx = px - t * s.dx, qy = py - t * s.dy, q = falloff * (qx * qx + qy * qy);
            if (q < -3.4f) continue;
            const float tau = seen * s.peak * std::exp(q);
            Veil& v = veil[at];
            v.depth += tau;
            for (std::size_t c = 0; c < 3; ++c) v.colour[c] += tau * drop.tone * (clear * white[c] + (1 - clear) * deep[c]);
          }
      });
  tbb::parallel_for(0, image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x) {
      const Veil& v = veil[layers.at(x, y)];
      if (!(v.depth > 1e-3f)) continue;
      const float cover = 1 - std::exp(-v.depth);
      auto* pixel = image.at(x, y);
      for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = std::uint8_t(std::lround(pixel[c] + cover * (255 * std::min(1.f, v.colour[c] / v.depth) - pixel[c])));
    }
  });
}

}  // namespace brim
