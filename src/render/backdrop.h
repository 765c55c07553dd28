// What is around the liquid: sky, a floor with shadows, and things as shaded triangles.
#pragma once
#include "render/stage.h"

namespace brim {

/// Towards the light, unit length, in the scene.
const Vector& sunlight();

Colour skyColour(const Vector& direction);

/// A floor at the bottom of the box, with the shadows of the liquid and the things on it.
class Floor {
 public:
  /// `clear`: the liquid is water and lets light through.
  Floor(const Stage&, bool clear);
  /// What is seen along eye + s direction: the floor, or the sky.
  Colour colour(const Vector& eye, const Vector& direction) const;
  /// Where the ray meets the floor, as s; infinite where it does not.
  double distance(const Vector& eye, const Vector& direction) const;

 private:
  float shade(double x, double z) const;
  void blur(int radius);

  Vector low_, high_;
  double tile_, size_;         // [m] of a tile of the floor, of the box
  double left_, back_, cell_;  // [m] of the map of shadows
  int nx_ = 0, nz_ = 0;
  std::vector<float> light_;  // 1: full light
};

/// Triangles of all things, nearest wins, lit from sunlight().
void drawThings(Canvas&, const Camera&, const std::vector<Thing>&);

}  // namespace brim
