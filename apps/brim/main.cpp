// brim: run, check and describe scenes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>

#include "commands.h"

#ifndef BRIM_VERSION
#define BRIM_VERSION "0.1.0"
#endif

namespace brim::command {

namespace {

const char* examples = R"(Examples:
  brim list scenes                                 what there is to run
  brim run scenes/dam_break.toml                   runs it; results in out/dam_break
  brim run scenes/dam_break.toml --solver wcsph --out out/wcsph
  brim run scenes/dam_break.toml --set solver.iterations=20 --set fluid.blocks[0].velocity=[1,0,0] --out out/fast
  brim run scenes/dam_break.toml --resume          goes on with an interrupted run
  brim check my.toml                               all mistakes, with line and column
  brim list parameters pbf                         every parameter: unit, range, default, meaning

Scenes are TOML files in SI units (m, kg, s, Pa); times on the command line are seconds of simulated time.
Exit codes: 0 done, 2 a mistake or a refused file, 3 the simulation diverged, 130 and 143 interrupted.)";

void addScene(CLI::App& command, SceneArguments& a) {
  command.add_option("SCENE", a.file, "Scene file (TOML)")->required();
  command.add_option("--solver", a.solver, "Method, instead of the scene's (brim list solvers)")->type_name("NAME");
  command.add_option("--set", a.set, "Change any value of the scene; may be given often: --set time.dt_max=0.002")
      ->type_name("path=value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--until", a.until, "End of the run [s]")->type_name("T");
  command.add_option("--frames-per-second", a.framesPerSecond, "Frames per simulated second; 0: none")->type_name("F");
}

void addMachine(CLI::App& command, Options& machine) {
  command.add_option("--threads", machine.threads, "Threads; 0: all cores. The result does not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  command.add_option("--precision", machine.precision, "single or double")
      ->check(CLI::IsMember({"single", "double"}))
      ->type_name("WORD");
  command.add_option("--flavour", machine.flavour, "One of the builds that \"brim version\" lists, instead of the best")
      ->type_name("NAME");
}

int version() {
  std::string all;
  for (const auto& f : flavours()) all += " " + f;
  fmt::print("brim {}\nflavours:{}\n", BRIM_VERSION, all);
  return ok;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Brim simulates liquids that keep their volume.", "brim");
  app.footer(examples);
  app.require_subcommand(1);

  RunArguments a;
  a.words.assign(argv, argv + argc);
  auto* run = app.add_subcommand("run", "Run a scene; leaves frames, statistics, checkpoints, a summary and a picture");
  addScene(*run, a.scene);
  addMachine(*run, a.machine);
  run->add_option("--out", a.out, "Folder of the results (default: out/<name of the scene>)")->type_name("DIR");
  auto* resume =
      run->add_flag("--resume", a.resume, "Go on with the run in that folder, to the same bits as if it had never stopped");
  run->add_flag("--overwrite", a.overwrite, "Replace the results in that folder")->excludes(resume);
  run->add_option("--from", a.from, "Start from the state of this checkpoint or run, under this scene's parameters")
      ->type_name("CHECKPOINT")
      ->excludes(resume);
  run->add_flag("--quiet", a.quiet, "No progress, only mistakes");
  run->add_option("--progress", a.progress, "json: progress as one JSON object a line on stdout")
      ->check(CLI::IsMember({"json", "bar"}))
      ->type_name("STYLE");

  auto* check = app.add_subcommand("check", "Tell every mistake of a scene, with line and column; run nothing");
  addScene(*check, a.scene);
  auto* info = app.add_subcommand("info", "Particles, memory, disk, steps and time of a scene before running it");
  addScene(*info, a.scene);
  addMachine(*info, a.machine);

  std::string name;
  bool markdown = false;
  auto* list = app.add_subcommand("list", "List solvers, scenes or parameters");
  list->require_subcommand(1);
  auto* listSolvers_ = list->add_subcommand("solvers", "The methods");
  auto* listScenes_ = list->add_subcommand("scenes", "The scenes that come with Brim");
  auto* listParameters_ = list->add_subcommand("parameters", "Every key of a scene file and every parameter of the solvers");
  listParameters_->add_option("NAME", name, "Only this table, solver or key");
  listParameters_->add_flag("--markdown", markdown, "As the page docs/scene_format.md");
  auto* version_ = app.add_subcommand("version", "Version and flavours of this build");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? ok : mistake;
  }
  if (*run) return command::run(a);
  if (*check) return command::check(a.scene);
  if (*info) return command::info(a.scene, a.machine);
  if (*version_) return version();
  if (*listSolvers_) return listSolvers();
  if (*listScenes_) return listScenes();
  if (*listParameters_) return listParameters(name, markdown);
  return mistake;
}

}  // namespace

}  // namespace brim::command

int main(int argc, char** argv) {
  using namespace brim;
  try {
    return command::dispatch(argc, argv);
  } catch (const SceneError& e) {
    for (const Mistake& m : e.mistakes()) fmt::print(stderr, "{}\n", describe(m));
    if (e.mistakes().size() > 1) fmt::print(stderr, "{} mistakes\n", e.mistakes().size());
    return command::mistake;
  } catch (const Diverged& e) {
    fmt::print(stderr, "brim: {}\n", e.what());
    return command::diverged;
  } catch (const Failure& e) {
    fmt::print(stderr, "brim: {}\n", e.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "brim: this machine's memory is not enough for the scene; try a larger resolution.spacing  (brim info)\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "brim: unexpected: {}\n", e.what());
  } catch (...) {
    fmt::print(stderr, "brim: unexpected: an exception without a message\n");
  }
  return command::mistake;
}
