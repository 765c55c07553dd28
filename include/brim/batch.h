// Many small simulations side by side.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "brim/simulation.h"

namespace brim {

/// Independent tanks, each on one thread at a time and all cores at work. Each has the bits that it has alone.
class Batch {
 public:
  /// Builds them side by side. Throws SceneError with the mistakes of all scenes. `options.threads`: how many tanks at a time, 0:
  /// one for every core. On CPUs only.
  Batch(const std::vector<Scene>&, const Options& options = {});
  ~Batch();
  Batch(Batch&&) noexcept;

  std::size_t size() const;
  Simulation& operator[](std::size_t);

  /// Calls work(tank) for each tank that has not failed, on any thread; returns when all are done. A tank whose work throws
  /// Diverged or Failure has failed: the others go on.
  void each(const std::function<void(std::size_t)>& work);
  /// One step of every tank, at most to `limit` [s].
  void advance(double limit);
  void advanceTo(double time);

  /// Why a tank failed; "" if it has not.
  const std::string& failure(std::size_t) const;
  /// Another scene in the place of one, failed or not.
  void replace(std::size_t, const Scene&);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace brim
