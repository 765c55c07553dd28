#include "step/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "math/whole.h"
#include "scene/vector.h"
#include "step/emission.h"
#include "world/ranks.h"
#if BRIM_CUDA
#include "world/cuda/several.h"
#endif

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Exchange<D>::exchange(World<D>& w) {
#if !BRIM_CUDA
  const bool open = !std::all_of(w.walled.e, w.walled.e + D, [](bool wall) { return wall; });
  if (open || !w.setup->sinks.empty() || !w.emitters.empty()) dropHalo(w);
#endif
  removeOutside(w);
  for (std::size_t e = 0; e < w.emitters.size(); ++e) emit(w, e);
}

namespace {

/// What becomes of a particle.
template <int D>
struct Fate {
  View<const Record<D>> p;
  Vec<D> extent;
  Vec<D, bool> open;
  double origin[3];
  View<const SinkShape> sink;
  int sinks;
  Vec<D> low, high;  // a box around all sinks, or a little more

  /// Without a branch, so that a thread of a GPU asks for several particles at once.
  BRIM_DEVICE_FN bool mayGo(int i) const {
    const Vec<D> x = p[i].x;
    bool out = false, near = sinks > 0;
    for (int k = 0; k < D; ++k) {
      out |= open[k] & ((x[k] < 0) | (x[k] > extent[k]));
      near &= (x[k] > low[k]) & (x[k] < high[k]);
    }
    return out | near;
  }
  BRIM_DEVICE_FN bool leaves(int i) const {
    bool out = false;
    for (int k = 0; k < D; ++k) out = out || (open[k] && (p[i].x[k] < 0 || p[i].x[k] > extent[k]));
    return out;
  }
  BRIM_DEVICE_FN bool isSunk(int i) const {
    double at[3] = {0, 0, 0}, y[3];
    for (int k = 0; k < D; ++k) at[k] = p[i].x[k] + origin[k];
    for (int s = 0; s < sinks; ++s) {
      bool near = true;
      for (int k = 0; k < D; ++k) near = near && at[k] > sink[s].low[k] && at[k] < sink[s].high[k];
      if (!near) continue;
      sink[s].pose.toBody(at, y);
      if (sink[s].shape.distance(y) < 0) return true;
    }
    return false;
  }
};
struct Gone {
  double sunk, lost;
};
template <int D>
struct CountGone {
  Fate<D> fate;
  View<const int> which;
  BRIM_DEVICE_FN Gone operator()(int k) const {
    const bool lost = fate.leaves(which[k]);
    return {lost ? 0.0 : 1.0, lost ? 1.0 : 0.0};
  }
};
struct AddGone {
  BRIM_DEVICE_FN void operator()(Gone& a, const Gone& b) const { a.sunk += b.sunk, a.lost += b.lost; }
};
template <int D>
struct Goes {
  Fate<D> fate;
  BRIM_DEVICE_FN bool maybe(int i) const { return fate.mayGo(i); }
  BRIM_DEVICE_FN bool operator()(int i) const { return fate.leaves(i) || fate.isSunk(i); }
};
/// Of the particles from `first` on.
template <int D>
struct Stays {
  Goes<D> goes;
  int first;
  BRIM_DEVICE_FN bool maybe(int) const { return true; }
  BRIM_DEVICE_FN bool operator()(int k) const { return !goes(first + k); }
};

/// Marks the i for which is(i) holds: one bit each, 32 to a word, and the number of bits set in each word. maybe(i) is a quick
/// test that is true wherever is(i) is. On a GPU the threads of a warp have a few words, else a thread has one.
template <class F>
struct MarkThose {
  F is;
  int n;
  View<std::uint32_t> word;
  View<int> count;
#if BRIM_CUDA
  static int threadsFor(int words) { return (words + several - 1) / several * 32; }
  __device__ void operator()(int t) const {
    const int lane = t % 32, first = t / 32 * several, words = (n + 31) / 32;
    bool yes[several];
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      const int i = 32 * (first + e) + lane;
      yes[e] = n > 0 && is.maybe(i < n ? i : n - 1);
    }
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) {
      const int i = 32 * (first + e) + lane;
      const unsigned bits = __ballot_sync(0xffffffffu, i < n && yes[e] && is(i));
      if (lane == 0 && first + e <= words) word[first + e] = bits, count[first + e] = __popc(bits);
    }
  }
#else
  static int threadsFor(int words) { return words; }
  void operator()(int w) const {
    std::uint32_t bits = 0;
    for (int i = 32 * w; i < std::min(n, 32 * w + 32); ++i) bits |= std::uint32_t(is.maybe(i) && is(i)) << (i - 32 * w);
    word[w] = bits, count[w] = std::popcount(bits);
  }
#endif
};
struct ListMarked {
  View<const std::uint32_t> word;
  View<const int> before;
  View<int> which;
  BRIM_DEVICE_FN void operator()(int w) const {
    const std::uint32_t bits = word[w];
    int at = before[w];
    for (int b = 0; b < 32 && bits >> b; ++b)
      if (bits >> b & 1) which[at++] = 32 * w + b;
  }
};
/// which: the i in [0, n) for which is(i), in order; returns how many. Most are not.
template <class F>
int listThose(int n, F is, Marks& marks, Array<int>& which) {
  const int words = (n + 31) / 32;
  marks.word.resize(words + 1), marks.count.resize(words + 1);
  forEach(MarkThose<F>::threadsFor(words + 1), MarkThose<F>{is, n, marks.word.view(), marks.count.view()});
  scan(marks.count, words + 1);
  const int count = elementOf(marks.count, words);
  which.resize(count);
  if (count > 0) forEach(words, ListMarked{marks.word.read(), marks.count.read(), which.view()});
  return count;
}

}  // namespace

// The last particles come to the places of those that go: the others need not move.
template <int D>
void Exchange<D>::removeOutside(World<D>& w) {
  const bool open = !std::all_of(w.walled.e, w.walled.e + D, [](bool wall) { return wall; });
  const auto& sinks = w.setup->sinks;
  if (!open && sinks.empty()) return;
  if (sinks_.size() == 0) {
    std::vector<SinkShape> made;
    for (const SolidShape& s : sinks) {
      SinkShape one{sinkData_.onMachine(s.primitive()), s.pose(), {}, {}};
      for (int k = 0; k < 3; ++k) one.low[k] = s.low()[k], one.high[k] = s.high()[k];
      made.push_back(one);
    }
    copyIn(sinks_, made.data(), made.size());
  }
  const Vector& origin = w.origin;
  Fate<D> fate{w.fluid.p.read(), w.extent, {}, {origin[0], origin[1], origin[2]}, sinks_.read(), int(sinks.size()), {}, {}};
  for (int k = 0; k < D; ++k) {
    fate.open[k] = !w.walled[k] && !w.periodic[k];
    double low = 1e30, high = -1e30;
    for (const SolidShape& s : sinks) low = std::min(low, s.low()[k]), high = std::max(high, s.high()[k]);
    fate.low[k] = Real(low - origin[k] - w.spacing), fate.high[k] = Real(high - origin[k] + w.spacing);
  }
  const int n = w.fluid.size(), going = listThose(n, Goes<D>{fate}, marks_, which_), staying = n - going;
  std::int64_t counts[3] = {going, 0, 0};
#if !BRIM_CUDA
  sumOverRanks(w, counts, 1);
#endif
  if (counts[0] == 0) return;
  const Gone gone = reduce(going, Gone{0, 0}, CountGone<D>{fate, which_.read()}, AddGone{});
  counts[1] = std::int64_t(gone.sunk), counts[2] = std::int64_t(gone.lost);
  const int last = listThose(going, Stays<D>{{fate}, staying}, marks_, last_);
#if !BRIM_CUDA
  sumOverRanks(w, counts + 1, 2);
  placesFillHoles(w, which_, going, last_, last, counts[0]);
#endif
  w.sunk += counts[1], w.lost += counts[2];
  w.fluid.fillHoles(which_, last_, last, staying);
}

namespace {

/// An emitter's opening, from the domain's corner, and the points of the layers that are due.
template <int D>
struct Mouth {
  double centre[D], ahead[D], up[D], side[D];  // [m], unit vectors
  double width, depth, radius;                 // [m] along up and to the side; of a disc, else 0
  int rows, columns, layers;                   // of points
  double way, spacing;                         // [m] of the first of these layers since it left; between layers
  Real speed;                                  // [m/s]
  Vec<D> low, high;                            // [m] a box around all of it and what it asks about

  BRIM_FN Vec<D> point(double a, double b, double s) const {
    Vec<D> x;
    for (int k = 0; k < D; ++k) x[k] = Real(centre[k] + a * up[k] + b * side[k] + s * ahead[k]);
    return x;
  }
  BRIM_FN double along(int r) const { return ((r + 0.5) / rows - 0.5) * width; }
  BRIM_FN double across(int c) const { return columns == 1 ? 0 : ((c + 0.5) / columns - 0.5) * depth; }
  BRIM_FN int points() const { return layers * rows * columns; }
  BRIM_FN Vec<D> point(int n) const {
    return point(along(n / columns % rows), across(n % columns), way - n / columns / rows * spacing);
  }
  BRIM_FN bool has(int n) const {
    const double a = along(n / columns % rows), b = across(n % columns);
    return !(radius > 0) || a * a + b * b <= radius * radius;
  }
};

/// Fluid within a little more than one spacing of the mouth moves as the emitter says, whatever stands against it, so that the
/// flow is what the scene asks for. Points with fluid nearer than 0.6 d are taken: pushing a particle into standing fluid would
/// throw it about.
template <int D>
struct DriveAndTake {
  Mouth<D> mouth;
  View<const Record<D>> p;
  View<Record<D>> v;
  View<int> taken;

  BRIM_DEVICE_FN bool maybe(int i) const {
    const Vec<D> x = p[i].x;
    bool near = true;
    for (int k = 0; k < D; ++k) near &= (x[k] > mouth.low[k]) & (x[k] < mouth.high[k]);
    return near;
  }
  BRIM_DEVICE_FN void operator()(int i) const {
    const double d = mouth.spacing, driven = 1.2 * d, reach = 0.6 * d;
    double s = 0, a = 0, b = 0;
    for (int k = 0; k < D; ++k) {
      const double r = p[i].x[k] - mouth.centre[k];
      s += r * mouth.ahead[k], a += r * mouth.up[k], b += r * mouth.side[k];
    }
    const double beyondA = std::abs(a) - mouth.width / 2, beyondB = std::abs(b) - mouth.depth / 2;
    if (beyondA > reach || beyondB > reach) return;
    if (s > -driven && s < driven && beyondA <= 0 && beyondB <= 0)
      for (int k = 0; k < D; ++k) v[i].x[k] = Real(mouth.speed * mouth.ahead[k]);
    // The points about as near, by rows, columns and layers.
    const Span rows = near(mouth.rows, a, mouth.width, reach), columns = near(mouth.columns, b, mouth.depth, reach);
    const Span layers = between(mouth.layers, (mouth.way - s) / d, reach / d);
    for (int l = layers.first; l <= layers.last; ++l)
      for (int r = rows.first; r <= rows.last; ++r)
        for (int c = columns.first; c <= columns.last; ++c) {
          const int n = (l * mouth.rows + r) * mouth.columns + c;
          const Vec<D> apart = p[i].x - mouth.point(n);
          if (dot(apart, apart) < Real(reach) * Real(reach)) setOne(taken[n]);
        }
  }

 private:
  struct Span {
    int first, last;
  };
  /// The whole numbers of [0, n) within `reach` of `at`, or a little more.
  BRIM_DEVICE_FN static Span between(int n, double at, double reach) {
    const double low = std::ceil(at - reach - 0.01), high = std::floor(at + reach + 0.01);
    return {low > 0 ? low < n ? int(low) : n : 0, high < n - 1 ? high < 0 ? -1 : int(high) : n - 1};
  }
  BRIM_DEVICE_FN static Span near(int n, double at, double across, double reach) {
    if (n == 1) return {0, 0};
    return between(n, (at / across + 0.5) * n - 0.5, reach * n / across);
  }
};
/// body(i) for the i in [0, n) that are body.maybe(i).
template <class F>
struct ForSome {
  F body;
  int n;
#if BRIM_CUDA
  static int threadsOf(int n) { return threadsFor(n); }
  __device__ void operator()(int t) const {
    bool some[several];
    BRIM_UNROLL
    for (int e = 0; e < several; ++e) some[e] = body.maybe(ownOf(t, e) < n ? ownOf(t, e) : n - 1);
    BRIM_UNROLL
    for (int e = 0; e < several; ++e)
      if (some[e] && ownOf(t, e) < n) body(ownOf(t, e));
  }
#else
  static int threadsOf(int n) { return n; }
  void operator()(int i) const {
    if (body.maybe(i)) body(i);
  }
#endif
};
template <class F>
void forSome(int n, const F& body) {
  forEach(ForSome<F>::threadsOf(n), ForSome<F>{body, n});
}
template <int D>
struct IsFree {
  Mouth<D> mouth;
  View<const int> taken;
  BRIM_DEVICE_FN bool maybe(int) const { return true; }
  BRIM_DEVICE_FN bool operator()(int n) const { return taken[n] == 0 && mouth.has(n); }
};
/// Particles first, first + 1, ... at points which[0], which[1], ... of the mouth.
template <int D>
struct Put {
  Mouth<D> mouth;
  View<const int> which;
  View<Record<D>> p, v;
  View<int> id;
  int first, firstId;
  Real mass, rho0;
  BRIM_DEVICE_FN void operator()(int m) const {
    p[first + m] = {mouth.point(which[m]), mass};
    Record<D> velocity;
    for (int k = 0; k < D; ++k) velocity.x[k] = Real(mouth.speed * mouth.ahead[k]);
    velocity.a = rho0;
    v[first + m] = velocity;
    id[first + m] = firstId + m;
  }
};

}  // namespace

// Layers of particles one spacing apart leave the mouth at its speed. A point waits where fluid still stands in the way.
template <int D>
void Exchange<D>::emit(World<D>& w, std::size_t index) {
  const Emitter& e = w.scene().fluid.emitters[index];
  EmitterState& state = w.emitters[index];
  auto& fluid = w.fluid;
  const double time = w.time, spacing = w.spacing;
  if (time < e.start || time > e.until || e.speed <= 0 || state.particles >= e.count) return;
  const Vector direction = vectors::unit(e.direction);
  Vector up = e.up, side;
  if (D == 2) {
    up = {-direction[1], direction[0], 0};
    side = {0, 0, 0};
  } else {
    if (vectors::length(vectors::cross(direction, up)) < 1e-9 * vectors::length(up))
      up = std::abs(direction[0]) < 0.9 ? Vector{1, 0, 0} : Vector{0, 1, 0};
    side = vectors::unit(vectors::cross(direction, up));
    up = vectors::cross(side, direction);
  }
  Mouth<D> mouth{};
  for (int k = 0; k < D; ++k) {
    mouth.centre[k] = e.centre[k] - w.origin[k];
    mouth.ahead[k] = direction[k], mouth.up[k] = up[k], mouth.side[k] = side[k];
  }
  const bool disc = e.kind == "disc";
  mouth.radius = disc ? e.radius : 0;
  mouth.width = disc ? 2 * e.radius : D == 2 ? e.width : e.height;
  mouth.depth = D == 2 ? 0 : disc ? 2 * e.radius : e.width;
  mouth.rows = std::max(1, whole(std::round(mouth.width / spacing)));
  mouth.columns = D == 2 ? 1 : std::max(1, whole(std::round(mouth.depth / spacing)));
  mouth.spacing = spacing, mouth.speed = Real(e.speed);
  const std::int64_t due = layersDue(e, time, spacing);
  const double layers = double(std::max(std::int64_t(0), due - state.layers));
  // No step lets in so many, unless the clock was put forward.
  if (const double points = layers * mouth.rows * mouth.columns, most = 2e8;
      points > most || points + double(w.nextId) > std::numeric_limits<int>::max())
    throw Failure(fmt::format("emitter {} has {:g} particles to let in at once at t = {:g} s, after {} in all", index, points,
                              time, w.nextId));
  mouth.layers = int(layers);
  mouth.way = (time - e.start) * e.speed - double(state.layers) * spacing;
  for (int k = 0; k < D; ++k) {
    const double first = std::max(2 * spacing, mouth.way + spacing),
                 last = std::min(-2 * spacing, mouth.way - (mouth.layers + 1) * spacing);
    const double aside = std::abs(up[k]) * (mouth.width / 2 + spacing) + std::abs(side[k]) * (mouth.depth / 2 + spacing);
    mouth.low[k] = Real(mouth.centre[k] + std::min(first * direction[k], last * direction[k]) - aside);
    mouth.high[k] = Real(mouth.centre[k] + std::max(first * direction[k], last * direction[k]) + aside);
  }
  taken_.resize(mouth.points());
  fill(taken_, 0, mouth.points(), 0);
  forSome(fluid.size(), DriveAndTake<D>{mouth, fluid.p.read(), fluid.v.view(), taken_.view()});
  if (mouth.layers == 0) return;
#if !BRIM_CUDA
  largestOverRanks(w, taken_.data(), mouth.points());
#endif
  state.layers = due;
  int count = listThose(mouth.points(), IsFree<D>{mouth, taken_.read()}, marks_, which_);
  if (double(state.particles + count) > e.count) count = whole(e.count - double(state.particles));
  if (count == 0) return;
  bool here = true;
#if !BRIM_CUDA
  here = !isSpread(w) || rankOf(w) == 0;  // the next search brings them where they belong
  placesGrow(w, count, here);
#endif
  if (here) {
    const int first = fluid.grow(count);
    forEach(count, Put<D>{mouth, which_.read(), fluid.p.view(), fluid.v.view(), fluid.id.view(), first, int(w.nextId),
                          Real(w.mass), Real(w.rho0)});
    fluid.pad();
  }
  w.nextId += count;
  state.particles += count;
  w.emitted += count;
}

template class Exchange<2>;
template class Exchange<3>;

}  // namespace brim::inline BRIM_FLAVOUR
