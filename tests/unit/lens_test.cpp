// What a lens and a shutter do to a picture.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "brim/picture.h"
#include "render/layers.h"

using namespace brim;

namespace {

constexpr int W = 200, H = 80;

// From z = 10 m along -z, 1000 px at 1 m.
Shot lens() {
  const Camera camera({0, 0, 10}, {0, 0, 0}, 2 * std::atan(H / 2 / 1000.) * 180 / M_PI, W, H);
  return {camera, camera, camera, 0, 10, 0};
}

// A white bar on black, x0 <= x < x1.
Image bar(int x0, int x1) {
  Image image(W, H);
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x)
      for (int c = 0; c < 3; ++c) image.at(x, y)[c] = x >= x0 && x < x1 ? 255 : 0;
  return image;
}

Layers layersOf(const Image& image, float barDepth, float otherDepth) {
  Layers layers(W, H);
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x) layers.solid[layers.at(x, y)] = image.at(x, y)[0] > 0 ? barDepth : otherDepth;
  return layers;
}

double lightOf(const Image& image, int y, int x0 = 0, int x1 = W) {
  double sum = 0;
  for (int x = x0; x < x1; ++x) sum += image.at(x, y)[0] / 255.;
  return sum;
}

TEST(Camera, LooksAtItsTargetWithItsAngle) {
  const Camera camera({1, 2, 3}, {1, 2, -1}, 60, 640, 480);
  const Projected middle = camera.project({1, 2, -1});
  EXPECT_NEAR(middle.x, 320, 1e-9);
  EXPECT_NEAR(middle.y, 240, 1e-9);
  EXPECT_NEAR(middle.depth, 4, 1e-12);
  EXPECT_NEAR(camera.project({1, 2 + 4 * std::tan(M_PI / 6), -1}).y, 0, 1e-9);  // the top of the picture: half the angle up
  EXPECT_GT(camera.project({2, 2, -1}).x, 320);
}

TEST(Lens, ItsDiscsAreThoseOfAThinLens) {
  Shot shot = lens();
  shot.focus = 2;
  shot.aperture = 0.01;
  EXPECT_EQ(shot.blur(2), 0);
  // At depth z the cone of a point is A |z - f|/z wide where it is in focus, and a metre there is zoom/f px: 1000/2 px.
  EXPECT_NEAR(shot.blur(4), 0.5 * 0.01 * 2 / 4 * 500, 1e-4);
  EXPECT_NEAR(shot.blur(1e9f), 0.5 * 0.01 * 500, 1e-4);
  shot.aperture = 0;
  EXPECT_EQ(shot.blur(4), 0);
}

TEST(Lens, LeavesWhatIsInFocusAndSpreadsWhatIsNot) {
  Shot shot = lens();
  shot.aperture = 0.2;
  const Image before = bar(80, 120);
  Image sharp = before;
  seeThroughLens(sharp, layersOf(before, 10, 10), shot);
  EXPECT_EQ(sharp.rgb, before.rgb);

  // 20 m away: radius 1000 * 0.2/2 * (1/10 - 1/20) = 5 px.
  Image soft = before;
  seeThroughLens(soft, layersOf(before, 20, 20), shot);
  EXPECT_EQ(soft.at(80 - 7, 40)[0], 0);
  EXPECT_EQ(soft.at(80 + 7, 40)[0], 255);
  EXPECT_NEAR(soft.at(80, 40)[0], 127, 30);  // an edge is half as bright; 40 spots of a disc
  EXPECT_NEAR(lightOf(soft, 40), 40, 1.5);   // light is not lost

  // A sharp bar before a far background keeps its edge: the dark behind does not spread over it.
  Image front = before;
  seeThroughLens(front, layersOf(before, 10, 40), shot);
  EXPECT_GE(front.at(80, 40)[0], 240);
}

TEST(Shutter, SpreadsWhatMovesOverItsWayAndLeavesWhatRests) {
  const Image before = bar(90, 110);
  Layers layers = layersOf(before, 5, 10);
  layers.motion.assign(layers.solid.size(), {0, 0});
  Image still = before;
  seeThroughLens(still, layers, lens());
  EXPECT_EQ(still.rgb, before.rgb);

  for (std::size_t k = 0; k < layers.motion.size(); ++k)
    if (layers.solid[k] == 5) layers.motion[k] = {30, 0};
  Image moved = before;
  seeThroughLens(moved, layers, lens());
  // 20 px that move 30: o px from their middle they are seen for (25 - o)/30 of the time, 10 to 20 px from it for a third. Of 14
  // samples one is a fifteenth.
  EXPECT_NEAR(lightOf(moved, 40, 80, 90), 10 / 3., 0.7);
  EXPECT_NEAR(lightOf(moved, 40, 110, 120), 10 / 3., 0.7);
  EXPECT_NEAR(lightOf(moved, 40), 20, 1.4);
  EXPECT_LT(lightOf(moved, 40, 0, 72) + lightOf(moved, 40, 128, W), 0.1);
  EXPECT_LT(moved.at(91, 40)[0], 235);  // its ends let the dark through
}

TEST(Shutter, SeesMotionOfThingsAndOfTheCamera) {
  Shot shot = lens();
  shot.shutter = 0.1;
  const auto moved = shot.motion({0, 0, 0}, {2, 1, 0});  // 10 m away: 100 px/m
  EXPECT_NEAR(moved[0], 20, 1e-3);
  EXPECT_NEAR(moved[1], -10, 1e-3);
  const double fov = 2 * std::atan(H / 2 / 1000.) * 180 / M_PI;
  shot.opens = Camera({-0.1, 0, 10}, {-0.1, 0, 0}, fov, W, H);
  shot.closes = Camera({0.1, 0, 10}, {0.1, 0, 0}, fov, W, H);
  EXPECT_NEAR(shot.motion({0, 0, 0}, {0, 0, 0})[0], -20, 1e-3);
  EXPECT_NEAR(shot.motion({0, 0, 0}, {2, 0, 0})[0], 0, 1e-3);  // a camera that follows
}

TEST(CameraPath, IsReadWithItsUnitsAndItsMistakesHaveTheirLine) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "brim_path.csv").string();
  const auto read = [&](const char* text) {
    std::ofstream(file) << text;
    return readCameraPath(file);
  };
  const auto path = read(
      "# from the left to the front\ntime_s,eye_x,eye_y,eye_z,target_x,target_y,target_z,fov_deg\n"
      "0, -3,1,0, 0,0,0, 30\n2, 0,1,3, 0,0.5,0, 50\n");
  ASSERT_EQ(path.size(), 2u);
  EXPECT_EQ(path[1].time, 2);
  EXPECT_EQ(path[1].target[1], 0.5);
  EXPECT_EQ(path[0].fov, 30);
  const auto told = [&](const char* text) {
    try {
      read(text);
    } catch (const SceneError& e) {
      return describe(e.mistakes().front());
    }
    return std::string("none");
  };
  const std::string header = "time,eye_x,eye_y,eye_z,target_x,target_y,target_z,fov\n";
  EXPECT_NE(told((header + "0,1,1,1,0,0,0,40\n0,1,1,1,0,0,0,40\n").c_str()).find("brim_path.csv:3:1: the time is 0 s"),
            std::string::npos);
  EXPECT_NE(told((header + "0,1,1,one,0,0,0,40\n").c_str()).find("brim_path.csv:2:7: \"one\" is not a finite number"),
            std::string::npos);
  EXPECT_NE(told((header + "0,1,1,1,0,0,0,200\n").c_str()).find("brim_path.csv:2:1: the angle fov"), std::string::npos);
  EXPECT_NE(told((header + "0,1,1,1,1,1,1,40\n").c_str()).find("brim_path.csv:2:1: the eye is where the target is"),
            std::string::npos);
  EXPECT_NE(told("time,eye_x,eye_y,eye_z\n0,1,1,1\n").find("brim_path.csv:1:1: the header needs a column \"target_x\""),
            std::string::npos);
  EXPECT_NE(told("time,eyex\n0,1\n").find("brim_path.csv:1:6: column \"eyex\" is not known; did you mean \"eye_x\""),
            std::string::npos);
  std::filesystem::remove(file);
}

}  // namespace
