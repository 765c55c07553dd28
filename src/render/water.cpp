// Screen-space water (van der Laan, Green & Sainz 2009): the particles' near sides as a picture of depths, smoothed; normals from
// it; and how much liquid lies behind. Smoothed by a filter with a narrow range of depths (Truong & Yuksel 2018), which keeps
// edges between water and water behind it where a Gaussian would melt them.
#include "math/whole.h"
#include "render/backdrop.h"
#include "render/picture.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr Colour edgeColour = {0.50f, 0.53f, 0.57f};

/// One number a pixel.
struct Plane {
  int width, height;
  std::vector<float> value;
  Plane(int w, int h, float fill) : width(w), height(h), value(std::size_t(w) * h, fill) {}
  float& at(int x, int y) { return value[std::size_t(y) * width + x]; }
  float at(int x, int y) const { return value[std::size_t(y) * width + x]; }
};

// One direction of the filter; `reach` [m] in the scene, so that water far away is smoothed over fewer pixels. Lone drops stay
// round.
Plane smoothed(const Plane& depth, const Plane& drops, bool alongX, float reach, float zoom) {
  constexpr int most = 28;
  Plane out = depth;
  tbb::parallel_for(0, depth.height, [&](int y) {
    for (int x = 0; x < depth.width; ++x) {
      const float here = depth.at(x, y);
      if (!(here < infinite) || drops.at(x, y) > 0) continue;
      const int radius = std::clamp(whole(std::round(reach * zoom / here)), 1, most);
      const float range = 1.5f * reach, falloff = -2.f / float(radius * radius);
      const int n = alongX ? depth.width : depth.height, at = alongX ? x : y;
      float sum = here, weight = 1;
      for (int k = 1; k <= radius; ++k) {
        const float w = std::exp(falloff * float(k * k));
        for (const int side : {at - k, at + k}) {
          if (side < 0 || side >= n) continue;
          const float there = alongX ? depth.at(side, y) : depth.at(x, side);
          // What is nearer is other water and does not count; what is farther pulls no more than its range.
          if (there < here - range || !(there < infinite)) continue;
          sum += w * std::min(there, here + range), weight += w;
        }
      }
      out.at(x, y) = sum / weight;
    }
  });
  return out;
}

Plane blurred(const Plane& p, int radius) {
  Plane out = p;
  for (const bool alongX : {true, false}) {
    const Plane from = out;
    const int lines = alongX ? p.height : p.width, n = alongX ? p.width : p.height;
    tbb::parallel_for(0, lines, [&](int l) {
      float sum = 0;
      const auto read = [&](int k) { return k < 0 || k >= n ? 0.f : alongX ? from.at(k, l) : from.at(l, k); };
      for (int k = -radius; k < radius; ++k) sum += read(k);
      for (int k = 0; k < n; ++k) {
        sum += read(k + radius);
        (alongX ? out.at(k, l) : out.at(l, k)) = sum / float(2 * radius + 1);
        sum -= read(k - radius);
      }
    });
  }
  return out;
}

// The picture between its pixels.
Colour between(const Image& image, float x, float y) {
  const int i = std::min(int(x), image.width - 2), j = std::min(int(y), image.height - 2);
  const float f = x - float(i), g = y - float(j);
  const auto *a = image.at(i, j), *b = image.at(i, j + 1);
  Colour c;
  for (std::size_t k = 0; k < 3; ++k)
    c[k] = ((1 - g) * ((1 - f) * a[k] + f * a[k + 3]) + g * ((1 - f) * b[k] + f * b[k + 3])) / 255;
  return c;
}

}  // namespace

// Water that leans against a wall of the tank has the wall's plane: lumps of particles would be streaks to the grazing eye.
void flattenAtGlass(Plane& depth, const Canvas& small, const Camera& camera, const Stage& stage) {
  const double d = stage.spacing;
  tbb::parallel_for(0, depth.height, [&](int y) {
    for (int x = 0; x < depth.width; ++x) {
      float& z = depth.at(x, y);
      if (!(z < infinite)) continue;
      const Vector ray = small.a(float(x)) * camera.right() + small.b(float(y)) * camera.up() + camera.forward();
      for (std::size_t a = 0; a < 3; ++a)
        for (const bool high : {false, true}) {
          const double plane = (high ? stage.high : stage.low)[a];
          if (!stage.glass[a][high] || (high ? camera.eye()[a] <= plane : camera.eye()[a] >= plane)) continue;
          const double at = (plane - camera.eye()[a]) / ray[a], gap = (double(z) - at) * std::abs(ray[a]);
          if (!(gap > -d && gap < 1.6 * d)) continue;
          // Around a corner the plane goes on outside the tank.
          bool within = true;
          for (std::size_t b = 0; b < 3; ++b) {
            const double p = camera.eye()[b] + at * ray[b];
            within = within && (b == a || (p > stage.low[b] - 0.1 * d && p < stage.high[b] + 0.1 * d));
          }
          if (!within) continue;
          const double s = std::clamp((1.6 * d - gap) / (0.8 * d), 0., 1.), part = s * s * (3 - 2 * s);
          z = float(z + part * (at - z));
        }
    }
  });
}

void drawWater(Image& image, const Canvas& opaque, const Shot& shot, const Stage& stage, const std::vector<float>& lines,
               Layers& layers) {
  const Camera& camera = shot.camera;
  const int W = image.width, H = image.height, S = samplesOfPixel;
  const auto fine = splatsOf(stage.blobs, camera, opaque);
  const Seen seen = drawSplats(fine, opaque);

  // The nearest sample of each pixel, and how much of the pixel is water.
  const Canvas small(W, H, camera, 1);
  Plane depth(W, H, infinite), cover(W, H, 0), solid(W, H, infinite), drops(W, H, 0);
  std::vector<int> particle(layers.motion.size(), -1);
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x)
      for (int v = 0; v < S; ++v)
        for (int u = 0; u < S; ++u) {
          const auto at = opaque.at(S * x + u, S * y + v);
          solid.at(x, y) = std::min(solid.at(x, y), opaque.depth[at]);
          if (seen.splat[at] < 0) continue;
          if (seen.depth[at] < depth.at(x, y)) {
            depth.at(x, y) = seen.depth[at];
            const int i = fine[std::size_t(seen.splat[at])].particle;
            drops.at(x, y) = stage.alone[std::size_t(i)];
            if (!particle.empty()) particle[layers.at(x, y)] = i;
          }
          cover.at(x, y) += 1.f / (S * S);
        }
  });

  // Chords of the splats add up to the thickness, each scaled from its own volume to the particle's.
  Plane thickness(W, H, 0);
  const auto splats = splatsOf(stage.blobs, camera, small);
  const float d = float(stage.spacing);
  drawInTiles(
      small, int(splats.size()), [&](int i) { return splats[std::size_t(i)].extent; },
      [&](int i, const Extent& e) {
        const Splat& s = splats[std::size_t(i)];
        const float det = s.M[0] * (s.M[1] * s.M[2] - s.M[5] * s.M[5]) - s.M[3] * (s.M[3] * s.M[2] - s.M[5] * s.M[4]) +
                          s.M[4] * (s.M[3] * s.M[5] - s.M[1] * s.M[4]);
        const float share = d * d * d / (4.18879f / std::sqrt(det));
        Hit h;
        for (int y = e.y0; y <= e.y1; ++y)
          for (int x = e.x0; x <= e.x1; ++x)
            if (hit(s, small, x, y, h) && h.near < solid.at(x, y)) thickness.at(x, y) += share * (h.far - h.near);
      });
  const float size = float(length(stage.high - stage.low));
  const float usual = float(length(0.5 * (stage.low + stage.high) - camera.eye()));  // [m] depth of what is in the middle
  const int wide = std::clamp(whole(d * small.zoom / usual), 2, 24);                 // [px] of a spacing there
  thickness = blurred(thickness, std::max(2, wide / 3));

  for (int pass = 0; pass < 2; ++pass)
    for (const bool alongX : {true, false}) depth = smoothed(depth, drops, alongX, (pass == 0 ? 2.4f : 1.6f) * d, small.zoom);

  flattenAtGlass(depth, small, camera, stage);
  const Vector sun = sunlight();
  const Image behind = image;
  const auto place = [&](int x, int y) {
    const float z = depth.at(x, y);
    return Vector{double(z * small.a(float(x))), double(z * small.b(float(y))), double(z)};
  };
  // The slope along an axis, from the side where the depth changes less: across an edge it would mean nothing.
  const auto slope = [&](int x, int y, int dx, int dy) {
    const auto inside = [&](int u, int v) { return u >= 0 && v >= 0 && u < W && v < H && depth.at(u, v) < infinite; };
    const Vector here = place(x, y);
    Vector ahead = {double(dx), double(-dy), 0}, back = ahead;
    double a = 1e30, b = 1e30;
    if (inside(x + dx, y + dy)) ahead = place(x + dx, y + dy) - here, a = std::abs(ahead[2]);
    if (inside(x - dx, y - dy)) back = here - place(x - dx, y - dy), b = std::abs(back[2]);
    return a < b ? ahead : back;
  };
  // In the camera's axes (right, up, away), towards the eye.
  const auto normalAt = [&](int x, int y) {
    const Vector n = unit(cross(slope(x, y, 0, 1), slope(x, y, 1, 0)));
    return n[2] > 0 ? -n : n;
  };
  // What lies behind is seen through the mean slope around, or every bump of spray would tear it.
  Plane tiltX(W, H, 0), tiltY(W, H, 0), there(W, H, 0);
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const auto k = layers.at(x, y);
      layers.water[k] = depth.at(x, y);
      if (!(cover.at(x, y) > 0)) continue;
      const Vector n = normalAt(x, y);
      tiltX.at(x, y) = float(n[0]), tiltY.at(x, y) = float(n[1]), there.at(x, y) = 1;
      if (particle.empty()) continue;
      const Place& v = stage.velocity[std::size_t(particle[k])];
      const Vector p = place(x, y);
      layers.motion[k] =
          shot.motion(camera.eye() + p[0] * camera.right() + p[1] * camera.up() + p[2] * camera.forward(), {v[0], v[1], v[2]});
    }
  });
  for (Plane* p : {&tiltX, &tiltY, &there}) *p = blurred(*p, wide);
  const Plane mean = blurred(blurred(thickness, wide), wide);
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const float covered = cover.at(x, y);
      if (!(covered > 0)) continue;
      const Vector n = normalAt(x, y);
      const Vector view = unit({small.a(float(x)), small.b(float(y)), 1});
      const auto world = [&](const Vector& v) { return v[0] * camera.right() + v[1] * camera.up() + v[2] * camera.forward(); };
      const Vector normal = world(n), direction = world(view);
      const double facing = std::clamp(-dot(n, view), 0., 1.);
      const Vector mirrored = direction - 2 * dot(direction, normal) * normal;
      // Less than all at the rim: what a pixel of spray would mirror there is other spray, not the bright horizon.
      const float fresnel = std::min(0.02f + 0.98f * float(std::pow(1 - facing, 5)), 0.45f);

      // A drop is seen by its rim and gleam, which its few pixels cannot show: half a spacing more makes up for it.
      const float thick = thickness.at(x, y) + 0.6f * d;
      // Refraction moves what is behind by the slope of the surface, more through more water.
      // and no more than lies between the surface and the thing.
      const float way = std::min({mean.at(x, y), 0.15f * size, std::max(solid.at(x, y) - depth.at(x, y), 0.f)});
      const float shift = 0.35f * way * small.zoom / depth.at(x, y) / std::max(there.at(x, y), 0.05f);
      Colour through = between(behind, std::min(float(x), W - 1.001f), std::min(float(y), H - 1.001f));
      for (const float part : {1.f, 0.6f, 0.3f}) {
        const float u = std::clamp(float(x) + part * shift * tiltX.at(x, y), 0.f, W - 1.001f),
                    v = std::clamp(float(y) - part * shift * tiltY.at(x, y), 0.f, H - 1.001f);
        if (!(solid.at(int(u), int(v)) > depth.at(x, y)) || !(solid.at(int(u) + 1, int(v) + 1) > depth.at(x, y))) continue;
        through = between(behind, u, v);
        break;
      }
      // Beer's law over a path measured in boxes, so that a glass and a harbour look alike; what is scattered back is blue-green.
      static constexpr float absorbed[3] = {11.f, 3.6f, 2.1f}, scattered[3] = {0.05f, 0.30f, 0.46f};
      const Colour sky = skyColour(mirrored[1] > 0 ? mirrored : Vector{mirrored[0], -0.3 * mirrored[1], mirrored[2]});
      const double gleam = std::pow(std::max(0., dot(mirrored, sun)), 180);
      const float diffuse = 0.75f + 0.25f * float(std::max(0., dot(normal, sun)));
      auto* pixel = image.at(x, y);
      for (std::size_t c = 0; c < 3; ++c) {
        const float clear = std::exp(-absorbed[c] * thick / size);
        const float inner = through[c] * clear + scattered[c] * diffuse * (1 - clear);
        const float colour = std::min(1.f, (1 - fresnel) * inner + fresnel * sky[c] + 0.8f * float(gleam));
        pixel[c] = std::uint8_t(std::lround(pixel[c] + covered * (255 * colour - pixel[c])));
      }
      int front = 0;
      for (int j = 0; j < S; ++j)
        for (int i = 0; i < S; ++i) {
          const auto at = opaque.at(S * x + i, S * y + j);
          front += lines[at] < seen.depth[at] && lines[at] < opaque.depth[at];
        }
      for (std::size_t c = 0; front && c < 3; ++c)
        pixel[c] = std::uint8_t(std::lround(pixel[c] + float(front) / (S * S) * (255 * edgeColour[c] - pixel[c])));
    }
  });
}

}  // namespace brim
