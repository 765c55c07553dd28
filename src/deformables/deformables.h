// Sheets, ropes and soft bodies: nodes with masses, the constraints between them, and the samples that the fluid feels.
#pragma once
#include <string>
#include <vector>

#include "brim/snapshot.h"
#include "deformables/constraint.h"
#include "scene/setup.h"

namespace brim::inline BRIM_FLAVOUR {

/// Who uses a node: entries begin[a] .. begin[a + 1] - 1 of `entry` are 4 row + slot, in ascending order.
struct Incidence {
  View<const int> begin, entry;
};

template <int D>
class Deformables {
 public:
  explicit Deformables(const Setup&);
  bool any() const { return nodes > 0; }

  int nodes = 0, constraints = 0, samples = 0;
  int rows = 0;        // of the constraints; the rows of the samples follow
  Array<Record<D>> x;  // {x, m}   [m] from the domain's corner, [kg]
  Array<Record<D>> v;  // {v, 1/m} [m/s], [1/kg]
  Array<SoftConstraint<D>> constraint;
  Array<SoftRow> row;
  Array<Real> sampleMass;                // [kg] rho0 V
  std::vector<std::array<int, 3>> skin;  // triangles (2D: segments, the third -1) of all of them
  int sheets = 0;                        // skin[0 .. sheets - 1] has two sides that fluid may touch

  Incidence incidence() const { return {begin_.read(), entry_.read()}; }
  /// Constraints of one colour share no node: colour c is order[colour[c] .. colour[c + 1] - 1].
  std::vector<int> colour;
  Array<int> order;

  /// Places and velocities of the samples, {x, rho0 V} and {v, 1/m}, with m so small that all samples may be moved at once.
  void samplesAt(Array<Record<D>>& p, Array<Record<D>>& u) const;
  /// [kg m/s]
  Vec<D, double> momentum() const;
  double kineticEnergy() const;  // [J]
  double maxSpeed() const;       // [m/s]
  /// The first node that is not finite or faster than anything real; -1: none.
  int lost() const;
  const std::string& nameOf(int node) const;
  /// For pictures and files, in the coordinates of the scene.
  std::vector<Surface> surfaces() const;
  std::size_t bytes() const;

 private:
  struct Builder;
  void addCloth(const Cloth&, const DeformableMesh&, int first, Builder&);
  void addSoft(const Soft&, const DeformableMesh&, int first, Builder&);
  void findColours(const Builder&);

  struct Named {
    std::string name;
    int first, count;                      // nodes
    std::vector<std::array<int, 3>> skin;  // counted from its first node
  };
  std::vector<Named> named_;
  Vector origin_;
  Array<int> begin_, entry_;
  Array<Real> answer_;  // [1/kg] per sample: with how little mass it answers
};

}  // namespace brim::inline BRIM_FLAVOUR
