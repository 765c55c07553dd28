// Where bodies touch each other, solids and the domain's walls.
#pragma once
#include <vector>

#include "bodies/body.h"

namespace brim {

/// A point of a shape that may touch another shape, in the frame of its own: the ball of this radius around it.
struct ContactPoint {
  Vector centre;  // [m]
  double radius;  // [m]
};

/// Contact points of a bounded shape: one ball for a sphere, a line of balls for a capsule, corners and points along edges and
/// rims for the others. Against the signed distance of another shape they find every contact of the shapes that Brim has, in 2D
/// and 3D; a library of convex pairs would add what neither meshes nor discs in a plane need.
std::vector<ContactPoint> contactPointsOf(const SolidShape&);

struct Contact {
  Vector point;   // [m] in the scene
  Vector normal;  // unit, out of b and into a
  double gap;     // [m] negative where they overlap
  int at;         // number of the contact point that touches
};

/// The two that touch and the contact point: what makes a contact of this step the same as one of the last.
struct ContactKey {
  int body;   // a
  int other;  // b; -1, -2 …: walls of the domain, then solids
  int at;     // contact point of a; -1, -2 …: of b
  auto operator<=>(const ContactKey&) const = default;
};

/// The impulses of the last step's contacts, from which those of the next start.
class ContactMemory {
 public:
  struct Kept {
    ContactKey key;
    Vector impulse;  // [N s] on a
  };
  std::vector<Kept> all;  // by key
  double dt = 0;          // [s] of that step

  /// Zero for a contact that was not there.
  Vector impulse(const ContactKey&) const;
  void keep(std::vector<Kept>, double dt);
};

/// Contacts of the contact points of a shape at `at` with the solid `other` at `there`, up to `margin` [m] apart: the deepest,
/// and those farthest from the ones taken before, up to `most`. Normals point out of `other`.
std::vector<Contact> contactsWith(const std::vector<ContactPoint>&, const Pose<double>& at, const Primitive<double>& other,
                                  const Pose<double>& there, double margin, double size, int most);

/// The same with the half-space below `offset` along a unit `normal`: normal . x >= offset is free.
std::vector<Contact> contactsWithPlane(const std::vector<ContactPoint>&, const Pose<double>& at, const Vector& normal,
                                       double offset, double margin, int most);

}  // namespace brim
