// Runs the plans of cases, one after the other.
#include "report/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "brim/estimate.h"
#include "brim/files.h"
#include "brim/validation.h"

namespace brim {

namespace {

// A run's cost up to a factor: particles times steps, whose number goes with the length over the spacing.
double weightOf(const Scene& scene) {
  const double particles = std::max(1.0, estimate(scene).particles);
  return scene.time.until * std::pow(particles, 1 + 1.0 / scene.dimension);
}

}  // namespace

Ending executeCases(std::vector<CasePlan>& cases, const ExecuteOptions& options, const std::atomic<bool>& stop,
                    const CasesTold& told) {
  claimFolder(options.out);
  const auto optionsOf = [&](const CasePlan& c) {
    ExecuteOptions own = options;
    own.out = options.out + "/" + c.what.name;
    return own;
  };
  std::size_t all = 0, done = 0;
  double left = 0, spent = 0, wall = 0;  // weights of runs to come and of runs that ran here; their wall time [s]
  for (const CasePlan& c : cases) {
    refuseToOverwrite(c.plan, optionsOf(c));
    for (const PlannedRun& run : c.plan.runs) left += weightOf(run.scene);
    all += c.plan.runs.size();
  }
  for (CasePlan& c : cases) {
    std::vector<PlannedRun> ran;
    for (std::size_t k = 0; k < c.plan.runs.size(); ++k) {
      const PlannedRun& run = c.plan.runs[k];
      const double weight = weightOf(run.scene);
      Plan one = c.plan;
      one.runs = {run};
      const auto progress = [&](std::size_t, const Progress& p) {
        const double part = p.until > 0 ? std::clamp(p.time / p.until, 0.0, 1.0) : 0;
        const double tried = spent + part * weight;
        told.progress(c, k, done, all, tried > 0 ? (wall + p.wall) / tried * (left - part * weight) : -1, p);
      };
      const auto ended = [&](std::size_t, const RunOutcome& outcome) {
        if (!outcome.kept) spent += weight, wall += outcome.wall;
        told.ended(c, k, outcome);
      };
      try {
        if (execute(one, optionsOf(c), stop, {progress, ended}) == Ending::interrupted) return Ending::interrupted;
        ran.push_back(run);
      } catch (const SceneError& e) {  // some see only as they start that a scene is too much for them
        c.refused.push_back({run.scene.solver.name, e.mistakes().front().what});
      }
      left -= weight, ++done;
    }
    c.plan.runs = std::move(ran);
  }
  return Ending::finished;
}

}  // namespace brim
