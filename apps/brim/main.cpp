// brim: run, check and describe scenes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "brim/suggest.h"
#include "commands.h"
#include "look.h"
#ifdef BRIM_REPORT
#include "brim/report.h"
#endif

#ifndef BRIM_VERSION
#define BRIM_VERSION "0.2.0"
#endif

namespace brim::command {

namespace {

const char* examples = R"(Examples:
  brim list scenes                                 the scenes that come with Brim
  brim run scenes/dam_break.toml                   run it; results in out/dam_break
  brim run scenes/dam_break.toml --solver wcsph --out out/wcsph
  brim run scenes/dam_break.toml --set solver.iterations=20 --set fluid.blocks[0].velocity=[1,0,0] --out out/fast
  brim run scenes/dam_break.toml --resume          continue an interrupted run
)"
#ifdef BRIM_REPORT
                       R"(  brim compare scenes/dam_break_2d.toml --solvers pbf,wcsph           one page that compares both
  brim sweep scenes/dam_break_2d.toml --set solver.tolerance=0 --vary solver.iterations=1,2,5,10 --vary time.dt_max=1e-3,5e-3
  brim study studies/cs11_convergence.toml         a question, its runs and the finding, from a file
  brim validate --quick                            every solver against experiments and exact solutions
)"
#endif
#ifdef BRIM_VIEW
                       R"(  brim view scenes/dam_break_2d.toml               watch and steer it in the browser
  brim view out/dam_break                          play back the frames of a run
)"
#endif
                       R"(  brim plot out/dam_break --column kinetic_energy  any column of the tables, as SVG and PNG
  brim render out/dam_break --film                 pictures and an mp4 of a run
  brim surface out/dam_break --format ply,vdb      the surface of the liquid: meshes and level sets
  brim check my.toml                               all mistakes, with line and column
  brim list parameters pbf                         every parameter: unit, range, default, meaning

Scenes are TOML files in SI units (m, kg, s, Pa); times on the command line are seconds of simulated time.
Exit codes: 0 done, 2 a mistake or a refused file, 3 the simulation diverged or, with --strict, is ruined, 4 a score got worse (validate), 130 and 143 interrupted.)";

void addSet(CLI::App& command, std::vector<std::string>& set, const std::string& text) {
  command.add_option("--set", set, text)
      ->type_name("path=value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void addTimes(CLI::App& command, SceneArguments& a) {
  command.add_option("--until", a.until, "End of the run [s]")->type_name("T");
  command.add_option("--frames-per-second", a.framesPerSecond, "Frames per simulated second; 0: none")->type_name("F");
}

void addScene(CLI::App& command, SceneArguments& a) {
  command.add_option("SCENE", a.file, "Scene file (TOML)")->required();
  command.add_option("--solver", a.solver, "Solver, instead of the scene's (brim list solvers)")->type_name("NAME");
  addSet(command, a.set, "Change any value of the scene: --set time.dt_max=0.002. May be repeated");
  addTimes(command, a);
}

void addMachine(CLI::App& command, Options& machine) {
  command.add_option("--threads", machine.threads, "Threads; 0: all cores. The result does not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  command.add_option("--device", machine.device, "cpu, or cuda for an NVIDIA GPU (brim list devices)")->capture_default_str();
  command.add_option("--precision", machine.precision, "single or double")
      ->check(CLI::IsMember({"single", "double"}))
      ->type_name("WORD");
  command.add_option("--flavour", machine.flavour, "Use this flavour instead of the fastest one (brim version lists them)")
      ->type_name("NAME");
}

std::string version() {
  std::string all;
  for (const auto& f : flavours()) all += " " + f;
  return fmt::format("brim {}\nflavours:{}", BRIM_VERSION, all);
}

// A word that is no command of `app`, with what was probably meant; "" if the word is one.
std::string noCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (word.starts_with("-") || std::find(names.begin(), names.end(), word) != names.end()) return "";
  const std::string who = app.get_parent() ? "brim " + app.get_name() : "brim";
  const bool scene = !app.get_parent() && word.ends_with(".toml");
  return fmt::format("{} has no command \"{}\"{}  (one of: {})", who, word,
                     scene ? "; did you mean \"brim run " + word + "\"?" : didYouMean(word, names), listed(names));
}

// An option that the command has not, with what was probably meant; "" if nothing is over.
std::string noOption(const CLI::App& app) {
  const auto used = app.get_subcommands();
  if (!used.empty()) return noOption(*used.front());
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with("--")) continue;
    std::vector<std::string> names;
    for (const CLI::Option* o : app.get_options())
      for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("brim {} has no option {}{}  (brim {} --help)", app.get_name(), name, didYouMean(name, names),
                       app.get_name());
  }
  return "";
}

#ifdef BRIM_REPORT
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

struct PlotArguments {
  PlotRequest request;
  bool quiet = false;
};

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

const char* validateNotes = R"(
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
#endif

void addFrames(CLI::App& command, FramesArguments& a, const char* out) {
  command.add_option("DIR", a.folder, "Folder of a run (brim run), also while it is running")->required();
  command.add_option("--frames", a.frames, "Only these: N, FIRST:LAST or FIRST:LAST:STEP")->type_name("RANGE");
  command.add_option("--out", a.out, fmt::format("Folder of the results (default: DIR/{})", out))->type_name("DIR");
  command.add_option("--threads", a.threads, "Threads; 0: all cores. The result does not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  command.add_flag("--force", a.force, "Make all files again, also those that are up to date");
  command.add_flag("--quiet", a.quiet, "Print no progress, only errors");
}

struct LookArguments {
  SurfaceArguments surface;
  RenderArguments render;
  FoamArguments foam;
  ExportArguments files;
};

void addLook(CLI::App& app, LookArguments& a) {
  auto* surface = app.add_subcommand("surface", "Triangle meshes of the liquid's surface, from the frames of a run");
  surface->footer(R"(Methods:
  anisotropic  kernels stretched along the surface (Yu & Turk 2013): smooth, keeps thin sheets
  spheres      round kernels at the particles (Mueller et al. 2003): fast, bumpy
  levelset     distance to the mean position of nearby particles (Zhu & Bridson 2005): smooth, fills dents
Meshes are closed and keep the volume of the liquid. PLY files also hold velocities (vx vy vz). Files that are up to date are kept.)");
  addFrames(*surface, a.surface.frames, "surface");
  surface->add_option("--method", a.surface.method, "anisotropic, spheres or levelset")->type_name("NAME");
  surface->add_option("--format", a.surface.formats, "ply, obj, vdb, separated by commas")->type_name("A,B");
  surface->add_option("--voxel", a.surface.voxel, "Side of a grid cell, in particle spacings")
      ->type_name("X")
      ->check(CLI::Range(0.1, 2.0));

  auto* render = app.add_subcommand("render", "Pictures and a film of a run, without a display");
  render->footer(R"(Views of 3D scenes: front, side, top, iso, or AZIMUTH,ELEVATION[,ZOOM] in degrees (default: 24,17).
Films need ffmpeg and play in real time. Pictures that are up to date are kept, unless an option changed.
Foam and spray are shown where brim foam made them. A path of the camera is a CSV file with a row for each keyframe and the
columns time [s], eye_x, eye_y, eye_z, target_x, target_y, target_z [m] and, if you like, fov [deg].)");
  addFrames(*render, a.render.frames, "pictures");
  render->add_option("--style", a.render.style, "water, particles, density or speed")->type_name("NAME");
  render->add_option("--view", a.render.view, "Where the camera is")->type_name("VIEW");
  render->add_option("--size", a.render.size, "Size of a picture [px]")->type_name("WxH");
  render->add_option("--camera", a.render.camera, "A path of the camera, instead of --view (CSV)")->type_name("FILE");
  render->add_option("--shutter", a.render.shutter, "Motion blur: how long the shutter is open, over the time between two frames")
      ->type_name("X")
      ->check(CLI::Range(0.0, 1.0));
  render
      ->add_option("--f-number", a.render.fNumber,
                   "Depth of field of a lens behind which pictures are 24 mm high; smaller: more blur; 0: all is sharp")
      ->type_name("N")
      ->check(CLI::Range(0.0, 64.0));
  render->add_option("--focus", a.render.focus, "The point that is sharp [m] (default: the middle of the picture)")
      ->type_name("X,Y,Z");
  render->add_option("--colour", a.render.colours, "Colour of a solid or body by its name, or of all: solids, bodies, cloth")
      ->type_name("NAME=#rrggbb")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  render->add_flag("--no-foam", a.render.noFoam, "Do not show what brim foam made");
  render->add_flag("--film", a.render.film, "Also make an mp4");
  render->add_flag("--no-label", a.render.noLabel, "Draw no time and no colour bar");

  addFoam(app, a.foam);

  auto* files = app.add_subcommand("export", "The particles of a run in another file format");
  addFrames(*files, a.files.frames, "export");
  files->add_option("--format", a.files.formats, "bgeo (Houdini), ply, vtp (ParaView), separated by commas")->type_name("A,B");
}

#ifdef BRIM_VIEW
const char* viewNotes = R"(
Examples:
  brim view scenes/dam_break_2d.toml               run it and watch
  brim view scenes/dam_break.toml --solver flip --paused
  brim view out/dam_break                          play back the frames of a run

Prints the page's address and opens it where there is a display. Over ssh, forward the port: ssh -L 8642:127.0.0.1:8642 HOST.
Only this machine can connect; with --bind others can too. Whoever connects needs the token in the printed address. Nothing is
encrypted.
Ctrl+C ends it.)";

void addView(CLI::App& app, ViewArguments& a) {
  auto* view = app.add_subcommand("view", "Watch and steer a scene in the browser, or play back a run");
  view->footer(viewNotes);
  addScene(*view, a.scene);
  view->get_option("SCENE")->description("Scene file (TOML), or the folder of a run");
  addMachine(*view, a.machine);
  view->add_option("--port", a.port, "Port of the page; 0: any (default: 8642, or the next that is free)")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  view->add_option("--bind", a.bind, "Address to listen on; 0.0.0.0 lets other machines connect")->type_name("ADDRESS");
  view->add_flag("--no-open", a.noOpen, "Print the address and open no browser");
  view->add_flag("--paused", a.paused, "Start paused");
}
#endif

void addDataset(CLI::App& app, DatasetArguments& a) {
  auto* dataset = app.add_subcommand("dataset", "Trajectories of varied scenes, as data for learning");
  dataset->footer(R"(The file (TOML):
  scene = "dam.toml"                     relative to this file
  seed = 1                               of all that is drawn
  frames = 100                           of a trajectory
  every = 0.01                           [s] between frames
  walls = 3                              layers of particles that stand for walls and solids; 0: none
  hdf5 = true                            false: npz files alone
  density_error_max = 0.05               a trajectory with a larger mean density error is ruined and made anew
  attempts = 10                          at a trajectory
  [splits]  train = 80, valid = 10, test = 10
  [set]     solver.iterations = 8        values for all
  [[vary]]  path = "fluid.blocks[0].max[0]", low = 0.2, high = 0.6        drawn for each; also log = true, whole = true
  [[vary]]  path = "solver.name", values = ["pbf", "dfsph"]
Writes {train,valid,test}.h5 and metadata.json in the layout of LagrangeBench, npz files, and a manifest of seeds and hashes.
The same command goes on with what was interrupted. Results depend on the seed alone, not on threads.)");
  dataset->add_option("SPEC", a.file, "What to make (TOML)")->required();
  dataset->add_option("--out", a.out, "Folder of the results (default: out/<name of the file>)")->type_name("DIR");
  dataset->add_option("--threads", a.machine.threads, "Trajectories at a time; 0: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  dataset->add_option("--precision", a.machine.precision, "single or double")->type_name("P");
  dataset->add_flag("--overwrite", a.overwrite, "Replace the results in that folder");
  dataset->add_flag("--quiet", a.quiet, "Print no progress, only errors");
}

int dispatch(int argc, char** argv) {
  CLI::App app("Brim simulates liquids that keep their volume.", "brim");
  app.footer(examples);
  app.require_subcommand(1);

  RunArguments a;
  a.words.assign(argv, argv + argc);
  auto* run = app.add_subcommand("run", "Run a scene and write frames, statistics, checkpoints, a summary and a picture");
  addScene(*run, a.scene);
  addMachine(*run, a.machine);
  run->add_option("--out", a.out, "Folder of the results (default: out/<name of the scene>)")->type_name("DIR");
  auto* resume = run->add_flag("--resume", a.resume,
                               "Continue the run in that folder. The result is bit for bit that of a run that was not stopped");
  run->add_flag("--overwrite", a.overwrite, "Replace the results in that folder")->excludes(resume);
  run->add_option("--from", a.from, "Start from the state of this checkpoint or run, with the parameters of this scene")
      ->type_name("CHECKPOINT")
      ->excludes(resume);
  run->add_flag("--strict", a.strict, "End with exit code 3 if the run is ruined: a health check warned (docs/trust.md)");
  run->add_flag("--quiet", a.quiet, "Print no progress, only errors");
  run->add_option("--progress", a.progress, "json: print progress to stdout, one JSON object per line")
      ->check(CLI::IsMember({"json", "bar"}))
      ->type_name("STYLE");

#ifdef BRIM_REPORT
  ReportArguments r;
  r.run.words = a.words;
  addReports(app, r);
  PlotArguments p;
  addPlot(app, p);
  ValidateArguments validation;
  validation.run.words = a.words;
  addValidate(app, validation);
#endif
#ifdef BRIM_VIEW
  ViewArguments v;
  addView(app, v);
#endif

  DatasetArguments d;
  addDataset(app, d);

  LookArguments look;
  addLook(app, look);

  auto* check = app.add_subcommand("check", "Check a scene without running it: every mistake, with line and column");
  addScene(*check, a.scene);
  auto* info = app.add_subcommand("info", "Estimate particles, memory, disk, steps and wall time of a scene");
  addScene(*info, a.scene);
  addMachine(*info, a.machine);

  std::string name;
  bool markdown = false;
  auto* list = app.add_subcommand("list", "List solvers, scenes, devices or parameters");
  list->require_subcommand(1);
  auto* listSolvers_ = list->add_subcommand("solvers", "The solvers and the papers they come from");
  auto* listScenes_ = list->add_subcommand("scenes", "The scenes that come with Brim");
  auto* listDevices_ = list->add_subcommand("devices", "The devices of this machine; measures the memory speed of a GPU");
  auto* listParameters_ = list->add_subcommand("parameters", "Every key of a scene file and every parameter of the solvers");
  listParameters_->add_option("NAME", name, "Only this table, solver or key");
  listParameters_->add_flag("--markdown", markdown, "As the page docs/scene_format.md");
  auto* version_ = app.add_subcommand("version", "Version and flavours of this build");
  app.set_version_flag("--version,-V", version, "Version and flavours of this build");

  if (argc > 1)
    if (const std::string told = noCommand(app, argv[1]); !told.empty()) throw Failure(told);
  if (argc > 2 && argv[1] == list->get_name())
    if (const std::string told = noCommand(*list, argv[2]); !told.empty()) throw Failure(told);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& e) {
    if (const std::string told = noOption(app); !told.empty()) throw Failure(told);
    return app.exit(e) == 0 ? ok : mistake;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? ok : mistake;
  }
  if (*run) return command::run(a);
#ifdef BRIM_REPORT
  if (app.got_subcommand("compare")) return compare(r);
  if (app.got_subcommand("sweep")) return sweep(r);
  if (app.got_subcommand("study")) return study(r);
  if (app.got_subcommand("plot")) return plot(p.request, p.quiet);
  if (app.got_subcommand("validate")) return validate(validation);
#endif
  if (app.got_subcommand("dataset")) return dataset(d);
  if (app.got_subcommand("surface")) return surface(look.surface);
  if (app.got_subcommand("render")) return render(look.render);
  if (app.got_subcommand("foam")) return foam(look.foam);
  if (app.got_subcommand("export")) return exportFrames(look.files);
#ifdef BRIM_VIEW
  if (app.got_subcommand("view")) return view(v);
#endif
  if (*check) return command::check(a.scene);
  if (*info) return command::info(a.scene, a.machine);
  if (*version_) {
    fmt::print("{}\n", version());
    return ok;
  }
  if (*listSolvers_) return listSolvers();
  if (*listScenes_) return listScenes();
  if (*listDevices_) return listDevices();
  if (*listParameters_) return listParameters(name, markdown);
  return mistake;
}

void outOfMemory() {
  std::fputs("brim: this machine's memory is not enough for the scene; try a larger resolution.spacing  (brim info)\n", stderr);
}

// Says what went wrong; must be called while an exception is handled.
int explain() {
  try {
    throw;
  } catch (const SceneError& e) {
    for (const Mistake& m : e.mistakes()) fmt::print(stderr, "{}\n", describe(m));
    if (e.mistakes().size() > 1) fmt::print(stderr, "{} mistakes\n", e.mistakes().size());
    return mistake;
  } catch (const Diverged& e) {
    fmt::print(stderr, "brim: {}\n", e.what());
    return diverged;
  } catch (const Failure& e) {
    fmt::print(stderr, "brim: {}\n", e.what());
  } catch (const std::bad_alloc&) {
    outOfMemory();
  } catch (const std::length_error&) {  // of an array that no machine has room for
    outOfMemory();
  } catch (const std::system_error& e) {
    fmt::print(stderr, "brim: the system gives no more threads or files to this program: {}\n", e.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "brim: unexpected: {}\n", e.what());
  } catch (...) {
    fmt::print(stderr, "brim: unexpected: an exception without a message\n");
  }
  return mistake;
}

// An exception that nobody can catch, of a thread or on the way out of another one, ends with a sentence too.
[[noreturn]] void lastWords() {
  if (std::current_exception())
    explain();
  else
    fmt::print(stderr, "brim: unexpected: the program cannot go on\n");
  std::fflush(nullptr);
  std::_Exit(mistake);
}

}  // namespace

}  // namespace brim::command

int main(int argc, char** argv) {
  using namespace brim;
  std::set_terminate(command::lastWords);
  try {
    return command::dispatch(argc, argv);
  } catch (...) {
    return command::explain();
  }
}
