// Options that commands share, and those of view and dataset.
#include "options.h"

namespace brim::command {

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

#ifdef BRIM_VIEW
static const char* const viewNotes = R"(
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

}  // namespace brim::command
