// What a comparison, a sweep or a study is going to run. All of it is read and checked before the first step is taken.
#pragma once
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

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

/// A value without TOML's quotes.
std::string plainText(const std::string& value);

/// Columns of summary.json that a page may be asked to show first, with `over`.
const std::vector<std::string>& plottable();

}  // namespace brim
