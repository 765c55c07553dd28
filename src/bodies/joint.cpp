#include "bodies/joint.h"

namespace brim {

using namespace vectors;

namespace {
constexpr double damping = 2;  // tau/dt: the violation's largest root is then 1/3, the least of all
const Vector axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}  // namespace

JointRows::Frame JointRows::frameOf(const std::vector<BodyState>& bodies, int k) const {
  if (k < 0) return {{0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}};
  return {bodies[k].x, bodies[k].q, bodies[k].rotation, bodies[k].u};
}

JointRows::JointRows(const Joint& joint, int a, int b, const std::vector<BodyState>& bodies, bool flat)
    : joint_(joint), a_(a), b_(b), flat_(flat) {
  const Frame A = frameOf(bodies, a), B = frameOf(bodies, b);
  const Vector other = joint.kind == "distance" ? joint.to : joint.point;
  pointA_ = transposed(A.rotation) * (joint.point - A.x);
  pointB_ = transposed(B.rotation) * (other - B.x);
  const Vector n = flat && joint.kind == "hinge" ? Vector{0, 0, 1} : unit(joint.axis), side = acrossOf(n);
  axisA_ = transposed(A.rotation) * n, axisB_ = transposed(B.rotation) * n;
  sideA_ = transposed(A.rotation) * side, sideB_ = transposed(B.rotation) * side;
  between_ = product(conjugate(A.q), B.q);
  length_ = length(other - joint.point);
}

Row& JointRows::add(std::vector<Row>& rows, Sort sort, const Vector& linear, const Vector& armA, const Vector& armB) {
  Row r;
  r.a = a_, r.b = b_;
  r.linear = linear, r.armA = armA, r.armB = armB;
  const std::size_t k = rows.size() - first_;
  if (k < lambda.size() && lastDt > 0) r.lambda = warm_ * lambda[k] * dt_ / lastDt;
  sorts_.push_back(sort);
  rows.push_back(r);
  return rows.back();
}

void JointRows::equation(std::vector<Row>& rows, double g, const Vector& linear, const Vector& armA, const Vector& armB) {
  const Spook spook(dt_, damping);
  const double rate = dot(linear, A_.u.v - B_.u.v) + dot(armA, A_.u.w) + dot(armB, B_.u.w);
  Row& r = add(rows, Sort::lock, linear, armA, armB);
  r.c = spook.target(g, rate);
  r.sigma = spook.sigma(joint_.compliance);
}

void JointRows::limits(std::vector<Row>& rows, double value, const Vector& linear, const Vector& armA, const Vector& armB) {
  const Spook spook(dt_, damping);
  position = value;
  if (joint_.low > -unlimited) {  // value - low >= 0
    Row& r = add(rows, Sort::lock, linear, armA, armB);
    r.c = spook.oneSided(value - joint_.low);
    r.low = 0;
    r.lambda = std::max(r.lambda, 0.0);
  }
  if (joint_.high < unlimited) {  // high - value >= 0
    Row& r = add(rows, Sort::lock, -linear, -armA, -armB);
    r.c = spook.oneSided(joint_.high - value);
    r.low = 0;
    r.lambda = std::max(r.lambda, 0.0);
  }
}

void JointRows::drive(std::vector<Row>& rows, double time, const Vector& linear, const Vector& armA, const Vector& armB) {
  if (joint_.motor_limit <= 0) return;
  Row& r = add(rows, Sort::motor, linear, armA, armB);
  r.c = joint_.motor_speed;
  r.high = time >= joint_.motor_start && time < joint_.motor_stop ? joint_.motor_limit * dt_ : 0;
  r.low = -r.high;
  r.lambda = std::clamp(r.lambda, r.low, r.high);
}

void JointRows::append(const std::vector<BodyState>& bodies, double time, double dt, double warm, std::vector<Row>& rows) {
  A_ = frameOf(bodies, a_), B_ = frameOf(bodies, b_);
  dt_ = dt, warm_ = warm;
  first_ = rows.size();
  sorts_.clear();
  const Vector none = {0, 0, 0};
  const Vector pa = A_.x + A_.rotation * pointA_, pb = B_.x + B_.rotation * pointB_, g = pa - pb;
  const int D = flat_ ? 2 : 3;
  if (joint_.kind == "distance") {
    at_ = pa;
    const double l = length(g);
    const Vector n = l > 0 ? (1 / l) * g : Vector{1, 0, 0};
    const Vector armA = cross(pa - A_.x, n), armB = -cross(pb - B_.x, n);
    const bool rope = joint_.low > -unlimited || joint_.high < unlimited;
    position = l;
    error = rope ? 0 : std::abs(l - length_);
    if (rope)
      limits(rows, l, n, armA, armB);
    else
      equation(rows, l - length_, n, armA, armB);
    return;
  }
  // Both bodies are pushed at one point, so that what one gains in angular momentum the other loses.
  const bool slides = joint_.kind == "slider";
  at_ = slides ? pa : 0.5 * (pa + pb);
  const Vector n = B_.rotation * axisB_;
  const auto pointRow = [&](const Vector& e, double along) {
    equation(rows, along, e, cross(at_ - A_.x, e), -cross(at_ - B_.x, e));
  };
  error = slides ? length(g - dot(g, n) * n) : length(g);
  if (slides) {
    const Vector s = acrossOf(n);
    pointRow(s, dot(g, s));
    if (!flat_) pointRow(cross(n, s), dot(g, cross(n, s)));
  } else {
    for (int k = 0; k < D; ++k) pointRow(axes[k], g[k]);
  }
  if (slides || joint_.kind == "fixed") {
    // The turn of a against where b says it should be.
    const Vector turn = turnOf(product(A_.q, conjugate(product(B_.q, conjugate(between_)))));
    for (int k = flat_ ? 2 : 0; k < 3; ++k) equation(rows, turn[k], none, axes[k], -axes[k]);
  } else if (joint_.kind == "hinge" && !flat_) {
    const Vector turn = cross(n, A_.rotation * axisA_), s = acrossOf(n), t = cross(n, s);
    equation(rows, dot(turn, s), none, s, -s);
    equation(rows, dot(turn, t), none, t, -t);
  }
  if (joint_.kind == "hinge") {
    const Vector sa = A_.rotation * sideA_, sb = B_.rotation * sideB_;
    limits(rows, std::atan2(dot(n, cross(sb, sa)), dot(sb, sa)), none, n, -n);
    drive(rows, time, none, n, -n);
  } else if (slides) {
    const Vector armA = cross(at_ - A_.x, n), armB = -cross(at_ - B_.x, n);
    limits(rows, dot(g, n), n, armA, armB);
    drive(rows, time, n, armA, armB);
  }
}

void JointRows::read(const std::vector<Row>& rows, double dt) {
  lambda.resize(sorts_.size());
  force = torque = {0, 0, 0};
  motor = 0;
  for (std::size_t k = 0; k < sorts_.size(); ++k) {
    const Row& r = rows[first_ + k];
    lambda[k] = r.lambda;
    force = force + (r.lambda / dt) * r.linear;
    torque = torque + (r.lambda / dt) * (r.armA - cross(at_ - A_.x, r.linear));
    if (sorts_[k] == Sort::motor) motor = r.lambda / dt;
  }
  lastDt = dt;
}

}  // namespace brim
