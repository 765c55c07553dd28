#include "render/backdrop.h"

#include "math/whole.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr Colour horizon = {0.94f, 0.955f, 0.97f}, zenith = {0.56f, 0.71f, 0.88f};
constexpr Colour floorLight = {0.905f, 0.90f, 0.89f}, floorDark = {0.865f, 0.862f, 0.855f};

Colour mix(const Colour& a, const Colour& b, float s) {
  return {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])};
}

float smooth(double x) {
  const double s = std::clamp(x, 0., 1.);
  return float(s * s * (3 - 2 * s));
}

// 1, 2 or 5 times a power of ten.
double roundLength(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  return (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1) * power;
}

struct Vertex {
  float x, y, inverse;          // [samples], 1/depth
  std::array<float, 3> normal;  // in the scene
};

struct Triangle {
  std::array<Vertex, 3> v;
  Colour colour;
  bool both;
  int thing;  // counted from 1
};

}  // namespace

const Vector& sunlight() {
  static const Vector direction = unit({-0.36, 1, 0.42});
  return direction;
}

Colour skyColour(const Vector& direction) { return mix(horizon, zenith, smooth(1.3 * direction[1])); }

Floor::Floor(const Stage& stage, bool clear) : low_(stage.low), high_(stage.high) {
  size_ = length(high_ - low_);
  tile_ = roundLength(size_ / 7);
  const double margin = 0.5 * (high_[1] - low_[1]) + 0.02 * size_;
  left_ = low_[0] - margin, back_ = low_[2] - margin;
  const double wide = high_[0] - low_[0] + 2 * margin, deep = high_[2] - low_[2] + 2 * margin;
  cell_ = std::max(wide, deep) / 480;
  nx_ = int(wide / cell_) + 1, nz_ = int(deep / cell_) + 1;
  light_.assign(std::size_t(nx_) * nz_, 0.f);

  const Vector sun = sunlight();
  const auto onFloor = [&](const Vector& p) {
    const double h = (p[1] - low_[1]) / sun[1];
    return std::array<double, 2>{(p[0] - h * sun[0] - left_) / cell_, (p[2] - h * sun[2] - back_) / cell_};
  };
  // The liquid above each cell, as a thickness: every particle spread over a square of a spacing.
  const double d = stage.spacing;
  const int reach = std::max(0, int(d / cell_ / 2));
  const float thickness = float(d * d * d / (cell_ * cell_ * (2 * reach + 1) * (2 * reach + 1)));
  for (const Blob& blob : stage.blobs) {
    const auto p = onFloor({blob.middle[0], blob.middle[1], blob.middle[2]});
    if (!(std::abs(p[0]) < 1e6) || !(std::abs(p[1]) < 1e6)) continue;
    const int x = whole(std::floor(p[0])), z = whole(std::floor(p[1]));
    for (int v = std::max(0, z - reach); v <= std::min(nz_ - 1, z + reach); ++v)
      for (int u = std::max(0, x - reach); u <= std::min(nx_ - 1, x + reach); ++u) light_[std::size_t(v) * nx_ + u] += thickness;
  }
  // Water takes a little light however deep it is; spheres take all that they hide.
  for (float& l : light_)
    l = clear ? 0.80f + 0.20f * std::exp(-8 * l / float(size_)) : 0.62f + 0.38f * std::exp(-2.5f * l / float(d));
  for (const Thing& thing : stage.things) {
    if (!thing.model || (thing.shape && thing.shape->primitive().insideOut)) continue;
    std::vector<std::array<double, 2>> at;
    for (const Vector& x : thing.model->mesh.points) {
      Vector world;
      thing.pose.toWorld(x.data(), world.data());
      at.push_back(onFloor({world[0], std::max(world[1], low_[1]), world[2]}));
    }
    for (const auto& t : thing.model->mesh.triangles) {
      const auto &a = at[std::size_t(t[0])], &b = at[std::size_t(t[1])], &c = at[std::size_t(t[2])];
      const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      if (!(std::abs(area) > 1e-9)) continue;
      const int u0 = std::max(0, toSample(float(std::min({a[0], b[0], c[0]})))),
                u1 = std::min(nx_ - 1, toSample(float(std::max({a[0], b[0], c[0]}))));
      const int v0 = std::max(0, toSample(float(std::min({a[1], b[1], c[1]})))),
                v1 = std::min(nz_ - 1, toSample(float(std::max({a[1], b[1], c[1]}))));
      for (int v = v0; v <= v1; ++v)
        for (int u = u0; u <= u1; ++u) {
          const double x = u + 0.5, z = v + 0.5;
          const double p = ((b[0] - x) * (c[1] - z) - (b[1] - z) * (c[0] - x)) / area,
                       q = ((c[0] - x) * (a[1] - z) - (c[1] - z) * (a[0] - x)) / area;
          if (p >= 0 && q >= 0 && p + q <= 1)
            light_[std::size_t(v) * nx_ + u] = std::min(light_[std::size_t(v) * nx_ + u], 0.62f);
        }
    }
  }
  for (int pass = 0; pass < 2; ++pass) blur(std::max(2, int(0.6 * d / cell_)));
}

void Floor::blur(int radius) {
  const auto along = [&](int lines, int n, std::size_t line, std::size_t step) {
    tbb::parallel_for(0, lines, [&](int l) {
      std::vector<float> sums(std::size_t(n) + 1, 0.f);
      float* row = &light_[std::size_t(l) * line];
      for (int k = 0; k < n; ++k) sums[std::size_t(k) + 1] = sums[std::size_t(k)] + row[std::size_t(k) * step];
      for (int k = 0; k < n; ++k) {
        const int a = std::max(0, k - radius), b = std::min(n, k + radius + 1);
        row[std::size_t(k) * step] = (sums[std::size_t(b)] - sums[std::size_t(a)]) / float(b - a);
      }
    });
  };
  along(nz_, nx_, std::size_t(nx_), 1);
  along(nx_, nz_, 1, std::size_t(nx_));
}

float Floor::shade(double x, double z) const {
  const double u = (x - left_) / cell_ - 0.5, v = (z - back_) / cell_ - 0.5;
  if (!(u >= 0 && v >= 0 && u < nx_ - 1 && v < nz_ - 1)) return 1;
  const int i = int(u), j = int(v);
  const float f = float(u - i), g = float(v - j);
  const float* p = &light_[std::size_t(j) * nx_ + i];
  return (1 - g) * ((1 - f) * p[0] + f * p[1]) + g * ((1 - f) * p[nx_] + f * p[nx_ + 1]);
}

double Floor::distance(const Vector& eye, const Vector& direction) const {
  const double s = (low_[1] - eye[1]) / direction[1];
  return direction[1] < 0 && s > 0 ? s : std::numeric_limits<double>::infinity();
}

Colour Floor::colour(const Vector& eye, const Vector& direction) const {
  const double s = distance(eye, direction);
  if (!(s < 1e30)) return skyColour(unit(direction));
  const Vector p = eye + s * direction;
  const double x = p[0] / tile_, z = p[2] / tile_;
  const bool dark = (whole<std::int64_t>(std::floor(x)) + whole<std::int64_t>(std::floor(z))) & 1;
  const float light = shade(p[0], p[2]);
  Colour c = dark ? floorDark : floorLight;
  for (float& channel : c) channel *= light;
  const double away = std::hypot(p[0], p[2]) / size_;
  return mix(c, horizon, smooth((away - 0.9) / 2.2));
}

void drawThings(Canvas& canvas, const Camera& camera, const std::vector<Thing>& things) {
  std::vector<Triangle> triangles;
  for (const Thing& thing : things) {
    if (!thing.model) continue;
    const Mesh& mesh = thing.model->mesh;
    std::vector<Vertex> vertices(mesh.points.size());
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      Vector world;
      thing.pose.toWorld(mesh.points[k].data(), world.data());
      const Vector r = world - camera.eye();
      const double depth = dot(r, camera.forward()), scale = canvas.zoom / depth;
      vertices[k] = {float(canvas.x0 + scale * dot(r, camera.right())),
                     float(canvas.y0 - scale * dot(r, camera.up())),
                     depth > 0 ? float(1 / depth) : 0.f,
                     {0, 0, 0}};
    }
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      Triangle t{{}, thing.colour, thing.sides == Thing::both, int(&thing - things.data()) + 1};
      bool visible = true;
      for (std::size_t c = 0; c < 3; ++c) {
        t.v[c] = vertices[std::size_t(mesh.triangles[k][c])];
        const auto& n = thing.model->normals[k][c];
        const double body[3] = {n[0], n[1], n[2]};
        double world[3];
        thing.pose.directionToWorld(body, world);
        t.v[c].normal = {float(world[0]), float(world[1]), float(world[2])};
        visible = visible && t.v[c].inverse > 0;
      }
      if (visible) triangles.push_back(t);
    }
  }
  const Vector sun = sunlight();
  drawInTiles(
      canvas, int(triangles.size()),
      [&](int i) {
        const auto& v = triangles[std::size_t(i)].v;
        return Extent{toSample(std::floor(std::min({v[0].x, v[1].x, v[2].x}) - 0.5f)),
                      toSample(std::ceil(std::max({v[0].x, v[1].x, v[2].x}) - 0.5f)),
                      toSample(std::floor(std::min({v[0].y, v[1].y, v[2].y}) - 0.5f)),
                      toSample(std::ceil(std::max({v[0].y, v[1].y, v[2].y}) - 0.5f))};
      },
      [&](int i, const Extent& e) {
        const Triangle& t = triangles[std::size_t(i)];
        const auto& v = t.v;
        // Twice the area; y points down, so what faces the eye has it negative.
        const float area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[1].y - v[0].y) * (v[2].x - v[0].x);
        if (area == 0 || (area > 0 && !t.both)) return;
        for (int y = e.y0; y <= e.y1; ++y)
          for (int x = e.x0; x <= e.x1; ++x) {
            const float px = float(x) + 0.5f, py = float(y) + 0.5f;
            const float a = ((v[1].x - px) * (v[2].y - py) - (v[1].y - py) * (v[2].x - px)) / area,
                        b = ((v[2].x - px) * (v[0].y - py) - (v[2].y - py) * (v[0].x - px)) / area, c = 1 - a - b;
            if (a < 0 || b < 0 || c < 0) continue;
            // 1/depth is linear in the picture.
            const float depth = 1 / (a * v[0].inverse + b * v[1].inverse + c * v[2].inverse);
            const auto at = canvas.at(x, y);
            if (!(depth < canvas.depth[at])) continue;
            float n[3], l2 = 0, light = 0;
            for (std::size_t k = 0; k < 3; ++k) {
              n[k] = (a * v[0].normal[k] + b * v[1].normal[k] + c * v[2].normal[k]) * (area > 0 ? -1.f : 1.f);
              l2 += n[k] * n[k], light += n[k] * float(sun[k]);
            }
            const float l = 1 / std::sqrt(l2 + 1e-20f), tone = 0.52f + 0.10f * n[1] * l + 0.46f * std::max(0.f, light * l);
            canvas.depth[at] = depth;
            if (!canvas.thing.empty()) canvas.thing[at] = t.thing;
            for (std::size_t k = 0; k < 3; ++k) canvas.colour[at][k] = std::min(1.f, tone * t.colour[k]);
          }
      });
}

}  // namespace brim
