// What a picture shows: the liquid of a frame and the things around it.
#pragma once
#include <memory>

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

/// One frame. Places are relative to `middle`, so that far-away scenes lose no digits.
struct Stage {
  int dimension = 3;
  double time = 0;           // [s]
  double smoothing = 1;      // [spacings] over which 2D water is smoothed
  double spacing = 0.01;     // [m]
  Vector low, high;          // [m] the box to draw
  Vector middle;             // [m] in the scene
  std::vector<Blob> blobs;   // the liquid, particle by particle
  std::vector<float> value;  // of each, for the colours
  std::vector<char> alone;   // drops of one particle
  std::vector<Thing> things;
  std::vector<std::array<Vector, 2>> strands;  // [m] 2D: pieces of sheets and outlines of soft bodies
};

/// Everything that stays the same from frame to frame. Stages point into it.
class Scenery {
 public:
  explicit Scenery(const Scene&);

  /// `look` says what Stage::value holds: "speed" [m/s], "density" [kg/m^3], else nothing. Solids are where their motion has
  /// them.
  Stage stage(const Snapshot&, const std::string& look) const;
  const Scene& scene() const { return scene_; }
  /// The rigid bodies of a frame as one mesh, in the scene [m]; 3D.
  Mesh bodies(const Snapshot&) const;

  /// Draws only where the liquid is in a domain that is much larger; told the frames that will be drawn, or some of them.
  void fitTo(const std::vector<Snapshot>&);

 private:
  Scene scene_;
  Vector middle_, low_, high_;
  std::vector<SolidShape> shapes_;  // of the solids, then of the bodies
  std::vector<std::shared_ptr<const Model>> models_;

  Pose<double> poseOf(std::size_t shape, const Snapshot&) const;
};

}  // namespace brim
