// Many small simulations as one state: on a GPU one launch for all of them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {

/// Independent tanks with one domain, the same solids and the same solver, whose fluid, gravity and commands are their own. They
/// step together, with one step's size, and each has the bits that it has alone. docs/python.md says which scenes can.
class Tanks {
 public:
  /// The scenes in as few groups as possible: those of a group differ in their blocks of fluid alone, and with pbf in gravity.
  /// Throws SceneError with all that keeps scenes from going together.
  static std::vector<Tanks> of(const std::vector<Scene>&, const Options& = {});
  ~Tanks();
  Tanks(Tanks&&) noexcept;
  Tanks& operator=(Tanks&&) noexcept;

  std::size_t size() const;
  /// Of each tank: which of the scenes given to `of` it is.
  const std::vector<std::size_t>& members() const;
  /// The particles of tank k are offsets()[k] .. offsets()[k + 1] - 1 of the columns, after every step.
  const std::vector<int>& offsets() const;

  /// One step of every tank, at most to `limit` [s]. A tank that diverges has failed: it goes back to its start, at rest, and the
  /// others go on. Throws Failure if there is a limit that tanks meet at different times, because some were replaced.
  void advance(double limit = 1e30);

  double time(std::size_t tank) const;  // [s]
  std::int64_t step(std::size_t tank) const;
  const Scene& scene(std::size_t tank) const;
  /// Why a tank failed; "" if it has not.
  const std::string& failure(std::size_t tank) const;

  /// As Simulation's: of all tanks, or of one.
  Columns columns();
  Columns columns(std::size_t tank);
  void write(std::size_t tank, const std::vector<double>& position, const std::vector<double>& velocity);
  Snapshot snapshot(std::size_t tank) const;
  std::uint64_t stateHash(std::size_t tank) const;
  /// Energies, errors and speeds are the tank's own; iterations, neighbours and times of stages are those of all.
  StepReport report(std::size_t tank) const;
  void setGravity(std::size_t tank, const Vector&);
  /// Another scene in the place of one, failed or not, with as many particles. Throws Failure if it does not match the others, or
  /// if solids move, which they do by one clock.
  void replace(std::size_t tank, const Scene&);
  std::size_t bytes() const;

  struct Machine;  // what a flavour implements

 private:
  Tanks();
  std::unique_ptr<Machine> machine_;
};

}  // namespace brim
