// Validation: cases with references from outside (experiments, exact solutions), and how near each solver comes. Not part of
// every build. docs/validation.md says how a case is written.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "brim/report.h"

namespace brim {

/// How coarse: seconds, as in CTest; the usual one; and the usual one with a finer one beside it.
enum class Effort { quick, normal, full };

/// A number that says how near a run's curve is to the reference. `kind` says which, and which other members are read:
///   arrival      level      x at which the curve first rises above the level; falls below it where it begins above
///   peak                    the largest value; peak_time: where it is
///   mean                    the mean over the window
///   value        at         the value at one x
///   slope                   of the straight line that fits best
///   rms          of         root of the mean square of the difference, as a part of `of` (the reference's range)
///   correlation             Pearson's, at the reference's points
///   inside                  the share of the reference's points whose band holds the run's value
///   period                  of the damped oscillation that fits best
///   kept         periods    the part of its amplitude that is left after so many of the reference's periods
struct ScoreRule {
  std::string kind;
  double begin = -1e300, end = 1e300;                          // the window, in the reference's x
  double level = 0, at = 0, of = 0, periods = 4;               // by kind
  double expected = std::numeric_limits<double>::quiet_NaN();  // instead of what the reference's curve gives
  double tolerance = 0;                                        // of the error, see Score
  std::string why;                                             // where the tolerance comes from
};

/// A curve of a run, and the reference's. `kind` says where it is taken from:
///   gauge, body, statistics   column                a column of gauges.csv, bodies.csv or statistics.csv over time
///   extent                    axis, side            how far the fluid reaches, frame by frame
///   profile                   at, from, to, width, quantity     means over particles near a line, over the distance along it
///   surface                   at, from, to          the highest particle over each point of a line along x
/// The run's numbers become the reference's by x_scale (x + x_offset) and y_scale (y + y_offset).
struct CurveRule {
  std::string name, title, kind;
  std::string x_title, y_title;
  std::string column;
  std::string axis = "x", side = "max";          // x, y, z; max, min, half: half of the whole extent
  double at = 1e300;                             // [s] the frame nearest to this time; by default the last
  Vector from = {0, 0, 0}, to = {0, 0, 0};       // [m]
  double width = 0;                              // [m] how far particles may be from the line
  std::string quantity = "pressure";             // pressure, density, speed, velocity_x, velocity_y, velocity_z
  double x_scale = 1, x_offset = 0;              // of the run's x
  double y_scale = 1, y_offset = 0;              // of the run's values
  std::string reference, x, y;                   // a CSV beside the case, and its columns
  std::string low, high;                         // its columns with the band, or
  double band = 0;                               // half of the width of the band
  std::string where, is;                         // only rows whose column `where` holds this word
  double reference_y_scale = 1;                  // a sign, or another unit
  std::string reference_label = "experiment";    // in the legend
  double shift = 0;                              // how far the run may be moved along x, where time zero is uncertain
  double plot_begin = -1e300, plot_end = 1e300;  // what the plot shows of x
  std::vector<ScoreRule> scores;
};

struct ValidationCase {
  std::string name;  // of its folder
  std::string folder;
  std::string title, source, about;
  std::string scene;                         // file
  std::vector<std::string> solvers;          // those it is meant for; empty: all
  std::vector<Setting> quick, normal, fine;  // values of the scene for each effort
  bool has_quick = false, has_fine = false;
  std::vector<CurveRule> curves;
};

/// Reads a case file (TOML). Throws SceneError with all its mistakes, Failure if it cannot be read.
ValidationCase readCase(const std::string& file);

/// A solver that a case's scene is too much for, and what it says of it.
struct Refusal {
  std::string solver, reason;
};

/// A case, ready to run: a plan of all that run, and those that refuse.
struct CasePlan {
  ValidationCase what;
  Plan plan;  // its groups are "quick", "normal", "fine"
  std::vector<Refusal> refused;
};

/// `solvers` empty: all that the case is meant for. Throws SceneError where the scene is wrong for every one of them.
CasePlan planCase(const ValidationCase&, const std::vector<std::string>& solvers, Effort, const std::vector<Setting>& set);

/// What a rule gives for one run.
struct Score {
  std::string curve, kind;
  std::string unit;     // of value and expected
  double value = 0;     // the run's; NaN: it has none, for it ended before
  double expected = 0;  // the reference's
  double error = 0;     // what is held against the tolerance: a difference in x (arrival, peak_time), 1 - value (correlation,
                        // inside), value - expected (kept), value (rms), else value/expected - 1
  double tolerance = 0;
  bool good = false;
};

/// The scores of one run in its folder, curve by curve, in the order of the case.
std::vector<Score> scoresOf(const ValidationCase&, const PlannedRun&, const std::string& folder);

/// What the caller is told while cases run; `done` and `all` count runs.
struct CasesTold {
  std::function<void(const CasePlan&, std::size_t run, std::size_t done, std::size_t all, double secondsLeft, const Progress&)>
      progress;
  std::function<void(const CasePlan&, std::size_t run, const RunOutcome&)> ended;
};

/// Runs all plans, each in a folder named after its case. A solver that refuses as it starts joins the refused.
Ending executeCases(std::vector<CasePlan>&, const ExecuteOptions&, const std::atomic<bool>& stop, const CasesTold&);

/// Writes report.html, scores.csv, scores.md and plots/*.svg into `out`. Returns the names of the plots.
std::vector<std::string> writeValidation(const std::vector<CasePlan>&, const std::string& out, const std::string& command);

/// Compares the scores with those stored in a CSV (case, solver, curve, score, error, noise). Each line of the result tells of
/// one that is worse by more than its noise, or that is stored and no longer there, or is there and not stored.
std::vector<std::string> worseThanStored(const std::vector<CasePlan>&, const std::string& out, const std::string& file);

}  // namespace brim
