// What a solver is: it steps a world. One file per method; the table of all of them is in registry.cpp.
#pragma once
#include <memory>

#include "brim/parameter.h"
#include "step/context.h"
#include "step/solver_state.h"

namespace brim::inline BRIM_FLAVOUR {

/// A bound on the time step and the condition behind it.
struct TimeLimit {
  double dt;         // [s]
  const char* name;  // as in StepReport::dt_limit
};

template <int D>
class Solver {
 public:
  virtual ~Solver() = default;
  /// What it keeps from step to step; once, before the first step.
  virtual void declareState(SolverState<D>&) {}
  /// One step, as step/context.h says. Fills in the iterations of the report.
  virtual void step(StepContext<D>&) = 0;
  /// The solver's own bound; the velocity's is everybody's.
  virtual TimeLimit limit(const World<D>&) const { return {1e30, "dt_max"}; }
  /// [m] what time.cfl counts in: a particle's radius, or a grid's cell.
  virtual double reach(const World<D>& w) const { return w.spacing / 2; }
  /// What the solver holds besides the world.
  virtual std::size_t bytes() const { return 0; }
};

/// The registry's row.
struct Entry {
  const char* name;
  const char* source;
  const char* text;
  void (*parameters)(ParameterVisitor&);
  std::unique_ptr<Solver<2>> (*make2)(const Scene&);
  std::unique_ptr<Solver<3>> (*make3)(const Scene&);
  Capabilities capabilities = {};
};
const std::vector<Entry>& registry();

template <int D>
std::unique_ptr<Solver<D>> makeSolver(const Scene&);

/// Reads a solver's parameters from what the scene sets.
class FromScene : public ParameterVisitor {
 public:
  explicit FromScene(const SolverChoice& choice) : choice_(choice) {}
  void operator()(const char* name, double& value, const Doc&) override { number(name, value); }
  void operator()(const char* name, int& value, const Doc&) override { number(name, value); }
  void operator()(const char* name, bool& value, const Doc&) override {
    double v = value;
    number(name, v);
    value = v != 0;
  }
  void operator()(const char* name, std::string& value, const Doc&) override {
    if (const auto at = choice_.choices.find(name); at != choice_.choices.end()) value = at->second;
  }

 private:
  template <class T>
  void number(const char* name, T& value) {
    if (const auto at = choice_.numbers.find(name); at != choice_.numbers.end()) value = T(at->second);
  }
  const SolverChoice& choice_;
};

template <class P>
P parametersOf(const Scene& scene) {
  P p;
  FromScene from(scene.solver);
  p.visit(from);
  return p;
}

}  // namespace brim::inline BRIM_FLAVOUR
