// Pictures and films of frames, drawn on the CPU.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "brim/foam.h"
#include "brim/snapshot.h"

namespace brim {

class Scenery;  // what stays the same from frame to frame

/// Where a 3D scene is looked at from.
struct Eye {
  double azimuth = 24;    // [deg] to the right of the front
  double elevation = 17;  // [deg] above the horizon
  double zoom = 1;        // over what just fits
};

/// front, side, top, iso, or azimuth,elevation[,zoom] in degrees; throws Failure with what is understood.
Eye eyeFrom(const std::string&);

/// A camera at a time. Between keyframes it moves smoothly, before and after it rests.
struct CameraKey {
  double time = 0;            // [s]
  Vector eye = {0, 0, 0};     // [m]
  Vector target = {0, 0, 0};  // [m] in the middle of the picture
  double fov = 40;            // [deg] from the top of the picture to its bottom
};

/// A CSV file with the columns time, eye_x, eye_y, eye_z, target_x, target_y, target_z and, if it shall not be 40, fov. Throws
/// SceneError with the line and column of every mistake.
std::vector<CameraKey> readCameraPath(const std::string& file);

using Colours = std::map<std::string, std::array<float, 3>>;  // 0..1, sRGB

struct PictureOptions {
  int width = 1280, height = 720;  // [px]
  std::string style = "water";     // water, particles, density or speed
  Eye eye;
  double least = 0, most = 1;        // the ends of the colours, in the unit of the style
  bool label = true;                 // time, and the colours with their unit
  std::vector<CameraKey> path = {};  // of the camera, instead of `eye`; 3D
  double shutter = 0;                // [s] that it is open, for motion blur
  double fNumber = 0;        // of the lens, for depth of field, as of a film with pictures 24 mm high; 0: all is sharp. 3D
  bool focused = false;      // on `focus`; if not, on the middle of the picture
  Vector focus = {0, 0, 0};  // [m]
  Colours colours = {};      // of solids, bodies and cloth
};

const std::vector<std::string>& pictureStyles();

/// Draws frames of one scene, all with the same colours and the same part of the domain.
class Pictures {
 public:
  /// `some` of the frames that will be drawn, or all: the ends of the colours are chosen from them, and in a domain that is much
  /// larger than the liquid only the part where they are is drawn.
  Pictures(const Scene&, const PictureOptions&, const std::vector<Snapshot>& some);
  ~Pictures();
  /// With the colours that were chosen.
  const PictureOptions& options() const { return options_; }
  /// As a PNG file.
  void write(const std::string& path, const Snapshot&, const Foam* = nullptr) const;

 private:
  PictureOptions options_;
  std::unique_ptr<const Scenery> scenery_;
};

/// An mp4 (H.264) of PNG files of one size, `rate` of them a second. Throws Failure if ffmpeg is missing or refuses.
void writeFilm(const std::string& path, const std::vector<std::string>& pictures, double rate);

}  // namespace brim
