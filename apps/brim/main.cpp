// brim: run, check and describe scenes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "brim/suggest.h"
#include "options.h"
#include "ranks.h"

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

int dispatch(int argc, char** argv) {
  CLI::App app("Brim simulates liquids that keep their volume.", "brim");
  app.footer(examples);
  app.require_subcommand(1);

  RunArguments a;
  a.words.assign(argv, argv + argc);
  auto* run = app.add_subcommand("run", "Run a scene and write frames, statistics, checkpoints, a summary and a picture");
  addScene(*run, a.scene);
  addMachine(*run, a.machine);
  bool onRanks = false;
  run->add_flag("--ranks", onRanks,
                "Share the run among the processes of mpirun -n N brim run ... (docs/ranks.md). The result does not depend on N");
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
  if (*run) return onRanks ? runOnRanks(a) : command::run(a);
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
