#include "step/collide.h"

#include <algorithm>
#include <cmath>

#include "scene/vector.h"
#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

// [m/s] half of what a fall through half a spacing gives: the water that has to make room stays slow too.
template <int D>
static double exitSpeed(const World<D>& w) {
  return 0.5 * std::sqrt(9.81 * w.spacing);
}

template <int D>
void Collision<D>::collide(World<D>& w, double dt) {
  keepOut(w, dt, 0, unbounded, true);
}

template <int D>
void Collision<D>::collideAndRelease(World<D>& w, double dt) {
  keepOut(w, dt, dt * exitSpeed(w), unbounded, true);
  bringSamplesIn(w, dt);
}

template <int D>
void Collision<D>::pushOut(World<D>& w, double deepest) {
  keepOut(w, 0, unbounded, deepest, false);
}

// Out of the solid by its signed distance, and without the part of the velocity that leads back in. Samples hold the
// fluid off at d/2; this catches what is thrown at a wall faster than they can stop it, so that nothing leaks. The way out is at
// most `exit` longer than that of dt with the approach: fluid that fills a solid would all be put onto its surface otherwise.
// Free bodies pay for what they stop, or move on as if nothing had been there.
template <int D>
void Collision<D>::keepOut(World<D>& w, double dt, double exit, double deepest, bool paid) {
  auto& fluid = w.fluid;
  const auto& solids = w.solids;
  const auto p = fluid.p.view(), v = fluid.v.view();
  const Vec<D> size = w.extent;
  const auto wall = w.walled;
  const Real gap = Real(w.clearance), eps = Real(0.05 * w.spacing), most = Real(deepest + w.clearance);
  const Real h = Real(dt), farther = Real(exit);
  const Real absurd2 = Real(absurdSpeed * absurdSpeed);
  const auto body = solids.placed().read();
  const int count = int(solids.placed().size()), firstFree = solids.firstFree();
  const bool twoWay = paid && firstFree < count;
  if (twoWay) {
    hits_.resize(fluid.size());
    hitCount_.resize(1);
    fill(hitCount_, 0, 1, 0);
  }
  const auto hits = hits_.view();
  const auto hitCount = hitCount_.view();
  if (count > 0) depth_.resize(fluid.size()), within_.resize(fluid.size());
  const auto left = depth_.view();
  const auto within = within_.view();
  forEach(fluid.size(), [=] BRIM_KERNEL(int i) {
    if (count > 0) left[i] = 0;
    Record<D> q = p[i], u = v[i];
    BodyHit<D> hit{i, -1, {}, {}};
    if (!(dot(u.x, u.x) < absurd2)) return;  // stopping it would hide that the run has diverged
    for (int b = 0; b < count; ++b) {
      bool near = true;
      for (int k = 0; k < D; ++k) near = near && q.x[k] > body[b].low[k] - gap && q.x[k] < body[b].high[k] + gap;
      if (!near) continue;
      Real x[3] = {}, y[3], n[3] = {}, out[3], wallV[3];
      for (int k = 0; k < D; ++k) x[k] = q.x[k];
      body[b].pose.toBody(x, y);
      const Real depth = gap - body[b].shape.distance(y);
      if (!(depth > 0) || depth > most) continue;
      body[b].shape.normal(y, eps, n);
      body[b].pose.directionToWorld(n, out);
      body[b].pose.velocityAt(x, wallV);
      Real approach = 0;
      for (int k = 0; k < D; ++k) approach += (wallV[k] - u.x[k]) * out[k];
      // What a free body stops it pays for; of two bodies the first, so that no momentum is lost count of.
      const bool pays = twoWay && b >= firstFree && approach > 0;
      const bool stops = approach > 0 && !(pays && hit.body >= 0);
      const Real way = min(depth, h * max(approach, 0) + farther);
      // The nearest way out of a body that stands on the floor may lead through the floor: then along it, to the nearer side.
      bool blocked = false;
      for (int k = 0; k < D; ++k)
        blocked = blocked || (wall[k] && (q.x[k] + way * out[k] < 0 || q.x[k] + way * out[k] > size[k]));
      if (blocked && !paid) {
        Real nearer = most;
        Vec<D> aside{};
        for (int k = 0; k < D; ++k)
          for (int side = -1; side <= 1; side += 2) {
            if (out[k] * out[k] > Real(0.5)) continue;
            Real s = 0, z[3], m[3];
            for (int a = 0; a < 3; ++a) z[a] = x[a];
            for (int n = 0; n < 32 && s < nearer; ++n) {
              z[k] = x[k] + side * s;
              body[b].pose.toBody(z, m);
              const Real rest = gap - body[b].shape.distance(m);
              if (!(rest > 0)) break;
              s += max(rest, 20 * eps / 8);
            }
            if (s < nearer) nearer = s, aside = {}, aside[k] = side * s;
          }
        for (int k = 0; k < D; ++k) q.x[k] += aside[k];
        if (nearer < most) continue;
      }
      if (depth - way > left[i]) left[i] = depth - way, within[i] = b;
      for (int k = 0; k < D; ++k) {
        q.x[k] += way * out[k];
        if (stops) u.x[k] += approach * out[k];
      }
      if (pays && stops) {
        hit.body = b - firstFree;
        for (int k = 0; k < D; ++k) hit.impulse[k] = -approach * q.a * out[k];
      }
    }
    for (int k = 0; k < D; ++k) {
      if (!wall[k]) continue;
      const Real low = gap, high = size[k] - gap;
      if (q.x[k] < low) q.x[k] = low, u.x[k] = max(u.x[k], 0);
      if (q.x[k] > high) q.x[k] = high, u.x[k] = min(u.x[k], 0);
    }
    p[i] = q;
    v[i] = u;
    if (hit.body >= 0) {
      hit.x = q.x;
      hits[countOne(hitCount[0])] = hit;
    }
  });
  if (twoWay) payHits(w);
}

// In the order of the particles, whatever the threads did.
template <int D>
void Collision<D>::payHits(World<D>& w) {
  using namespace vectors;
  if (!w.bodies) return;
  std::vector<BodyHit<D>> hits(elementOf(hitCount_, 0));
  copyOut(hits_, hits.data(), hits.size());
  std::sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.particle < b.particle; });
  for (const BodyHit<D>& hit : hits) {
    Vector at = {0, 0, 0}, impulse = {0, 0, 0};
    for (int k = 0; k < D; ++k) at[k] = hit.x[k] + w.origin[k], impulse[k] = hit.impulse[k];
    w.bodies->push(hit.body, impulse, vectors::cross(at - w.bodies->body(hit.body).x, impulse));
  }
}

// Of each solid: whether fluid is more than half a spacing inside, as the last keepOut left it.
template <int D>
std::vector<char> Collision<D>::filledSolids(const World<D>& w) const {
  const int n = w.fluid.size();
  std::vector<char> filled(w.solids.placed().size(), 0);
  const auto depth = depth_.read();
  const Real deep = Real(w.spacing / 2);
#if !BRIM_CUDA
  if (isSpread(w)) {
    const char* const own = ownFlags(w);
    std::vector<int> any(filled.size(), 0);
    for (int i = 0; i < n && !filled.empty(); ++i)
      if (own[i] && depth[i] > deep) any[within_[i]] = 1;
    largestOverRanks(w, any.data(), any.size());
    return std::vector<char>(any.begin(), any.end());
  }
#endif
  if (filled.empty() || !(maxOf(n, [=] BRIM_KERNEL(int i) { return depth[i]; }) > deep)) return filled;
  const auto left = onHost(depth_, n);
  const auto within = onHost(within_, n);
  for (int i = 0; i < n; ++i)
    if (left[i] > deep) filled[within[i]] = 1;
  return filled;
}

// The samples of a solid that was full of fluid come in within a tenth of a second, when it is empty: the fluid at the clearance
// moves off to d/2 at 4 d a second.
template <int D>
void Collision<D>::bringSamplesIn(World<D>& w, double dt) {
  std::vector<double> fraction = w.solids.volumeFraction();
  if (std::all_of(fraction.begin(), fraction.end(), [](double p) { return p == 1; })) return;
  const std::vector<char> filled = filledSolids(w);
  for (std::size_t b = 0; b < filled.size(); ++b)
    if (!filled[b]) fraction[b] = std::min(1.0, fraction[b] + dt / 0.1);
  w.solids.setVolumeFraction(fraction);
}

template class Collision<2>;
template class Collision<3>;

}  // namespace brim::inline BRIM_FLAVOUR
