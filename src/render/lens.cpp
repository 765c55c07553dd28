// Depth of field and motion blur of a finished picture, from its depths and motions. Every pixel gathers what would spread over
// it: discs as wide as the lens makes them, and lines along the fastest motion near by, as McGuire, Hennessy, Bukowski & Osman
// 2012 (A reconstruction filter for plausible motion blur) do. Weights are parts of the time here, so that light is kept.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "render/layers.h"

namespace brim {

namespace {

constexpr int tile = 24;         // [px] over which the largest blur and motion are taken
constexpr float farthest = 24;   // [px] radius of a disc, half length of a line
constexpr int spots = 40;        // of a disc
constexpr int steps = 14;        // of a line
constexpr float infinity = 1e9;  // [m] as a depth to reckon with

struct Spot {
  float x, y, r;
};

// Even over the unit disc: a spiral by the golden angle.
const std::array<Spot, spots>& disc() {
  static const auto all = [] {
    std::array<Spot, spots> s;
    for (int k = 0; k < spots; ++k) {
      const float r = std::sqrt((float(k) + 0.5f) / spots), angle = 2.39996323f * float(k);
      s[std::size_t(k)] = {r * std::cos(angle), r * std::sin(angle), r};
    }
    return s;
  }();
  return all;
}

/// The largest value of each tile and those around it, as `larger` has it.
template <class T, class ValueOf, class Larger>
std::vector<T> aroundTiles(int width, int height, int& across, ValueOf valueOf, Larger larger) {
  across = (width + tile - 1) / tile;
  const int down = (height + tile - 1) / tile;
  std::vector<T> own(std::size_t(across) * down), out(own.size());
  tbb::parallel_for(0, down, [&](int j) {
    for (int i = 0; i < across; ++i) {
      T best = {};
      for (int y = j * tile; y < std::min(height, (j + 1) * tile); ++y)
        for (int x = i * tile; x < std::min(width, (i + 1) * tile); ++x)
          if (const T value = valueOf(std::size_t(y) * width + x); larger(value, best)) best = value;
      own[std::size_t(j * across + i)] = best;
    }
  });
  for (int j = 0; j < down; ++j)
    for (int i = 0; i < across; ++i) {
      T best = {};
      for (int v = std::max(0, j - 1); v <= std::min(down - 1, j + 1); ++v)
        for (int u = std::max(0, i - 1); u <= std::min(across - 1, i + 1); ++u)
          if (const T& value = own[std::size_t(v * across + u)]; larger(value, best)) best = value;
      out[std::size_t(j * across + i)] = best;
    }
  return out;
}

// A shift of the samples that differs from pixel to pixel, so that few of them make no bands (Jimenez 2014).
float shiftOf(int x, int y) {
  const float f = 0.06711056f * float(x) + 0.00583715f * float(y);
  const float g = 52.9829189f * (f - std::floor(f));
  return g - std::floor(g);
}

// The pixel of a coordinate. (std::lround is a call, and there are a hundred million of them in a picture.)
int pixelAt(float x, int last) { return int(std::clamp(x + 0.5f, 0.f, float(last))); }

void focus(Image& image, const Layers& layers, const Shot& shot) {
  const int W = image.width, H = image.height;
  std::vector<float> blur(layers.solid.size()), depth(blur.size()), light(blur.size());  // light: of a pixel, over its disc
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const auto k = layers.at(x, y);
      depth[k] = std::min(layers.depth(k), infinity);
      blur[k] = std::min(shot.blur(depth[k]), farthest);
      light[k] = 1 / (blur[k] * blur[k] + 1);
    }
  });
  int across = 0;
  const auto most = aroundTiles<float>(
      W, H, across, [&](std::size_t k) { return blur[k]; }, std::greater<>());
  const Image sharp = image;
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const float reach = most[std::size_t(y / tile * across + x / tile)];
      if (reach < 0.6f) continue;
      const auto here = layers.at(x, y);
      const float turn = 6.2831853f * shiftOf(x, y), c = std::cos(turn), s = std::sin(turn);
      float sum[3], weight = light[here];
      for (std::size_t a = 0; a < 3; ++a) sum[a] = weight * sharp.at(x, y)[a];
      for (const Spot& spot : disc()) {
        const int u = pixelAt(float(x) + reach * (c * spot.x - s * spot.y), W - 1),
                  v = pixelAt(float(y) + reach * (s * spot.x + c * spot.y), H - 1);
        const auto there = layers.at(u, v);
        // What lies behind does not spread over what is sharp in front.
        const float size = depth[there] > depth[here] ? std::min(blur[there], 1.5f * blur[here]) : blur[there];
        const float w = std::clamp(size - reach * spot.r + 0.5f, 0.f, 1.f) * light[there];
        weight += w;
        for (std::size_t a = 0; a < 3; ++a) sum[a] += w * sharp.at(u, v)[a];
      }
      for (std::size_t a = 0; a < 3; ++a) image.at(x, y)[a] = std::uint8_t(sum[a] / weight + 0.5f);
    }
  });
}

void move(Image& image, const Layers& layers) {
  using Motion = std::array<float, 2>;
  const int W = image.width, H = image.height;
  const auto squared = [](const Motion& m) { return m[0] * m[0] + m[1] * m[1]; };
  // Half of it to either side, and no more than the tiles around can tell.
  std::vector<Motion> half(layers.motion.size());
  std::vector<float> size(half.size());
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const auto k = layers.at(x, y);
      const float l = std::sqrt(squared(layers.motion[k])) / 2, scale = l > farthest ? 0.5f * farthest / l : 0.5f;
      half[k] = {scale * layers.motion[k][0], scale * layers.motion[k][1]};
      size[k] = std::min(l, farthest);
    }
  });
  int across = 0;
  const auto most = aroundTiles<Motion>(
      W, H, across, [&](std::size_t k) { return half[k]; },
      [&](const Motion& a, const Motion& b) { return squared(a) > squared(b); });
  const Image still = image;
  tbb::parallel_for(0, H, [&](int y) {
    for (int x = 0; x < W; ++x) {
      const Motion& line = most[std::size_t(y / tile * across + x / tile)];
      const float reach = std::sqrt(squared(line));
      if (reach < 0.5f) continue;
      const auto here = layers.at(x, y);
      const float depth = std::min(layers.depth(here), infinity), soft = 0.02f * depth + 1e-6f;
      float sum[3] = {0, 0, 0}, weight = 0;
      const float shift = shiftOf(x, y) - 0.5f;
      for (int k = 0; k < steps; ++k) {
        const float t = 2 * (float(k) + 0.5f + shift) / steps - 1;
        const int u = pixelAt(float(x) + t * line[0], W - 1), v = pixelAt(float(y) + t * line[1], H - 1);
        const auto there = layers.at(u, v);
        const float away = std::abs(t) * reach, z = std::min(layers.depth(there), infinity);
        // What is in front is over this pixel for a part of the time, if it moves that far; what is behind shows while this
        // pixel's own thing is elsewhere.
        const float front = std::clamp(1 - (z - depth) / soft, 0.f, 1.f), behind = std::clamp(1 - (depth - z) / soft, 0.f, 1.f);
        const float w = reach / steps *
                        std::max(front * std::clamp(size[there] - away + 0.5f, 0.f, 1.f) / std::max(size[there], 0.5f),
                                 behind * std::clamp(size[here] - away + 0.5f, 0.f, 1.f) / std::max(size[here], 0.5f));
        weight += w;
        for (std::size_t a = 0; a < 3; ++a) sum[a] += w * still.at(u, v)[a];
      }
      // For the rest of the time the pixel shows what it showed.
      const float own = std::max(1 - weight, 1e-3f);
      weight += own;
      for (std::size_t a = 0; a < 3; ++a) sum[a] += own * still.at(x, y)[a];
      for (std::size_t a = 0; a < 3; ++a) image.at(x, y)[a] = std::uint8_t(sum[a] / weight + 0.5f);
    }
  });
}

}  // namespace

std::array<float, 2> Shot::motion(const Vector& x, const Vector& v) const {
  Vector a = x, b = x;
  for (std::size_t k = 0; k < 3; ++k) a[k] -= shutter / 2 * v[k], b[k] += shutter / 2 * v[k];
  const Projected p = opens.project(a), q = closes.project(b);
  if (camera.perspective() && !(p.depth > 0 && q.depth > 0)) return {0, 0};
  return {float(q.x - p.x), float(q.y - p.y)};
}

float Shot::blur(float depth) const {
  if (!(aperture > 0)) return 0;
  // A thin lens: at the depth in focus the cone of a point is A |z - f|/z wide.
  const double inverse = depth < infinity ? 1 / double(depth) : 0;
  return float(std::min(camera.zoom() * aperture / 2 * std::abs(1 / focus - inverse), 1e4));
}

void seeThroughLens(Image& image, const Layers& layers, const Shot& shot) {
  if (shot.aperture > 0) focus(image, layers, shot);
  if (!layers.motion.empty()) move(image, layers);
}

}  // namespace brim
