#include "render/preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/whole.h"
#include "scene/walls.h"

namespace brim {

namespace {

constexpr Colour ink = {0.22f, 0.25f, 0.30f};

double middleOf(const Scene& scene, int a) { return a < scene.dimension ? (scene.domain.min[a] + scene.domain.max[a]) / 2 : 0; }

// 1, 2 or 5 times a power of ten, at least x.
double roundUp(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (double m : {1., 1.5, 2., 3., 4., 5., 6., 8.})
    if (m * power >= x * 0.999) return m * power;
  return 10 * power;
}

// All but the fastest half per cent: a few drops must not turn everything else blue.
double fastest(const std::vector<Panel>& panels) {
  double top = 0;
  for (const auto& p : panels) {
    auto speed = p.speed;
    if (speed.empty()) continue;
    const auto at = speed.begin() + std::ptrdiff_t(0.995 * double(speed.size() - 1));
    std::nth_element(speed.begin(), at, speed.end());
    top = std::max(top, double(*at));
  }
  return top > 1e-9 ? roundUp(top) : 1;
}

void centred(Image& image, const std::string& text, double x, double y, double size) {
  drawText(image, text, x - textWidth(text, size) / 2, y, size, ink);
}

void drawColourBar(Image& image, int middle, int y, double fastest) {
  constexpr int width = 240, height = 9;
  const int left = middle - width / 2;
  for (int x = 0; x < width; ++x) {
    const Colour colour = colourOf((x + 0.5) / width);
    for (int v = y; v < y + height; ++v)
      for (int c = 0; c < 3; ++c) image.at(left + x, v)[c] = std::uint8_t(std::lround(255 * colour[c]));
  }
  for (int k = 0; k <= 2; ++k) centred(image, fmt::format("{:.3g}", fastest * k / 2), left + width * k / 2., y + height + 15, 9);
  const std::string name = "speed";
  drawText(image, name, left - 14 - textWidth(name, 10), y + height, 10, ink);
  drawText(image, "m/s", left + width + 14, y + height, 10, ink);
}

// Points of triangles and segments, no more than `apart` [m] from each other.
std::vector<double> pointsOf(const std::vector<Surface>& surfaces, double apart) {
  std::vector<double> points;
  for (const Surface& s : surfaces)
    for (std::size_t e = 0; e < s.element.size(); e += std::size_t(s.corners)) {
      const double* at[3];
      for (int k = 0; k < 3; ++k) at[k] = &s.vertex[3 * std::size_t(s.element[e + std::size_t(std::min(k, s.corners - 1))])];
      double longest = 0;
      for (int k = 0; k < 3; ++k)
        longest = std::max(
            longest, std::hypot(at[k][0] - at[(k + 1) % 3][0], at[k][1] - at[(k + 1) % 3][1], at[k][2] - at[(k + 1) % 3][2]));
      const int n = std::clamp(whole(std::ceil(longest / apart)), 1, 64);
      for (int a = 0; a <= n; ++a)
        for (int b = 0; b <= (s.corners == 3 ? n - a : 0); ++b)
          for (int k = 0; k < 3; ++k) points.push_back(at[0][k] + (at[1][k] - at[0][k]) * a / n + (at[2][k] - at[0][k]) * b / n);
    }
  return points;
}

}  // namespace

// The domain, or the fluid's surroundings where the domain is much larger.
Look lookOf(const std::vector<Panel>& panels, const Scene& scene) {
  const int D = scene.dimension;
  Look look;
  look.radius = (D == 3 ? 0.58 : 0.64) * scene.resolution.spacing;  // a little more than touching: no gaps to look through
  look.solid = look.radius * drawnSpacing(scene) / scene.resolution.spacing;
  look.fastest = fastest(panels);
  look.min = look.max = {0, 0, 0};
  Vector low = {0, 0, 0}, high = {0, 0, 0};
  double side = 0, fluid = 0;
  std::size_t particles = 0;
  for (const auto& p : panels) particles += p.position.size() / 3;
  const std::size_t every = 1 + particles / 2000000;  // for a quantile a million will do
  for (int a = 0; a < D; ++a) {
    look.max[a] = (scene.domain.max[a] - scene.domain.min[a]) / 2;
    look.min[a] = -look.max[a];
    std::vector<float> x;
    for (const auto& p : panels)
      for (std::size_t i = std::size_t(a); i < p.position.size(); i += 3 * every) x.push_back(p.position[i]);
    if (x.empty()) return look;
    const auto cut = std::ptrdiff_t(0.002 * double(x.size()));
    std::nth_element(x.begin(), x.begin() + cut, x.end());
    low[a] = x[std::size_t(cut)];
    std::nth_element(x.begin(), x.end() - 1 - cut, x.end());
    high[a] = *(x.end() - 1 - cut);
    side = std::max(side, look.max[a] - look.min[a]);
    fluid = std::max(fluid, high[a] - low[a]);
  }
  if (side > 4 * fluid)
    for (int a = 0; a < D; ++a) {
      look.min[a] = std::max(look.min[a], low[a] - 0.15 * fluid - look.radius);
      look.max[a] = std::min(look.max[a], high[a] + 0.15 * fluid + look.radius);
    }
  return look;
}

Panel panelOf(const Snapshot& s, const Scene& scene) {
  Panel panel;
  panel.dimension = s.dimension;
  panel.time = s.time;
  const auto relative = [&](const std::vector<double>& from, std::vector<float>& to) {
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = float(from[k] - middleOf(scene, int(k % 3)));
  };
  relative(s.position, panel.position);
  relative(s.solids, panel.solids);
  relative(pointsOf(s.surfaces, 0.4 * scene.resolution.spacing), panel.sheets);
  panel.speed.resize(s.size());
  for (std::size_t i = 0; i < s.size() && 3 * i + 2 < s.velocity.size(); ++i)
    panel.speed[i] = std::hypot(s.velocity[3 * i], s.velocity[3 * i + 1], s.velocity[3 * i + 2]);
  return panel;
}

Image previewStrip(const std::vector<Panel>& panels, const Scene& scene, int panelWidth) {
  return previewStrip(panels, scene, lookOf(panels, scene), panelWidth);
}

Image previewStrip(const std::vector<Panel>& panels, const Scene& scene, const Look& look, int panelWidth) {
  constexpr int margin = 14, label = 30, bar = 46;
  const double shape = aspect(scene.dimension, look.min, look.max);
  const int height = int(std::clamp(panelWidth * shape, 0.3 * panelWidth, 1.5 * panelWidth));
  // A tall box would leave most of a wide panel empty.
  const int width = std::max(whole(std::min(double(panelWidth), height / shape)), panelWidth / 3);
  const int n = int(panels.size());
  Image image(std::max(n * (width + 2 * margin), 400), height + label + 2 * margin + bar);
  const int first = (image.width - n * (width + 2 * margin)) / 2;
  for (int k = 0; k < n; ++k) {
    const int left = first + k * (width + 2 * margin), top = label;
    const Camera camera(scene.dimension, look.min, look.max, left + margin, top + margin, width, height);
    drawPanel(image, left, top, width + 2 * margin, height + 2 * margin, camera, panels[std::size_t(k)], look);
    centred(image, fmt::format("t = {:.2f} s", panels[std::size_t(k)].time), left + margin + width / 2., label - 6, 12);
  }
  drawColourBar(image, image.width / 2, image.height - bar + 10, look.fastest);
  return image;
}

}  // namespace brim
