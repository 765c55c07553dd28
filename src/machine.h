// What each flavour of the library implements: a simulation in one precision for one machine.
#pragma once
#include <memory>

#include "brim/health.h"
#include "brim/parameter.h"
#include "brim/ranks.h"
#include "brim/simulation.h"
#include "brim/tanks.h"
#include "scene/primitive.h"
#include "scene/setup.h"

namespace brim {

namespace ranks {
class Team;
}

struct Simulation::Machine {
  virtual ~Machine() = default;
  virtual const StepReport& advance(double limit) = 0;
  virtual void setMotion(std::size_t solid, const Motion&) = 0;
  virtual void setGravity(const Vector&) = 0;
  virtual void setBody(int body, const BodyReport&) = 0;
  virtual void setLoad(int body, const Vector& force, const Vector& torque) = 0;
  virtual void setMotor(int joint, double speed, double limit) = 0;
  virtual Columns columns() = 0;
  virtual void write(const std::vector<double>& position, const std::vector<double>& velocity) = 0;
  virtual const StepReport& report() const = 0;
  virtual const EnergyStep& energy() const = 0;  // of the last step
  virtual std::vector<BodyReport> bodies() = 0;
  virtual std::vector<Pose<double>> solids(bool atStart) = 0;
  virtual std::vector<JointReport> joints() = 0;
  virtual std::vector<GaugeReport> gauges() = 0;
  virtual double time() const = 0;
  virtual std::int64_t step() const = 0;
  virtual const Facts& facts() const = 0;
  virtual Snapshot snapshot() = 0;
  virtual void restartAverages() = 0;
  virtual std::size_t bytes() = 0;
  virtual std::uint64_t stateHash() = 0;
  virtual std::vector<char> save() = 0;
  virtual void restore(const std::vector<char>&) = 0;
  virtual std::future<Snapshot> capture() {
    std::promise<Snapshot> now;
    now.set_value(snapshot());
    return now.get_future();
  }

  /// The others of a run on many ranks; once, before the first step.
  virtual void spreadOver(ranks::Team&) = 0;
  virtual ranks::Report ranks() = 0;

  Scene scene;
  int threads = 0;
  std::unique_ptr<Health> health;
};

struct Tanks::Machine {
  virtual ~Machine() = default;
  virtual void advance(double limit) = 0;
  virtual void setGravity(std::size_t tank, const Vector&) = 0;
  virtual Columns columns() = 0;
  virtual void write(std::size_t tank, const std::vector<double>& position, const std::vector<double>& velocity) = 0;
  virtual Snapshot snapshot(std::size_t tank) = 0;
  virtual std::uint64_t stateHash(std::size_t tank) = 0;
  virtual StepReport report(std::size_t tank) = 0;
  virtual void replace(std::size_t tank, const Setup& fluid) = 0;
  virtual std::size_t bytes() = 0;

  struct One {
    Scene scene;
    double time = 0;        // [s]
    std::int64_t step = 0;  // steps done
    std::string failure;
  };
  std::vector<One> tanks;
  std::vector<int> offsets;
  std::vector<std::size_t> members;
  std::vector<SolidShape> solids;  // which all have
};

/// One flavour as the library sees it. Every flavour exports one function that returns its own.
struct Flavour {
  const char* name;
  std::string (*lacks)();  // what this machine lacks to run it; empty: nothing
  std::unique_ptr<Simulation::Machine> (*make)(const Scene&);
  std::unique_ptr<Tanks::Machine> (*makeTanks)(std::vector<Setup>&&);  // each with its scene and its fluid
  std::vector<SolverInfo> (*solvers)();
  std::string (*device)();  // what it computes on, in words
};

/// The flavour that the options ask for, or SceneError.
const Flavour& flavourFor(const Options&);
/// TBB's limit on threads is one for the whole process; the newest simulation sets it. 0: all cores.
void limitThreads(int threads);

}  // namespace brim
