#include "bodies/system.h"

#include <algorithm>

#include "bodies/broad_phase.h"
#include "math/whole.h"

namespace brim {

using namespace vectors;

namespace {
constexpr double contactDamping = 2;  // tau/dt of contacts, as of joints
const Vector none = {0, 0, 0};

int indexOf(const Scene& scene, const std::string& name) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (scene.bodies[b].name == name) return int(b);
  return -1;
}
}  // namespace

Load& operator+=(Load& a, const Load& b) {
  a.force = a.force + b.force, a.torque = a.torque + b.torque;
  a.motor += b.motor;
  return a;
}
Load operator*(double s, const Load& a) { return {s * a.force, s * a.torque, s * a.motor}; }
Load operator/(const Load& a, double s) { return (1 / s) * a; }

BodySystem::BodySystem(const Scene& scene, const std::vector<SolidShape>& shapes) : scene_(scene), shapes_(shapes) {
  const std::size_t solids = scene.solids.size();
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const RigidBody& declared = scene.bodies[k];
    const SolidShape& shape = shapes_[solids + k];
    MassProperties m = massOf(shape, declared.density);
    if (declared.mass > 0) {
      const double ratio = declared.mass / m.mass;
      m.mass *= ratio;
      for (double& i : m.inertia) i *= ratio;
    }
    BodyState& b = bodies_.emplace_back(shape, m, declared.held);
    if (!declared.held) b.u = {declared.velocity, declared.spin};
    points_.push_back(declared.collides ? contactPointsOf(shape) : std::vector<ContactPoint>());
    reach_.push_back(length(shape.bodyHigh()) + length(m.centre));
  }
  for (std::size_t k = 0; k < solids; ++k) {
    const SolidShape& shape = shapes_[k];
    const bool bounded = !shape.primitive().insideOut && shape.primitive().kind != Kind::plane;
    const double size = shape.primitive().kind == Kind::plane ? 1 : length(shape.bodyHigh());
    obstacles_.push_back({&shape, bounded ? contactPointsOf(shape) : std::vector<ContactPoint>(), size});
  }
  for (int k = 0; k < scene.dimension; ++k) {
    if (scene.domain.boundary[k] != "walls") continue;
    Vector n = {0, 0, 0};
    n[k] = 1;
    walls_.push_back({n, scene.domain.min[k]});
    walls_.push_back({-n, -scene.domain.max[k]});
  }
  for (const Joint& j : scene.joints) {
    const int a = indexOf(scene, j.a), b = indexOf(scene, j.b);
    joints_.emplace_back(j, a, b, bodies_, scene.dimension == 2);
    pairs_.emplace_back(std::min(a, b), std::max(a, b));
  }
  force_.resize(bodies_.size());
  pushed_.resize(bodies_.size());
  fluid_.resize(bodies_.size());
  joint_.resize(joints_.size());
}

double BodySystem::maxSpeed() const {
  double most = 0;
  for (int b = 0; b < size(); ++b) most = std::max(most, length(bodies_[b].u.v) + reach_[b] * length(bodies_[b].u.w));
  return most;
}

void BodySystem::push(int b, const Vector& impulse, const Vector& moment) {
  pushed_[b].v = pushed_[b].v + impulse;
  pushed_[b].w = pushed_[b].w + moment;
}

void BodySystem::pushNow(int b, const Vector& impulse, const Vector& moment) {
  BodyState& body = bodies_[b];
  body.u.v = body.u.v + body.perMass * impulse;
  body.u.w = body.u.w + body.perInertiaHere * moment;
  fluid_[b].addIntegral({impulse, moment});
}

void BodySystem::nudge(int b, const Vector& impulse, const Vector& moment, double dt) {
  BodyState& body = bodies_[b];
  const BodyVelocity before = body.u;
  pushNow(b, impulse, moment);
  const Vector turn = dt * (body.u.w - before.w);
  body.x = body.x + dt * (body.u.v - before.v);
  if (turn == none) return;
  body.q = normalised(product(turnBy(turn), body.q));
  body.refresh();
}

// Spin: I (w + omega) is constant in the lab. Seen from the tank, where the step keeps I w,
//   I dw = -I domega - dt (omega x I (w + omega) + w x I omega - I (w x omega))
void BodySystem::turnWithTank(const TurningTank& tank, double dt) {
  const Vector& omega = tank.omega;
  const Matrix back = turn(unit(omega), -2 * dt * length(omega));
  for (BodyState& b : bodies_) {
    if (!(b.perMass > 0)) continue;
    const Vector push = dt / 2 * (tank.spread * (b.x - tank.centre)), w = b.u.w;
    b.u.v = back * (b.u.v + push) + push;
    b.u.w = w - dt * tank.alpha;
    if (b.flat) continue;
    const Matrix inertia = inverse(b.perInertiaHere);
    const Vector moment = cross(omega, inertia * (w + omega)) + cross(w, inertia * omega);
    b.u.w = b.u.w - dt * (b.perInertiaHere * moment - cross(w, omega));
  }
}

void BodySystem::begin(double time, double dt, const Vector& gravity, const SolidPoses& solids) {
  dt_ = dt;
  rows_.clear(), contacts_.clear();
  // G v_old of Eq. 18 is with the velocities before anything acts.
  for (JointRows& j : joints_) j.append(bodies_, time, dt, warm, rows_);
  findContacts(solids);
  for (int b = 0; b < size(); ++b) {
    if (bodies_[b].perMass > 0) bodies_[b].u.v = bodies_[b].u.v + dt * gravity;
    pushNow(b, pushed_[b].v + dt * force_[b].v, pushed_[b].w + dt * force_[b].w);
    pushed_[b] = {};
  }
  for (Row& r : rows_) {
    prepare(r);
    if (r.perD == 0) r.lambda = 0;
    apply(r, r.lambda);
  }
}

bool BodySystem::jointed(int a, int b) const {
  return std::find(pairs_.begin(), pairs_.end(), std::pair(std::min(a, b), std::max(a, b))) != pairs_.end();
}

void BodySystem::findContacts(const SolidPoses& solids) {
  const int most = scene_.dimension == 2 ? 2 : 4;
  const auto slack = [&](double size, double speed) { return 0.01 * size + dt_ * speed; };
  const auto speedOf = [&](int b) { return length(bodies_[b].u.v) + reach_[b] * length(bodies_[b].u.w); };
  std::vector<Ball> balls;
  for (int b = 0; b < size(); ++b)
    balls.push_back({bodies_[b].x, points_[b].empty() ? -1 : reach_[b] + slack(reach_[b], speedOf(b))});
  const std::vector<std::pair<int, int>> near = overlapping(balls);
  std::size_t next = 0;
  for (int a = 0; a < size(); ++a) {
    if (points_[a].empty()) continue;
    const Pose<double> at = pose(a);
    const double speed = speedOf(a);
    const double mu = scene_.bodies[a].friction;
    if (bodies_[a].perMass > 0) {
      int other = -1;  // walls and solids have numbers below 0
      for (const Wall& w : walls_) {
        if (dot(w.normal, bodies_[a].x) - w.offset < reach_[a] + slack(reach_[a], speed))
          for (const Contact& c : contactsWithPlane(points_[a], at, w.normal, w.offset, slack(reach_[a], speed), most))
            contact(c, {a, other, c.at}, {}, mu);
        --other;
      }
      for (std::size_t k = 0; k < obstacles_.size(); ++k) {
        const Obstacle& o = obstacles_[k];
        const int solid = other--;
        const Pose<double>& there = solids[k];
        const Vector centre = {there.position[0], there.position[1], there.position[2]};
        const double margin = slack(std::min(reach_[a], o.size), speed);
        if (!o.points.empty() && length(bodies_[a].x - centre) > reach_[a] + o.size + margin) continue;
        for (const Contact& c : contactsWith(points_[a], at, o.shape->primitive(), there, margin, o.size, most))
          contact(c, {a, solid, c.at}, there, mu);
        for (Contact c :
             contactsWith(o.points, there, shapes_[scene_.solids.size() + a].primitive(), at, margin, reach_[a], most)) {
          c.normal = -c.normal;
          contact(c, {a, solid, -1 - c.at}, there, mu);
        }
      }
    }
    for (; next < near.size() && near[next].first == a; ++next) {
      const int b = near[next].second;
      if (jointed(a, b) || bodies_[a].perMass + bodies_[b].perMass == 0) continue;
      const double margin = slack(std::min(reach_[a], reach_[b]), speed + speedOf(b));
      if (length(bodies_[a].x - bodies_[b].x) > reach_[a] + reach_[b] + margin) continue;
      const double both = std::sqrt(mu * scene_.bodies[b].friction);
      const Pose<double> there = pose(b);
      const Primitive<double>&shapeA = shapes_[scene_.solids.size() + a].primitive(),
            &shapeB = shapes_[scene_.solids.size() + b].primitive();
      for (const Contact& c : contactsWith(points_[a], at, shapeB, there, margin, reach_[b], most))
        contact(c, {a, b, c.at}, {}, both);
      // Of two round ones, one direction sees all.
      if (points_[a].size() == 1 && points_[b].size() == 1) continue;
      for (Contact c : contactsWith(points_[b], there, shapeA, at, margin, reach_[a], most)) {
        c.normal = -c.normal;
        contact(c, {a, b, -1 - c.at}, {}, both);
      }
    }
  }
}

// The normal's row, and Coulomb's: |lambda_t| <= mu lambda_n along one tangent (2D) or two (a pyramid around the cone).
void BodySystem::contact(const Contact& c, const ContactKey& key, const Pose<double>& solid, double mu) {
  const int a = key.body, b = std::max(key.other, -1);
  const Vector before = memory_.dt > 0 ? warmContacts * dt_ / memory_.dt * memory_.impulse(key) : none;
  Vector wall = {0, 0, 0};
  if (b < 0) solid.velocityAt(c.point.data(), wall.data());
  const auto row = [&](const Vector& n) {
    Row r;
    r.a = a, r.b = b;
    r.linear = n;
    r.armA = cross(c.point - bodies_[a].x, n);
    if (b >= 0) r.armB = -cross(c.point - bodies_[b].x, n);
    r.c = dot(n, wall);
    r.lambda = dot(n, before);
    return r;
  };
  Row normal = row(c.normal);
  normal.c += Spook(dt_, contactDamping).oneSided(c.gap);
  normal.low = 0;
  normal.lambda = std::max(normal.lambda, 0.0);
  const int at = int(rows_.size());
  rows_.push_back(normal);
  contacts_.push_back({key, at, mu == 0 ? 1 : scene_.dimension});
  if (mu == 0) return;
  const Vector s = scene_.dimension == 2 ? Vector{-c.normal[1], c.normal[0], 0} : acrossOf(c.normal);
  const Vector tangents[2] = {s, cross(c.normal, s)};
  for (int k = 0; k < scene_.dimension - 1; ++k) {
    Row r = row(tangents[k]);
    r.normal = at;
    r.mu = mu;
    rows_.push_back(r);
  }
}

void BodySystem::prepare(Row& r) const {
  double D = r.sigma;
  if (r.a >= 0) {
    const BodyState& a = bodies_[r.a];
    r.turnA = a.perInertiaHere * r.armA;
    D += a.perMass * dot(r.linear, r.linear) + dot(r.armA, r.turnA);
  }
  if (r.b >= 0) {
    const BodyState& b = bodies_[r.b];
    r.turnB = b.perInertiaHere * r.armB;
    D += b.perMass * dot(r.linear, r.linear) + dot(r.armB, r.turnB);
  }
  r.perD = inverseDiagonal(D, 1e-300);
}

void BodySystem::apply(const Row& r, double change) {
  if (r.a >= 0) {
    BodyState& a = bodies_[r.a];
    a.u.v = a.u.v + (a.perMass * change) * r.linear;
    a.u.w = a.u.w + change * r.turnA;
  }
  if (r.b >= 0) {
    BodyState& b = bodies_[r.b];
    b.u.v = b.u.v - (b.perMass * change) * r.linear;
    b.u.w = b.u.w + change * r.turnB;
  }
}

double BodySystem::valueOf(const Row& r) const {
  double s = r.sigma * r.lambda - r.c;
  if (r.a >= 0) s += dot(r.linear, bodies_[r.a].u.v) + dot(r.armA, bodies_[r.a].u.w);
  if (r.b >= 0) s += dot(r.armB, bodies_[r.b].u.w) - dot(r.linear, bodies_[r.b].u.v);
  return s;
}

void BodySystem::sweep() {
  for (Row& r : rows_) {
    if (r.normal >= 0) r.high = r.mu * rows_[r.normal].lambda, r.low = -r.high;
    const double next = relaxed(r.lambda, valueOf(r), r.perD, {r.low, r.high});
    apply(r, next - r.lambda);
    r.lambda = next;
  }
}

double BodySystem::missing(const Row& r) const {
  if (r.perD == 0) return 0;
  const double high = r.normal >= 0 ? r.mu * rows_[r.normal].lambda : r.high, low = r.normal >= 0 ? -high : r.low;
  return relaxed(r.lambda, valueOf(r), r.perD, {low, high}) - r.lambda;
}

double BodySystem::residual() const {
  double most = 0;
  for (const Row& r : rows_)
    if (r.perD > 0) most = std::max(most, std::abs(missing(r)) / r.perD);
  return most;
}

double BodySystem::residualEnergy() const {
  double sum = 0;
  for (const Row& r : rows_)
    if (r.perD > 0) sum += missing(r) * missing(r) / r.perD;
  return sum;
}

void BodySystem::finish() {
  for (BodyState& b : bodies_) b.move(dt_);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    joints_[k].read(rows_, dt_);
    joint_[k].add({joints_[k].force, joints_[k].torque, joints_[k].motor}, dt_);
  }
  std::vector<ContactMemory::Kept> kept;
  for (const Touching& t : contacts_) {
    Vector impulse = none;
    for (int k = t.row; k < t.row + t.rows; ++k) impulse = impulse + rows_[k].lambda * rows_[k].linear;
    kept.push_back({t.key, impulse});
  }
  memory_.keep(std::move(kept), dt_);
  for (TimeAverage<Load>& a : fluid_) a.pass(dt_);
}

void BodySystem::step(double time, double dt, const Vector& gravity, const SolidPoses& solids, int sweeps) {
  begin(time, dt, gravity, solids);
  for (int k = 0; k < sweeps; ++k) sweep();
  finish();
}

std::vector<BodyReport> BodySystem::reports() const {
  std::vector<BodyReport> all;
  for (int k = 0; k < size(); ++k) {
    const BodyState& b = bodies_[k];
    const Pose<double> p = b.pose();
    BodyReport r;
    r.name = scene_.bodies[k].name;
    r.position = {p.position[0], p.position[1], p.position[2]};
    r.rotation = b.rotation;
    r.centre = b.x;
    r.velocity = b.u.v, r.spin = b.u.w;
    const Load mean = fluid_[k].mean();
    r.force = mean.force, r.torque = mean.torque;
    all.push_back(r);
  }
  return all;
}

std::vector<JointReport> BodySystem::jointReports() const {
  std::vector<JointReport> all;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Load mean = joint_[k].mean();
    all.push_back({scene_.joints[k].name, mean.force, mean.torque, mean.motor, joints_[k].position, joints_[k].error});
  }
  return all;
}

void BodySystem::restartAverages() {
  for (std::vector<TimeAverage<Load>>* all : {&fluid_, &joint_})
    for (TimeAverage<Load>& a : *all) a.restart();
}

namespace {
/// Walks the numbers of a state, to write them or to read them back.
struct Tape {
  std::vector<double>* out;
  const std::vector<double>* in;
  std::size_t at = 0;
  bool good = true;
  void operator()(double& x) {
    if (out)
      out->push_back(x);
    else if (at < in->size())
      x = (*in)[at++];
    else
      good = false;
  }
  /// How many follow, of which each takes at least one number.
  std::size_t count(double n) {
    const std::size_t left = out ? out->max_size() : in->size() - at;
    good = good && isWhole<std::int64_t>(n) && n >= 0 && n <= double(left);
    return good ? std::size_t(n) : 0;
  }
  template <std::size_t n>
  void operator()(std::array<double, n>& x) {
    for (double& e : x) (*this)(e);
  }
};
}  // namespace

template <class T>
void BodySystem::walk(T& tape) {
  std::vector<Load> fluid, joint;
  for (const TimeAverage<Load>& a : fluid_) fluid.push_back(a.integral());
  for (const TimeAverage<Load>& a : joint_) joint.push_back(a.integral());
  double window = fluid_.empty() ? 0 : fluid_[0].window();
  for (int k = 0; k < size(); ++k) {
    BodyState& b = bodies_[k];
    tape(b.x), tape(b.q), tape(b.u.v), tape(b.u.w);
    tape(force_[k].v), tape(force_[k].w), tape(pushed_[k].v), tape(pushed_[k].w);
    tape(fluid[k].force), tape(fluid[k].torque);
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    JointRows& j = joints_[k];
    double n = double(j.lambda.size());
    tape(n);
    j.lambda.resize(tape.count(n));
    for (double& l : j.lambda) tape(l);
    tape(j.lastDt), tape(j.position), tape(j.error);
    tape(joint[k].force), tape(joint[k].torque), tape(joint[k].motor);
  }
  double count = double(memory_.all.size());
  tape(count);
  memory_.all.resize(tape.count(count));
  for (ContactMemory::Kept& k : memory_.all)
    for (int* number : {&k.key.body, &k.key.other, &k.key.at}) {
      double n = *number;
      tape(n);
      *number = whole(n);
    }
  for (ContactMemory::Kept& k : memory_.all) tape(k.impulse);
  tape(memory_.dt), tape(window);
  for (std::size_t k = 0; k < fluid.size(); ++k) fluid_[k].restore(fluid[k], window);
  for (std::size_t k = 0; k < joint.size(); ++k) joint_[k].restore(joint[k], window);
}

std::vector<double> BodySystem::save() {
  std::vector<double> all;
  Tape tape{&all, nullptr};
  walk(tape);
  return all;
}

bool BodySystem::restore(const std::vector<double>& numbers) {
  const std::vector<double> before = save();
  Tape tape{nullptr, &numbers};
  walk(tape);
  const bool good = tape.good && tape.at == numbers.size();
  if (!good) {
    Tape back{nullptr, &before};
    walk(back);
  }
  for (BodyState& b : bodies_) b.refresh();
  return good;
}

}  // namespace brim
