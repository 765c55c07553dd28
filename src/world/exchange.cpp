// What enters and leaves: emitters, sinks, the domain's open sides.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scene/vector.h"
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void World<D>::exchange() {
  removeOutside();
  for (std::size_t e = 0; e < scene().fluid.emitters.size(); ++e) emit(e);
}

namespace {

/// What becomes of a particle.
template <int D>
struct Fate {
  View<const Sample<D>> p;
  Vec<D> extent;
  Vec<D, bool> open;
  double origin[3];
  View<const Sink> sink;
  int sinks;

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
  BRIM_DEVICE_FN Gone operator()(int i) const {
    const bool lost = fate.leaves(i);
    return {!lost && fate.isSunk(i) ? 1.0 : 0.0, lost ? 1.0 : 0.0};
  }
};
struct AddGone {
  BRIM_DEVICE_FN void operator()(Gone& a, const Gone& b) const { a.sunk += b.sunk, a.lost += b.lost; }
};
template <int D>
struct Stays {
  Fate<D> fate;
  BRIM_DEVICE_FN bool operator()(int i) const { return !fate.leaves(i) && !fate.isSunk(i); }
};
/// Within a box.
template <int D>
struct Inside {
  View<const Sample<D>> p;
  Vec<D> low, high;
  BRIM_DEVICE_FN bool operator()(int i) const {
    bool inside = true;
    for (int k = 0; k < D; ++k) inside = inside && p[i].x[k] > low[k] && p[i].x[k] < high[k];
    return inside;
  }
};
template <class F>
struct Mark {
  F is;
  int n;
  View<int> mark;
  BRIM_DEVICE_FN void operator()(int i) const { mark[i] = i < n && is(i); }
};
struct ListMarked {
  View<const int> before;
  View<int> which;
  BRIM_DEVICE_FN void operator()(int i) const {
    if (before[i + 1] > before[i]) which[before[i]] = i;
  }
};
/// which: the i in [0, n) for which is(i), in order; returns how many.
template <class F>
int listThose(int n, F is, Array<int>& marked, Array<int>& which) {
  marked.resize(n + 1);
  forEach(n + 1, Mark<F>{is, n, marked.view()});
  scan(marked, n + 1);
  const int count = elementOf(marked, n);
  which.resize(count);
  forEach(n, ListMarked{marked.read(), which.view()});
  return count;
}

}  // namespace

template <int D>
void World<D>::removeOutside() {
  const bool open = !std::all_of(walled.e, walled.e + D, [](bool w) { return w; });
  const auto& sinks = setup_->sinks;
  if (!open && sinks.empty()) return;
  if (sinks_.size() == 0) {
    std::vector<Sink> made;
    for (const SolidShape& s : sinks) {
      Sink one{sinkData_.onMachine(s.primitive()), s.pose(), {}, {}};
      for (int k = 0; k < 3; ++k) one.low[k] = s.low()[k], one.high[k] = s.high()[k];
      made.push_back(one);
    }
    copyIn(sinks_, made.data(), made.size());
  }
  Fate<D> fate{fluid.p.read(), extent, {}, {origin[0], origin[1], origin[2]}, sinks_.read(), int(sinks.size())};
  for (int k = 0; k < D; ++k) fate.open[k] = !walled[k] && !periodic[k];
  const Gone gone = reduce(fluid.size(), Gone{0, 0}, CountGone<D>{fate}, AddGone{});
  if (gone.sunk + gone.lost == 0) return;
  sunk += std::int64_t(gone.sunk), lost += std::int64_t(gone.lost);
  const int staying = listThose(fluid.size(), Stays<D>{fate}, marked_, which_);
  fluid.reorder(which_, staying);
}

namespace {

/// Points in boxes at least as wide as the distance that is asked for, so that nobody compares all points of a wide mouth with
/// all others.
template <int D>
class Crowd {
 public:
  template <class Points>
  Crowd(const Vec<D>& low, const Vec<D>& high, Real reach, const Points& points) : low_(low), reach_(reach), width_(reach) {
    constexpr double most = 1 << 20;  // boxes; a mouth that lies aslant has many that are empty
    double boxes = 0;
    for (;; width_ *= 2) {
      boxes = 1;
      for (int k = 0; k < D; ++k) size_[k] = int((high[k] - low[k]) / width_) + 1, boxes *= size_[k];
      if (boxes <= most) break;
    }
    start_.assign(std::size_t(boxes) + 1, 0);
    std::vector<std::size_t> box;
    for (const Sample<D>& p : points) {
      box.push_back(boxAt(placeOf(p.x)));
      ++start_[box.back() + 1];
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<int> next(start_.begin(), start_.end() - 1);
    sorted_.resize(box.size());
    std::size_t i = 0;
    for (const Sample<D>& p : points) sorted_[next[box[i++]]++] = p.x;
  }
  /// Whether any is nearer to x than the distance.
  bool has(const Vec<D>& x) const {
    const Vec<D, int> middle = placeOf(x);
    for (int way = 0; way < (D == 3 ? 27 : 9); ++way) {
      Vec<D, int> place;
      bool inside = true;
      for (int k = 0, rest = way; k < D; ++k, rest /= 3) {
        place[k] = middle[k] + rest % 3 - 1;
        inside = inside && place[k] >= 0 && place[k] < size_[k];
      }
      if (!inside) continue;
      const std::size_t box = boxAt(place);
      for (int m = start_[box]; m < start_[box + 1]; ++m)
        if (dot(sorted_[m] - x, sorted_[m] - x) < reach_ * reach_) return true;
    }
    return false;
  }

 private:
  Vec<D, int> placeOf(const Vec<D>& x) const {
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = std::clamp(int((x[k] - low_[k]) / width_), 0, size_[k] - 1);
    return place;
  }
  std::size_t boxAt(const Vec<D, int>& place) const {
    std::size_t box = 0;
    for (int k = D - 1; k >= 0; --k) box = box * std::size_t(size_[k]) + std::size_t(place[k]);
    return box;
  }
  Vec<D> low_;
  Real reach_, width_;
  Vec<D, int> size_;
  std::vector<int> start_;
  std::vector<Vec<D>> sorted_;
};

}  // namespace

// Particles first, first + 1, ... at the places `at`.
template <int D>
static void put(Particles<D>& fluid, int first, const std::vector<Vec<D>>& at, Sample<D> velocity, Real mass, int firstId) {
  Array<Vec<D>> place;
  copyIn(place, at.data(), at.size());
  const auto x = place.read();
  const auto p = fluid.p.view(), v = fluid.v.view();
  const auto id = fluid.id.view();
  forEach(int(at.size()), [=] BRIM_KERNEL(int m) {
    p[first + m] = {x[m], mass};
    v[first + m] = velocity;
    id[first + m] = firstId + m;
  });
}

// Fluid within a little more than one spacing of the mouth moves as the emitter says, whatever stands against it, so that
// the flow is what the scene asks for. `way` are the unit vectors ahead, up and to the side, `half` half the mouth.
template <int D>
static void drive(Particles<D>& fluid, const Vec<D> centre, const Vec<D> ahead, const Vec<D> up, const Vec<D> side,
                  const Vec<2> half, Real reach, Real speed) {
  const auto p = fluid.p.read();
  const auto v = fluid.v.view();
  forEach(fluid.size(), [=] BRIM_KERNEL(int i) {
    const Vec<D> r = p[i].x - centre;
    const Real s = dot(r, ahead), a = dot(r, up), b = dot(r, side);
    if (s > -reach && s < reach && a * a <= half[0] * half[0] && b * b <= half[1] * half[1]) v[i].x = speed * ahead;
  });
}

// Layers of particles one spacing apart leave the mouth at its speed. A point waits where fluid still stands in the way.
template <int D>
void World<D>::emit(std::size_t index) {
  const Emitter& e = scene().fluid.emitters[index];
  if (time < e.start || time > e.until || e.speed <= 0 || counts[index] >= e.count) return;
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
  const bool disc = e.kind == "disc";
  const double width = disc ? 2 * e.radius : D == 2 ? e.width : e.height, depth = D == 2 ? 0 : disc ? 2 * e.radius : e.width;
  const int rows = std::max(1, int(std::lround(width / spacing))),
            columns = D == 2 ? 1 : std::max(1, int(std::lround(depth / spacing)));
  const auto narrow = [](const Vector& a) {
    Vec<D> r;
    for (int k = 0; k < D; ++k) r[k] = Real(a[k]);
    return r;
  };
  drive(fluid, narrow(vectors::operator-(e.centre, origin)), narrow(direction), narrow(up), narrow(side),
        {Real(width / 2), Real(depth / 2)}, Real(1.2 * spacing), Real(e.speed));

  const std::int64_t due = std::int64_t(std::floor((time - e.start) * e.speed / spacing + 1e-9)) + 1;
  if (due <= layers[index]) return;
  std::vector<Vec<D>> fresh;
  for (std::int64_t layer = layers[index]; layer < due; ++layer) {
    const double way = (time - e.start) * e.speed - double(layer) * spacing;  // [m] since this layer left the mouth
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const double a = ((r + 0.5) / rows - 0.5) * width, b = columns == 1 ? 0 : ((c + 0.5) / columns - 0.5) * depth;
        if (disc && a * a + b * b > e.radius * e.radius) continue;
        Vec<D> x;
        for (int k = 0; k < D; ++k) x[k] = Real(e.centre[k] - origin[k] + a * up[k] + b * side[k] + way * direction[k]);
        fresh.push_back(x);
      }
  }
  layers[index] = due;
  // Points with fluid nearer than 0.6 d are not filled: pushing a particle into standing fluid would throw it about.
  Vec<D> low = fresh[0], high = fresh[0];
  for (const Vec<D>& x : fresh)
    for (int k = 0; k < D; ++k) low[k] = min(low[k], x[k]), high[k] = max(high[k], x[k]);
  const Real reach = Real(0.6 * spacing);
  for (int k = 0; k < D; ++k) low[k] -= reach, high[k] += reach;
  const int count = listThose(fluid.size(), Inside<D>{fluid.p.read(), low, high}, marked_, which_);
  Array<Sample<D>> standing;
  standing.resize(count);
  permute(standing, fluid.p.data, which_, count);
  const auto near = onHost(standing, count);
  const Crowd<D> crowd(low, high, reach, near);
  std::erase_if(fresh, [&](const Vec<D>& x) { return crowd.has(x); });
  if (double(counts[index] + std::int64_t(fresh.size())) > e.count) fresh.resize(std::size_t(e.count) - counts[index]);
  if (fresh.empty()) return;
  Sample<D> velocity;
  for (int k = 0; k < D; ++k) velocity.x[k] = Real(e.speed * direction[k]);
  velocity.a = Real(rho0);
  put(fluid, fluid.grow(int(fresh.size())), fresh, velocity, Real(mass), int(nextId));
  nextId += std::int64_t(fresh.size());
  fluid.pad();
  counts[index] += std::int64_t(fresh.size());
  emitted += std::int64_t(fresh.size());
}

template void World<2>::exchange();
template void World<3>::exchange();

}  // namespace brim::inline BRIM_FLAVOUR
