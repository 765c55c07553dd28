// The particles' memory as others read and write it between two steps (Simulation::columns): on a GPU the device's.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "brim/simulation.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class LentColumns {
 public:
  Columns lend(World<D>& w) {
    auto memory = memory_.lock();
    if (!memory) memory_ = memory = std::make_shared<Memory>();
    lent_ = true;
    Particles<D>& f = w.fluid;
    constexpr auto real = sizeof(Real) == 4 ? ParticleColumn::Number::single : ParticleColumn::Number::twice;
    constexpr std::size_t record = sizeof(Record<D>);
    return {std::size_t(f.size()),
            {&f.p.data.data()->x, real, D, record},
            {&f.v.data.data()->x, real, D, record},
            {&f.v.data.data()->a, real, 1, record},
            {f.pressure.data.data(), real, 1, sizeof(Real)},
            {f.id.data.data(), ParticleColumn::Number::whole, 1, sizeof(int)},
            w.origin,
            onDevice,
            memory};
  }

  /// Before the columns change: who still holds them keeps this memory, and the world gets a copy of it.
  void part(World<D>& w) {
    separate(w, [](auto& column, auto& kept) { copyIn(kept, column.data(), column.size()); });
  }
  /// The same where the world ends.
  void end(World<D>& w) {
    separate(w, [](auto&, auto&) {});
  }

  /// Whether anybody may have written since they were forgotten last. Who holds columns may write until the next step.
  bool written() const { return lent_ || !memory_.expired(); }
  void forget() { lent_ = false; }
  /// Somebody wrote without holding columns.
  void haveBeenWritten() { lent_ = true; }

 private:
  struct Memory {
    Array<Record<D>> p, v;
    Array<Real> pressure;
    Array<int> id;
  };
  template <class F>
  void separate(World<D>& w, const F& fill) {
    const auto memory = memory_.lock();
    memory_.reset();
    if (!memory) return;
    const auto swap = [&](auto& column, auto& kept) {
      fill(column, kept);
      column.swap(kept);
    };
    swap(w.fluid.p.data, memory->p), swap(w.fluid.v.data, memory->v);
    swap(w.fluid.pressure.data, memory->pressure), swap(w.fluid.id.data, memory->id);
  }

  std::weak_ptr<Memory> memory_;
  bool lent_ = false;
};

/// Of particles that others wrote: the largest speed, and one of those that cannot be simulated (-1: all can).
struct AsWritten {
  double speed2 = 0;  // [m^2/s^2]
  int bad = -1;
};

/// What one particle is, and both of two.
template <int D>
struct ReadAsWritten {
  View<const Record<D>> p, v;
  Vec<D> extent, slack;
  explicit ReadAsWritten(const World<D>& w) : p(w.fluid.p.read()), v(w.fluid.v.read()), extent(w.extent) {
    // Past an open side particles are removed by the next step, past a periodic one they come back.
    for (int k = 0; k < D; ++k) slack[k] = w.walled[k] ? Real(w.spacing) : w.extent[k];
  }
  BRIM_DEVICE_FN AsWritten operator()(int i) const {
    const auto x = p[i].x, u = v[i].x;
    AsWritten f{double(dot(u, u)), -1};
    bool good = f.speed2 < absurdSpeed * absurdSpeed;
    for (int k = 0; k < D; ++k) good = good && x[k] >= -slack[k] && x[k] <= extent[k] + slack[k];
    if (!good) f.bad = i;
    return f;
  }
};
struct BothAsWritten {
  BRIM_DEVICE_FN void operator()(AsWritten& a, const AsWritten& b) const {
    a.speed2 = a.speed2 < b.speed2 ? b.speed2 : a.speed2;
    if (a.bad < 0) a.bad = b.bad;
  }
};

/// Why particle i cannot be simulated.
template <int D>
Failure wronglyWritten(const World<D>& w, int i) {
  const Vec<D> x = elementOf(w.fluid.p.data, i).x, u = elementOf(w.fluid.v.data, i).x;
  std::string place, velocity;
  for (int k = 0; k < D; ++k) {
    place += fmt::format("{}{:g}", k ? ", " : "", w.origin[k] + x[k]);
    velocity += fmt::format("{}{:g}", k ? ", " : "", u[k]);
  }
  return Failure(
      fmt::format("particle {} cannot be simulated as it was written: position ({}) m, velocity ({}) m/s; it must be in the "
                  "domain and finite",
                  elementOf(w.fluid.id.data, i), place, velocity));
}

/// The largest speed [m/s] of the particles as they were written. Throws Failure if one is not finite, too fast, or outside of
/// the domain: searches could not place it.
template <int D>
double speedAsWritten(const World<D>& w) {
  const AsWritten all = reduce(w.fluid.size(), AsWritten(), ReadAsWritten<D>(w), BothAsWritten());
  if (all.bad >= 0) throw wronglyWritten(w, all.bad);
  return std::sqrt(all.speed2);
}

/// Writes D numbers of each particle, in ascending order of id, in the coordinates of the scene; empty: they stay as they are.
template <int D>
void writeParticles(World<D>& w, const std::vector<double>& position, const std::vector<double>& velocity) {
  const int n = w.fluid.size();
  const auto id = onHost(w.fluid.id.data, n);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return id[a] < id[b]; });
  const auto write = [&](const std::vector<double>& values, Array<Record<D>>& column, const std::array<double, 3>& origin) {
    if (values.empty()) return;
    if (values.size() != std::size_t(n) * D)
      throw Failure(fmt::format("{} numbers were given for {} particles in {}D", values.size(), n, D));
    const auto now = onHost(column, int(column.size()));  // with the padding behind the particles
    std::vector<Record<D>> records(now.begin(), now.end());
    for (int k = 0; k < n; ++k)
      for (int a = 0; a < D; ++a) records[order[k]].x[a] = Real(values[std::size_t(k) * D + a] - origin[a]);
    copyIn(column, records.data(), records.size());
  };
  write(position, w.fluid.p.data, {w.origin[0], w.origin[1], w.origin[2]});
  write(velocity, w.fluid.v.data, {0, 0, 0});
}

}  // namespace brim::inline BRIM_FLAVOUR
