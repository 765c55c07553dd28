// Comparisons, sweeps and studies: several runs, and one page about them. Not part of every build.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "brim/run.h"

namespace brim {

// What is going to run. All of it is read and checked before the first step is taken.

/// A value of the scene that differs between runs, with the values it takes, in order.
struct Varied {
  std::string path;             // "solver.iterations"; "pbf:time.dt_max" concerns runs of pbf only
  std::vector<Setting> values;  // each with the same path
};

/// Runs that belong together: the product of what is varied, under settings of their own.
struct Group {
  std::string label;  // "" where there is only one group
  std::vector<Setting> set;
  std::vector<Varied> vary;
};

/// What a plan is made from. A setting whose path begins with "NAME:" concerns the runs of that solver only.
struct Request {
  std::string kind;                // "compare", "sweep" or "study"
  std::string scene;               // file
  std::vector<Setting> set;        // for all runs, unless a group says otherwise
  std::vector<Setting> overrides;  // for all runs, whatever a group says
  std::vector<Group> groups = {{}};
  std::string title, question, finding;  // in words, for the page
  std::string main, over;                // the plot shown first: which quantity, over "time" or over the "parameters"
  std::string command;                   // the line that makes this page again
};

/// One direction of the table of runs.
struct Axis {
  std::string path;  // "group" for the groups of a study
  std::string unit;
  std::vector<std::string> values;  // as they were written
};

struct PlannedRun {
  std::string name;             // of its folder
  std::string label;            // on the page
  std::vector<std::string> at;  // its value on each axis; "" where its solver does not read it
  Scene scene;
};

struct Plan {
  Request request;
  std::vector<Axis> axes;
  std::vector<PlannedRun> runs;
  std::vector<std::string> notes;  // what a reader of the page should know about the settings
};

/// Throws SceneError with the mistakes of all runs, each told once.
Plan makePlan(const Request&);

/// "time.dt=1e-3,[1, 2],5e-3" -> its path and three values; `option` names it in messages ("--vary"). Throws Failure.
Varied variedFrom(const std::string& option, const std::string& text);

/// Reads a study file (TOML):
///   title, question, finding    words for the page
///   scene                       file, relative to the study
///   main, over                  the plot shown first: a quantity, over "time" or over the "parameters"
///   [set]                       values of the scene for all runs:  solver.iterations = 4
///   [vary]                      lists of values; all combinations run:  solver.iterations = [1, 2, 5]
///   [[runs]]                    several groups instead, each with label, set and vary of its own
/// Throws SceneError with all mistakes of form, Failure if the file cannot be read.
Request readStudy(const std::string& file);

struct ExecuteOptions {
  std::string out;  // folder of the folders
  bool resume = false, overwrite = false;
  Options machine;
};

/// How a run of a plan ended, in the numbers of its summary.json.
struct RunOutcome {
  bool kept = false;      // from an earlier attempt
  bool diverged = false;  // and then at this time and step
  double time = 0;        // [s] simulated
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double wall = 0;  // [s]
  double density_error_mean = 0, density_error_max = 0;
  double volume_ratio = 1;
  std::vector<std::string> ruined = {};  // kinds of health warnings (docs/trust.md)
};

/// What the caller is told while a plan runs; `run` counts from 0.
struct ExecuteTold {
  std::function<void(std::size_t run, const Progress&)> progress;
  std::function<void(std::size_t run, const RunOutcome&)> ended;
};

/// Runs a plan, each run in a folder of its own. What is finished stays; what was interrupted goes on. A run that diverges is a
/// result like any other: its summary.json says when and why. Throws Failure where a folder holds results of something else, or
/// where a run cannot write.
Ending execute(const Plan&, const ExecuteOptions&, const std::atomic<bool>& stop, const ExecuteTold&);

/// Columns of the tables of a run (statistics.csv, bodies.csv, gauges.csv, gauges/*.csv) to be drawn over time.
struct PlotRequest {
  std::string folder;                // of the run
  std::vector<std::string> columns;  // a picture each: a name, or several of one unit with commas between; none: all gauges and
                                     // bodies, and the density error, volume and energy of the run
  std::string out;                   // folder of the pictures; "": plots in that of the run
  std::string title;                 // before the names
  bool png = false;                  // PNG files beside the SVG files, by rsvg-convert
};

/// Returns the files that were written. Throws Failure where there is no such column.
std::vector<std::string> plotRun(const PlotRequest&);

/// Writes report.html, report.csv and plots/*.svg into `out`, where the runs are. Returns the names of the plots.
std::vector<std::string> writeReport(const Plan&, const std::string& out);

}  // namespace brim
