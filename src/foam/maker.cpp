// One frame of foam after the other: made where the liquid traps air, moved as spray, foam or bubbles, ended with its time.
#include <tbb/parallel_for.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "brim/foam.h"
#include "foam/between.h"
#include "foam/motion.h"
#include "foam/obstacles.h"
#include "foam/potentials.h"
#include "io/vtp.h"
#include "math/whole.h"
#include "scene/tank.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;
using namespace foam;

namespace {

constexpr int mostSubsteps = 16;    // of a frame
constexpr double longestLife = 10;  // [s] of foam, where the scene chooses it
constexpr double foamOfLiquid = 4;  // particles of foam for each of the liquid, where nothing else is asked for
constexpr std::int64_t fewest = 1000;

double quantileOfSpeed(const Snapshot& s, double part) {
  std::vector<float> speed;
  for (std::size_t k = 0; k + 2 < s.velocity.size(); k += 3)
    if (const float v = std::hypot(s.velocity[k], s.velocity[k + 1], s.velocity[k + 2]); std::isfinite(v)) speed.push_back(v);
  if (speed.empty()) return 0;
  const auto at = speed.begin() + std::ptrdiff_t(part * double(speed.size() - 1));
  std::nth_element(speed.begin(), at, speed.end());
  return *at;
}

// The finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Numbers that depend on nothing but what they are asked for.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t frame, std::uint64_t substep, std::uint64_t id)
      : key_(mixed(mixed(mixed(seed + 0x9e3779b97f4a7c15u) + frame * 64 + substep) + id)) {}
  std::uint64_t bits(std::uint64_t k) const { return mixed(key_ + (k + 1) * 0x9e3779b97f4a7c15u); }
  double number(std::uint64_t k) const { return double(bits(k) >> 11) * 0x1p-53; }

 private:
  std::uint64_t key_;
};

// Two unit vectors across a direction.
std::array<Vector, 2> across(const Vector& n, int dimension) {
  if (dimension == 2) return {Vector{-n[1], n[0], 0}, Vector{0, 0, 0}};
  const Vector e = std::abs(n[0]) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const Vector a = unit(cross(n, e));
  return {a, cross(n, a)};
}

}  // namespace

struct FoamMaker::Content {
  Scene scene;
  FoamOptions o;
  Obstacles obstacles;

  Content(const Scene& s, const FoamOptions& options) : scene(s), o(options), obstacles(s) {}
  void choose(const std::vector<Snapshot>& some);
  void move(Foam&, const Snapshot& liquid, const Cloud&, const Obstacles::Now&, double h) const;
  void sort(Foam&, const Cloud&, const Snapshot& liquid, const Obstacles::Now&) const;
  void seed(Foam&, const Snapshot& liquid, const Cloud&, const Obstacles::Now&, double h, int frame, int substep) const;
  Around aroundOf(const Cloud& cloud, const Snapshot& liquid, const Obstacles::Now& now, const Vector& x) const {
    const double d = scene.resolution.spacing;
    return foam::around(cloud, liquid, x, fullCount(scene.dimension) * obstacles.openPart(now, x, support * d));
  }
};

void FoamMaker::Content::choose(const std::vector<Snapshot>& some) {
  double fastest = 0;
  std::size_t particles = 0;
  for (const Snapshot& s : some) {
    if (s.velocity.size() != s.position.size()) throw Failure("the frames hold no velocities, which foam is made from");
    fastest = std::max(fastest, quantileOfSpeed(s, 0.99));
    particles = std::max(particles, s.size());
  }
  if (o.speed == 0) o.speed = fastest;
  double side = 0;
  for (std::size_t a = 0; a < std::size_t(scene.dimension); ++a) side = std::max(side, scene.domain.max[a] - scene.domain.min[a]);
  if (o.lifetime == 0) o.lifetime = o.speed > 0 ? std::min(5 * side / o.speed, longestLife) : longestLife;
  if (o.most == 0) o.most = int(std::clamp(std::int64_t(foamOfLiquid * double(particles)), fewest, std::int64_t(500000000)));
}

// One step of all that is there; what ends is taken out. The liquid is that of the middle of the step.
void FoamMaker::Content::move(Foam& f, const Snapshot& liquid, const Cloud& cloud, const Obstacles::Now& now, double h) const {
  const Vector g = apparentGravityAt(scene, liquid.time - h / 2, h);
  const TurningTank turning = turningTank(scene, liquid.time - h / 2, h);
  std::vector<char> stays(f.size(), 1);
  tbb::parallel_for(std::size_t(0), f.size(), [&](std::size_t k) {
    Vector x, v;
    for (std::size_t a = 0; a < 3; ++a) x[a] = f.position[3 * k + a], v[a] = f.velocity[3 * k + a];
    const Around near = aroundOf(cloud, liquid, now, x + h / 2 * v);
    const auto kind = kindOf(near.part, o);
    const Vector r = x - turning.centre;
    Vector pull = g - 2 * cross(turning.omega, v);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) pull[a] += turning.spread[3 * a + b] * r[b];
    advance(x, v, kind, near.velocity, pull, h, o);
    f.kind[k] = kind;
    f.age[k] += float(h);
    if (kind == Foam::foam) f.left[k] -= float(h);
    stays[k] = f.left[k] > 0 && obstacles.keepOut(now, x, v);
    for (std::size_t a = 0; a < 3; ++a) f.position[3 * k + a] = x[a], f.velocity[3 * k + a] = float(v[a]);
  });
  keep(f, stays);
}

void FoamMaker::Content::sort(Foam& f, const Cloud& cloud, const Snapshot& liquid, const Obstacles::Now& now) const {
  tbb::parallel_for(std::size_t(0), f.size(), [&](std::size_t k) {
    const Vector x = {f.position[3 * k], f.position[3 * k + 1], f.position[3 * k + 2]};
    f.kind[k] = kindOf(aroundOf(cloud, liquid, now, x).part, o);
  });
}

// n_d = I_k (k_ta I_ta + k_wc I_wc) dt of every particle of the liquid, in the cylinder that it sweeps.
void FoamMaker::Content::seed(Foam& f, const Snapshot& liquid, const Cloud& cloud, const Obstacles::Now& now, double h, int frame,
                              int substep) const {
  const Surroundings s = surroundings(cloud, liquid.velocity, liquid.dimension);
  const double U = o.speed, d = scene.resolution.spacing;
  const std::size_t n = std::size_t(cloud.size());
  const auto velocityOf = [&](std::size_t i) {
    return Vector{liquid.velocity[3 * i], liquid.velocity[3 * i + 1], liquid.velocity[3 * i + 2]};
  };
  const std::size_t most = std::size_t(std::max(o.most, 0)), room = most - std::min(f.size(), most);
  std::vector<float> expected(n), strength(n);
  tbb::parallel_for(std::size_t(0), n, [&](std::size_t k) {
    const std::size_t i = std::size_t(cloud.order()[k]);
    const Vector v = velocityOf(i);
    const double Ita = clamped(s.approach[k], o.trapped_air_min * U, o.trapped_air_max * U);
    const double Iwc = clamped(s.crest[k], o.crest_min, o.crest_max);
    const double Ik = clamped(dot(v, v) / 2, o.energy_min * o.energy_min * U * U / 2, o.energy_max * o.energy_max * U * U / 2);
    expected[k] = float(Ik * (o.trapped_air_rate * Ita + o.crest_rate * Iwc) * h);
    strength[k] = float(Ik * std::max(Ita, Iwc));
  });
  const auto diceOf = [&](std::size_t k) {
    return Dice(std::uint64_t(o.seed), std::uint64_t(frame), std::uint64_t(substep),
                std::uint64_t(liquid.id[std::size_t(cloud.order()[k])]));
  };
  double total = 0;
  for (const float e : expected) total += e;
  const double share = total > 2 * double(room) ? 2 * double(room) / total : 1;  // far too many need not be listed

  struct New {
    std::uint64_t rank;
    std::size_t at;  // in the cloud
    int number;      // of those of this particle
  };
  std::vector<New> all;
  for (std::size_t k = 0; k < n; ++k) {
    if (expected[k] == 0) continue;
    const Dice dice = diceOf(k);
    const int count = whole(std::floor(share * expected[k] + dice.number(0)));
    for (int m = 0; m < count; ++m) all.push_back({dice.bits(4 * std::uint64_t(m) + 1), k, m});
  }
  // No more than there is room for: those of the lowest rank, so that no part of the liquid comes first.
  if (all.size() > room) {
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(room), all.end(),
                     [](const New& a, const New& b) { return a.rank < b.rank; });
    all.resize(room);
    std::sort(all.begin(), all.end(),
              [](const New& a, const New& b) { return a.at != b.at ? a.at < b.at : a.number < b.number; });
  }

  const double radius = d / 2;  // r_V: half the spacing
  for (const New& one : all) {
    const std::size_t i = std::size_t(cloud.order()[one.at]);
    const Dice dice = diceOf(one.at);
    const std::uint64_t at = 4 * std::uint64_t(one.number) + 2;
    const Vector v = velocityOf(i), along = unit(v);
    const auto [e1, e2] = across(along, liquid.dimension);
    const double theta = 2 * std::numbers::pi * dice.number(at + 1);
    // In the plane the disc across the velocity is a line.
    const double r = radius * (liquid.dimension == 3 ? std::sqrt(dice.number(at)) : dice.number(at));
    const Vector off = r * std::cos(theta) * e1 + r * std::sin(theta) * e2;
    Vector x = Vector{liquid.position[3 * i], liquid.position[3 * i + 1], liquid.position[3 * i + 2]} + off +
               (dice.number(at + 2) - 0.5) * h * length(v) * along;
    // The paper adds the offset to the velocity as metres a second; here the spray opens with the speed of the liquid.
    Vector u = v + 0.1 * length(v) / radius * off;
    x = x + h / 2 * u;  // on to the end of the step
    if (!obstacles.keepOut(now, x, u)) continue;
    f.id.push_back(std::int64_t(one.rank >> 1));
    f.kind.push_back(Foam::foam);
    f.age.push_back(float(h / 2));
    f.left.push_back(float(o.lifetime * (o.lifetime_weakest + (1 - o.lifetime_weakest) * strength[one.at])));
    for (std::size_t a = 0; a < 3; ++a) f.position.push_back(x[a]), f.velocity.push_back(float(u[a]));
  }
}

FoamMaker::FoamMaker(const Scene& scene, const FoamOptions& options, const std::vector<Snapshot>& some) {
  auto content = std::make_unique<Content>(scene, options);
  content->choose(some);
  content_ = std::move(content);
}

FoamMaker::~FoamMaker() = default;

const FoamOptions& FoamMaker::options() const { return content_->o; }

Foam FoamMaker::none(const Snapshot& s) const {
  Foam f;
  f.dimension = s.dimension;
  f.time = s.time;
  return f;
}

Foam FoamMaker::next(const Foam& now, const Snapshot& from, const Snapshot& to, int frame) const {
  const Content& c = *content_;
  for (const Snapshot* s : {&from, &to})
    if (s->velocity.size() != s->position.size()) throw Failure("the frames hold no velocities, which foam is made from");
  Foam f = now;
  const double d = c.scene.resolution.spacing;
  const Between between(from, to, c.obstacles.period());
  // So short that fast liquid moves a spacing.
  const int steps = std::clamp(whole(std::ceil(c.o.speed * between.duration() / d)), 1, mostSubsteps);
  const double h = between.duration() / steps;
  for (int k = 0; k < steps && h > 0; ++k) {
    const Snapshot liquid = between.at((k + 0.5) / steps);
    const Cloud cloud(liquid, d, support);
    const Obstacles::Now walls = c.obstacles.at(liquid);
    c.move(f, liquid, cloud, walls, h);
    c.seed(f, liquid, cloud, walls, h, frame, k);
  }
  c.sort(f, Cloud(to, d, support), to, c.obstacles.at(to));
  f.time = to.time;
  // As the file has them, so that who goes on from the file gets the same bits.
  if (fitsFloat(f.position, d))
    for (double& x : f.position) x = float(x);
  return f;
}

}  // namespace brim
