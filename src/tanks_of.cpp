// Many small tanks as one world: the particles of all in one set of columns, one cell table with a stretch of cells for each
// tank, and every loop over all of them. What a step needs of a tank alone is its gravity; what it would have to decide for each
// (its size, how many iterations) is refused before (scene/together.h).
//
// Each tank has the bits that it has alone: its particles stand in the same order, so that lists and sums do, and positions count
// from its own corner.
#include "tanks_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/tank.h"
#include "seen_particles.h"
#include "solvers/time_step.h"
#include "sph/statistics.h"
#include "wall_kernel.h"
#include "world/lent_columns.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {

/// A particle of a tank that is lost, or -1.
struct FirstLost {
  int at = -1;
};
template <int D>
struct FindLost {
  View<const Record<D>> p, v;
  View<const Real> pressure;
  BRIM_DEVICE_FN FirstLost operator()(int i) const { return {isLost<D>(p[i], v[i], pressure[i]) ? i : -1}; }
};
struct EarlierLost {
  BRIM_DEVICE_FN void operator()(FirstLost& a, const FirstLost& b) const {
    if (a.at < 0) a.at = b.at;
  }
};

/// to[k] = from[first + k], or the other way.
template <class T>
struct TakeRange {
  View<const T> from;
  View<T> to;
  int first;
  BRIM_DEVICE_FN void operator()(int k) const { to[k] = from[first + k]; }
};
template <class T>
struct PutRange {
  View<const T> from;
  View<T> to;
  int first;
  BRIM_DEVICE_FN void operator()(int k) const { to[first + k] = from[k]; }
};
template <class T>
std::vector<T> rangeOf(const Array<T>& column, int first, int n) {
  Array<T> part;
  part.resize(std::size_t(n));
  forEach(n, TakeRange<T>{column.read(), part.view(), first});
  std::vector<T> values(static_cast<std::size_t>(n));
  copyOut(part, values.data(), values.size());
  return values;
}
template <class T>
void putRange(Array<T>& column, int first, const std::vector<T>& values) {
  Array<T> part;
  copyIn(part, values.data(), values.size());
  forEach(int(values.size()), PutRange<T>{part.read(), column.view(), first});
}

// The first scene's walls and solids with everybody's fluid.
template <int D>
Setup together(const std::vector<Setup>& tanks) {
  Setup all = prepare(tanks.front().scene, kernelOf<D>(tanks.front().scene));
  all.position.clear(), all.velocity.clear();
  for (const Setup& t : tanks) {
    all.position.insert(all.position.end(), t.position.begin(), t.position.end());
    all.velocity.insert(all.velocity.end(), t.velocity.begin(), t.velocity.end());
  }
  all.block.assign(all.position.size(), 0);  // none of whose blocks is in solids
  return all;
}

}  // namespace

template <int D>
class TanksOf final : public Tanks::Machine {
 public:
  explicit TanksOf(const std::vector<Setup>& all)
      : world_(together<D>(all)), solver_(makeSolver<D>(all.front().scene)), state_(world_.fluid) {
    solver_->declareState(state_);
    offsets.push_back(0);
    std::vector<int> of, id;
    for (const Setup& t : all) {
      const int n = int(t.position.size()), k = int(tanks.size());
      tanks.emplace_back().scene = t.scene;
      offsets.push_back(offsets.back() + n);
      of.insert(of.end(), std::size_t(n), k);
      for (int i = 0; i < n; ++i) id.push_back(i);
      largest_ = std::max(largest_, n);
    }
    inStep_.assign(tanks.size(), true);
    putRange(world_.fluid.id.data, 0, id);
    ManyTanks<D>& many = world_.tanks;
    many.count = int(tanks.size());
    if (many.several()) copyIn(many.of, of.data(), of.size());
    copyIn(many.first, offsets.data(), offsets.size());
    for (const Setup& t : all) keyed_ = keyed_ || !t.scene.gravity_keys.empty();
  }
  ~TanksOf() override { lent_.end(world_); }

  void advance(double limit) override {
    if (limit < 1e30 && std::find(inStep_.begin(), inStep_.end(), false) != inStep_.end())
      throw Failure(
          "some tanks of this batch were replaced, so that they are at other times than the rest: only single steps go on");
    if (world_.time >= limit) return;
    if (lent_.written()) readWritten();
    lent_.part(world_);
    const SharedAsBy sharing(largest_);
    memory_.timer.begin(report_);
    const TimeLimit next = nextStep(world_, *solver_, 0, limit);  // fixed
    pull(next.dt);
    memory_.timer.restart();
    {
      StepContext<D> c(world_, memory_, report_, next.dt);
      solver_->step(c);
    }
    const double left = limit - world_.time;  // landing on it leaves no remainder of sums
    world_.time = std::abs(next.dt - left) < sameStep * next.dt ? limit : world_.time + next.dt;
    world_.dt = next.dt;
    ++world_.step;
    for (std::size_t k = 0; k < tanks.size(); ++k) {
      if (!tanks[k].failure.empty()) continue;
      tanks[k].time = inStep_[k] ? world_.time : tanks[k].time + next.dt;
      ++tanks[k].step;
    }
    report_.dt = next.dt;
    report_.dt_limit = next.name;
    memory_.timer.restart();
    const std::vector<FirstLost> lost = lostOnes();
    memory_.timer.mark("statistics");
    finish();
    memory_.timer.end(report_);
    for (std::size_t k = 0; k < tanks.size(); ++k)
      if (lost[k].at >= 0) fail(k, divergedAt(world_, lost[k].at, tanks[k].time, tanks[k].step, report_.dt_limit).what());
  }

  void setGravity(std::size_t k, const Vector& g) override {
    tanks[k].scene.gravity = g;
    tanks[k].scene.gravity_keys.clear();
    tanks[k].scene.gravity_file.clear();
    pulled_ = false;
  }

  Columns columns() override {
    finish();
    return lent_.lend(world_);
  }
  void write(std::size_t k, const std::vector<double>& position, const std::vector<double>& velocity) override {
    const int first = offsets[k], n = offsets[k + 1] - first;
    const std::vector<int> id = rangeOf(world_.fluid.id.data, first, n);
    const auto write = [&](const std::vector<double>& values, Array<Record<D>>& column, const Vector& origin) {
      if (values.empty()) return;
      if (values.size() != std::size_t(n) * D)
        throw Failure(fmt::format("{} numbers were given for {} particles in {}D", values.size(), n, D));
      std::vector<Record<D>> records = rangeOf(column, first, n);
      for (int i = 0; i < n; ++i)
        for (int a = 0; a < D; ++a) records[i].x[a] = Real(values[std::size_t(id[i]) * D + a] - origin[a]);
      putRange(column, first, records);
    };
    write(position, world_.fluid.p.data, world_.origin);
    write(velocity, world_.fluid.v.data, {0, 0, 0});
    lent_.haveBeenWritten();
  }

  Snapshot snapshot(std::size_t k) override {
    const Particles<D>& f = world_.fluid;
    const int first = offsets[k], n = offsets[k + 1] - first;
    Snapshot s;
    s.dimension = D;
    s.time = tanks[k].time;
    s.step = tanks[k].step;
    s.solids = world_.solids.drawn();
    putParticles<D>(s, n, n, world_.origin, rangeOf(f.p.data, first, n).data(), rangeOf(f.v.data, first, n).data(),
                    rangeOf(f.id.data, first, n).data(), rangeOf(f.pressure.data, first, n).data());
    return s;
  }
  std::uint64_t stateHash(std::size_t k) override {
    const Particles<D>& f = world_.fluid;
    const int first = offsets[k], n = offsets[k + 1] - first;
    return hashOfParticles<D>(n, rangeOf(f.p.data, first, n).data(), rangeOf(f.v.data, first, n).data(),
                              rangeOf(f.id.data, first, n).data());
  }
  StepReport report(std::size_t k) override {
    StepReport r = report_;
    Vector moment;
    const Vector g = gravityAt(tanks[k].scene, tanks[k].time);
    Vec<D> down;
    for (int a = 0; a < D; ++a) down[a] = Real(g[a]);
    const double share = double(offsets[k + 1] - offsets[k]) / std::max(1, world_.fluid.size());
    measure(world_, offsets[k], offsets[k + 1] - offsets[k], down, share * memory_.neighbourhood.pairs(), r, moment, [] {});
    r.time = tanks[k].time;
    r.step = tanks[k].step;
    return r;
  }

  void replace(std::size_t k, const Setup& fluid) override {
    start(k, fluid, 1);
    // What the flags say is there is not, for this tank. The others find what they had: nothing has moved since.
    for (const auto& f : state_.flags()) *f.value = f.initial;
    tanks[k].scene = fluid.scene;
    tanks[k].time = 0, tanks[k].step = 0;
    tanks[k].failure.clear();
    inStep_[k] = world_.step == 0;
    keyed_ = keyed_ || !fluid.scene.gravity_keys.empty();
    pulled_ = false;
  }

  std::size_t bytes() override { return world_.bytes() + memory_.bytes() + solver_->bytes(); }

 private:
  // Gravity of each tank in the next step of dt [s].
  void pull(double dt) {
    if (pulled_ && !keyed_) return;
    const auto of = [&](const Machine::One& t) { return apparentGravityAt(t.scene, t.time, dt); };
    if (!world_.tanks.several()) {
      world_.setGravity(of(tanks[0]));
    } else {
      std::vector<Record<D>> all(tanks.size());
      for (std::size_t k = 0; k < tanks.size(); ++k) {
        const Vector g = of(tanks[k]);
        for (int a = 0; a < D; ++a) all[k].x[a] = Real(g[a]);
      }
      copyIn(world_.tanks.gravity, all.data(), all.size());
    }
    pulled_ = true;
  }

  std::vector<FirstLost> lostOnes() {
    return reduceEach(world_.tanks.first, FirstLost{},
                      FindLost<D>{world_.fluid.p.read(), world_.fluid.v.read(), world_.fluid.pressure.read()}, EarlierLost{});
  }

  // Others may have written the particles since the last step.
  void readWritten() {
    finishOthers();
    const std::vector<AsWritten> all = reduceEach(world_.tanks.first, AsWritten(), ReadAsWritten<D>(world_), BothAsWritten());
    lent_.forget();
    for (std::size_t k = 0; k < tanks.size(); ++k)
      if (all[k].bad >= 0) {
        const std::string why = wronglyWritten(world_, all[k].bad).what();
        lent_.part(world_);
        fail(k, why);
      }
  }

  // Back to its start at rest: its particles go on with the others', and what is lost must not meet the search again.
  void fail(std::size_t k, const std::string& why) {
    if (tanks[k].failure.empty()) tanks[k].failure = why;
    Setup again;
    again.scene = tanks[k].scene;
    again.solids = solids;
    fillWithFluid(again);
    start(k, again, 0);
  }

  // The fluid as it starts, with `part` of its velocity.
  void start(std::size_t k, const Setup& fluid, double part) {
    const int first = offsets[k], n = offsets[k + 1] - first;
    lent_.part(world_);
    world_.fluid.each([&](auto& f) { fill(f.data, first, first + n, f.fresh); });
    std::vector<Record<D>> p(n), v(n);
    std::vector<int> id(n);
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < D; ++a) {
        p[i].x[a] = Real(fluid.position[i][a] - world_.origin[a]);
        v[i].x[a] = Real(part * fluid.velocity[i][a]);
      }
      p[i].a = Real(world_.mass);
      v[i].a = Real(world_.rho0);
      id[i] = i;
    }
    putRange(world_.fluid.p.data, first, p);
    putRange(world_.fluid.v.data, first, v);
    putRange(world_.fluid.id.data, first, id);
  }

  World<D> world_;
  StepMemory<D> memory_;
  std::unique_ptr<Solver<D>> solver_;
  SolverState<D> state_;
  StepReport report_;
  LentColumns<D> lent_;
  std::vector<bool> inStep_;  // whether a tank's clock is the world's
  int largest_ = 0;           // particles of a tank
  bool keyed_ = false;        // somebody's gravity changes with time
  bool pulled_ = false;       // the world has everybody's gravity
};

std::unique_ptr<Tanks::Machine> makeTanks(std::vector<Setup>&& all) {
  if (all.front().scene.dimension == 2) return std::make_unique<TanksOf<2>>(all);
  return std::make_unique<TanksOf<3>>(all);
}

}  // namespace brim::inline BRIM_FLAVOUR
