#include "render/picture.h"

#include <fmt/format.h>

#include "math/whole.h"
#include "render/backdrop.h"
#include "render/froth.h"
#include "render/palette.h"
#include "scene/vector.h"

namespace brim {

namespace {

constexpr Colour ink = {0.20f, 0.23f, 0.28f}, edgeColour = {0.50f, 0.53f, 0.57f};
constexpr float infinite = std::numeric_limits<float>::infinity();

// 1, 1.5, 2, 3, ... times a power of ten, at least x.
double roundUp(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (double m : {1., 1.5, 2., 3., 4., 5., 6., 8.})
    if (m * power >= x * 0.999) return m * power;
  return 10 * power;
}

double quantile(std::vector<float>& values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::ptrdiff_t(part * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void drawBackground(Canvas& canvas, const Camera& camera, const Floor& floor) {
  tbb::parallel_for(0, canvas.height, [&](int y) {
    for (int x = 0; x < canvas.width; ++x) {
      const auto ray = camera.ray((x + 0.5) / samplesOfPixel, (y + 0.5) / samplesOfPixel);
      const auto at = canvas.at(x, y);
      canvas.colour[at] = floor.colour(ray.eye, ray.direction);
      canvas.depth[at] = float(floor.distance(ray.eye, ray.direction));
    }
  });
}

// What is opaque, pixel by pixel: the nearest of its samples, and how that moves.
void fillLayers(Layers& layers, const Canvas& canvas, const Shot& shot, const Stage& stage) {
  tbb::parallel_for(0, layers.height, [&](int y) {
    for (int x = 0; x < layers.width; ++x) {
      const auto k = layers.at(x, y);
      std::size_t nearest = canvas.at(samplesOfPixel * x, samplesOfPixel * y);
      for (int v = 0; v < samplesOfPixel; ++v)
        for (int u = 0; u < samplesOfPixel; ++u)
          if (const auto at = canvas.at(samplesOfPixel * x + u, samplesOfPixel * y + v); canvas.depth[at] < canvas.depth[nearest])
            nearest = at;
      layers.solid[k] = canvas.depth[nearest];
      if (layers.motion.empty()) continue;
      // Sky is far away.
      const auto ray = shot.camera.ray(x + 0.5, y + 0.5);
      const double far = 1e3 * vectors::length(vectors::operator-(stage.high, stage.low));
      Vector at, v = {0, 0, 0};
      for (std::size_t a = 0; a < 3; ++a) at[a] = ray.eye[a] + std::min(double(layers.solid[k]), far) * ray.direction[a];
      const int thing = canvas.thing[nearest];
      if (thing < 0)
        for (std::size_t a = 0; a < 3; ++a) v[a] = stage.velocity[std::size_t(-1 - thing)][a];
      if (thing > 0) stage.things[std::size_t(thing) - 1].pose.velocityAt(at.data(), v.data());
      layers.motion[k] = shot.motion(at, v);
    }
  });
}

// The edges of the box as depths; infinite where none passes.
std::vector<float> boxLines(const Canvas& canvas, const Camera& camera, const Stage& stage) {
  std::vector<float> lines(canvas.depth.size(), infinite);
  for (int corner = 0; corner < 8; ++corner)
    for (int a = 0; a < 3; ++a) {
      if (corner >> a & 1) continue;
      Vector from, to;
      for (int b = 0; b < 3; ++b)
        from[std::size_t(b)] = to[std::size_t(b)] = (corner >> b & 1 ? stage.high : stage.low)[std::size_t(b)];
      to[std::size_t(a)] = stage.high[std::size_t(a)];
      const auto p = camera.project(from), q = camera.project(to);
      if (!(p.depth > 0 && q.depth > 0)) continue;
      const int steps = whole(std::min(2.2 * samplesOfPixel * std::hypot(q.x - p.x, q.y - p.y), 20000.)) + 1;
      for (int k = 0; k <= steps; ++k) {
        const double s = double(k) / steps;
        const int x = whole(std::floor(samplesOfPixel * (p.x + s * (q.x - p.x)))),
                  y = whole(std::floor(samplesOfPixel * (p.y + s * (q.y - p.y))));
        // Nearer by a spacing, so that the liquid at a wall does not eat the edge.
        const float depth = float(1 / ((1 - s) / p.depth + s / q.depth) - stage.spacing);
        for (int v = y; v < y + samplesOfPixel; ++v)
          for (int u = x; u < x + samplesOfPixel; ++u)
            if (u >= 0 && v >= 0 && u < canvas.width && v < canvas.height) {
              float& line = lines[canvas.at(u, v)];
              line = std::min(line, depth);
            }
      }
    }
  return lines;
}

// Eye-dome lighting: a sample is darker the deeper it lies behind those around it.
float openness(const std::vector<float>& depth, const Canvas& canvas, int x, int y, float unit) {
  static constexpr int ring[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  const float here = depth[canvas.at(x, y)];
  float hidden = 0;
  for (int reach : {3, 8})
    for (const auto& step : ring) {
      const int u = x + reach * step[0], v = y + reach * step[1];
      if (u < 0 || v < 0 || u >= canvas.width || v >= canvas.height) continue;
      hidden += std::clamp((here - depth[canvas.at(u, v)]) / unit, 0.f, 1.f);
    }
  return std::exp(-1.1f * hidden / 16);
}

void drawParticles(Canvas& canvas, const Camera& camera, const Stage& stage, const PictureOptions& options) {
  const auto splats = splatsOf(stage.blobs, camera, canvas);
  const Seen seen = drawSplats(splats, canvas);
  const Vector light = Camera::light();
  tbb::parallel_for(0, canvas.height, [&](int y) {
    for (int x = 0; x < canvas.width; ++x) {
      const auto at = canvas.at(x, y);
      if (seen.splat[at] < 0) continue;
      const Splat& s = splats[std::size_t(seen.splat[at])];
      Hit h;
      if (!hit(s, canvas, x, y, h)) continue;
      const float lambert =
          std::max(0.f, h.normal[0] * float(light[0]) + h.normal[1] * float(light[1]) + h.normal[2] * float(light[2]));
      const float tone = (0.58f + 0.50f * lambert) * openness(seen.depth, canvas, x, y, float(3 * stage.spacing));
      const double value = stage.value[std::size_t(s.particle)];
      const Colour base = styleColour(options.style, (value - options.least) / (options.most - options.least));
      for (std::size_t c = 0; c < 3; ++c) canvas.colour[at][c] = std::min(1.f, tone * base[c]);
      canvas.depth[at] = seen.depth[at];
      if (!canvas.thing.empty()) canvas.thing[at] = -1 - s.particle;
    }
  });
}

Image resolve(const Canvas& canvas) {
  Image image(canvas.width / samplesOfPixel, canvas.height / samplesOfPixel);
  tbb::parallel_for(0, image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x)
      for (std::size_t c = 0; c < 3; ++c) {
        float sum = 0;
        for (int v = 0; v < samplesOfPixel; ++v)
          for (int u = 0; u < samplesOfPixel; ++u)
            sum += canvas.colour[canvas.at(samplesOfPixel * x + u, samplesOfPixel * y + v)][c];
        image.at(x, y)[c] = std::uint8_t(std::lround(255 * sum / (samplesOfPixel * samplesOfPixel)));
      }
  });
  return image;
}

void lighten(Image& image, int x0, int y0, int x1, int y1) {
  for (int y = std::max(0, y0); y < std::min(image.height, y1); ++y)
    for (int x = std::max(0, x0); x < std::min(image.width, x1); ++x)
      for (int c = 0; c < 3; ++c) image.at(x, y)[c] = std::uint8_t(255 - (255 - image.at(x, y)[c]) * 3 / 10);
}

double letterSize(int height) { return std::max(9., height / 48.); }
bool hasBar(const PictureOptions& options) { return options.style == "speed" || options.style == "density"; }

void drawLabels(Image& image, const Stage& stage, const PictureOptions& options) {
  const double size = letterSize(image.height);
  const std::string time = fmt::format("t = {:.2f} s", stage.time);
  const int margin = int(1.2 * size);
  lighten(image, margin / 2, margin / 2, int(margin * 1.5 + textWidth(time, size)), int(margin * 1.5 + size));
  drawText(image, time, margin, margin + size, size, ink);
  if (!hasBar(options)) return;
  const int width = image.width / 4, height = int(0.8 * size), left = (image.width - width) / 2,
            top = int(image.height - 3.6 * size);
  const std::string unit = options.style == "speed" ? "m/s" : "kg/m3";
  const double before = textWidth(options.style, size) + size, after = textWidth(unit, size) + size;
  lighten(image, int(left - before - size), int(top - 0.8 * size), int(left + width + after + size), int(top + 3 * size));
  for (int x = -1; x <= width; ++x)
    for (int y = -1; y <= height; ++y) {
      const bool rim = x < 0 || y < 0 || x == width || y == height;
      const Colour colour = rim ? edgeColour : styleColour(options.style, (x + 0.5) / width);
      for (std::size_t c = 0; c < 3; ++c) image.at(left + x, top + y)[c] = std::uint8_t(std::lround(255 * colour[c]));
    }
  for (int k = 0; k <= 2; ++k) {
    const std::string number = fmt::format("{:.4g}", options.least + (options.most - options.least) * k / 2);
    drawText(image, number, left + width * k / 2. - textWidth(number, 0.8 * size) / 2, top + height + 1.4 * size, 0.8 * size,
             ink);
  }
  drawText(image, options.style, left - before, top + 0.9 * size, size, ink);
  drawText(image, unit, left + width + size, top + 0.9 * size, size, ink);
}

}  // namespace

const std::vector<std::string>& pictureStyles() {
  static const std::vector<std::string> names = {"water", "particles", "density", "speed"};
  return names;
}

Colour styleColour(const std::string& style, double fraction) {
  if (style == "density") return densityColours(fraction);
  if (style == "speed") return speedColours(fraction);
  return {0.20f, 0.48f, 0.78f};
}

void chooseColours(PictureOptions& options, const Scene& scene, const std::vector<Snapshot>& frames) {
  double top = 0;
  for (const Snapshot& s : frames) {
    std::vector<float> values;
    if (options.style == "density")
      values = s.density;
    else
      for (std::size_t k = 0; k + 2 < s.velocity.size(); k += 3)
        values.push_back(std::hypot(s.velocity[k], s.velocity[k + 1], s.velocity[k + 2]));
    std::erase_if(values, [](float x) { return !std::isfinite(x); });
    top = std::max(top, quantile(values, 0.995));
  }
  const double rho0 = scene.fluid.density;
  options.least = options.style == "density" ? rho0 : 0;
  // One per cent at least: below, white is the truth.
  options.most = options.style == "density" ? rho0 * (1 + roundUp(std::max(top / rho0 - 1, 0.01)))
                 : top > 1e-9               ? roundUp(top)
                                            : 1;
}

Image picture(const Stage& stage, const PictureOptions& options) {
  const double margin = 0.06 * std::min(options.width, options.height);
  const double below = options.label && hasBar(options) ? std::max(1.4 * margin, 5 * letterSize(options.height)) : 1.4 * margin;
  const Shot shot =
      shotOf(stage, options, margin, 1.2 * margin, options.width - 2 * margin, options.height - 1.2 * margin - below);
  const Camera& camera = shot.camera;
  Layers layers(options.width, options.height);
  if (shot.shutter > 0) layers.motion.assign(layers.solid.size(), {0, 0});
  Image image(options.width, options.height);
  if (stage.dimension == 2) {
    drawFlat(image, camera, stage, options);
    if (shot.shutter > 0) flatMotion(shot, stage, layers);
  } else {
    const bool water = options.style == "water";
    Canvas canvas(options.width, options.height, camera);
    if (shot.shutter > 0) canvas.thing.assign(canvas.depth.size(), 0);
    const Floor floor(stage, water);
    drawBackground(canvas, camera, floor);
    drawThings(canvas, camera, stage.things);
    if (!water) drawParticles(canvas, camera, stage, options);
    const auto lines = boxLines(canvas, camera, stage);
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (lines[k] < canvas.depth[k]) canvas.colour[k] = edgeColour;
    image = resolve(canvas);
    fillLayers(layers, canvas, shot, stage);
    if (water) drawWater(image, canvas, shot, stage, lines, layers);
  }
  seeThroughLens(image, layers, shot);
  drawFroth(image, layers, shot, stage);
  if (options.label) drawLabels(image, stage, options);
  return image;
}

}  // namespace brim
