#include <cmath>

#include "brim/picture.h"
#include "render/picture.h"
#include "scene/keyframe_table.h"
#include "scene/keyframes.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr double filmHeight = 0.024;  // [m] of a picture behind the lens

CameraKey keyAt(const std::vector<CameraKey>& path, double t) {
  std::vector<Keyframe> eye, target, fov;
  for (const CameraKey& k : path) {
    eye.push_back({k.time, k.eye});
    target.push_back({k.time, k.target});
    fov.push_back({k.time, {k.fov, 0, 0}});
  }
  return {t, trackAt(eye, t, true).value, trackAt(target, t, true).value, trackAt(fov, t, true).value[0]};
}

}  // namespace

std::vector<CameraKey> readCameraPath(const std::string& file) {
  static const KeyframeTable::Columns known = {{"time", {0, "s"}},     {"t", {0, "s"}},        {"eye_x", {1, "m"}},
                                               {"eye_y", {2, "m"}},    {"eye_z", {3, "m"}},    {"target_x", {4, "m"}},
                                               {"target_y", {5, "m"}}, {"target_z", {6, "m"}}, {"fov", {7, "deg"}}};
  Mistakes mistakes;
  KeyframeTable table(file, "camera", known, mistakes);
  const auto rows = table.read({file, 0, 0}, 8);
  if (!rows.empty()) {
    static constexpr const char* names[] = {"eye_x", "eye_y", "eye_z", "target_x", "target_y", "target_z"};
    for (int k = 0; k < 6; ++k)
      if (!table.has(k + 1)) table.tell(table.headerLine(), 1, std::string("the header needs a column \"") + names[k] + "\"");
  }
  std::vector<CameraKey> path;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto& r = rows[k];
    CameraKey key = {r[0], {r[1], r[2], r[3]}, {r[4], r[5], r[6]}};
    if (table.has(7)) key.fov = r[7];
    if (!(key.fov >= 1 && key.fov <= 150)) table.tell(table.lineOf(k), 1, "the angle fov must be 1 to 150 degrees");
    if (!(length(key.target - key.eye) > 0)) table.tell(table.lineOf(k), 1, "the eye is where the target is");
    path.push_back(key);
  }
  if (const auto all = mistakes.inOrder(); !all.empty()) throw SceneError(all);
  return path;
}

Shot shotOf(const Stage& stage, const PictureOptions& o, double left, double top, double width, double height) {
  const auto cameraAt = [&](double t) {
    if (o.path.empty() || stage.dimension == 2)
      return Camera(stage.dimension, stage.low, stage.high, left, top, width, height, o.eye);
    const CameraKey k = keyAt(o.path, t);
    return Camera(k.eye - stage.middle, k.target - stage.middle, k.fov, o.width, o.height);
  };
  const double half = o.shutter / 2;
  Shot shot{cameraAt(stage.time - half), cameraAt(stage.time), cameraAt(stage.time + half), o.shutter, 1, 0};
  if (o.fNumber > 0 && stage.dimension == 3) {
    const Vector middle = o.path.empty() ? 0.5 * (stage.low + stage.high) : keyAt(o.path, stage.time).target - stage.middle;
    shot.focus = shot.camera.project(o.focused ? o.focus - stage.middle : middle).depth;
    // The focal length has the same angle of view on the film as the camera has on the picture.
    shot.aperture = shot.focus > 0 ? filmHeight * shot.camera.zoom() / o.height / o.fNumber : 0;
  }
  return shot;
}

}  // namespace brim
