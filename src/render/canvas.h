// The picture while it is made: samples finer than its pixels, with their depths.
#pragma once
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "render/camera.h"
#include "render/text.h"

namespace brim {

constexpr int samplesOfPixel = 2;  // along an axis

/// Samples from the top left. A ray of sample (x, y) runs along (a(x), b(y), 1) in the camera's axes, or without perspective
/// along (0, 0, 1) from (a(x), b(y), 0).
struct Canvas {
  int width, height;         // [samples]
  std::vector<float> depth;  // [m] along the view; infinite where nothing is
  std::vector<Colour> colour;
  std::vector<int> thing;  // what is seen: things from 1, particles from -1 downwards, 0: none. Empty: nobody asks
  bool perspective;
  float zoom, x0, y0;  // of the camera, in samples

  Canvas(int w, int h, const Camera& camera, int samples = samplesOfPixel)
      : width(samples * w),
        height(samples * h),
        depth(std::size_t(width) * height, std::numeric_limits<float>::infinity()),
        colour(std::size_t(width) * height, Colour{1, 1, 1}),
        perspective(camera.perspective()),
        zoom(float(samples * camera.zoom())),
        x0(float(samples * camera.x0())),
        y0(float(samples * camera.y0())) {}
  std::size_t at(int x, int y) const { return std::size_t(y) * width + x; }
  float a(float x) const { return (x + 0.5f - x0) / zoom; }
  float b(float y) const { return (y0 - y - 0.5f) / zoom; }
};

/// A rectangle of samples, the last ones included.
struct Extent {
  int x0, x1, y0, y1;
};

/// Draws n things tile by tile: extentOf(i) is where thing i may touch the canvas, draw(i, extent) is called for every tile it
/// touches, in ascending order of i within a tile; tiles run in parallel.
template <class ExtentOf, class Draw>
void drawInTiles(const Canvas& canvas, int n, ExtentOf extentOf, Draw draw) {
  constexpr int tile = 64;
  const int tilesX = (canvas.width + tile - 1) / tile, tilesY = (canvas.height + tile - 1) / tile;
  std::vector<Extent> extents(static_cast<std::size_t>(n));
  tbb::parallel_for(0, n, [&](int i) {
    Extent e = extentOf(i);
    e.x0 = std::max(e.x0, 0), e.y0 = std::max(e.y0, 0);
    e.x1 = std::min(e.x1, canvas.width - 1), e.y1 = std::min(e.y1, canvas.height - 1);
    extents[std::size_t(i)] = e;
  });
  const auto visitTiles = [&](const Extent& e, auto visit) {
    if (e.x0 > e.x1 || e.y0 > e.y1) return;
    for (int y = e.y0 / tile; y <= e.y1 / tile; ++y)
      for (int x = e.x0 / tile; x <= e.x1 / tile; ++x) visit(std::size_t(y * tilesX + x));
  };
  std::vector<int> begin(std::size_t(tilesX) * tilesY + 1, 0);
  for (const Extent& e : extents) visitTiles(e, [&](std::size_t t) { ++begin[t + 1]; });
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  std::vector<int> list(std::size_t(begin.back()));
  auto next = begin;
  for (int i = 0; i < n; ++i) visitTiles(extents[std::size_t(i)], [&](std::size_t t) { list[std::size_t(next[t]++)] = i; });
  tbb::parallel_for(0, tilesX * tilesY, [&](int t) {
    const int x = t % tilesX * tile, y = t / tilesX * tile;
    for (int k = begin[std::size_t(t)]; k < begin[std::size_t(t) + 1]; ++k) {
      const int i = list[std::size_t(k)];
      const Extent& e = extents[std::size_t(i)];
      draw(i, Extent{std::max(e.x0, x), std::min(e.x1, x + tile - 1), std::max(e.y0, y), std::min(e.y1, y + tile - 1)});
    }
  });
}

/// A whole number for any float: what is far outside the picture, or no number at all, is a million samples away.
inline int toSample(float x) { return !(x > -1e6f) ? -1000000 : x < 1e6f ? int(x) : 1000000; }

}  // namespace brim
