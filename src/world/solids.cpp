#include "world/solids.h"

#include <algorithm>
#include <numeric>

#include "scene/declare.h"
#include "scene/motion.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
static Record<D> farRecord() {
  Record<D> s{};
  for (int k = 0; k < D; ++k) s.x[k] = farAway;
  return s;
}

template <int D>
Solids<D>::Solids(const Setup& setup) : origin_(setup.scene.domain.min) {
  const Scene& scene = setup.scene;
  firstFree_ = int(scene.solids.size());
  for (std::size_t b = 0; b < setup.solids.size(); ++b) {
    const bool isFree = int(b) >= firstFree_;
    source_.push_back({setup.solids[b], isFree ? Motion{} : scene.solids[b].motion});
    moving_ = moving_ || isFree || source_.back().motion.moves();
    if (isFree) free_.push_back({setup.solids[b].pose(), 0});
  }
  volumeFraction_.assign(source_.size(), 1);
  const WallSamples& walls = setup.walls;
  std::vector<Record<D>> rest;
  std::vector<int> owner;
  const double support = supportOf(scene) * scene.resolution.spacing;
  // Samples within one support of a periodic face stand at the other end too.
  const auto add = [&](Vector x, double volume, int solid) {
    for (int k = 0; k < D; ++k)
      if (solid < 0) x[k] -= origin_[k];
    Record<D> s;
    for (int k = 0; k < D; ++k) s.x[k] = Real(x[k]);
    s.a = Real(scene.fluid.density * volume);
    rest.push_back(s);
    owner.push_back(solid);
  };
  for (std::size_t i = 0; i < walls.position.size(); ++i) {
    const int solid = walls.solid[i];
    const Pose<double> pose = solid < 0 ? Pose<double>() : setup.solids[solid].pose();
    for (int shift = 0; shift < (D == 3 ? 27 : 9); ++shift) {
      double x[3], body[3];
      if (solid < 0)
        std::copy_n(walls.position[i].begin(), 3, x);
      else
        pose.toWorld(walls.position[i].data(), x);
      bool wanted = true;
      for (int k = 0, s = shift; k < D; ++k, s /= 3) {
        const int way = s % 3 == 2 ? -1 : s % 3;
        const double low = scene.domain.min[k], high = scene.domain.max[k];
        if (way == 0) continue;
        const bool near = way > 0 ? x[k] < low + support : x[k] > high - support;
        wanted = wanted && scene.domain.boundary[k] == "periodic" && near;
        x[k] += way * (high - low);
      }
      if (!wanted) continue;
      if (solid < 0)
        std::copy_n(x, 3, body);
      else
        pose.toBody(x, body);
      add({body[0], body[1], body[2]}, walls.volume[i], solid);
    }
  }
  n_ = int(rest.size());
  copyIn(rest_, rest.data(), n_);
  copyIn(owner_, owner.data(), n_);
  std::vector<int> first(source_.size() - firstFree_ + 1);  // samples come in the order of their solids
  for (std::size_t b = 0; b < first.size(); ++b)
    first[b] = int(std::lower_bound(owner.begin(), owner.end(), firstFree_ + int(b)) - owner.begin());
  held_ = first[0], memberCount_ = n_ - held_;
  for (int& b : first) b -= held_;
  copyIn(firstMembers_, first.data(), first.size());
  reserve();
  moveTo(0);
}

template <int D>
void Solids<D>::reserve() {
  const int room = padding() + 1 + lanes;
  for (Array<Record<D>>* a : {&rest_, &p_, &v_, &spare_}) {
    a->resize(room);
    fill(*a, n_, room, a == &v_ ? Record<D>{} : farRecord<D>());
  }
  for (Array<int>* a : {&owner_, &spareOwner_}) a->resize(room);
  std::vector<int> number(n_);
  std::iota(number.begin(), number.end(), 0);
  copyOut(number_, number.data(), number_.size());
  copyIn(number_, number.data(), n_);
}

template <int D>
void Solids<D>::moveTo(double t) {
  if (sorted_ && !moving_) return;
  time_ = t;
  setPlaced();
  place({nullptr}, n_);
  const auto v = v_.read();
  maxSpeed_ = std::sqrt(maxOf(moving_ ? n_ : 0, [=] BRIM_KERNEL(int i) { return dot(v[i].x, v[i].x); }));
  sorted_ = false;
}

template <int D>
std::vector<Pose<double>> Solids<D>::posesAt(double t) const {
  std::vector<Pose<double>> poses;
  for (int b = 0; b < firstFree_; ++b) poses.push_back(poseAt(source_[b].motion, source_[b].shape.pose(), t));
  return poses;
}

template <int D>
void Solids<D>::setPlaced() {
  hostPlaced_.resize(source_.size());
  for (std::size_t b = 0; b < source_.size(); ++b) {
    const SolidShape& shape = source_[b].shape;
    const bool isFree = int(b) >= firstFree_;
    Pose<double> pose = isFree ? free_[b - firstFree_].pose : poseAt(source_[b].motion, shape.pose(), time_);
    for (int k = 0; k < D; ++k) pose.position[k] -= origin_[k];
    PlacedSolid<D>& body = hostPlaced_[b];
    body.shape = Primitive<Real>(shape.primitive());
    body.pose = Pose<Real>(pose);
    body.volumeFraction = Real(volumeFraction_[b]);
    body.mobility = isFree ? Real(free_[b - firstFree_].mobility) : Real(0);
    // The box in the scene around the turned box of the shape.
    for (int k = 0; k < D; ++k) {
      double middle = pose.position[k], reach = 0;
      for (int j = 0; j < D; ++j) {
        const double low = shape.bodyLow()[j], high = shape.bodyHigh()[j], r = pose.rotation[3 * k + j];
        if (std::isfinite(low) && std::isfinite(high))
          middle += r * (low + high) / 2, reach += std::abs(r) * (high - low) / 2;
        else
          reach = 1e30;
      }
      if (shape.primitive().insideOut) reach = 1e30;
      body.low[k] = Real(middle - reach);
      body.high[k] = Real(middle + reach);
    }
  }
  std::vector<PlacedSolid<D>> bodies = hostPlaced_;
  for (PlacedSolid<D>& b : bodies) b.shape = shapeData_.onMachine(b.shape);
  copyIn(placed_, bodies.data(), bodies.size());
}

template <int D>
void Solids<D>::place(View<const int> which, int n) {
  const auto rest = rest_.read(), carriedP = carriedP_.read(), carriedV = carriedV_.read();
  const auto owner = owner_.read();
  const auto body = placed_.read();
  const auto p = p_.view(), v = v_.view();
  forEach(n, [=] BRIM_KERNEL(int m) {
    const int i = which.data ? which[m] : m, of = owner[i];
    if (of < -1) {
      p[i] = carriedP[-2 - of];
      v[i] = carriedV[-2 - of];
      return;
    }
    p[i] = rest[i];
    v[i] = {};
    if (of < 0) return;
    const Pose<Real>& pose = body[of].pose;
    Real x[3] = {}, y[3], u[3];
    for (int k = 0; k < D; ++k) x[k] = rest[i].x[k];
    pose.toWorld(x, y);
    pose.velocityAt(y, u);
    for (int k = 0; k < D; ++k) p[i].x[k] = y[k], v[i].x[k] = u[k];
    p[i].a = body[of].volumeFraction * rest[i].a;
    v[i].a = body[of].mobility;
  });
}

template <int D>
void Solids<D>::setFree(const std::vector<FreeBody>& bodies) {
  free_ = bodies;
  setPlaced();
  placeReacting();
}

// Before the first sort of a run nobody knows which those are.
template <int D>
void Solids<D>::placeReacting() {
  if (reacting_.size() > 0)
    place(reacting_.read(), int(reacting_.size()));
  else
    place({nullptr}, n_);
  sorted_ = false;
}

template <int D>
void Solids<D>::setVolumeFraction(const std::vector<double>& fraction) {
  if (fraction == volumeFraction_) return;
  volumeFraction_ = fraction;
  setPlaced();
  place({nullptr}, n_);
  sorted_ = false;
}

template <int D>
void Solids<D>::addCarried(int n) {
  std::vector<int> owner(n_ + n);
  copyOut(owner_, owner.data(), n_);
  for (int k = 0; k < n; ++k) owner[n_ + k] = -2 - (carried_ + k);
  n_ += n;
  carried_ += n;
  reserve();
  fill(rest_, n_ - n, n_, farRecord<D>());
  copyIn(owner_, owner.data(), n_);
  owner_.resize(spareOwner_.size());
  carriedP_.resize(carried_);
  carriedV_.resize(carried_);
  fill(carriedP_, 0, carried_, farRecord<D>());
  fill(carriedV_, 0, carried_, Record<D>{});
  moving_ = true;
  sorted_ = false;
}

template <int D>
void Solids<D>::carry(const Array<Record<D>>& p, const Array<Record<D>>& v) {
  const auto fromP = p.read(), fromV = v.read();
  const auto toP = carriedP_.view(), toV = carriedV_.view();
  forEach(carried_, [=] BRIM_KERNEL(int k) { toP[k] = fromP[k], toV[k] = fromV[k]; });
  placeReacting();
}

// to[order[k]] = from[k]: the inverse of permute.
template <class T>
static void unpermute(Array<T>& to, const Array<T>& from, const Array<int>& order, int n) {
  const auto t = to.view();
  const auto f = from.read();
  const auto at = order.read();
  forEach(n, [=] BRIM_KERNEL(int k) { t[at[k]] = f[k]; });
}

template <int D>
void Solids<D>::sort(const Window<D>& window) {
  if (sorted_ && window == window_) return;
  window_ = window;
  // From the order they were made in: a run that is resumed must not order the samples of a cell by where they never were.
  for (Array<Record<D>>* a : {&rest_, &p_, &v_}) {
    unpermute(spare_, *a, number_, n_);
    a->swap(spare_);
  }
  unpermute(spareOwner_, owner_, number_, n_);
  owner_.swap(spareOwner_);
  table_.sort(n_, p_.read(), window, true);
  const auto number = number_.view();
  const auto order = table_.order().read();
  forEach(n_, [=] BRIM_KERNEL(int k) { number[k] = order[k]; });
  for (Array<Record<D>>* a : {&rest_, &p_, &v_}) {
    permute(spare_, *a, table_.order(), n_);
    fill(spare_, n_, int(spare_.size()), a == &v_ ? Record<D>{} : farRecord<D>());
    a->swap(spare_);
  }
  permute(spareOwner_, owner_, table_.order(), n_);
  owner_.swap(spareOwner_);
  sorted_ = true;
  if (anyFree()) listReacting();
}

template <int D>
void Solids<D>::listReacting() {
  const int n = n_, first = firstFree_, before = held_;
  rank_.resize(n + 1);
  reacting_.resize(memberCount_ + carried_);
  members_.resize(memberCount_);
  const auto owner = owner_.read(), number = number_.read();
  const auto rank = rank_.view(), list = reacting_.view(), member = members_.view();
  forEach(n + 1, [=] BRIM_KERNEL(int i) { rank[i] = i < n && (owner[i] >= first || owner[i] < -1); });
  scan(rank_, n + 1);
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int of = owner[i];
    if (of < first && of >= -1) return;
    list[rank[i]] = i;
    if (of >= first) member[number[i] - before] = rank[i];
  });
}

template <int D>
std::vector<double> Solids<D>::drawn() const {
  const auto owner = onHost(owner_, n_);
  const auto p = onHost(p_, n_);
  std::vector<double> x;
  for (int i = 0; i < n_; ++i)
    if (owner[i] >= 0)
      for (int k = 0; k < 3; ++k) x.push_back(k < D ? p[i].x[k] + origin_[k] : 0);
  return x;
}

template <int D>
std::size_t Solids<D>::bytes() const {
  return 4 * p_.bytes() + 3 * owner_.bytes() + table_.bytes() + carriedP_.bytes() + carriedV_.bytes() + 2 * reacting_.bytes() +
         rank_.bytes();
}

template class Solids<2>;
template class Solids<3>;

}  // namespace brim::inline BRIM_FLAVOUR
