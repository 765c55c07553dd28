#include "brim/foam.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "brim/files.h"
#include "commands.h"
#include "look.h"

namespace brim::command {

namespace {

/// Every parameter as an option of the command line.
class AsOptions : public ParameterVisitor {
 public:
  explicit AsOptions(CLI::App& command) : command_(command) {}
  void operator()(const char* name, double& value, const Doc& doc) override { number(name, value, doc); }
  void operator()(const char* name, int& value, const Doc& doc) override { number(name, value, doc); }
  void operator()(const char* name, bool& value, const Doc& doc) override { command_.add_flag(optionOf(name), value, doc.text); }
  void operator()(const char* name, std::string& value, const Doc& doc) override {
    command_.add_option(optionOf(name), value, doc.text)->check(CLI::IsMember(doc.words));
  }

 private:
  static std::string optionOf(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
  }
  template <class T>
  void number(const char* name, T& value, const Doc& doc) {
    const std::string range = fmt::format("{}{:g} to {:g}", doc.positive ? "above " : "", doc.low, doc.high);
    const std::string unit = doc.unit.empty() ? "" : fmt::format(" [{}]", doc.unit);
    command_.add_option(optionOf(name), value, fmt::format("{}{} ({}; default: {})", doc.text, unit, range, value))
        ->type_name("X")
        ->group("Parameters")
        ->check([=](const std::string& text) -> std::string {
          T x = 0;
          if (!CLI::detail::lexical_cast(text, x)) return fmt::format("{} is no number", text);
          const bool good = (doc.positive ? double(x) > doc.low : double(x) >= doc.low) && double(x) <= doc.high;
          return good ? "" : fmt::format("{} is not in its range, {}{}", text, range, unit);
        });
  }

  CLI::App& command_;
};

/// What was chosen, as text: other settings make other foam.
class AsText : public ParameterVisitor {
 public:
  std::string text;
  void operator()(const char* name, double& value, const Doc&) override { text += fmt::format("{} {}\n", name, value); }
  void operator()(const char* name, int& value, const Doc&) override { text += fmt::format("{} {}\n", name, value); }
  void operator()(const char* name, bool& value, const Doc&) override { text += fmt::format("{} {}\n", name, value); }
  void operator()(const char* name, std::string& value, const Doc&) override { text += fmt::format("{} {}\n", name, value); }
};

}  // namespace

std::string foamFile(const RunFolder& run, int frame) { return fmt::format("{}/foam/foam_{:06}.vtp", run.path(), frame); }

void addFoam(CLI::App& app, FoamArguments& a) {
  auto* command = app.add_subcommand("foam", "Spray, foam and bubbles for films, from the frames of a run");
  command->footer(
      R"(Particles are made where the liquid traps air, at crests and where it is fast, and move as spray, foam or bubbles (Ihmsen et
al. 2012). They push nothing. brim render shows them, DIR/foam/foam.pvd opens in ParaView (kind 0: spray, 1: foam, 2: bubbles).
Frames that are up to date are kept. The parameters can be changed after the run as often as you like.)");
  command->add_option("DIR", a.frames.folder, "Folder of a run (brim run)")->required();
  command->add_option("--threads", a.frames.threads, "Threads; 0: all cores. The result does not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  command->add_flag("--force", a.frames.force, "Make all files again, also those that are up to date");
  command->add_flag("--quiet", a.frames.quiet, "Print no progress, only errors");
  AsOptions options(*command);
  a.options.visit(options);
}

int foam(const FoamArguments& a) {
  const RunFolder run(a.frames.folder);
  const auto& frames = run.frames();
  const FoamMaker maker(run.scene(), a.options, someOf(run, frames));
  AsText settings;
  FoamOptions(maker.options()).visit(settings);
  const std::string out = run.path() + "/foam";
  const double spacing = run.scene().resolution.spacing;

  // The frame before: from this pass, or from its file.
  int before = -1;
  Snapshot liquid;
  Foam last;
  const int code = overFrames(
      a.frames, run, frames, out, "foam", settings.text,
      [&](int frame) { return std::vector<std::string>{foamFile(run, frame)}; },
      [&](int frame, const Snapshot& s) {
        const auto at = std::lower_bound(frames.begin(), frames.end(), frame);
        if (at == frames.begin()) {
          last = maker.none(s);
        } else {
          if (const int previous = *(at - 1); previous != before)
            liquid = run.read(previous), last = readFoam(foamFile(run, previous));
          last = maker.next(last, liquid, s, frame);
        }
        liquid = s;
        before = frame;
        writeFoam(foamFile(run, frame), last, spacing);
      });
  if (code != ok) return code;
  std::vector<std::pair<double, std::string>> files;
  for (const int frame : frames) files.emplace_back(timeOfFoam(foamFile(run, frame)), fmt::format("foam_{:06}.vtp", frame));
  writeFoamCollection(out + "/foam.pvd", files);
  if (!a.frames.quiet) {
    const Foam end = before == frames.back() ? last : readFoam(foamFile(run, frames.back()));
    const auto kinds = [&](Foam::Kind kind) { return count(double(std::count(end.kind.begin(), end.kind.end(), kind))); };
    fmt::print("{} frames in {}; at the end {} of spray, {} of foam, {} bubbles\n", frames.size(), out, kinds(Foam::spray),
               kinds(Foam::foam), kinds(Foam::bubble));
  }
  return ok;
}

}  // namespace brim::command
