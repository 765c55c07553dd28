#include "constraints/contact.h"

#include <algorithm>
#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void collideNodes(World<D>& w) {
  const auto p = w.soft.x.view(), v = w.soft.v.view();
  const Vec<D> size = w.extent;
  const auto wall = w.walled;
  const Real gap = Real(w.clearance), eps = Real(0.05 * w.spacing);
  const auto body = w.solids.bodies().read();
  const int bodies = int(w.solids.bodies().size());
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) {
    Sample<D> q = p[a], u = v[a];
    for (int b = 0; b < bodies; ++b) {
      Real x[3] = {}, y[3], n[3] = {}, out[3], wallV[3];
      for (int k = 0; k < D; ++k) x[k] = q.x[k];
      body[b].pose.toBody(x, y);
      const Real depth = gap - body[b].shape.distance(y);
      if (!(depth > 0)) continue;
      body[b].shape.normal(y, eps, n);
      body[b].pose.directionToWorld(n, out);
      body[b].pose.velocityAt(x, wallV);
      Real approach = 0;
      for (int k = 0; k < D; ++k) approach += (wallV[k] - u.x[k]) * out[k];
      for (int k = 0; k < D; ++k) {
        q.x[k] += depth * out[k];
        if (approach > 0) u.x[k] += approach * out[k];
      }
    }
    for (int k = 0; k < D; ++k) {
      if (!wall[k]) continue;
      if (q.x[k] < 0) q.x[k] = 0, u.x[k] = max(u.x[k], 0);
      if (q.x[k] > size[k]) q.x[k] = size[k], u.x[k] = min(u.x[k], 0);
    }
    p[a] = q;
    v[a] = u;
  });
}

namespace {

// Corners of a triangle or a segment.
template <int D>
struct Corners {
  Vec<D> x[D];
};

Vec<2> normalOf(const Corners<2>& c) {
  const Vec<2> e = c.x[1] - c.x[0];
  const Real size = std::sqrt(dot(e, e));
  return size > 0 ? Vec<2>{-e[1] / size, e[0] / size} : Vec<2>{};
}
Vec<3> normalOf(const Corners<3>& c) {
  const Vec<3> n = cross(c.x[1] - c.x[0], c.x[2] - c.x[0]);
  const Real size = std::sqrt(dot(n, n));
  return size > 0 ? (1 / size) * n : Vec<3>{};
}

// [m] How near a particle may come to the middle of a sheet, a plate of thickness d: as near as to a wall.
template <int D>
Real skinGap(const World<D>& w) {
  return Real(0.5 * w.spacing + w.clearance);
}

// Parts of the corners at the foot of x; true if the foot lies on the triangle, with a little more for the seams.
constexpr Real seam = Real(0.02);
bool partsAt(const Corners<2>& c, const Vec<2>& x, Real (&part)[3]) {
  const Vec<2> e = c.x[1] - c.x[0];
  const Real s = dot(x - c.x[0], e) / dot(e, e);
  part[0] = 1 - s, part[1] = s, part[2] = 0;
  return s > -seam && s < 1 + seam;
}
bool partsAt(const Corners<3>& c, const Vec<3>& x, Real (&part)[3]) {
  const Vec<3> a = c.x[1] - c.x[0], b = c.x[2] - c.x[0], r = x - c.x[0];
  const Real aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), ar = dot(a, r), br = dot(b, r), det = aa * bb - ab * ab;
  if (!(det > 0)) return false;
  const Real s = (bb * ar - ab * br) / det, t = (aa * br - ab * ar) / det;
  part[0] = 1 - s - t, part[1] = s, part[2] = t;
  return s > -seam && t > -seam && s + t < 1 + seam;
}

template <int D>
Corners<D> cornersOf(const std::vector<Vec<D>>& node, const std::array<int, 3>& t) {
  Corners<D> c;
  for (int k = 0; k < D; ++k) c.x[k] = node[t[k]];
  return c;
}

}  // namespace

template <int D>
void SkinContact<D>::begin(World<D>& w) {
  before_.resize(w.soft.nodes);
  const auto x = onHost(w.soft.x, w.soft.nodes);
  for (int a = 0; a < w.soft.nodes; ++a) before_[a] = x[a].x;
  auto& column = w.fluid.sample("before");
  const auto p = w.fluid.p.read();
  const auto to = column.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = {p[i].x, 0}; });
}

// Triangles into cells of two supports, each into all that it sweeps over within the step.
template <int D>
void SkinContact<D>::bin(World<D>& w) {
  const Real gap = skinGap(w);
  side_ = Real(w.support);
  low_ = now_[0];
  Vec<D> high = now_[0];
  for (const auto* nodes : {&before_, &now_})
    for (const Vec<D>& x : *nodes)
      for (int k = 0; k < D; ++k) low_[k] = min(low_[k], x[k] - gap), high[k] = max(high[k], x[k] + gap);
  std::size_t cells = 0;
  for (;; side_ *= 2) {  // a sheet that has flown apart must not fill the memory
    cells = 1;
    for (int k = 0; k < D; ++k) {
      size_[k] = int((high[k] - low_[k]) / side_) + 1;
      cells *= std::size_t(size_[k]);
    }
    if (cells < 64 * w.soft.skin.size() + 4096) break;
  }
  start_.assign(cells + 1, 0);
  const auto eachCell = [&](const std::array<int, 3>& t, auto body) {
    int from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) {
      Real a = Real(1e30), b = Real(-1e30);
      for (const auto* nodes : {&before_, &now_})
        for (int c = 0; c < D; ++c) a = min(a, (*nodes)[t[c]][k]), b = max(b, (*nodes)[t[c]][k]);
      from[k] = std::clamp(int((a - gap - low_[k]) / side_), 0, size_[k] - 1);
      to[k] = std::clamp(int((b + gap - low_[k]) / side_), 0, size_[k] - 1);
    }
    for (int z = from[2]; z <= to[2]; ++z)
      for (int y = from[1]; y <= to[1]; ++y)
        for (int x = from[0]; x <= to[0]; ++x) body((std::size_t(z) * size_[1] + y) * size_[0] + x);
  };
  for (const auto& t : w.soft.skin) eachCell(t, [&](std::size_t c) { ++start_[c + 1]; });
  for (std::size_t c = 1; c <= cells; ++c) start_[c] += start_[c - 1];
  list_.resize(start_[cells]);
  auto next = start_;
  for (int k = 0; k < int(w.soft.skin.size()); ++k) eachCell(w.soft.skin[k], [&](std::size_t c) { list_[next[c]++] = k; });
}

// Puts a particle that went from -> to back to its side, where something is in its way. The first triangle on the path counts;
// then whatever the particle stands too near to.
template <int D>
typename SkinContact<D>::Hit SkinContact<D>::turnBack(const World<D>& w, const Vec<D>& from, Vec<D>& to) const {
  const Real gap = skinGap(w);
  Hit hit;
  for (int pass = 0; pass < 3; ++pass) {
    // Cells of both ends: a step is shorter than a cell.
    int first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) {
      const Real a = min(from[k], to[k]), b = max(from[k], to[k]);
      if (b < low_[k] - gap || a > low_[k] + size_[k] * side_ + gap) return hit;
      first[k] = std::clamp(int((a - low_[k]) / side_), 0, size_[k] - 1);
      last[k] = std::clamp(int((b - low_[k]) / side_), 0, size_[k] - 1);
    }
    Real earliest = 2, move = 0;
    Hit found;
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) {
          const std::size_t c = (std::size_t(z) * size_[1] + y) * size_[0] + x;
          for (int k = start_[c]; k < start_[c + 1]; ++k) {
            const auto& t = w.soft.skin[list_[k]];
            const Corners<D> old = cornersOf<D>(before_, t), now = cornersOf<D>(now_, t);
            const Vec<D> n0 = normalOf(old), n1 = normalOf(now);
            const Real s0 = dot(n0, from - old.x[0]), s1 = dot(n1, to - now.x[0]), side = s0 < 0 ? Real(-1) : Real(1);
            if (side * s1 >= gap) continue;
            Real part[3], when = 1;
            if (side * s1 < 0) {  // passed: where it went through
              when = s0 / (s0 - s1);
              Corners<D> then;
              for (int m = 0; m < D; ++m) then.x[m] = old.x[m] + when * (now.x[m] - old.x[m]);
              if (!partsAt(then, from + when * (to - from), part)) continue;
            } else if (!partsAt(now, to, part)) {
              continue;
            }
            if (!(when < earliest)) continue;
            earliest = when;
            move = side * gap - s1;
            found.triangle = list_[k];
            for (int m = 0; m < 3; ++m) found.part[m] = min(max(part[m], 0), 1);
            found.normal = side * n1;
            move *= side;
          }
        }
    if (found.triangle < 0) break;
    to += move * found.normal;
    if (hit.triangle < 0) hit = found;
  }
  return hit;
}

template <int D>
int SkinContact<D>::hold(World<D>& w, double dt) {
  now_.resize(w.soft.nodes);
  const auto node = onHost(w.soft.x, w.soft.nodes);
  for (int a = 0; a < w.soft.nodes; ++a) now_[a] = node[a].x;
  bin(w);
  const int n = w.fluid.size();
  const auto before = onHost(w.fluid.sample("before").data, n);
  std::vector<Sample<D>> p(n), v(n);
  copyOut(w.fluid.p.data, p.data(), n);
  std::vector<Hit> hits(n);
  forEachOnHost(n, [&](int i) {
    Vec<D> x = p[i].x;
    hits[i] = turnBack(w, before[i].x, x);
    p[i].x = x;
  });
  std::vector<Real> share(w.soft.nodes);
  std::vector<int> held;
  for (int i = 0; i < n; ++i)
    if (hits[i].triangle >= 0) {
      held.push_back(i);
      for (int k = 0; k < D; ++k) share[w.soft.skin[hits[i].triangle][k]] += hits[i].part[k];
    }
  if (held.empty()) return 0;
  copyOut(w.fluid.v.data, v.data(), n);

  // One impulse each, all at once, with the mass of a node shared among the contacts at it (Tonge et al. 2012).
  const auto mobility = onHost(w.soft.v, w.soft.nodes);
  std::vector<Vec<D>> u(w.soft.nodes), sum(w.soft.nodes, Vec<D>{});
  for (int a = 0; a < w.soft.nodes; ++a) u[a] = Real(1 / dt) * (now_[a] - before_[a]);
  for (int pass = 0; pass < 4; ++pass) {
    std::vector<Vec<D>> push(w.soft.nodes, Vec<D>{});
    for (const int i : held) {
      const Hit& h = hits[i];
      const auto& t = w.soft.skin[h.triangle];
      Vec<D> apart = v[i].x;
      Real way = 1 / p[i].a;
      for (int k = 0; k < D; ++k) {
        apart -= h.part[k] * u[t[k]];
        way += h.part[k] * h.part[k] * max(share[t[k]], 1) * mobility[t[k]].a;
      }
      const Real approach = -dot(apart, h.normal);
      if (!(approach > 0)) continue;
      const Vec<D> J = (approach / way) * h.normal;
      v[i].x += (1 / p[i].a) * J;
      for (int k = 0; k < D; ++k) push[t[k]] -= h.part[k] * J;
    }
    for (int a = 0; a < w.soft.nodes; ++a) {
      u[a] += mobility[a].a * push[a];
      sum[a] += push[a];
    }
  }
  copyIn(impulse, sum.data(), sum.size());
  copyIn(w.fluid.p.data, p.data(), n);
  copyIn(w.fluid.v.data, v.data(), n);
  for (auto* column : {&w.fluid.p.data, &w.fluid.v.data}) column->resize(w.fluid.room());  // what pads them is still there
  return int(held.size());
}

template void collideNodes<2>(World<2>&);
template void collideNodes<3>(World<3>&);
template class SkinContact<2>;
template class SkinContact<3>;

}  // namespace brim::inline BRIM_FLAVOUR
