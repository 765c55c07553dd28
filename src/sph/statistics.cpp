#include "sph/statistics.h"

#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
template <int D>
struct Sums {
  double energy = 0, error = 0, worst = 0, speed2 = 0;
  double momentum[D] = {}, moment[D] = {};
  int bad = -1;
};

// Errors by magnitude: bins 1/32 of an octave wide, from 2^-24 to 2^8. Whole numbers, so the order of adding is free.
constexpr int perOctave = 32, octaves = 32, bins = perOctave * octaves;
BRIM_FN int binOf(float error) {
  const int bits = __builtin_bit_cast(int, error), bin = (bits >> (23 - 5)) - ((127 - 24) << 5);
  return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}
double topOf(int bin) { return std::ldexp(1.0 + (bin % perOctave + 1) / double(perOctave), bin / perOctave - 24); }
}  // namespace

template <int D>
int measure(const World<D>& w, double pairs, StepReport& report, Vector& moment, const std::function<void()>& queued) {
  return measure(w, 0, particlesOf(w), w.gravity(w.time), pairs, report, moment, queued);
}

template <int D>
int measure(const World<D>& w, int first, int n, const Vec<D>& g, double pairs, StepReport& report, Vector& moment,
            const std::function<void()>& queued) {
  const View<const Record<D>> p{w.fluid.p.read().data + first}, v{w.fluid.v.read().data + first};
  const View<const Real> P{w.fluid.pressure.read().data + first};
  const Real v0 = Real(1 / w.rho0);
  static thread_local Histogram errors;  // for the error that all but a thousandth of the particles stay below
  const auto term = [=] BRIM_KERNEL(int i) {
    Sums<D> t;
    const auto [x, m] = p[i];
    const auto [u, rho] = v[i];
    t.speed2 = dot(u, u);
    t.energy = 0.5 * m * t.speed2;
    t.error = t.worst = max(v0 * rho - 1, 0);
    for (int k = 0; k < D; ++k) t.momentum[k] = double(m) * u[k], t.moment[k] = double(m) * x[k];
    if (isLost<D>(p[i], v[i], P[i])) t.bad = i;
    return t;
  };
  const auto into = [] BRIM_KERNEL(Sums<D> & a, const Sums<D>& b) {
    a.energy += b.energy, a.error += b.error;
    a.worst = a.worst < b.worst ? b.worst : a.worst;
    a.speed2 = a.speed2 < b.speed2 ? b.speed2 : a.speed2;
    for (int k = 0; k < D; ++k) a.momentum[k] += b.momentum[k], a.moment[k] += b.moment[k];
    if (a.bad < 0) a.bad = b.bad;
  };
  const auto binAt = [=] BRIM_KERNEL(int i) {
    const float e = float(v0 * v[i].a - 1);
    return e > 0 ? binOf(e) : -1;
  };
  Sums<D> s;
  std::vector<int> counted;
#if !BRIM_CUDA
  if (isSpread(w)) {
    s = reduceAll(w, Sums<D>{}, term, into);
    std::vector<std::int64_t> sums(bins + 1, 0);
    const char* const own = ownFlags(w);
    for (int i = 0; i < w.fluid.size(); ++i)
      if (const int b = own[i] ? binAt(i) : -1; b >= 0) ++sums[b];
    sums[bins] = std::int64_t(pairs);
    sumOverRanks(w, sums.data(), sums.size());
    pairs = double(sums[bins]);
    counted.assign(sums.begin(), sums.end() - 1);
    queued();
  } else
#endif
    s = errors.reduceCounting(n, Sums<D>{}, term, into, bins, binAt, queued);
  report.particles = n;
  report.kinetic_energy = s.energy;
  report.potential_energy = 0;
  report.max_speed = std::sqrt(s.speed2);
  report.momentum = moment = {0, 0, 0};
  for (int k = 0; k < D; ++k) {
    report.momentum[k] = s.momentum[k], moment[k] = s.moment[k];
    report.potential_energy -= double(g[k]) * s.moment[k];
  }
  report.density_error_mean = n ? s.error / n : 0;
  report.density_error_max = s.worst;
  report.neighbours = n ? pairs / n : 0;
  report.emitted = w.emitted, report.sunk = w.sunk, report.lost = w.lost;

  const int* const all = counted.empty() ? errors.counts() : counted.data();
  int above = n / 1000, bin = bins - 1;
  while (bin >= 0 && all[bin] <= above) above -= all[bin--];
  report.density_error_p999 = bin < 0 ? 0 : std::min(topOf(bin), report.density_error_max);
  return s.bad;
}

#define BRIM_INSTANTIATE(D)                                                                             \
  template int measure<D>(const World<D>&, double, StepReport&, Vector&, const std::function<void()>&); \
  template int measure<D>(const World<D>&, int, int, const Vec<D>&, double, StepReport&, Vector&, const std::function<void()>&);
BRIM_INSTANTIATE(2)
BRIM_INSTANTIATE(3)
#undef BRIM_INSTANTIATE

}  // namespace brim::inline BRIM_FLAVOUR
