#include "render/splats.h"

#include <tbb/parallel_sort.h>

namespace brim {

namespace {

/// The ray through a sample as seen from the splat's middle: points p + t d.
struct Local {
  float px, py;  // p, at the depth of the middle
  float a, b;    // d = (a, b, 1)
};

Local localRay(const Splat& s, const Canvas& c, int x, int y) {
  const float a = c.a(float(x)), b = c.b(float(y));
  if (c.perspective) return {s.depth * a - s.x, s.depth * b - s.y, a, b};
  return {a - s.x, b - s.y, 0, 0};
}

// (p + t d)^T M (p + t d) = 1 as A t^2 + 2 B t + C = 0.
struct Quadratic {
  float A, B, C;
};

Quadratic quadraticOf(const std::array<float, 6>& M, const Local& r) {
  const float dx = M[0] * r.a + M[3] * r.b + M[4], dy = M[3] * r.a + M[1] * r.b + M[5], dz = M[4] * r.a + M[5] * r.b + M[2];
  return {r.a * dx + r.b * dy + dz, r.px * dx + r.py * dy, M[0] * r.px * r.px + 2 * M[3] * r.px * r.py + M[1] * r.py * r.py - 1};
}

}  // namespace

std::vector<Splat> splatsOf(const std::vector<Blob>& blobs, const Camera& camera, const Canvas& canvas) {
  const Vector axes[3] = {camera.right(), camera.up(), camera.forward()};
  std::vector<Splat> splats(blobs.size());
  tbb::parallel_for(std::size_t(0), blobs.size(), [&](std::size_t i) {
    const Blob& blob = blobs[i];
    Splat& s = splats[i];
    double r[3] = {}, M[3][3] = {};
    const double m[3][3] = {
        {blob.M[0], blob.M[3], blob.M[4]}, {blob.M[3], blob.M[1], blob.M[5]}, {blob.M[4], blob.M[5], blob.M[2]}};
    for (int k = 0; k < 3; ++k)
      for (int a = 0; a < 3; ++a) {
        r[k] += axes[k][std::size_t(a)] * (blob.middle[std::size_t(a)] - camera.eye()[std::size_t(a)]);
        for (int l = 0; l < 3; ++l)
          for (int b = 0; b < 3; ++b) M[k][l] += axes[k][std::size_t(a)] * m[a][b] * axes[l][std::size_t(b)];
      }
    s = {float(r[0]),    float(r[1]),
         float(r[2]),    {float(M[0][0]), float(M[1][1]), float(M[2][2]), float(M[0][1]), float(M[0][2]), float(M[1][2])},
         {0, -1, 0, -1}, int(i)};
    // Half sides of the box around it: roots of the diagonal of M^-1.
    const double xx = M[1][1] * M[2][2] - M[1][2] * M[1][2], yy = M[0][0] * M[2][2] - M[0][2] * M[0][2],
                 zz = M[0][0] * M[1][1] - M[0][1] * M[0][1];
    const double det =
        M[0][0] * xx - M[0][1] * (M[0][1] * M[2][2] - M[1][2] * M[0][2]) + M[0][2] * (M[0][1] * M[1][2] - M[1][1] * M[0][2]);
    const float ex = float(std::sqrt(xx / det)), ey = float(std::sqrt(yy / det)), ez = float(std::sqrt(zz / det));
    float x = s.x, y = s.y, rx = ex, ry = ey;
    if (canvas.perspective) {
      const float front = s.depth - ez;
      if (!(front > 1e-3f * s.depth)) return;
      x /= s.depth, y /= s.depth;
      rx = (ex + std::abs(x) * ez) / front, ry = (ey + std::abs(y) * ez) / front;
    }
    const float u = canvas.x0 + canvas.zoom * x, v = canvas.y0 - canvas.zoom * y;
    // Smaller than a sample, a splat would fall through the raster: a sample at least.
    const float du = canvas.zoom * rx, dv = canvas.zoom * ry;
    s.extent = {toSample(std::floor(u - du - 0.5f)), toSample(std::ceil(u + du - 0.5f)), toSample(std::floor(v - dv - 0.5f)),
                toSample(std::ceil(v + dv - 0.5f))};
  });
  tbb::parallel_sort(splats.begin(), splats.end(), [](const Splat& a, const Splat& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.particle < b.particle;
  });
  return splats;
}

bool hit(const Splat& s, const Canvas& canvas, int x, int y, Hit& h) {
  const Local r = localRay(s, canvas, x, y);
  const auto [A, B, C] = quadraticOf(s.M, r);
  const float square = B * B - A * C;
  if (!(square > 0)) return false;
  const float root = std::sqrt(square), t = (-B - root) / A;
  h.near = s.depth + t;
  h.far = s.depth + (-B + root) / A;
  const float px = r.px + t * r.a, py = r.py + t * r.b;
  const float nx = s.M[0] * px + s.M[3] * py + s.M[4] * t, ny = s.M[3] * px + s.M[1] * py + s.M[5] * t,
              nz = s.M[4] * px + s.M[5] * py + s.M[2] * t;
  const float l = 1 / std::sqrt(nx * nx + ny * ny + nz * nz + 1e-30f);
  h.normal = {nx * l, ny * l, -nz * l};
  return true;
}

Seen drawSplats(const std::vector<Splat>& splats, const Canvas& canvas) {
  Seen seen{canvas.depth, std::vector<int>(canvas.depth.size(), -1)};
  drawInTiles(
      canvas, int(splats.size()), [&](int i) { return splats[std::size_t(i)].extent; },
      [&](int i, const Extent& e) {
        const Splat& s = splats[std::size_t(i)];
        for (int y = e.y0; y <= e.y1; ++y)
          for (int x = e.x0; x <= e.x1; ++x) {
            const Local r = localRay(s, canvas, x, y);
            const auto [A, B, C] = quadraticOf(s.M, r);
            const float square = B * B - A * C;
            if (!(square > 0)) continue;
            const float depth = s.depth + (-B - std::sqrt(square)) / A;
            const auto at = canvas.at(x, y);
            if (depth < seen.depth[at]) seen.depth[at] = depth, seen.splat[at] = i;
          }
      });
  return seen;
}

}  // namespace brim
