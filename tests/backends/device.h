// Runs on a GPU beside runs on the CPU in double.
#pragma once
#include "helpers.h"

namespace brim::test {

inline bool hasDevice() {
  const auto all = flavours();
  return std::find(all.begin(), all.end(), "cuda32") != all.end();
}
inline Simulation onDevice(const Scene& s) { return Simulation(s, {.device = "cuda"}); }
inline Simulation inDouble(const Scene& s) { return Simulation(s, {.precision = "double"}); }

/// The largest difference of two lists of numbers; 1e30 if they are not as long.
template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  double far = a.size() == b.size() ? 0 : 1e30;
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) far = std::max(far, std::abs(double(a[k]) - double(b[k])));
  return far;
}

/// How far apart a step leaves particles and bodies [m].
inline double apartAfterAStep(const Scene& s) {
  Simulation gpu = onDevice(s), cpu = inDouble(s);
  gpu.advance(1), cpu.advance(1);
  const Snapshot a = gpu.snapshot(), b = cpu.snapshot();
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.bodies.size(), b.bodies.size());
  double far = a.id == b.id ? apart(a.position, b.position) : 1e30;
  for (std::size_t k = 0; k < a.bodies.size() && k < b.bodies.size(); ++k)
    for (int x = 0; x < 3; ++x) far = std::max(far, std::abs(a.bodies[k].position[x] - b.bodies[k].position[x]));
  return far;
}

/// The same scene twice, and once from the state of its middle: the same bits on every run and after a restore.
inline void expectSameBits(const Scene& s, int steps) {
  Simulation one = onDevice(s), two = onDevice(s);
  stepped(one, steps / 2);
  const std::vector<char> state = one.save();
  stepped(one, steps / 2), stepped(two, steps);
  EXPECT_EQ(one.stateHash(), two.stateHash());
  EXPECT_TRUE(one.save() == two.save());  // bodies too
  Simulation resumed = onDevice(s);
  resumed.restore(state);
  stepped(resumed, steps / 2);
  EXPECT_EQ(resumed.stateHash(), one.stateHash());
}

}  // namespace brim::test
