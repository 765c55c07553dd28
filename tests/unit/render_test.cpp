#include <gtest/gtest.h>

#include <cmath>

#include "render/palette.h"
#include "render/preview.h"

using namespace brim;

namespace {

struct Spot {
  double x = 0, y = 0;  // [px] middle
  double area = 0;      // [px]
};

// Pixels that the speed colours paint: blue beats red by more than the greys of box, floor and letters do.
Spot coloured(const Image& image) {
  Spot spot;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.at(x, y)[2] > image.at(x, y)[0] + 30) spot.x += x + 0.5, spot.y += y + 0.5, ++spot.area;
  if (spot.area > 0) spot.x /= spot.area, spot.y /= spot.area;
  return spot;
}

Panel oneAt(int D, float x, float y, float z) {
  Panel p;
  p.dimension = D;
  p.position = {x, y, z};
  p.speed = {0};
  return p;
}

const Vector low = {-2, -1, -0.5}, high = {2, 1, 0.5};

Image pictureOf(const Panel& panel, const Camera& camera, double radius) {
  Image image(400, 240);
  drawPanel(image, 0, 0, 400, 240, camera, panel, {low, high, radius, 1});
  return image;
}

}  // namespace

// The middle of some hundred pixels is known to a fraction of a pixel; perspective moves it by (r/depth)^2, less than 0.1.
TEST(Picture, ASphereIsWhereTheCameraSays) {
  const Camera camera(3, low, high, 10, 10, 380, 220);
  for (const Vector& at : {Vector{0, 0, 0}, Vector{-1.5, 0.5, 0.3}, Vector{1.2, -0.8, -0.4}}) {
    const auto spot = coloured(pictureOf(oneAt(3, float(at[0]), float(at[1]), float(at[2])), camera, 0.15));
    const auto p = camera.project(at);
    EXPECT_NEAR(spot.x, p.x, 0.5);
    EXPECT_NEAR(spot.y, p.y, 0.5);
    const double r = 0.15 * camera.scale(p.depth);
    EXPECT_NEAR(spot.area, M_PI * r * r, 0.1 * M_PI * r * r);  // a rim of a third of a pixel, where it mixes with the paper
  }
}

TEST(Picture, ADiscOfAFlatSceneIsWhereTheCameraSays_CF29) {
  const Vector flatLow = {-2, -1, 0}, flatHigh = {2, 1, 0};
  const Camera camera(2, flatLow, flatHigh, 10, 10, 380, 220);
  Image image(400, 240);
  drawPanel(image, 0, 0, 400, 240, camera, oneAt(2, 1, 0.5f, 0), {flatLow, flatHigh, 0.15, 1});
  const auto spot = coloured(image);
  // 380 px for 4 m: 95 px a metre from the middle of the picture.
  EXPECT_NEAR(spot.x, 200 + 95, 0.5);
  EXPECT_NEAR(spot.y, 120 - 47.5, 0.5);
}

TEST(Picture, UpIsUpAndRightIsRight) {
  const Camera camera(3, low, high, 0, 0, 400, 240);
  EXPECT_LT(camera.project({0, 0.9, 0}).y, camera.project({0, -0.9, 0}).y);
  EXPECT_GT(camera.project({1, 0, 0}).x, camera.project({-1, 0, 0}).x);
  EXPECT_LT(camera.project({0, 0, 0.4}).depth, camera.project({0, 0, -0.4}).depth);
}

TEST(Picture, TheBoxFillsItsRectangle) {
  const Camera camera(3, low, high, 30, 20, 300, 500);
  double x0 = 1e9, x1 = -1e9;
  for (int corner = 0; corner < 8; ++corner) {
    const auto p = camera.project({corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1], corner & 4 ? high[2] : low[2]});
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    EXPECT_GE(p.y, 20);
    EXPECT_LE(p.y, 520);
  }
  EXPECT_NEAR(x0, 30, 1e-6);
  EXPECT_NEAR(x1, 330, 1e-6);
}

TEST(Picture, RaysPassThroughTheirPixels) {
  const Camera camera(3, low, high, 0, 0, 400, 240);
  const auto ray = camera.ray(123, 45);
  for (double s : {0.5, 3.}) {
    Vector x;
    for (int a = 0; a < 3; ++a) x[a] = ray.eye[a] + s * ray.direction[a];
    EXPECT_NEAR(camera.project(x).x, 123, 1e-6);
    EXPECT_NEAR(camera.project(x).y, 45, 1e-6);
  }
}

TEST(Picture, WhatIsNearerHidesWhatIsBehind) {
  const Camera camera(3, low, high, 0, 0, 400, 240);
  Panel panel = oneAt(3, 0, 0, 0);
  // A grey sample on the same ray, a little nearer to the eye, and larger as it is seen.
  const auto p = camera.project({0, 0, 0});
  const auto through = camera.ray(p.x, p.y);
  const double s = 0.97 * p.depth;
  for (int a = 0; a < 3; ++a) panel.solids.push_back(float(through.eye[a] + s * through.direction[a]));
  EXPECT_EQ(coloured(pictureOf(panel, camera, 0.1)).area, 0);
  panel.solids.clear();
  EXPECT_GT(coloured(pictureOf(panel, camera, 0.1)).area, 50);
}

double lightOf(const Colour& c) { return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]; }

TEST(Palette, ColoursGrowLighterWithSpeedAndPressureAndDarkerWithDensity) {
  for (int k = 0; k < 20; ++k) {
    EXPECT_LT(lightOf(speedColours(k / 20.)), lightOf(speedColours((k + 1) / 20.)));
    EXPECT_LT(lightOf(pressureColours(k / 20.)), lightOf(pressureColours((k + 1) / 20.)));
    EXPECT_GT(lightOf(densityColours(k / 20.)), lightOf(densityColours((k + 1) / 20.)));
  }
}

// ID-32: velocity from blue to white, density from white to red.
TEST(Palette, SpeedGoesFromBlueToWhiteAndDensityFromWhiteToRed) {
  const Colour white = {1, 1, 1}, calm = speedColours(0), dense = densityColours(1);
  EXPECT_GT(calm[2], 2 * calm[1]);
  EXPECT_EQ(speedColours(1), white);
  EXPECT_EQ(densityColours(0), white);
  EXPECT_GT(dense[0], 3 * dense[2]);
}

TEST(Palette, WhatLiesOutsideHasTheColourOfItsEnd) {
  EXPECT_EQ(speedColours(7), speedColours(1));
  EXPECT_EQ(speedColours(-7), speedColours(0));
  EXPECT_EQ(speedColours(std::nan("")), speedColours(0));
}

TEST(Preview, HasAPanelForEveryTimeAndIsTheSameEachTime) {
  Scene scene;
  scene.domain.max = {4, 2, 1};
  scene.resolution.spacing = 0.1;
  std::vector<Panel> panels(3, oneAt(3, 0, 0, 0));
  for (auto& p : panels)
    for (int i = 1; i < 60; ++i) {
      p.position.insert(p.position.end(), {0.06f * float(i % 20 - 10), 0.1f * float(i / 20), 0});
      p.speed.push_back(0.1f * float(i));
    }
  const Image image = previewStrip(panels, scene, 200);
  EXPECT_GT(image.width, 3 * 200);
  EXPECT_EQ(image.rgb, previewStrip(panels, scene, 200).rgb);
  for (int k = 0; k < 3; ++k) {
    int painted = 0;
    for (int y = 0; y < image.height - 46; ++y)
      for (int x = k * image.width / 3; x < (k + 1) * image.width / 3; ++x) painted += image.at(x, y)[2] > image.at(x, y)[0] + 30;
    EXPECT_GT(painted, 50) << "panel " << k;
  }
}

TEST(Preview, AnEmptySceneAndAFarDropAreNoProblem) {
  Scene scene;
  Panel far = oneAt(3, 1e5f, -1e5f, 1e5f);
  EXPECT_GT(previewStrip({Panel(), far}, scene, 100).width, 0);
}
