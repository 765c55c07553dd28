// What a solver keeps from one step to the next.
#pragma once
#include <string>
#include <vector>

#include "world/particles.h"

namespace brim::inline BRIM_FLAVOUR {

/// A solver declares its state once, in Solver::declareState, as it declares its parameters: columns of particles and single
/// values. Checkpoints write and read what is declared; whatever is not declared must not outlive a step.
template <int D>
class SolverState {
 public:
  template <class T>
  using Field = typename Particles<D>::template Field<T>;

  explicit SolverState(Particles<D>& fluid) : fluid_(fluid) {}

  /// Columns that start from zero, also for particles that come in later.
  Field<Real>& reals(const char* name) { return fluid_.real(name); }
  Field<Record<D>>& records(const char* name) { return fluid_.record(name); }
  /// A value of the solver's own; what it is now is what it is reset to.
  void flag(const char* name, bool& value) { flags_.push_back({name, &value, value}); }

  struct Flag {
    std::string name;
    bool* value;
    bool initial;
  };
  std::vector<Flag>& flags() { return flags_; }

 private:
  Particles<D>& fluid_;
  std::vector<Flag> flags_;
};

}  // namespace brim::inline BRIM_FLAVOUR
