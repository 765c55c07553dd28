// Pictures of 2D scenes: the liquid as one filled shape or as particles, solids as filled shapes, walls as a frame.
#include <optional>

#include "math/whole.h"
#include "render/picture.h"
#include "surface/field.h"

namespace brim {

namespace {

constexpr Colour paper = {1, 1, 1}, edgeColour = {0.45f, 0.48f, 0.52f}, tank = {0.965f, 0.97f, 0.975f};
constexpr Colour greyTank = {0.80f, 0.84f, 0.885f};  // behind values whose colours begin or end with white
constexpr Colour sheetColour = {0.80f, 0.27f, 0.22f};
constexpr Colour deep = {0.13f, 0.38f, 0.66f}, shallow = {0.30f, 0.58f, 0.83f}, rim = {0.07f, 0.22f, 0.43f};

Colour mix(const Colour& a, const Colour& b, float s) {
  return {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])};
}

/// The liquid's field and its slope at any place, from the nodes around it.
struct Sampled {
  float value, slope;  // slope a spacing
};

Sampled sample(const Field& field, float x, float y) {
  const float u = x / field.voxel(), v = y / field.voxel();
  const int i = whole(std::floor(u)), j = whole(std::floor(v));
  const float f = u - float(i), g = v - float(j);
  const float a = field.at(i, j, 0), b = field.at(i + 1, j, 0), c = field.at(i, j + 1, 0), e = field.at(i + 1, j + 1, 0);
  const float dx = (1 - g) * (b - a) + g * (e - c), dy = (1 - f) * (c - a) + f * (e - b);
  return {(1 - g) * ((1 - f) * a + f * b) + g * ((1 - f) * c + f * e), std::sqrt(dx * dx + dy * dy) / field.voxel()};
}

// The particles' ellipses again, as the field wants them: in spacings, times the smoothing.
std::vector<Ellipsoid> inSpacings(const Stage& stage) {
  std::vector<Ellipsoid> all;
  const float wide = float(stage.smoothing), d = float(stage.spacing), r2 = 0.64f * 0.64f * d * d;
  for (const Blob& b : stage.blobs) {
    Ellipsoid e;
    for (std::size_t a = 0; a < 3; ++a) e.centre[a] = b.middle[a] / (wide * d);
    for (std::size_t c = 0; c < 6; ++c) e.M[c] = b.M[c] * r2;
    const float det = e.M[0] * e.M[1] - e.M[3] * e.M[3];
    e.extent = {std::sqrt(e.M[1] / det), std::sqrt(e.M[0] / det), 1};
    // A round one that stands alone must still be seen.
    const bool lone = e.M[0] == e.M[1] && e.M[3] == 0 && e.M[0] > 1.05f;
    e.weight = lone ? 2.2f : 1 / (wide * wide);
    all.push_back(e);
  }
  return all;
}

}  // namespace

void drawFlat(Image& image, const Camera& camera, const Stage& stage, const PictureOptions& options) {
  Canvas canvas(image.width, image.height, camera);
  const float pixel = samplesOfPixel / canvas.zoom;  // [m]
  // Without perspective the eye is the middle of the box; the field's lattice has its origin there too.
  const auto placeOf = [&](int x, int y) {
    return std::array<double, 2>{camera.eye()[0] + canvas.a(float(x)), camera.eye()[1] + canvas.b(float(y))};
  };
  const auto inBox = [&](const std::array<double, 2>& p) {
    return p[0] >= stage.low[0] && p[0] <= stage.high[0] && p[1] >= stage.low[1] && p[1] <= stage.high[1];
  };
  const bool coloured = options.style == "speed" || options.style == "density";
  std::optional<Field> field;
  if (options.style == "water") field = Field::density(inSpacings(stage), 0.25f, 2);
  std::vector<Splat> splats;
  Seen seen;
  if (!field) splats = splatsOf(stage.blobs, camera, canvas), seen = drawSplats(splats, canvas);

  tbb::parallel_for(0, canvas.height, [&](int y) {
    for (int x = 0; x < canvas.width; ++x) {
      const auto at = canvas.at(x, y);
      const auto p = placeOf(x, y);
      Colour colour = !inBox(p) ? paper : coloured ? greyTank : tank;
      if (field) {
        const float d = float(stage.smoothing * stage.spacing);
        const auto s = sample(*field, float(p[0]) / d, float(p[1]) / d);
        if (s.value > 0.02f) {
          // Signed distance to the outline, in pixels.
          const float away = (s.value - 0.5f) / std::max(s.slope, 0.05f) * d / pixel;
          const float height = float((p[1] - stage.low[1]) / (stage.high[1] - stage.low[1]));
          const Colour body = mix(deep, shallow, std::clamp(1.4f * height, 0.f, 1.f));
          const Colour inner = mix(rim, body, std::clamp(away - 0.8f, 0.f, 1.f));
          colour = mix(colour, inner, std::clamp(away + 0.5f, 0.f, 1.f));
        }
      } else if (seen.splat[at] >= 0) {
        const Splat& s = splats[std::size_t(seen.splat[at])];
        Hit h;
        float tone = 1;
        if (hit(s, canvas, x, y, h))
          tone = 0.80f + 0.24f * std::max(0.f, -0.37f * h.normal[0] + 0.74f * h.normal[1] + 0.56f * h.normal[2]);
        const double value = stage.value[std::size_t(s.particle)];
        colour = styleColour(options.style, (value - options.least) / (options.most - options.least));
        for (float& channel : colour) channel = std::min(1.f, tone * channel);
      }
      for (const Thing& thing : stage.things) {
        if (!thing.shape) continue;
        const double world[3] = {p[0], p[1], 0};
        double body[3];
        thing.pose.toBody(world, body);
        const float away = float(thing.shape->primitive().distance(body)) / pixel;
        const Colour inner = mix(edgeColour, thing.colour, std::clamp(-away - 1.2f, 0.f, 1.f));
        if (inBox(p)) colour = mix(colour, inner, std::clamp(0.5f - away, 0.f, 1.f));
      }
      // The walls, a line two pixels wide around the box.
      const double gap = std::max({stage.low[0] - p[0], p[0] - stage.high[0], stage.low[1] - p[1], p[1] - stage.high[1]});
      if (gap > 0 && gap < 2 * pixel) colour = edgeColour;
      canvas.colour[at] = colour;
    }
  });
  // Sheets and outlines of soft bodies, over everything: as wide as a particle, three pixels at least.
  const float half = std::max(1.5f * pixel, 0.4f * float(stage.spacing)) / pixel * samplesOfPixel;
  for (const auto& piece : stage.strands) {
    const auto toCanvas = [&](const Vector& p) {
      return std::array<float, 2>{canvas.x0 + canvas.zoom * float(p[0] - camera.eye()[0]),
                                  canvas.y0 - canvas.zoom * float(p[1] - camera.eye()[1])};
    };
    const auto a = toCanvas(piece[0]), b = toCanvas(piece[1]);
    const float ex = b[0] - a[0], ey = b[1] - a[1], l2 = ex * ex + ey * ey;
    const int x0 = std::max(0, toSample(std::min(a[0], b[0]) - half)),
              x1 = std::min(canvas.width - 1, toSample(std::max(a[0], b[0]) + half));
    const int y0 = std::max(0, toSample(std::min(a[1], b[1]) - half)),
              y1 = std::min(canvas.height - 1, toSample(std::max(a[1], b[1]) + half));
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const float px = float(x) + 0.5f - a[0], py = float(y) + 0.5f - a[1];
        const float t = l2 > 0 ? std::clamp((px * ex + py * ey) / l2, 0.f, 1.f) : 0.f;
        if (std::hypot(px - t * ex, py - t * ey) < half) canvas.colour[canvas.at(x, y)] = sheetColour;
      }
  }
  tbb::parallel_for(0, image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x)
      for (std::size_t c = 0; c < 3; ++c) {
        float sum = 0;
        for (int k = 0; k < samplesOfPixel * samplesOfPixel; ++k)
          sum += canvas.colour[canvas.at(samplesOfPixel * x + k % samplesOfPixel, samplesOfPixel * y + k / samplesOfPixel)][c];
        image.at(x, y)[c] = std::uint8_t(std::lround(255 * sum / (samplesOfPixel * samplesOfPixel)));
      }
  });
}

void flatMotion(const Shot& shot, const Stage& stage, Layers& layers) {
  const Canvas canvas(layers.width, layers.height, shot.camera, 1);
  const auto splats = splatsOf(stage.blobs, shot.camera, canvas);
  const Seen seen = drawSplats(splats, canvas);
  for (std::size_t k = 0; k < seen.splat.size(); ++k) {
    if (seen.splat[k] < 0) continue;
    const std::size_t i = std::size_t(splats[std::size_t(seen.splat[k])].particle);
    const Place &x = stage.blobs[i].middle, &v = stage.velocity[i];
    layers.motion[k] = shot.motion({x[0], x[1], 0}, {v[0], v[1], 0});
    layers.water[k] = 1;
  }
}

}  // namespace brim
