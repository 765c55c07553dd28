#include <gtest/gtest.h>

#include "cloud.h"

using namespace brim;

namespace {

template <class N>
struct Reaction : testing::Test {
  static constexpr int D = N::value;
  static constexpr double d = 0.05;
  using V = Vec<D, double>;

  // Fluid at random in a closed box, a free box in the middle of it, and carried samples at random.
  struct Bath {
    World<D> world;
    std::unique_ptr<Searched<D>> now;
    std::vector<Vector> carried = randomPoints<D>(40, {0.1, 0.1, 0.1}, {0.9, 0.9, 0.9}, 7);

    static brim::Setup made() {
      Scene s = emptyScene<D>(d, {0, 0, 0}, {1, 1, 1}, "walls");
      brim::Setup made = setupOf<D>(s, randomPoints<D>(D == 3 ? 4000 : 600, {0.05, 0.05, 0.05}, {0.95, 0.95, 0.95}));
      Shape box;
      box.min = {0.4, 0.3, 0.35}, box.max = {0.6, 0.5, 0.6};
      made.solids.emplace_back(s, box, "box");
      for (const Vector& x : randomPoints<D>(60, {-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}, 3)) {
        made.walls.position.push_back(x);
        made.walls.volume.push_back(std::pow(d, D));
        made.walls.solid.push_back(0);
      }
      return made;
    }
    Bath() : world(made()) {
      world.solids.addCarried(int(carried.size()));
      carry(0);
      world.solids.moveTo(0);
      now = std::make_unique<Searched<D>>(world);
    }
    void carry(double shift) {
      Array<Record<D>> p, v;
      p.resize(carried.size()), v.resize(carried.size());
      for (std::size_t k = 0; k < carried.size(); ++k) {
        for (int a = 0; a < D; ++a) p[k].x[a] = Real(carried[k][a] + shift), v[k].x[a] = Real(a);
        p[k].a = Real(world.mass), v[k].a = Real(1 + k);
      }
      world.solids.carry(p, v);
    }
  };
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Reaction, Dimensions);

// A push along the line between a sample and a particle, as pressures give it: what samples get is what the fluid lost.
template <int D>
Vec<D, double> pushOn(StepContext<D>& c, bool samples) {
  World<D>& w = c.world;
  const Cubic<D> W(w.support);
  const auto p = w.fluid.p.read(), s = samples ? c.reaction.p() : w.solids.p();
  const NeighbourView nb = samples ? c.reaction.nb() : c.nb();
  const auto at = w.solids.v();
  Array<Record<D>> sum;
  sum.resize(w.fluid.capacity());
  auto& out = samples ? c.reaction.impulse : sum;
  const auto to = out.view();
  if (samples)
    forEach(c.reaction.size(), [=] BRIM_KERNEL(Index k) {
      const auto [xk, mk] = s[k];
      Vec<D, Reals> f = {};
      for (auto i : nb.fluid[k]) {
        const auto [xi, mi] = p[i];
        f += (mi * mk) * W.grad(xk - xi);
      }
      to[k] = {f, Reals(0)};
    });
  else
    forEach(w.fluid.size(), [=] BRIM_KERNEL(Index i) {
      const auto [xi, mi] = p[i];
      Vec<D, Reals> f = {};
      for (auto k : nb.solid[i]) {
        const auto [xk, mk] = s[k];
        const auto [vk, mobility] = at[k];
        const Reals free = select(mobility > Reals(0), Reals(1), Reals(0));
        f += (free * mi * mk) * W.grad(xi - xk);
      }
      to[i] = {f, Reals(0)};
    });
  Vec<D, double> total = {};
  for (int i = 0; i < (samples ? c.reaction.size() : w.fluid.size()); ++i)
    for (int k = 0; k < D; ++k) total[k] += out[i].x[k];
  return total;
}

TYPED_TEST(Reaction, WhatSamplesGetIsWhatTheFluidLost) {
  constexpr int D = TypeParam::value;
  typename TestFixture::Bath bath;
  World<D>& w = bath.world;
  StepContext<D>& c = bath.now->c;
  Pose<double> pose;
  for (int k = 0; k < D; ++k) pose.position[k] = 0.45;
  w.solids.setFree({{pose, 0.5}});
  c.search();
  ASSERT_EQ(c.reaction.size(), 100);
  const auto fluid = pushOn(c, false), samples = pushOn(c, true);
  double size = 0;
  for (int k = 0; k < c.reaction.size(); ++k) size += std::sqrt(double(dot(c.reaction.impulse[k].x, c.reaction.impulse[k].x)));
  ASSERT_GT(size, 0);
  // Every pair is computed twice from the same numbers; only the order of adding differs.
  for (int k = 0; k < D; ++k) EXPECT_NEAR(samples[k], -fluid[k], (isDouble ? 1e-13 : 1e-5) * size);

  // The body's part and the carried part, in their owners' order, are all there is.
  const std::vector<Wrench> body = c.reaction.perBody(w.solids);
  ASSERT_EQ(body.size(), 1u);
  Vec<D, double> sum = {};
  const auto& carried = c.reaction.perCarried(w.solids);
  for (std::size_t j = 0; j < bath.carried.size(); ++j)
    for (int k = 0; k < D; ++k) sum[k] += carried[j].x[k];
  for (int k = 0; k < D; ++k) EXPECT_NEAR(sum[k] + body[0].force[k], samples[k], 1e-12 * size);
  for (int i = 0; i < w.solids.size(); ++i) {
    const int of = w.solids.owner()[i];
    if (of >= -1) continue;
    EXPECT_EQ(w.solids.p()[i].x[0], Real(bath.carried[-2 - of][0]));
    EXPECT_EQ(w.solids.v()[i].a, Real(1 + (-2 - of)));
  }
}

TYPED_TEST(Reaction, SamplesThatMoveWithinAStepKeepTheirPlacesInTheLists) {
  constexpr int D = TypeParam::value;
  typename TestFixture::Bath bath;
  World<D>& w = bath.world;
  StepContext<D>& c = bath.now->c;
  std::vector<int> before;
  for (int i = 0; i < w.solids.size(); ++i) before.push_back(w.solids.owner()[i]);
  bath.carry(0.001);
  c.reaction.follow(w.solids);
  for (int k = 0; k < c.reaction.size(); ++k) {
    const int at = w.solids.reacting()[k], of = w.solids.owner()[at];
    EXPECT_EQ(of, before[at]);
    if (of < -1) {
      EXPECT_EQ(c.reaction.p()[k].x[0], Real(bath.carried[-2 - of][0] + 0.001));
    }
  }
}

}  // namespace
