#include "world/solids.h"

#include <algorithm>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
static Sample<D> farSample() {
  Sample<D> s{};
  for (int k = 0; k < D; ++k) s.x[k] = farAway;
  return s;
}

// Samples go where their bodies are.
template <int D>
static void place(int n, View<const Sample<D>> rest, View<const int> owner, View<const Body<D>> body, View<Sample<D>> p,
                  View<Sample<D>> v) {
  forEach(n, [=] BRIM_KERNEL(int i) {
    p[i] = rest[i];
    v[i] = {};
    if (owner[i] < 0) return;
    const Pose<Real>& pose = body[owner[i]].pose;
    Real x[3] = {}, y[3], u[3];
    for (int k = 0; k < D; ++k) x[k] = rest[i].x[k];
    pose.toWorld(x, y);
    pose.velocityAt(y, u);
    for (int k = 0; k < D; ++k) p[i].x[k] = y[k], v[i].x[k] = u[k];
  });
}

template <int D>
Solids<D>::Solids(const Setup& setup) : origin_(setup.scene.domain.min) {
  const Scene& scene = setup.scene;
  for (std::size_t b = 0; b < scene.solids.size(); ++b) {
    source_.push_back({setup.solids[b], scene.solids[b].motion});
    moving_ = moving_ || scene.solids[b].motion.moves();
  }
  const WallSamples& walls = setup.walls;
  std::vector<Sample<D>> rest;
  std::vector<int> owner;
  const double support = scene.resolution.support * scene.resolution.spacing;
  // Samples within one support of a periodic face stand at the other end too.
  const auto add = [&](Vector x, double volume, int solid) {
    for (int k = 0; k < D; ++k)
      if (solid < 0) x[k] -= origin_[k];
    Sample<D> s;
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
  const int room = ghost() + 1 + lanes;
  copyIn(rest_, rest.data(), n_);
  copyIn(owner_, owner.data(), n_);
  for (Array<Sample<D>>* a : {&rest_, &p_, &v_, &spare_}) {
    a->resize(room);
    fill(*a, n_, room, a == &v_ ? Sample<D>{} : farSample<D>());
  }
  for (Array<int>* a : {&owner_, &spareOwner_}) a->resize(room);
  moveTo(0);
}

template <int D>
void Solids<D>::moveTo(double t) {
  if (sorted_ && !moving_) return;
  std::vector<Body<D>> bodies(source_.size());
  for (std::size_t b = 0; b < source_.size(); ++b) {
    const SolidShape& shape = source_[b].shape;
    Pose<double> pose = poseAt(source_[b].motion, shape.pose(), t);
    for (int k = 0; k < D; ++k) pose.position[k] -= origin_[k];
    Body<D>& body = bodies[b];
    body.shape = Primitive<Real>(shape.primitive());
    body.pose = Pose<Real>(pose);
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
  copyIn(bodies_, bodies.data(), bodies.size());
  place(n_, rest_.read(), owner_.read(), bodies_.read(), p_.view(), v_.view());
  const auto v = v_.read();
  maxSpeed_ = std::sqrt(maxOf(moving_ ? n_ : 0, [=] BRIM_KERNEL(int i) { return dot(v[i].x, v[i].x); }));
  sorted_ = false;
}

template <int D>
void Solids<D>::sort(const Window<D>& window) {
  if (sorted_ && window == window_) return;
  window_ = window;
  table_.sort(n_, p_.read(), window);
  for (Array<Sample<D>>* a : {&rest_, &p_, &v_}) {
    permute(spare_, *a, table_.order(), n_);
    fill(spare_, n_, int(spare_.size()), a == &v_ ? Sample<D>{} : farSample<D>());
    a->swap(spare_);
  }
  permute(spareOwner_, owner_, table_.order(), n_);
  owner_.swap(spareOwner_);
  sorted_ = true;
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
  return 4 * p_.bytes() + 2 * owner_.bytes() + table_.bytes();
}

template class Solids<2>;
template class Solids<3>;

}  // namespace brim::inline BRIM_FLAVOUR
