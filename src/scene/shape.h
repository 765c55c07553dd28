// A shape of the scene, ready for use: its signed distance and its place.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "brim/scene.h"
#include "scene/closest.h"
#include "scene/primitive.h"

namespace brim {

class SolidShape {
 public:
  /// `path` is the table of the shape in the scene ("solids[2]", "fluid.blocks[0]"); mistakes of a mesh file are reported there.
  SolidShape(const Scene&, const Shape&, const std::string& path);

  /// The shape in its own frame; its pointers live as long as any copy of this SolidShape.
  const Primitive<double>& primitive() const { return primitive_; }
  /// The shape's own frame at t = 0.
  const Pose<double>& pose() const { return pose_; }
  /// A box around the solid at t = 0, in the scene; infinite for planes and for shapes that are inside out.
  const Vector& low() const { return low_; }    // [m]
  const Vector& high() const { return high_; }  // [m]
  /// [m^dimension] infinite for planes and for shapes that are inside out.
  double volume() const { return volume_; }

  /// At t = 0, for a point of the scene. Exact, for meshes too. Negative inside the solid.
  double distance(const Vector& x) const;
  /// Unit vector out of the solid: the gradient of the distance.
  Vector normal(const Vector& x) const;

  /// The same in the shape's own frame.
  double bodyDistance(const Vector& x) const;
  /// A box around the bare shape (not inside out) in its own frame; infinite for planes.
  const Vector& bodyLow() const { return bodyLow_; }    // [m]
  const Vector& bodyHigh() const { return bodyHigh_; }  // [m]
  /// The mesh in the shape's own frame; null for other kinds.
  const Mesh* mesh() const { return data_->tree ? &data_->tree->mesh() : nullptr; }

 private:
  struct Data {
    std::vector<double> points;
    std::unique_ptr<ClosestPoint> tree;
    DistanceGrid grid;
  };
  std::shared_ptr<const Data> data_;
  Primitive<double> primitive_;
  Pose<double> pose_;
  Vector low_, high_, bodyLow_, bodyHigh_;
  double volume_ = 0;

  Vector placeMesh(const Scene&, const Shape&, const std::string& path, Data&);
  Vector placePolygon(const Shape&, Data&);
  void setBounds();
  double bareVolume() const;
};

/// The shapes of scene.solids, then those of scene.bodies, in order.
std::vector<SolidShape> solidShapes(const Scene&);

}  // namespace brim
