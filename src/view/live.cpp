// A simulation as it runs, through the library's public face.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "io/file.h"
#include "observe/noise.h"
#include "observe/summary.h"
#include "observe/volume.h"
#include "scene/motion.h"
#include "scene/write.h"
#include "view/describe.h"
#include "view/kept.h"
#include "view/measured.h"
#include "view/server.h"
#include "view/session.h"
#include "view/steer.h"

namespace brim::view {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr double frameEvery = 1. / 30, statusEvery = 0.1;  // [s] of wall time

class Live final : public Session {
 public:
  Live(std::string file, std::vector<Setting> settings, const Options& options, bool paused)
      : file_(std::move(file)), settings_(std::move(settings)), options_(options), running_(!paused) {
    text_ = readFile(file_);
    scene_ = parseScene(text_, file_, settings_);  // mistakes on the command line are the command's to tell
  }
  ~Live() override { stop(); }

 private:
  enum class State { building, running, paused, finished, diverged, failed };

  // A solid that was dragged: its own motion, and where the hand has it.
  struct Hand {
    Motion own;
    Vector from = {0, 0, 0}, to = {0, 0, 0};  // [m]
    double start = 0;                         // [s]
  };

  void work() override {
    tellAll();  // a large scene takes a while to set up
    tellStatus();
    if (!attempt([&] { rebuild(scene_, false); })) failed_ = true;
    while (!stopping()) {
      for (const Command& c : take(waitFor())) obey(c);
      if (stopping()) break;
      if (mayStep()) step();
      publish(false);
    }
  }

  State state() const {
    if (failed_) return State::failed;
    if (!sim_) return State::building;
    if (!diverged_.empty()) return State::diverged;
    if (running_ || steps_ > 0 || target_) return State::running;
    return atEnd() ? State::finished : State::paused;
  }
  bool atEnd() const { return sim_ && sim_->time() >= scene_.time.until; }

  // How long there is nothing to do but to listen.
  double waitFor() const {
    if (state() != State::running || !watched_) return 0.1;
    return steps_ > 0 || target_ || pace_ <= 0
               ? 0
               : std::clamp((sim_->time() - paceTime_) / pace_ - secondsSince(paceStart_), 0., 0.5);
  }
  bool mayStep() {
    // Nobody should miss the beginning: the first step waits for the first page.
    if (!watched_ && audience().ready()) {
      watched_ = true;
      keepPace();
    }
    return state() == State::running && waitFor() <= 0;
  }

  void keepPace() {
    paceStart_ = Clock::now();
    paceTime_ = sim_ ? sim_->time() : 0;
  }

  void step() {
    goOnFromHere();
    const auto t0 = Clock::now();
    try {
      // A run stops at the scene's end once; who goes on from there sees no end.
      const double until = scene_.time.until, limit = sim_->time() < until ? until : sim_->time() + 1e6;
      report_ = sim_->advance(target_ ? std::min(limit, *target_) : limit);
      stepMs_ = 1e3 * secondsSince(t0);
      totals_.add(report_, stepMs_);
      tellHealth();
      if (steps_ > 0) --steps_;
      keepState();
      if (limit == until && atEnd()) stopHere(), publish(true);
      if (target_ && sim_->time() >= *target_) stopHere(), publish(true);
    } catch (const Diverged& e) {
      diverged_ = e.what();
      stopHere();
      audience().note(noteOf("error", e.what()));
      publish(true);
    }
    // Where the machine cannot keep the pace, the time it is behind is forgotten.
    if (pace_ > 0 && secondsSince(paceStart_) - (sim_->time() - paceTime_) / pace_ > 0.1) keepPace();
    if (secondsSince(rateStart_) > 1) {
      rate_ = (sim_->time() - rateTime_) / secondsSince(rateStart_);
      rateStart_ = Clock::now(), rateTime_ = sim_->time();
    }
  }

  // Each kind once for every start.
  void tellHealth() {
    const auto& all = sim_->health().warnings();
    for (; toldHealth_ < all.size(); ++toldHealth_) audience().note(noteOf("warning", all[toldHealth_].text));
  }

  void stopHere() {
    running_ = false, steps_ = 0;
    target_.reset();
  }

  // A copy of the state costs little beside the steps between two of them.
  void keepState() {
    if (kept_.wanted(sim_->time())) kept_.add({sim_->time(), sim_->save(), report_, totals_});
  }

  // After a rewind there is another future from here on.
  void goOnFromHere() {
    if (!rewound_) return;
    rewound_ = false;
    kept_.forgetAfter(sim_->time());
    history_.forgetAfter(sim_->time());
    tellAll();
  }

  void rewind(std::size_t k) {
    if (!sim_ || k >= kept_.size()) throw Failure("there is no such frame to go back to");
    sim_->restore(kept_[k].state);
    report_ = kept_[k].report, totals_ = kept_[k].totals;
    toldHealth_ = 0;  // what was wrong is forgotten with it
    stopHere();
    diverged_.clear();
    rewound_ = true;
    keepPace();
  }

  void obey(const Command& c) {
    using enum Command::Kind;
    switch (c.kind) {
      case run:
        if (diverged_.empty()) running_ = true;
        keepPace();
        break;
      case pause:
        stopHere();
        break;
      case Command::Kind::step:
        running_ = false;
        target_.reset();
        steps_ = sim_ && diverged_.empty() ? steps_ + c.index : 0;
        break;
      case advance:
        stopHere();
        if (sim_ && diverged_.empty() && c.number > sim_->time()) target_ = c.number;
        break;
      case reset:
        attempt([&] {
          const std::string text = readFile(file_);
          const Scene scene = parseScene(text, file_, settings_);
          text_ = text;
          hands_.clear();
          rebuild(scene, false);
        });
        break;
      case solver:
        change({"solver.name", '"' + c.name + '"', "the solver"});
        break;
      case set:
        if (isControl(scene_, c.name))
          change({c.name, c.value, c.name});
        else
          audience().note(noteOf("error", fmt::format("{} cannot be changed here", c.name)));
        break;
      case drag:
        attempt([&] { move(std::size_t(c.index), c.by); });
        break;
      case motor:
        attempt([&] { drive(std::size_t(c.index), c.number); });
        break;
      case colour:
        quantity_ = c.quantity;
        break;
      case pace:
        pace_ = c.number;
        keepPace();
        break;
      case seek:
        attempt([&] { rewind(std::size_t(c.index)); });
        break;
      case arrows:
        arrows_ = c.on ? mostArrows : 0;
        break;
      case tell:
        tellAll();
        break;
      case loop:
      case seen:
        break;
    }
    publish(true);
  }

  // Does it, or tells the page why not and leaves everything as it was.
  template <class F>
  bool attempt(const F& f) {
    try {
      f();
      return true;
    } catch (const SceneError& e) {
      for (const Mistake& m : e.mistakes()) audience().note(noteOf("error", describe(m)));
    } catch (const std::bad_alloc&) {
      audience().note(noteOf("error", "this machine's memory is not enough for that"));
    } catch (const std::exception& e) {
      audience().note(noteOf("error", e.what()));
    }
    return false;
  }

  void change(Setting setting) {
    std::vector<Setting> settings = settings_;
    std::erase_if(settings, [&](const Setting& s) { return s.path == setting.path; });
    settings.push_back(setting);
    const bool done = attempt([&] {
      Scene scene = parseScene(text_, file_, settings);
      for (const auto& [b, hand] : hands_) scene.solids.at(b).motion = scene_.solids.at(b).motion;
      if (const auto joint = motorAt(scene_, setting.path)) {
        drive(*joint, scene.joints[*joint].motor_speed);
        tellAll();
      } else {
        rebuild(scene, sim_ && diverged_.empty());
      }
    });
    if (done)
      settings_ = std::move(settings);
    else
      tellAll();  // so that the page's controls show again what holds
  }

  // A simulation of the changed scene takes on the state of the one before.
  void rebuild(const Scene& scene, bool goOn) {
    std::vector<SolidShape> shapes = solidShapes(scene);
    std::optional<Simulation> next(std::in_place, scene, options_);
    if (goOn) next->restore(sim_->save());
    sim_.emplace(std::move(*next));
    toldHealth_ = 0;
    scene_ = scene;
    shapes_ = std::move(shapes);
    failed_ = false;
    diverged_.clear();
    if (!goOn) restart();
    keepPace();
    rateStart_ = Clock::now(), rateTime_ = sim_->time();
    tellAll();
    publish(true);
  }

  void restart() {
    steps_ = 0;
    target_.reset();
    rewound_ = false;
    kept_.clear();
    history_.clear();
    report_ = {};
    measuredValues_.clear();
    totals_ = {};
    const Snapshot s = sim_->snapshot();
    totals_.startParticles = totals_.particles = std::int64_t(s.size());
    const auto& blocks = scene_.fluid.blocks;
    const bool crowded = std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.particles > 0; });
    totals_.startVolume = crowded ? 0 : liquidVolume(s, scene_, sim_->facts().particle_mass);
    keepState();
    ++generation_;
  }

  // Nothing is built anew for it: a hand on a lever is felt in the next step.
  void drive(std::size_t joint, double speed) {
    if (!sim_ || joint >= scene_.joints.size() || !(scene_.joints[joint].motor_limit > 0))
      throw Failure("there is no such motor");
    sim_->setMotor(joint, speed, scene_.joints[joint].motor_limit);
    scene_.joints[joint].motor_speed = speed;
  }

  void move(std::size_t b, const std::array<double, 3>& by) {
    if (!sim_ || b >= scene_.solids.size()) throw Failure("there is no such solid to drag");
    const SolidShape& shape = shapes_[b];
    if (shape.primitive().kind == Kind::plane || shape.primitive().insideOut) throw Failure("this solid cannot be dragged");
    const double now = sim_->time();
    const bool first = !hands_.count(b);
    Hand hand = first ? Hand{scene_.solids[b].motion} : hands_[b];
    if (!steerable(hand.own, now)) throw Failure("this solid turns only for a while, and cannot be dragged while it rests");
    hand.from = offsetAt(hand.from, hand.to, hand.start, handSpeed(), now);
    hand.start = now;
    // Its middle stays in the domain.
    const Pose<double> rest = poseAt(hand.own, shape.pose(), now);
    for (int k = 0; k < scene_.dimension; ++k)
      hand.to[k] =
          std::clamp(hand.to[k] + by[k], scene_.domain.min[k] - rest.position[k], scene_.domain.max[k] - rest.position[k]);
    const Motion motion = steered(hand.own, hand.from, hand.to, now, handSpeed());
    if (scene_.solids[b].motion.moves()) {
      sim_->setMotion(b, motion);
      scene_.solids[b].motion = motion;
    } else {
      // What rests is treated as such from the setup on, so the first drag makes a new simulation.
      Scene scene = scene_;
      scene.solids[b].motion = motion;
      rebuild(scene, true);
    }
    hands_[b] = hand;
  }

  // Fast enough to follow, slow enough for the fluid: a fall through half the domain.
  double handSpeed() const {
    double side = 0;
    for (int k = 0; k < scene_.dimension; ++k) side = std::max(side, scene_.domain.max[k] - scene_.domain.min[k]);
    return std::sqrt(9.81 * side);
  }

  void tellAll() {
    json hello = {{"type", "hello"},
                  {"mode", "live"},
                  {"file", file_},
                  {"generation", generation_},
                  {"scene", describeScene(scene_)},
                  {"measured", describeMeasured(scene_)},
                  {"solvers", describeSolvers()},
                  {"controls", describeControls(scene_)},
                  {"solids", describeSolids(scene_, shapes_)},
                  {"toml", toToml(scene_)},
                  {"history", history_.rows()}};
    if (sim_) hello["flavour"] = sim_->facts().flavour;
    audience().hello(hello.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  void publish(bool now) {
    if (sim_ && (now || secondsSince(framed_) >= frameEvery) && (shown_ != key() || now) && audience().ready()) {
      framed_ = Clock::now();
      shown_ = key();
      const Snapshot s = sim_->snapshot();
      sim_->restartAverages();
      audience().frame(encodeFrameMessage(s, scene_.domain.min, quantity_, posesOf(scene_, shapes_, s), ++frames_, arrows_));
      measuredValues_ = measuredIn(scene_, s), measuredTime_ = s.time;
      measureVolume(s);
    }
    if (now || secondsSince(told_) >= statusEvery) {
      told_ = Clock::now();
      tellStatus();
    }
  }
  std::tuple<std::int64_t, Quantity, std::size_t> key() const { return {sim_->step(), quantity_, arrows_}; }

  // Costs about as much as a step: at most a twentieth of the time is given to it.
  void measureVolume(const Snapshot& s) {
    if (secondsSince(measured_) < 20 * measuring_ || s.step == 0) return;
    const auto t0 = Clock::now();
    volume_ = volumeRatio(totals_, scene_, liquidVolume(s, scene_, sim_->facts().particle_mass), std::int64_t(s.size()));
    const Roughness rough = roughnessOf(s, scene_);
    sim_->health().frame(s.time, s.step, judgedVolume(volume_, rough.surface), rough.noise);
    tellHealth();
    measuring_ = secondsSince(t0);
    measured_ = Clock::now();
  }

  void tellStatus() {
    static const char* const names[] = {"building", "running", "paused", "finished", "diverged", "failed"};
    json status = {{"type", "status"}, {"state", names[int(state())]}, {"generation", generation_}, {"pace", pace_}};
    if (!diverged_.empty()) status["why"] = diverged_;
    if (sim_) {
      status["ruined"] = json::array();
      for (const HealthWarning& w : sim_->health().warnings()) status["ruined"].push_back({{"kind", w.kind}, {"text", w.text}});
      const StepReport& r = report_;
      status["time"] = sim_->time();
      status["step"] = sim_->step();
      status["particles"] = r.step ? r.particles : sim_->facts().fluid_particles;
      status["rate"] = state() == State::running ? rate_ : 0;
      status["kept"] = kept_.times();
      if (r.step) {
        status["report"] = describeReport(r);
        status["report"]["volume_ratio"] = volume_;
        status["report"]["ms_step"] = stepMs_;
        status["report"]["measured"] = measuredValues_;
        status["report"]["measured_time"] = measuredTime_;
      }
      if (r.step && !rewound_) history_.add(sim_->time(), status["report"]);
    }
    audience().status(status.dump());
  }

  std::string file_, text_;
  std::vector<Setting> settings_;
  Options options_;
  Scene scene_;
  std::vector<SolidShape> shapes_;
  std::optional<Simulation> sim_;
  std::map<std::size_t, Hand> hands_;
  int generation_ = 0;  // counts starts, so that plots know when to begin anew
  bool running_, failed_ = false;
  std::string diverged_;
  std::int64_t steps_ = 0;        // to do while paused
  std::optional<double> target_;  // [s] to go to and pause
  bool watched_ = false;          // by any page, yet
  bool rewound_ = false;          // and not gone on from there
  KeptStates kept_;
  History history_;
  std::size_t arrows_ = 0;
  Quantity quantity_ = Quantity::speed;
  double pace_ = 1;  // [s/s]

  StepReport report_;
  std::vector<double> measuredValues_;  // of the last frame
  double measuredTime_ = 0;             // [s]
  Totals totals_;
  std::size_t toldHealth_ = 0;  // warnings of the simulation that there is now
  double stepMs_ = 0, volume_ = 1, measuring_ = 0;
  double rate_ = 0, rateTime_ = 0, paceTime_ = 0;
  Clock::time_point rateStart_, paceStart_, framed_, told_, measured_;
  std::uint32_t frames_ = 0;
  std::tuple<std::int64_t, Quantity, std::size_t> shown_ = {-1, Quantity::speed, 0};
};

}  // namespace

std::unique_ptr<Session> liveSession(const std::string& file, const std::vector<Setting>& settings, const Options& options,
                                     bool paused) {
  return std::make_unique<Live>(file, settings, options, paused);
}

}  // namespace brim::view
