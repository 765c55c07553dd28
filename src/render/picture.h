// Whole pictures of a frame.
#pragma once
#include "brim/picture.h"
#include "render/layers.h"
#include "render/stage.h"

namespace brim {

/// Fills least and most from some frames: speed from 0, density from that of the fluid at rest, both up to what all but a few
/// particles stay below.
void chooseColours(PictureOptions&, const Scene&, const std::vector<Snapshot>&);

/// density: white to red; speed: blue to white; particles: one blue.
Colour styleColour(const std::string& style, double fraction);

Image picture(const Stage&, const PictureOptions&);

/// Water in 3D: depth, thickness and smoothed surface of the splats (van der Laan et al. 2009), over what is behind it.
/// Fills the depths of the water, and its motion where the layers have one.
void drawWater(Image&, const Canvas& opaque, const Shot&, const Stage&, const std::vector<float>& lines, Layers&);

/// The camera of the stage's time, and when its shutter opens and closes. `left`, ... are where a fixed one fits the box in [px].
Shot shotOf(const Stage&, const PictureOptions&, double left, double top, double width, double height);

/// Everything in 2D.
void drawFlat(Image&, const Camera&, const Stage&, const PictureOptions&);
/// The motion of the liquid in 2D, where the layers have one.
void flatMotion(const Shot&, const Stage&, Layers&);

}  // namespace brim
