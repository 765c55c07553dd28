// Cloth, ropes and soft bodies of a scene as meshes, with the samples that couple them with the fluid.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

/// A point that moves with up to four nodes: sum_k part[k] x[node[k]]. Unused nodes repeat the first with part 0.
struct Attachment {
  std::array<int, 4> node = {0, 0, 0, 0};
  std::array<double, 4> part = {0, 0, 0, 0};
  double volume = 0;  // [m^dimension] that it adds to densities
};

struct DeformableMesh {
  std::string name;
  int cloth = -1, soft = -1;   // index in scene.cloth or scene.soft, -1 if it is the other
  std::vector<Vector> points;  // [m] at rest, where it starts
  int corners = 3;             // of an element
  std::vector<std::array<int, 4>> elements;
  std::vector<std::array<int, 3>> skin;  // triangles (2D: segments, the third -1) that are seen and touched
  std::vector<int> held;                 // nodes that stay where they are
  std::vector<Attachment> samples;
};

/// scene.cloth, then scene.soft. W(r) is the kernel. Throws SceneError for mesh files that cannot be used.
std::vector<DeformableMesh> deformableMeshes(const Scene&, const std::function<double(double)>& W);

/// [m] Thickness of the layer of rest density that represents cloth. For the fluid, cloth is a plate of thickness d with one
/// layer of samples in its middle: a resting lattice at d from the middle, d/2 from the plate, has the density of an infinite
/// lattice, so this is (sum over the lattice points behind) / (integral over the cloth). Nearly d; a thinner plate would be a
/// weaker wall, since a particle is held by the gradient of that integral.
double sheetThickness(int dimension, double spacing, double support, const std::function<double(double)>& W);

}  // namespace brim
