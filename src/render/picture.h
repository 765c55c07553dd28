// Whole pictures of a frame.
#pragma once
#include "brim/picture.h"
#include "render/stage.h"

namespace brim {

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
