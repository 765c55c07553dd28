#include "render/picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/backdrop.h"

using namespace brim;

namespace {

Scene tank(int dimension) {
  Scene s;
  s.dimension = dimension;
  s.domain.min = {0, 0, 0};
  s.domain.max = {2, 1, 1};
  s.resolution.spacing = 0.05;
  return s;
}

// The left half of the tank, 0.4 m deep.
Snapshot pool(const Scene& scene) {
  Snapshot s;
  s.dimension = scene.dimension;
  const double d = scene.resolution.spacing;
  for (double z = d / 2; z < (s.dimension == 3 ? 1 : d); z += d)
    for (double y = d / 2; y < 0.4; y += d)
      for (double x = d / 2; x < 1; x += d) {
        s.position.insert(s.position.end(), {x, y, s.dimension == 3 ? z : 0});
        s.velocity.insert(s.velocity.end(), {float(x), 0, 0});
        s.density.push_back(1000);
        s.id.push_back(std::int64_t(s.id.size()));
      }
  return s;
}

Image drawn(const Scene& scene, const Snapshot& s, const std::string& style, const std::string& view = "front") {
  PictureOptions o;
  o.width = 320, o.height = 200;
  o.style = style;
  o.eye = eyeFrom(view);
  chooseColours(o, scene, {s});
  return picture(Scenery(scene).stage(s, style), o);
}

// How much bluer than red a part of the picture is, on average.
double blueness(const Image& image, double x0, double x1, double y0, double y1) {
  double sum = 0;
  int n = 0;
  for (int y = int(y0 * image.height); y < int(y1 * image.height); ++y)
    for (int x = int(x0 * image.width); x < int(x1 * image.width); ++x, ++n) sum += image.at(x, y)[2] - image.at(x, y)[0];
  return sum / n;
}

// The picture of an ellipsoid: how many samples it covers.
int covered(const Blob& blob, const Camera& camera, const Canvas& canvas) {
  const Seen seen = drawSplats(splatsOf({blob}, camera, canvas), canvas);
  int n = 0;
  for (const int s : seen.splat) n += s >= 0;
  return n;
}

}  // namespace

// From the front the liquid is the lower left; greys and the sky are less blue than it by far.
TEST(Water, IsWhereTheLiquidIs_PB20) {
  for (const int D : {2, 3}) {
    const Scene scene = tank(D);
    const Image image = drawn(scene, pool(scene), "water");
    EXPECT_GT(blueness(image, 0.2, 0.4, 0.65, 0.8), 40) << D;
    EXPECT_LT(blueness(image, 0.6, 0.85, 0.65, 0.8), 15) << D;
    EXPECT_LT(blueness(image, 0.2, 0.4, 0.25, 0.4), 25) << D;
  }
}

TEST(Water, IsTheSamePictureEachTime) {
  const Scene scene = tank(3);
  const Snapshot s = pool(scene);
  EXPECT_EQ(drawn(scene, s, "water").rgb, drawn(scene, s, "water").rgb);
}

// A flat water surface seen from above lets more light through where it is shallower.
TEST(Water, IsDarkerWhereItIsDeeper) {
  Scene scene = tank(3);
  Snapshot s = pool(scene);
  for (std::size_t k = 0; k < s.size(); ++k)
    if (s.position[3 * k] > 0.5 && s.position[3 * k + 1] > 0.1) s.position[3 * k + 1] = std::nan("");  // a step in its depth
  const Image image = drawn(scene, s, "water", "top");
  const auto light = [&](double x0, double x1) {
    double sum = 0;
    for (int y = image.height * 2 / 5; y < image.height * 3 / 5; ++y)
      for (int x = int(x0 * image.width); x < int(x1 * image.width); ++x) sum += image.at(x, y)[0] + image.at(x, y)[1];
    return sum / (x1 - x0);
  };
  EXPECT_LT(light(0.18, 0.26), 0.9 * light(0.36, 0.44));
}

// An ellipsoid of half axes a, b across the view covers pi a b scale^2, near the middle of the picture to (axis/depth)^2 = 0.1 %;
// the raster of some thousand samples adds 2 %. A billboard of the largest axis would cover twice as much.
TEST(Splats, HaveTheSilhouettesOfEllipsoids_PB19) {
  const Camera camera(3, {-1, -1, -1}, {1, 1, 1}, 0, 0, 200, 200, eyeFrom("0,0"));
  const Canvas canvas(200, 200, camera);
  for (const double turn : {0., 0.5, 1.2}) {
    const double a = 0.3, b = 0.15, c = std::cos(turn), s = std::sin(turn);
    const double xx = c * c / (a * a) + s * s / (b * b), yy = s * s / (a * a) + c * c / (b * b),
                 xy = c * s * (1 / (a * a) - 1 / (b * b));
    const Blob blob{{0, 0, 0}, {float(xx), float(yy), float(1 / (0.2 * 0.2)), float(xy), 0, 0}};
    const double scale = samplesOfPixel * camera.scale(camera.project({0, 0, 0}).depth);
    EXPECT_NEAR(covered(blob, camera, canvas) / (M_PI * a * b * scale * scale), 1, 0.03) << turn;
  }
}

// Tangents from a near eye: a sphere of radius r at distance l is seen as a cone of sin = r/l, whatever the rasteriser's bounds.
TEST(Splats, OfNearSpheresAreAsWideAsTheirTangentCone_PB19) {
  const Camera camera(3, {-1, -1, -1}, {1, 1, 1}, 0, 0, 300, 300, eyeFrom("0,0,0.4"));
  const Canvas canvas(300, 300, camera);
  const double distance = camera.project({0, 0, 0}).depth, r = 0.4, l = 2;
  const float near = float(camera.eye()[2] - l), m = float(1 / (r * r));
  const Blob blob{{0, 0, near}, {m, m, m, 0, 0, 0}};
  const double tangent = r / std::sqrt(l * l - r * r) * camera.zoom() * samplesOfPixel;
  EXPECT_NEAR(covered(blob, camera, canvas) / (M_PI * tangent * tangent), 1, 0.02);
  EXPECT_GT(distance, l);
}

// A box before the eye: its front face is a rectangle whose corners the camera tells.
TEST(Things, AreDrawnWhereTheyAreAndHideWhatIsBehind) {
  Scene scene = tank(3);
  Solid solid;
  solid.shape.min = {0.8, 0.3, 0.6}, solid.shape.max = {1.2, 0.7, 0.9};
  scene.solids = {solid};
  const Scenery scenery(scene);
  const Stage stage = scenery.stage(Snapshot(), "water");
  const Camera camera(3, stage.low, stage.high, 0, 0, 300, 200, eyeFrom("0,0"));
  Canvas canvas(300, 200, camera);
  drawThings(canvas, camera, stage.things);
  const auto low = camera.project({-0.2, -0.2, 0.4}), high = camera.project({0.2, 0.2, 0.4});
  int n = 0;
  for (const float depth : canvas.depth)
    if (depth < 1e30f) {
      ++n;
      EXPECT_NEAR(depth, low.depth, 1e-4);
    }
  const double area = samplesOfPixel * samplesOfPixel * (high.x - low.x) * (low.y - high.y);
  EXPECT_NEAR(n / area, 1, 0.03);  // whole samples along the rim
}

TEST(Styles, GoFromWhiteToRedAndFromBlueToWhite_ID32) {
  const Colour least = styleColour("density", 0), most = styleColour("density", 1);
  for (const float channel : least) EXPECT_GT(channel, 0.95f);
  EXPECT_GT(most[0], 4 * most[1]);
  EXPECT_GT(most[0], 4 * most[2]);
  const Colour slow = styleColour("speed", 0), fast = styleColour("speed", 1);
  EXPECT_GT(slow[2], 2 * slow[0]);
  for (const float channel : fast) EXPECT_GT(channel, 0.95f);
  EXPECT_EQ(styleColour("speed", std::nan("")), slow);
}

// The colours' ends: all but the fastest few in full use, round numbers, density from rest.
TEST(Styles, ChooseTheirRangeFromTheFrames) {
  const Scene scene = tank(2);
  Snapshot s = pool(scene);
  PictureOptions o;
  o.style = "speed";
  chooseColours(o, scene, {s});
  EXPECT_EQ(o.least, 0);
  EXPECT_EQ(o.most, 1);
  s.density.assign(s.size(), 1043);
  o.style = "density";
  chooseColours(o, scene, {s});
  EXPECT_EQ(o.least, 1000);
  EXPECT_NEAR(o.most, 1050, 1e-9);
}

TEST(Views, AreNamesOrAngles) {
  EXPECT_EQ(eyeFrom("side").azimuth, 90);
  EXPECT_EQ(eyeFrom("30,-20").elevation, -20);
  EXPECT_EQ(eyeFrom("30,20,1.5").zoom, 1.5);
  for (const char* wrong : {"back", "30", "30,", "30,20,", "30,200", "30,20,0", "30,20,1.5x", "nan,nan"})
    EXPECT_THROW(eyeFrom(wrong), Failure) << wrong;
  // From the side, what was to the right is near; from the top, what was high is near.
  const Camera side(3, {-1, -1, -1}, {1, 1, 1}, 0, 0, 100, 100, eyeFrom("side"));
  EXPECT_LT(side.project({1, 0, 0}).depth, side.project({-1, 0, 0}).depth);
  const Camera top(3, {-1, -1, -1}, {1, 1, 1}, 0, 0, 100, 100, eyeFrom("top"));
  EXPECT_LT(top.project({0, 1, 0}).depth, top.project({0, -1, 0}).depth);
}

TEST(Pictures, OfAnEmptyTankAndOfLostParticlesAreNoProblem) {
  for (const int D : {2, 3}) {
    const Scene scene = tank(D);
    Snapshot s = pool(scene);
    s.position[0] = 1e9, s.position[4] = std::nan("");
    for (const auto& style : pictureStyles()) {
      EXPECT_EQ(drawn(scene, s, style).width, 320);
      EXPECT_EQ(drawn(scene, Snapshot(), style).width, 320);
    }
  }
}

// A sheet hides what is behind it, from both sides; in 2D it is a line.
TEST(Things, ClothIsDrawnFromBothSides) {
  for (const bool turned : {false, true}) {
    const Scene scene = tank(3);
    Snapshot s;
    s.surfaces.push_back({"sheet", 3, {0.5, 0.2, 0.5, 1.5, 0.2, 0.5, 1.5, 0.8, 0.5, 0.5, 0.8, 0.5}, {0, 1, 2, 0, 2, 3}});
    if (turned) s.surfaces[0].element = {0, 2, 1, 0, 3, 2};
    const Image image = drawn(scene, s, "particles");
    const auto* middle = image.at(image.width / 2, image.height / 2);
    EXPECT_GT(middle[0], middle[2] + 60);
  }
  const Scene scene = tank(2);
  Snapshot s;
  s.dimension = 2;
  s.surfaces.push_back({"sheet", 2, {0.2, 0.5, 0, 1.8, 0.5, 0}, {0, 1}});
  const Image image = drawn(scene, s, "water");
  int red = 0;
  for (int y = 0; y < image.height; ++y) red += image.at(image.width / 2, y)[0] > image.at(image.width / 2, y)[2] + 60;
  EXPECT_NEAR(red, 6, 2);  // 0.8 spacings of 5 cm at 144 px/m
}

// A body stands where the frame says and not where it began.
TEST(Things, BodiesAreWhereTheFrameHasThem) {
  Scene scene = tank(3);
  RigidBody body;
  body.name = "crate";
  body.shape.min = {0.1, 0.1, 0.4}, body.shape.max = {0.3, 0.3, 0.6};
  scene.bodies = {body};
  Snapshot s;
  BodyReport& at = s.bodies.emplace_back();
  at.position = {1.5, 0.5, 0.5};
  at.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  const Scenery scenery(scene);
  const Stage stage = scenery.stage(s, "water");
  ASSERT_EQ(stage.things.size(), 1u);
  EXPECT_NEAR(stage.things[0].pose.position[0], 0.5, 1e-12);  // from the middle of the tank
  const Mesh mesh = scenery.bodies(s);
  const auto [low, high] = bounds(mesh.points);
  EXPECT_NEAR(low[0], 1.4, 1e-12);
  EXPECT_NEAR(high[1], 0.6, 1e-12);
  EXPECT_NEAR(volume(mesh), 0.008, 1e-12);
}
