// Pictures and films of frames, drawn on the CPU.
#pragma once
#include <memory>
#include <string>
#include <vector>

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

struct PictureOptions {
  int width = 1280, height = 720;  // [px]
  std::string style = "water";     // water, particles, density or speed
  Eye eye;
  double least = 0, most = 1;  // the ends of the colours, in the unit of the style
  bool label = true;           // time, and the colours with their unit
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
  void write(const std::string& path, const Snapshot&) const;

 private:
  PictureOptions options_;
  std::unique_ptr<const Scenery> scenery_;
};

/// An mp4 (H.264) of PNG files of one size, `rate` of them a second. Throws Failure if ffmpeg is missing or refuses.
void writeFilm(const std::string& path, const std::vector<std::string>& pictures, double rate);

}  // namespace brim
