// Whole pictures of a frame.
#pragma once
#include "render/stage.h"

namespace brim {

struct PictureOptions {
  int width = 1280, height = 720;  // [px]
  std::string style = "water";     // water, particles, density or speed
  Eye eye;
  double least = 0, most = 1;  // the ends of the colours, in the unit of the style
  bool label = true;           // time, and the colours with their unit
};

const std::vector<std::string>& pictureStyles();

/// Fills least and most from some frames: speed from 0, density from that of the fluid at rest, both up to what all but a few
/// particles stay below.
void chooseColours(PictureOptions&, const Scene&, const std::vector<Snapshot>&);

/// density: white to red; speed: blue to white; particles: one blue.
Colour styleColour(const std::string& style, double fraction);

Image picture(const Stage&, const PictureOptions&);

/// Water in 3D: depth, thickness and smoothed surface of the splats (van der Laan et al. 2009), over what is behind it.
void drawWater(Image&, const Canvas& opaque, const Camera&, const Stage&, const std::vector<float>& lines);

/// Everything in 2D.
void drawFlat(Image&, const Camera&, const Stage&, const PictureOptions&);

}  // namespace brim
