// What foam cannot pass: the sides of the domain, solids and rigid bodies.
#pragma once
#include "brim/snapshot.h"
#include "scene/shape.h"

namespace brim::foam {

class Obstacles {
 public:
  explicit Obstacles(const Scene&);

  /// Where everything is at one time.
  struct Now {
    std::vector<Pose<double>> poses;
  };
  Now at(const Snapshot&) const;

  /// The part of a neighbourhood of this radius [m] around x that is neither wall nor solid. Walls and solids count as flat
  /// there.
  double openPart(const Now&, const Vector& x, double radius) const;
  /// Moves what is within a wall or a solid out of it, and takes the velocity into it away. False: it has left an open domain.
  bool keepOut(const Now&, Vector& x, Vector& v) const;
  /// [m] of the domain along each axis; 0: not periodic.
  const Vector& period() const { return period_; }

 private:
  const Scene scene_;
  std::vector<SolidShape> shapes_;
  Vector period_ = {0, 0, 0};
};

}  // namespace brim::foam
