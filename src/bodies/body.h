// A rigid body: its mass, where it is, how it moves. In 2D it is the same body, which cannot leave the plane.
#pragma once
#include "bodies/mass.h"
#include "bodies/row.h"

namespace brim {

struct BodyState {
  // Constants. A held body has no inverse mass: nothing moves it, and what pushes it is still counted.
  double perMass = 0;         // [1/kg]
  Matrix perInertia = {};     // [1/(kg m^2)] about the centre of mass, in the body's axes
  Vector centre = {0, 0, 0};  // [m] of mass, in the shape's frame
  bool flat = false;          // 2D
  // State.
  Vector x = {0, 0, 0};         // [m] centre of mass, in the scene
  Quaternion q = {1, 0, 0, 0};  // from the body's axes to the scene's
  BodyVelocity u;
  // Of the state.
  Matrix rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Matrix perInertiaHere = {};  // in the scene's axes

  BodyState(const SolidShape&, const MassProperties&, bool held);
  /// After x or q were set.
  void refresh();
  /// Moves by u for dt [s]. Angular momentum is kept to rounding; the turn is that of the midpoint (second order).
  void move(double dt);
  /// The shape's frame, with velocities, as solids have it.
  Pose<double> pose() const;
  Vector toScene(const Vector& p) const { return vectors::operator+(x, vectors::operator*(rotation, p)); }
  Vector toBody(const Vector& p) const { return vectors::operator*(vectors::transposed(rotation), vectors::operator-(p, x)); }
};

}  // namespace brim
