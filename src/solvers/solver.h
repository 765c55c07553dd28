// What a solver is: it steps a world. One file per method; the table of all of them is in registry.cpp.
#pragma once
#include <algorithm>
#include <chrono>
#include <memory>

#include "brim/parameter.h"
#include "brim/snapshot.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

#if BRIM_CUDA
/// Times the stages of a step on the device: events between its kernels, read when it is through with them. Reading them takes
/// the host a microsecond each, so most steps show what the last one that was looked at took.
class Stopwatch {
 public:
  explicit Stopwatch(StepReport&) { mark(nullptr); }
  void operator()(const char* stage) { mark(stage); }
  /// Before the stages of a step.
  static void start(StepReport& report) {
    Marks& m = marks();
    m.stages.clear();
    m.looking = m.steps++ % every == 0 || report.stages.empty();
  }
  /// After them, when the device has finished.
  static void stop(StepReport& report) {
    Marks& m = marks();
    if (!m.looking) return;
    report.stages.clear();
    for (std::size_t k = 1; k < m.stages.size(); ++k) {
      if (!m.stages[k]) continue;
      float ms = 0;
      check(cudaEventElapsedTime(&ms, m.events[k - 1], m.events[k]), "tell the time");
      const auto same = [&](const auto& s) { return std::string_view(s.name) == m.stages[k]; };
      const auto at = std::find_if(report.stages.begin(), report.stages.end(), same);
      if (at == report.stages.end())
        report.stages.push_back({m.stages[k], ms});
      else
        at->ms += ms;
    }
  }

 private:
  static constexpr int every = 8;  // steps
  struct Marks {
    std::vector<cudaEvent_t> events;
    std::vector<const char*> stages;  // what ends at each event; null: nothing does
    int steps = 0;
    bool looking = false;
  };
  static Marks& marks() {
    static thread_local Marks one;
    return one;
  }
  static void mark(const char* stage) {
    Marks& m = marks();
    if (!m.looking) return;
    if (m.stages.size() == m.events.size()) check(cudaEventCreate(&m.events.emplace_back()), "make a mark");
    check(cudaEventRecord(m.events[m.stages.size()]), "make a mark");
    m.stages.push_back(stage);
  }
};
#else
/// Times the stages of a step: from its making, or the last call, to the call.
class Stopwatch {
 public:
  explicit Stopwatch(StepReport& report) : report_(report), last_(now()) {}
  void operator()(const char* stage) {
    const double t = now();
    for (auto& s : report_.stages)
      if (std::string_view(s.name) == stage) {
        s.ms += t - last_, last_ = t;
        return;
      }
    report_.stages.push_back({stage, t - last_});
    last_ = t;
  }
  static void start(StepReport& report) { report.stages.clear(); }
  static void stop(StepReport&) {}

 private:
  static double now() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  StepReport& report_;
  double last_;
};
#endif

/// A bound on the time step and the condition behind it.
struct TimeLimit {
  double dt;         // [s]
  const char* name;  // as in StepReport::dt_limit
};

template <int D>
class Solver {
 public:
  virtual ~Solver() = default;
  /// One step of dt [s]: positions, velocities and densities of the world at its end. The column "pressure" is the
  /// solver's pressure [Pa]. Fills in the iterations and stages of the report.
  virtual void step(World<D>&, double dt, StepReport&) = 0;
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
