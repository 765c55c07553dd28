// Options of the commands that make pages: compare, sweep, study, plot, validate.
#include "options.h"

#ifdef BRIM_REPORT
namespace brim::command {

namespace {

const char* reportNotes = R"(
Writes report.html (one file, needs no server), report.csv (a row per run), plots/*.svg (for a paper), and a folder per run with
its scene.toml, frames, statistics.csv and summary.json. A run that diverges is a result too: the page says when it did. All values
of all runs are checked before the first run starts.

Parameters that only one solver has, or that should differ between solvers:
  --set solver.wcsph.NAME=1         a parameter of wcsph, read where wcsph runs
  --set wcsph:time.dt_max=1e-3      any value of the scene, for the runs of wcsph only
Parameters in the scene's [solver] apply to every solver that has one of that name.)";

const char* studyNotes = R"(
A study is a TOML file:
  title = "How many iterations?"
  scene = "../scenes/dam_break_2d.toml"    # relative to the study
  question = "..."                         # shown on the page
  finding = "..."
  main = "density_error_mean"              # the plot shown first ...
  over = "parameters"                      # ... over the parameters or over "time"
  [set]                                    # for all runs
  time.until = 1
  [vary]                                   # all combinations run
  solver.iterations = [1, 2, 5, 10]
  [[runs]]                                 # or several groups, each with its own set and vary
  label = "PCISPH, 10 steps of 4"
  set = {solver.name = "pcisph", solver.iterations = 4, time.dt = 0.001})";

void addReport(CLI::App& command, ReportArguments& a) {
  addSet(command, a.run.scene.set, "Change any value of the scene for all runs, or for the runs of one solver: NAME:path=value");
  addTimes(command, a.run.scene);
  addMachine(command, a.run.machine);
  auto* resume = command.add_flag("--resume", a.run.resume, "Keep finished runs and continue interrupted ones");
  command.add_flag("--overwrite", a.run.overwrite, "Replace the results in that folder")->excludes(resume);
  command.add_flag("--quiet", a.run.quiet, "Print no progress, only errors");
}

}  // namespace

void addPlot(CLI::App& app, PlotArguments& a) {
  auto* plot = app.add_subcommand("plot", "Columns of a run's tables over time, as SVG and PNG files");
  plot->footer(R"(Examples:
  brim plot out/dam_break                          every gauge and body, and density error, volume and energy
  brim plot out/dam_break --column left,right --column kinetic_energy --png

Columns are those of statistics.csv, bodies.csv, gauges.csv and gauges/*.csv, by their names without the unit.
PNG files are made by rsvg-convert (Debian's package librsvg2-bin).)");
  plot->add_option("DIR", a.request.folder, "Folder of a run (brim run), also while it is running")->required();
  plot->add_option("--column", a.request.columns,
                   "A column, or several of one unit with commas between, in one plot. May be repeated")
      ->type_name("NAME,...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  plot->add_option("--title", a.request.title, "Words before the names of the columns")->type_name("TEXT");
  plot->add_option("--out", a.request.out, "Folder of the pictures (default: DIR/plots)")->type_name("DIR");
  plot->add_flag("--png", a.request.png, "PNG files too");
  plot->add_flag("--quiet", a.quiet, "Do not print the names of the files");
}

void addReports(CLI::App& app, ReportArguments& a) {
  auto* compare = app.add_subcommand("compare", "Run a scene with several solvers and write a page that compares them");
  compare->footer(std::string("Example:\n  brim compare scenes/dam_break_2d.toml --solvers pbf,wcsph --until 1\n") + reportNotes);
  compare->add_option("SCENE", a.run.scene.file, "Scene file (TOML)")->required();
  compare->add_option("--solvers", a.solvers, "Solvers, separated by commas (brim list solvers)")
      ->type_name("A,B,...")
      ->required();
  compare->add_option("--out", a.run.out, "Folder of the results (default: out/<scene>_compare)")->type_name("DIR");
  addReport(*compare, a);

  auto* sweep = app.add_subcommand("sweep", "Run a scene with all combinations of some values and write a page about them");
  sweep->footer(
      std::string(
          "Example:\n  brim sweep scenes/dam_break_2d.toml --set solver.tolerance=0 --vary solver.iterations=1,2,5,10 --vary "
          "time.dt_max=1e-3,5e-3\nWith a tolerance above 0 a solver stops before its largest number of iterations.\n") +
      reportNotes);
  sweep->add_option("SCENE", a.run.scene.file, "Scene file (TOML)")->required();
  sweep->add_option("--solver", a.run.scene.solver, "Solver, instead of the scene's (brim list solvers)")->type_name("NAME");
  sweep->add_option("--vary", a.vary, "Values to run, separated by commas; also solver.name=pbf,wcsph. May be repeated")
      ->type_name("path=v,v,...")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep->add_option("--out", a.run.out, "Folder of the results (default: out/<scene>_sweep)")->type_name("DIR");
  addReport(*sweep, a);

  auto* study = app.add_subcommand("study", "Run a study: a comparison or sweep in a file, with its question and finding");
  study->footer(std::string(studyNotes) + "\n" + reportNotes);
  study->add_option("FILE", a.run.scene.file, "Study file (TOML)")->required();
  study->add_option("--out", a.run.out, "Folder of the results (default: out/<study>)")->type_name("DIR");
  addReport(*study, a);
}

static const char* const validateNotes = R"(
Examples:
  brim validate --list                             the cases: experiments and exact solutions, with their sources beside them
  brim validate --quick                            all cases that take seconds, with all solvers
  brim validate kleefsman lobovsky --solvers pbf,dfsph
  brim validate sloshing --full                    two resolutions: does the error shrink?

A case is a folder with case.toml, a scene and the reference's numbers; CASE may also be such a folder of your own
(docs/validation.md says how to write one). Writes report.html (curve on curve, scores green or red against stated tolerances),
scores.csv, scores.md, plots/*.svg and a folder per case and run. A solver that cannot run a case is listed with its reason.
Scores that miss their tolerance do not change the exit code; scores that are worse than stored ones do (--ratchet): 4.)";

void addValidate(CLI::App& app, ValidateArguments& a) {
  auto* validate =
      app.add_subcommand("validate", "Run experiments and exact solutions with every solver and write a page of scores");
  validate->footer(validateNotes);
  validate->add_option("CASE", a.cases, "Names of cases, or folders with a case.toml (default: all that come with Brim)");
  validate->add_option("--solvers", a.solvers, "Solvers, separated by commas (default: all)")->type_name("A,B,...");
  auto* quick = validate->add_flag("--quick", a.quick, "Coarse: seconds a case");
  auto* full = validate->add_flag("--full", a.full, "Also the finer resolution, where a case has one")->excludes(quick);
  validate->add_flag("--list", a.list, "List the cases and end");
  auto* ratchet = validate->add_flag("--ratchet", a.ratchet, "Compare with the scores that come with the cases; needs --quick")
                      ->needs(quick)
                      ->excludes(full);
  validate->add_option("--stored", a.stored, "Compare with the scores of this file (case, solver, curve, score, error, noise)")
      ->type_name("FILE")
      ->excludes(ratchet);
  validate->add_option("--out", a.run.out, "Folder of the results (default: out/validate, _quick, _full)")->type_name("DIR");
  addSet(*validate, a.run.scene.set, "Change any value of all scenes, or for the runs of one solver: NAME:path=value");
  addMachine(*validate, a.run.machine);
  auto* resume = validate->add_flag("--resume", a.run.resume, "Keep finished runs and continue interrupted ones");
  validate->add_flag("--overwrite", a.run.overwrite, "Replace the results in that folder")->excludes(resume);
  validate->add_flag("--quiet", a.run.quiet, "Print no progress, only errors");
}

}  // namespace brim::command
#endif
