// Velocities that a block of fluid starts with.
#pragma once
#include <memory>

#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

/// The initial velocity of a block at any place.
class BlockVelocity {
 public:
  /// Throws SceneError where a formula cannot be read; `path` is the table of the block in the scene ("fluid.blocks[0]").
  BlockVelocity(const Scene&, const Block&, const std::string& path);
  BlockVelocity(BlockVelocity&&) noexcept;
  ~BlockVelocity();
  /// [m/s] at x [m]. Throws SceneError where a formula gives no finite number.
  Vector at(const Vector& x);
  /// Whether at() is for one thread at a time.
  bool hasFormulas() const { return !formulas_.empty(); }

 private:
  struct Formulas;
  const Scene& scene_;
  const Block& block_;
  std::string path_;
  std::vector<std::unique_ptr<Formulas>> formulas_;  // one for each field of kind "expression"
};

/// The largest speed [m/s] that a block starts with: of places throughout the box around it.
double largestSpeed(const Scene&, std::size_t block);

/// What is wrong with the fields of blocks.
void checkFields(const Scene&, Mistakes&);

}  // namespace brim
