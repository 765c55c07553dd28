#include "ranked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>

#include "brim/ranks.h"
#include "ranks/team.h"
#include "scene/validate.h"

namespace brim {

void checkRanks(const Scene& s, const Options& o, Mistakes& mistakes) {
  const auto add = [&](const std::string& path, const std::string& what) { mistakes.add(path, s.at(path), what); };
  if (o.device != "cpu") add("solver.name", "--ranks computes on CPUs: leave --device " + o.device + " out");
  // Explicit solvers, and those whose iterations need nothing but neighbours and sums.
  const std::string having[] = {"wcsph", "pcisph", "pbf", "dfsph", "iisph"};
  const bool has = std::find(std::begin(having), std::end(having), s.solver.name) != std::end(having);
  if (!has)
    add("solver.name",
        fmt::format("solver \"{}\" does not run on many ranks; these do: {}", s.solver.name, fmt::join(having, ", ")));
  // The coarse grid of a solver spans the whole fluid.
  if (has) {
    const auto given = s.solver.choices.find("acceleration");
    const std::string chosen = given != s.solver.choices.end() ? given->second : s.solver.name == "pbf" ? "multilevel" : "none";
    if (chosen == "multilevel")
      add(given != s.solver.choices.end() ? "solver.acceleration" : "solver.name",
          fmt::format("the coarse grid of {} is not there on many ranks: say solver.acceleration = \"none\"", s.solver.name));
  }
  const std::pair<bool, const char*> others[] = {
      {!s.bodies.empty(), "bodies"}, {!s.cloth.empty(), "cloth"}, {!s.soft.empty(), "soft"}};
  for (const auto& [any, name] : others)
    if (any) add(fmt::format("{}[0]", name), fmt::format("[[{}]] is not there on many ranks: run it without --ranks", name));
}

namespace ranks {

namespace {

enum class Word : std::int64_t { leave, begin, advance, gauges, snapshot, averages, hash, save, restore, report, drop };

struct Command {
  Word word;
  double number;       // the limit of a step [s]
  std::int64_t bytes;  // that follow
};

void say(Word word, double number = 0, std::int64_t bytes = 0) {
  Command c = {word, number, bytes};
  team()->broadcast(&c, sizeof c, true);
}

// What all do together. Whoever does not come to its end leaves the others waiting; where a run diverges, it does so for all.
template <class F>
decltype(auto) together(F task) {
  team()->together = true;
  struct Done {
    int under = std::uncaught_exceptions();
    ~Done() {
      if (std::uncaught_exceptions() == under) team()->together = false;
    }
  } done;
  try {
    return task();
  } catch (const Diverged&) {
    team()->together = false;
    throw;
  }
}

// 0: the scene stands everywhere; 1: another rank could not set it up; 2: rank 0 could not.
int worst(bool good) {
  int bad = good ? 0 : team()->rank() == 0 ? 2 : 1;
  team()->largest(&bad, 1);
  return bad;
}

Simulation::Machine* leading = nullptr;  // rank 0's

class Leader final : public Simulation::Machine {
 public:
  explicit Leader(std::unique_ptr<Simulation::Machine> own) : own_(std::move(own)) {
    scene = own_->scene;
    leading = this;
  }
  ~Leader() override {
    leading = nullptr;
    if (!stuck()) say(Word::drop);
  }

  const StepReport& advance(double limit) override {
    if (own_->time() >= limit) return own_->report();
    ++steps_;
    say(Word::advance, limit);
    return together([&]() -> const StepReport& { return own_->advance(limit); });
  }
  void setMotion(std::size_t, const Motion&) override { refuse(); }
  void setGravity(const Vector&) override { refuse(); }
  void setBody(int, const BodyReport&) override { refuse(); }
  void setLoad(int, const Vector&, const Vector&) override { refuse(); }
  void setMotor(int, double, double) override { refuse(); }
  Columns columns() override { refuse(); }
  void write(const std::vector<double>&, const std::vector<double>&) override { refuse(); }
  const StepReport& report() const override { return own_->report(); }
  const EnergyStep& energy() const override { return own_->energy(); }
  std::vector<BodyReport> bodies() override { return own_->bodies(); }
  std::vector<Pose<double>> solids(bool atStart) override { return own_->solids(atStart); }
  std::vector<JointReport> joints() override { return own_->joints(); }
  std::vector<GaugeReport> gauges() override {
    say(Word::gauges);
    return together([&] { return own_->gauges(); });
  }
  double time() const override { return own_->time(); }
  std::int64_t step() const override { return own_->step(); }
  const Facts& facts() const override { return own_->facts(); }
  Snapshot snapshot() override {
    say(Word::snapshot);
    return together([&] { return own_->snapshot(); });
  }
  void restartAverages() override {
    say(Word::averages);
    own_->restartAverages();
  }
  std::size_t bytes() override { return own_->bytes(); }
  std::uint64_t stateHash() override {
    say(Word::hash);
    return together([&] { return own_->stateHash(); });
  }
  std::vector<char> save() override {
    say(Word::save);
    return together([&] { return own_->save(); });
  }
  void restore(const std::vector<char>& blob) override {
    say(Word::restore, 0, std::int64_t(blob.size()));
    together([&] {
      std::vector<char> copy = blob;
      team()->broadcast(copy.data(), copy.size());
    });
    std::exception_ptr wrong;  // it is wrong for all: the others wait for the next word
    try {
      own_->restore(blob);
    } catch (...) {
      wrong = std::current_exception();
    }
    if (wrong) std::rethrow_exception(wrong);
  }
  void spreadOver(Team&) override { refuse(); }
  Report ranks() override {
    say(Word::report);
    Report r = together([&] { return own_->ranks(); });
    r.steps = steps_;
    return r;
  }

 private:
  [[noreturn]] static void refuse() {
    throw Failure("a simulation on many ranks cannot be changed from outside, nor read in place");
  }

  std::unique_ptr<Simulation::Machine> own_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Simulation::Machine> lead(const std::function<std::unique_ptr<Simulation::Machine>()>& make,
                                          const Options& options) {
  Team& all = join();
  const std::string names = options.precision + " " + options.flavour;
  say(Word::begin, options.threads, std::int64_t(names.size()));
  std::string sent = names;
  all.broadcast(sent.data(), sent.size());
  std::unique_ptr<Simulation::Machine> own;
  std::exception_ptr wrong;
  try {
    own = make();
    own->spreadOver(all);
  } catch (...) {
    wrong = std::current_exception();
  }
  const int bad = together([&] { return worst(!wrong); });
  if (wrong) std::rethrow_exception(wrong);
  if (bad) throw Failure("another rank could not set the scene up; it says why above");
  return std::make_unique<Leader>(std::move(own));
}

int enter() { return join().rank(); }

Report report() { return leading ? leading->ranks() : Report(); }

int count() { return team() ? team()->size() : 1; }

void serve(const std::function<Scene()>& scene) {
  std::unique_ptr<Simulation::Machine> own;
  for (;;) {
    Command c;
    team()->broadcast(&c, sizeof c, true);
    std::vector<char> more(static_cast<std::size_t>(c.bytes));
    if (c.bytes > 0) team()->broadcast(more.data(), more.size());
    team()->together = true;
    try {
      switch (c.word) {
        case Word::leave:
          team()->leave();
          return;
        case Word::drop:
          own.reset();
          break;
        case Word::begin: {
          const std::string names(more.begin(), more.end());
          const std::size_t space = names.find(' ');
          std::string wrong;
          try {
            own = follow(scene(), {"cpu", names.substr(0, space), int(c.number), names.substr(space + 1)});
            own->spreadOver(*team());
          } catch (const std::exception& e) {
            wrong = e.what();
            own.reset();
          }
          const int bad = worst(wrong.empty());  // where rank 0 fails too, it tells
          if (bad == 1 && !wrong.empty()) fmt::print(stderr, "rank {}: {}\n", team()->rank(), wrong);
          if (bad) own.reset();
          break;
        }
        case Word::advance:
          own->advance(c.number);
          break;
        case Word::gauges:
          own->gauges();
          break;
        case Word::snapshot:
          own->snapshot();
          break;
        case Word::averages:
          own->restartAverages();
          break;
        case Word::hash:
          own->stateHash();
          break;
        case Word::save:
          own->save();
          break;
        case Word::report:
          own->ranks();
          break;
        case Word::restore:
          try {
            own->restore(more);
          } catch (const Failure&) {
          }  // rank 0 has the same and says so
          break;
      }
    } catch (const Diverged&) {
    }  // for all: rank 0 tells
    team()->together = false;
  }
}

void leave() {
  if (!team()) return;
  say(Word::leave);
  team()->leave();
}

bool stuck() { return team() && team()->together; }

void end(int code) {
  if (team()) team()->end(code);
  std::exit(code);
}

}  // namespace ranks
}  // namespace brim
