// A state that somebody made up is refused, or runs on as any other: it never leads out of bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "brim/simulation.h"
#include "scene/parse.h"

using namespace brim;

namespace {

Simulation smallWorld() {
  return Simulation(parseScene(R"(
version = 1
dimension = 2
[domain]
min = [0, 0]
max = [1, 1]
boundary = ["walls", "open"]
[resolution]
spacing = 0.1
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [1, 0.5]
[[fluid.emitters]]
kind = "rectangle"
centre = [0.9, 0.8]
direction = [-1, 0]
width = 0.2
speed = 1
[[bodies]]
name = "a"
kind = "box"
min = [0.2, 0.6]
max = [0.4, 0.8]
density = 500
[[bodies]]
name = "b"
kind = "sphere"
centre = [0.6, 0.7]
radius = 0.1
density = 500
[[joints]]
name = "j"
kind = "hinge"
a = "a"
b = "b"
point = [0.5, 0.7]
[solver]
name = "pbf"
[time]
until = 1
)",
                               "", {}));
}

/// Whether the state was taken. What is taken must also run, or diverge.
bool taken(Simulation& sim, const std::vector<char>& state) {
  try {
    sim.restore(state);
  } catch (const Failure&) {
    return false;
  }
  try {
    for (int k = 0; k < 2; ++k) sim.advance(sim.time() + 1e-3);
    sim.snapshot();
    sim.stateHash();
  } catch (const Diverged&) {
  } catch (const Failure&) {  // an emitter that would let in more than can be
  }
  return true;
}

template <class T>
void put(std::vector<char>& state, std::size_t at, T value) {
  if (at + sizeof value <= state.size()) std::memcpy(state.data() + at, &value, sizeof value);
}

std::size_t placeOf(const std::vector<char>& state, const std::string& column) {
  std::string name(8, '\0');
  name[0] = char(column.size());
  name += column;
  const auto at = std::search(state.begin(), state.end(), name.begin(), name.end());
  return std::size_t(at - state.begin()) + name.size() + 8;  // past the number of bytes
}

}  // namespace

TEST(CraftedState, IdsAndNumbersAreChecked) {
  Simulation sim = smallWorld();
  for (int k = 0; k < 5; ++k) sim.advance(1);
  const std::vector<char> good = sim.save();
  ASSERT_TRUE(taken(sim, good));
  const auto with = [&](const std::string& column, std::size_t entry, auto value) {
    std::vector<char> bad = good;
    put(bad, placeOf(good, column) + entry * sizeof value, value);
    return bad;
  };
  EXPECT_FALSE(taken(sim, with("id", 3, 1 << 30)));
  EXPECT_FALSE(taken(sim, with("id", 3, -1)));
  int first = 0;
  std::memcpy(&first, good.data() + placeOf(good, "id"), sizeof first);
  EXPECT_FALSE(taken(sim, with("id", 3, first)));
  EXPECT_FALSE(taken(sim, with("position", 4, std::numeric_limits<float>::quiet_NaN())));
  EXPECT_FALSE(taken(sim, with("velocity", 4, std::numeric_limits<float>::infinity())));
  EXPECT_FALSE(taken(sim, with("pressure", 3, std::numeric_limits<float>::quiet_NaN())));
  for (const std::size_t cut : {1, 8, 100, 1000})
    EXPECT_FALSE(taken(sim, {good.begin(), good.end() - std::ptrdiff_t(cut)})) << cut;
  ASSERT_TRUE(taken(sim, good));
}

TEST(CraftedState, WhateverIsWrittenOverItItNeverLeadsOutOfBounds) {
  Simulation sim = smallWorld();
  for (int k = 0; k < 5; ++k) sim.advance(1);
  const std::vector<char> good = sim.save();
  std::mt19937 random(7);
  const std::uint64_t values[] = {0,
                                  1,
                                  0x7fffffff,
                                  0xffffffff,
                                  ~0ull,
                                  0x7ff0000000000000ull,
                                  0x7ff8000000000000ull,
                                  0x7e37e43c8800759cull /* 1e300 */,
                                  0x80000000,
                                  1ull << 53};
  int refused = 0;
  const int tries = 600;
  for (int k = 0; k < tries; ++k) {
    std::vector<char> bad = good;
    // The counts at the beginning matter most.
    const std::size_t at = random() % (k % 2 ? good.size() : std::min<std::size_t>(good.size(), 1200));
    const std::uint64_t value = k % 3 ? values[random() % std::size(values)] : random();
    k % 5 ? put(bad, at, value) : put(bad, at, static_cast<unsigned char>(value));
    refused += !taken(sim, bad);
  }
  EXPECT_GT(refused, tries / 10);
  EXPECT_TRUE(taken(sim, good));
}
