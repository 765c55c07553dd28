#include "render/spheres.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/whole.h"
#include "render/palette.h"

namespace brim {

namespace {

constexpr int samples = 2;         // a pixel along an axis
constexpr int tile = 64;           // samples of a tile along an axis
constexpr float sheetPart = 0.4f;  // radius of a sheet's points, in that of a particle
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr Colour paper = {1, 1, 1}, tankColour = {0.80f, 0.84f, 0.885f}, floorColour = {0.945f, 0.95f, 0.957f},
                 edgeColour = {0.55f, 0.58f, 0.62f}, solidColour = {0.66f, 0.66f, 0.67f}, sheetColour = {0.80f, 0.33f, 0.24f};

struct Sphere {
  float x, y, depth;  // of the middle; x, y in samples
  float radius;       // in samples
  float metres;       // of depth a sample
  int index;          // particle; solids come after the particles, sheets after those
};

/// The picture at sample resolution: which sphere is seen where, and how deep.
struct Canvas {
  int width, height;
  std::vector<float> depth;
  std::vector<int> seen;
  std::vector<Colour> colour;
  Canvas(int w, int h)
      : width(w),
        height(h),
        depth(std::size_t(w) * h, infinite),
        seen(std::size_t(w) * h, -1),
        colour(std::size_t(w) * h, paper) {}
  std::size_t at(int x, int y) const { return std::size_t(y) * width + x; }
};

class Painter {
 public:
  Painter(int left, int top, int width, int height, const Camera& camera, const Panel& panel, const Look& look)
      : left_(left), top_(top), camera_(camera), panel_(panel), look_(look), canvas_(samples * width, samples * height) {}

  void paint(Image& image) {
    project();
    bin();
    const int tiles = tilesX_ * tilesY_;
    tbb::parallel_for(0, tiles, [&](int t) { rasterise(t); });
    tbb::parallel_for(0, canvas_.height, [&](int y) { shade(y); });
    edges();
    resolve(image);
  }

 private:
  Projected toCanvas(const Vector& x) const {
    auto p = camera_.project(x);
    return {samples * (p.x - left_), samples * (p.y - top_), p.depth};
  }

  void project() {
    const std::size_t n = panel_.position.size() / 3, m = n + panel_.solids.size() / 3, all = m + panel_.sheets.size() / 3;
    spheres_.resize(all);
    tbb::parallel_for(std::size_t(0), all, [&](std::size_t i) {
      const float* x = i < n ? &panel_.position[3 * i] : i < m ? &panel_.solids[3 * (i - n)] : &panel_.sheets[3 * (i - m)];
      const auto p = toCanvas({x[0], x[1], x[2]});
      const double scale = samples * camera_.scale(p.depth) * (i < m ? 1 : sheetPart);
      // Below about a sample a sphere would fall through the raster.
      spheres_[i] = {float(p.x),       float(p.y),
                     float(p.depth),   float(std::max(0.75, (i < n ? look_.radius : look_.solid) * scale)),
                     float(1 / scale), int(i)};
      // Behind the eye, or in it.
      if (panel_.dimension == 3 && !(p.depth > 4 * look_.radius)) spheres_[i].radius = 0;
    });
  }

  template <class F>
  void tilesOf(const Sphere& s, F f) const {
    if (!(s.radius > 0) || !(std::abs(s.x) < 1e6f) || !(std::abs(s.y) < 1e6f)) return;
    const int x0 = std::max(0, whole(std::floor((s.x - s.radius) / tile))),
              x1 = std::min(tilesX_ - 1, whole((s.x + s.radius) / tile));
    const int y0 = std::max(0, whole(std::floor((s.y - s.radius) / tile))),
              y1 = std::min(tilesY_ - 1, whole((s.y + s.radius) / tile));
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) f(y * tilesX_ + x);
  }

  void bin() {
    tilesX_ = (canvas_.width + tile - 1) / tile;
    tilesY_ = (canvas_.height + tile - 1) / tile;
    begin_.assign(std::size_t(tilesX_) * tilesY_ + 1, 0);
    for (const auto& s : spheres_) tilesOf(s, [&](int t) { ++begin_[t + 1]; });
    for (std::size_t t = 1; t < begin_.size(); ++t) begin_[t] += begin_[t - 1];
    list_.resize(begin_.back());
    auto next = begin_;
    for (const auto& s : spheres_) tilesOf(s, [&](int t) { list_[next[t]++] = s.index; });
  }

  void rasterise(int t) {
    const int tx = (t % tilesX_) * tile, ty = (t / tilesX_) * tile;
    const int xEnd = std::min(tx + tile, canvas_.width), yEnd = std::min(ty + tile, canvas_.height);
    for (int k = begin_[t]; k < begin_[t + 1]; ++k) {
      const Sphere& s = spheres_[list_[k]];
      const float r2 = s.radius * s.radius;
      const int y0 = std::max(ty, whole(s.y - s.radius)), y1 = std::min(yEnd, whole(s.y + s.radius) + 1);
      for (int y = y0; y < y1; ++y) {
        const float dy = y + 0.5f - s.y, half2 = r2 - dy * dy;
        if (half2 <= 0) continue;
        const float half = std::sqrt(half2);
        const int x0 = std::max(tx, whole(std::ceil(s.x - half - 0.5f))), x1 = std::min(xEnd, whole(s.x + half + 0.5f));
        for (int x = x0; x < x1; ++x) {
          const float dx = x + 0.5f - s.x;
          const float depth = s.depth - std::sqrt(std::max(0.f, half2 - dx * dx)) * s.metres;
          const auto at = canvas_.at(x, y);
          if (depth < canvas_.depth[at]) canvas_.depth[at] = depth, canvas_.seen[at] = s.index;
        }
      }
    }
  }

  // Eye-dome lighting: a sample is darker the deeper it lies behind those around it.
  float openness(int x, int y) const {
    static constexpr int ring[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    const float here = canvas_.depth[canvas_.at(x, y)], unit = float(4 * look_.radius);
    float hidden = 0;
    for (int reach : {3, 7})
      for (const auto& step : ring) {
        const int u = x + reach * step[0], v = y + reach * step[1];
        if (u < 0 || v < 0 || u >= canvas_.width || v >= canvas_.height) continue;
        hidden += std::clamp((here - canvas_.depth[canvas_.at(u, v)]) / unit, 0.f, 1.f);
      }
    return std::exp(-0.9f * hidden / 16);
  }

  void shade(int y) {
    static const Vector light = Camera::light();
    const int n = int(panel_.position.size() / 3), m = n + int(panel_.solids.size() / 3);
    const bool flat = panel_.dimension == 2;
    for (int x = 0; x < canvas_.width; ++x) {
      const auto at = canvas_.at(x, y);
      const int i = canvas_.seen[at];
      if (i < 0) {
        canvas_.colour[at] = flat ? behind(x, y) : background(x, y);
        continue;
      }
      const Sphere& s = spheres_[i];
      const float nx = (x + 0.5f - s.x) / s.radius, ny = (s.y - y - 0.5f) / s.radius;
      const float nz = std::sqrt(std::max(0.f, 1 - nx * nx - ny * ny));
      const float lambert = std::max(0.f, nx * float(light[0]) + ny * float(light[1]) + nz * float(light[2]));
      const float tone = flat ? 0.80f + 0.24f * lambert : (0.60f + 0.56f * lambert) * openness(x, y);
      const Colour base = i < n ? speedColours(panel_.speed[i] / look_.fastest) : i < m ? solidColour : sheetColour;
      for (int c = 0; c < 3; ++c) canvas_.colour[at][c] = std::min(1.f, tone * base[c]);
    }
  }

  // The tank in 2D: grey, so that the white of the fastest is seen.
  Colour behind(int x, int y) const {
    const Vector eye = camera_.ray(left_ + (x + 0.5) / samples, top_ + (y + 0.5) / samples).eye;
    const bool inside = eye[0] >= look_.min[0] && eye[0] <= look_.max[0] && eye[1] >= look_.min[1] && eye[1] <= look_.max[1];
    return inside ? tankColour : paper;
  }

  Colour background(int x, int y) const {
    const auto ray = camera_.ray(left_ + (x + 0.5) / samples, top_ + (y + 0.5) / samples);
    if (!(ray.direction[1] < 0)) return paper;
    const double s = (look_.min[1] - ray.eye[1]) / ray.direction[1];
    for (int a : {0, 2}) {
      const double u = ray.eye[a] + s * ray.direction[a];
      if (u < look_.min[a] || u > look_.max[a]) return paper;
    }
    return floorColour;
  }

  void edges() {
    for (int corner = 0; corner < 8; ++corner)
      for (int a = 0; a < panel_.dimension; ++a) {
        if (corner >> a & 1 || (panel_.dimension == 2 && corner & 4)) continue;
        Vector p, q;
        for (int b = 0; b < 3; ++b) p[b] = q[b] = corner >> b & 1 ? look_.max[b] : look_.min[b];
        q[a] = look_.max[a];
        line(toCanvas(p), toCanvas(q));
      }
  }

  void line(const Projected& p, const Projected& q) {
    const int steps = whole(std::min(2. * std::hypot(q.x - p.x, q.y - p.y), 20000.)) + 1;
    for (int k = 0; k <= steps; ++k) {
      const double s = double(k) / steps;
      const int x = whole(std::floor(p.x + s * (q.x - p.x))), y = whole(std::floor(p.y + s * (q.y - p.y)));
      // 1/depth is linear along a line in perspective; nearer by a radius, so that spheres at the wall do not eat the edge.
      const double depth = (panel_.dimension == 3 ? 1 / ((1 - s) / p.depth + s / q.depth) : p.depth) - look_.radius;
      for (int v = y; v < y + samples; ++v)
        for (int u = x; u < x + samples; ++u)
          if (u >= 0 && v >= 0 && u < canvas_.width && v < canvas_.height && depth < canvas_.depth[canvas_.at(u, v)])
            canvas_.colour[canvas_.at(u, v)] = edgeColour;
    }
  }

  void resolve(Image& image) const {
    tbb::parallel_for(0, canvas_.height / samples, [&](int y) {
      for (int x = 0; x < canvas_.width / samples; ++x)
        for (int c = 0; c < 3; ++c) {
          float sum = 0;
          for (int v = 0; v < samples; ++v)
            for (int u = 0; u < samples; ++u) sum += canvas_.colour[canvas_.at(samples * x + u, samples * y + v)][c];
          image.at(left_ + x, top_ + y)[c] = std::uint8_t(std::lround(255 * sum / (samples * samples)));
        }
    });
  }

  int left_, top_;
  const Camera& camera_;
  const Panel& panel_;
  const Look& look_;
  Canvas canvas_;
  std::vector<Sphere> spheres_;
  int tilesX_ = 0, tilesY_ = 0;
  std::vector<int> begin_, list_;
};

}  // namespace

void drawPanel(Image& image, int left, int top, int width, int height, const Camera& camera, const Panel& panel,
               const Look& look) {
  Painter(left, top, width, height, camera, panel, look).paint(image);
}

}  // namespace brim
