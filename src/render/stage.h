// What a picture shows: the liquid of a frame and the things around it.
#pragma once
#include <memory>

#include "brim/foam.h"
#include "brim/picture.h"
#include "brim/snapshot.h"
#include "render/splats.h"
#include "scene/shape.h"

namespace brim {

/// Triangles to be drawn again and again, with a normal for every corner: smooth, but for edges of more than 40 degrees.
struct Model {
  Mesh mesh;                                                 // [m] in the thing's own frame
  std::vector<std::array<std::array<float, 3>, 3>> normals;  // of a triangle's corners
  explicit Model(Mesh);
};

/// Cloth and soft bodies of a frame as one mesh, relative to `middle`; without triangles where there are none, and in 2D.
Mesh sheetsOf(const Snapshot&, const Vector& middle);

/// A thing in a picture. In 2D its shape is filled, in 3D its model is drawn.
struct Thing {
  std::shared_ptr<const Model> model;
  const SolidShape* shape = nullptr;
  Pose<double> pose;
  Colour colour = {0.70f, 0.69f, 0.67f};
  enum Sides { front, both } sides = front;  // a cloth has two, and of a tank the far half is seen from within
};

/// A drop, a fleck of foam or a bubble: a soft spot.
struct Drop {
  enum Kind { drop, foam, bubble };
  Place middle, velocity;  // [m], [m/s]
  float radius;            // [m]
  float thickness;         // optical, in its middle
  float tone;              // of its white
  Kind kind;
};

/// One frame. Places are relative to `middle`, so that far-away scenes lose no digits.
struct Stage {
  int dimension = 3;
  double time = 0;                                // [s]
  double smoothing = 1;                           // [spacings] over which 2D water is smoothed
  double spacing = 0.01;                          // [m]
  Vector low, high;                               // [m] the box to draw
  Vector middle;                                  // [m] in the scene
  std::vector<Blob> blobs;                        // the liquid, particle by particle
  std::vector<float> value;                       // of each, for the colours
  std::vector<char> alone;                        // drops of one particle
  std::vector<Place> velocity;                    // [m/s] of each
  std::vector<Drop> froth;                        // beside the blobs
  std::array<std::array<bool, 2>, 3> glass = {};  // whether the low and the high side of the box are walls, along each axis
  std::vector<Thing> things;
  std::vector<std::array<Vector, 2>> strands;  // [m] 2D: pieces of sheets and outlines of soft bodies
};

/// Everything that stays the same from frame to frame. Stages point into it.
class Scenery {
 public:
  explicit Scenery(const Scene&);

  /// `look` says what Stage::value holds: "speed" [m/s], "density" [kg/m^3], else nothing. Solids are where their motion has
  /// them.
  /// In 3D, "water" shows lone particles as drops instead of blobs; the foam is left out where values have colours.
  Stage stage(const Snapshot&, const std::string& look, const Foam* = nullptr) const;
  /// Colours by the names of solids and bodies, or for all "solids", "bodies", or "cloth". Throws Failure for a name that is not
  /// there.
  void paint(const Colours&);
  const Scene& scene() const { return scene_; }
  /// The rigid bodies of a frame as one mesh, in the scene [m], and how its points move [m/s]; 3D.
  Mesh bodies(const Snapshot&, std::vector<std::array<float, 3>>* velocity = nullptr) const;
  /// The same of the solids, but for those that are inside out.
  Mesh solids(const Snapshot&, std::vector<std::array<float, 3>>* velocity = nullptr) const;

  /// Draws only where the liquid is in a domain that is much larger; told the frames that will be drawn, or some of them.
  void fitTo(const std::vector<Snapshot>&);

 private:
  Scene scene_;
  Vector middle_, low_, high_;
  std::vector<SolidShape> shapes_;  // of the solids, then of the bodies
  std::vector<std::shared_ptr<const Model>> models_;
  std::vector<std::array<float, 3>> colours_;  // of the shapes, then of the cloth

  Pose<double> poseOf(std::size_t shape, const Snapshot&) const;
  Mesh shapes(const Snapshot&, std::size_t first, std::size_t last, std::vector<std::array<float, 3>>* velocity) const;
};

}  // namespace brim
