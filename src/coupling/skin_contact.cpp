#include "coupling/skin_contact.h"

#include <algorithm>
#include <cmath>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void collideNodes(World<D>& w) {
  const auto p = w.soft.x.view(), v = w.soft.v.view();
  const Vec<D> size = w.extent;
  const auto wall = w.walled;
  const Real gap = Real(w.clearance), eps = Real(0.05 * w.spacing);
  const auto body = w.solids.placed().read();
  const int bodies = int(w.solids.placed().size());
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) {
    Record<D> q = p[a], u = v[a];
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

template <int D>
struct NodeBox {
  Vec<D> low, high;
};

// list[start[b] .. start[b + 1] - 1] of each bin b, ascending: `put(k, add)` calls add(bin, entry) for each of its entries.
struct CountBin {
  View<int> count;
  BRIM_DEVICE_FN void operator()(int bin, int) const { countOne(count[bin]); }
};
struct FillBin {
  View<int> next, list;
  BRIM_DEVICE_FN void operator()(int bin, int entry) const { list[countOne(next[bin])] = entry; }
};
template <class Put>
void sortIntoBins(int bins, int n, Put put, Array<int>& start, Array<int>& next, Array<int>& list) {
  start.resize(bins + 1);
  fill(start, 0, bins + 1, 0);
  const CountBin count{start.view()};
  forEach(n, [=] BRIM_KERNEL(int k) { put(k, count); });
  scan(start, bins + 1);
  list.resize(elementOf(start, bins));
  next.resize(bins);
  const auto to = next.view();
  const auto from = start.read();
  forEach(bins, [=] BRIM_KERNEL(int b) { to[b] = from[b]; });
  const FillBin add{next.view(), list.view()};
  forEach(n, [=] BRIM_KERNEL(int k) { put(k, add); });
  int* const entries = list.data();
  forEach(bins, [=] BRIM_KERNEL(int b) { sortStretch(entries, from[b], from[b + 1]); });
}

template <int D>
struct PutTriangle {
  SkinView<D> skin;
  template <class Add>
  BRIM_DEVICE_FN void operator()(int t, const Add& add) const {
    const CellBox box = skin.cellsOf(t);
    for (int z = box.first[2]; z <= box.last[2]; ++z)
      for (int y = box.first[1]; y <= box.last[1]; ++y)
        for (int x = box.first[0]; x <= box.last[0]; ++x) add(skin.number(x, y, z), t);
  }
};
template <int D>
struct PutContact {
  View<const int> held;
  View<const SkinHit<D>> hit;
  View<const Vec<D, int>> triangle;
  template <class Add>
  BRIM_DEVICE_FN void operator()(int h, const Add& add) const {
    const int i = held[h];
    for (int k = 0; k < D; ++k) add(triangle[hit[i].triangle][k], 4 * i + k);
  }
};

template <int D>
void takeNodes(const World<D>& w, Array<Vec<D>>& to) {
  to.resize(w.soft.nodes);
  const auto x = w.soft.x.read();
  const auto t = to.view();
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) { t[a] = x[a].x; });
}

}  // namespace

template <int D>
void SkinContact<D>::begin(World<D>& w) {
  if (triangles_.size() == 0) {
    std::vector<Vec<D, int>> all;
    for (const auto& t : w.soft.skin) {
      auto& one = all.emplace_back();
      for (int k = 0; k < D; ++k) one[k] = t[k];
    }
    copyIn(triangles_, all.data(), all.size());
  }
  takeNodes(w, before_);
  auto& column = w.fluid.record("before");
  const auto p = w.fluid.p.read();
  const auto to = column.view();
  forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) { to[i] = {p[i].x, 0}; });
}

// A particle may come as near to the middle of a sheet, a plate of thickness d, as to a wall.
template <int D>
SkinView<D> SkinContact<D>::view(const World<D>& w) const {
  return {triangles_.read(),
          before_.read(),
          now_.read(),
          start_.read(),
          list_.read(),
          low_,
          size_,
          side_,
          Real(0.5 * w.spacing + w.clearance)};
}

// Cells of two supports, each triangle into all that it sweeps over within the step.
template <int D>
bool SkinContact<D>::bin(World<D>& w) {
  const Real gap = view(w).gap;
  const auto before = before_.read(), now = now_.read();
  NodeBox<D> box;
  for (int k = 0; k < D; ++k) box.low[k] = Real(1e30), box.high[k] = Real(-1e30);
  box = reduce(
      w.soft.nodes, box,
      [=] BRIM_KERNEL(int a) {
        NodeBox<D> one;
        for (int k = 0; k < D; ++k)
          one.low[k] = min(before[a][k], now[a][k]) - gap, one.high[k] = max(before[a][k], now[a][k]) + gap;
        return one;
      },
      [] BRIM_KERNEL(NodeBox<D> & a, const NodeBox<D>& b) {
        for (int k = 0; k < D; ++k) a.low[k] = min(a.low[k], b.low[k]), a.high[k] = max(a.high[k], b.high[k]);
      });
  for (int k = 0; k < D; ++k)
    if (!(std::abs(box.low[k]) < Real(1e12) && std::abs(box.high[k]) < Real(1e12))) return false;
  low_ = box.low;
  double cells = 0;
  for (side_ = Real(w.support);; side_ *= 2) {  // a sheet that has flown apart must not fill the memory
    cells = 1;
    for (int k = 0; k < D; ++k) cells *= std::floor(double(box.high[k] - low_[k]) / side_) + 1;
    if (cells < 64.0 * double(w.soft.skin.size()) + 4096) break;
  }
  for (int k = 0; k < D; ++k) size_[k] = int((box.high[k] - low_[k]) / side_) + 1;
  int all = 1;
  for (int k = 0; k < D; ++k) all *= size_[k];
  sortIntoBins(all, int(w.soft.skin.size()), PutTriangle<D>{view(w)}, start_, next_, list_);
  return true;
}

template <int D>
int SkinContact<D>::findHits(World<D>& w) {
  const int n = w.fluid.size();
  hits_.resize(n);
  held_.resize(n);
  heldCount_.resize(1);
  fill(heldCount_, 0, 1, 0);
  const SkinView<D> skin = view(w);
  const auto before = w.fluid.record("before").read();
  const auto p = w.fluid.p.view();
  const auto hits = hits_.view();
  const auto held = held_.view(), count = heldCount_.view();
  forEach(n, [=] BRIM_KERNEL(int i) {
    Vec<D> x = p[i].x;
    const SkinHit<D> hit = skin.turnBack(before[i].x, x);
    if (hit.triangle < 0) return;
    p[i].x = x;
    hits[i] = hit;
    held[countOne(count[0])] = i;
  });
  return elementOf(heldCount_, 0);
}

template <int D>
void SkinContact<D>::share(World<D>& w, double dt) {
  const int nodes = w.soft.nodes;
  sortIntoBins(nodes, holding_, PutContact<D>{held_.read(), hits_.read(), triangles_.read()}, nodeStart_, next_, entry_);
  share_.resize(nodes);
  u_.resize(nodes);
  impulse.resize(nodes);
  push_.resize(w.fluid.size());
  const auto share = share_.view();
  const auto u = u_.view(), sum = impulse.view();
  const auto before = before_.read(), now = now_.read();
  const auto start = nodeStart_.read(), entry = entry_.read();
  const auto hits = hits_.read();
  const Real perDt = Real(1 / dt);
  forEach(nodes, [=] BRIM_KERNEL(int a) {
    u[a] = perDt * (now[a] - before[a]);
    sum[a] = {};
    Real parts = 0;
    for (int m = start[a]; m < start[a + 1]; ++m) parts += hits[entry[m] / 4].part[entry[m] % 4];
    share[a] = parts;
  });
}

// One impulse each, all at once, with the mass of a node shared among the contacts at it (Tonge et al. 2012).
template <int D>
void SkinContact<D>::exchange(World<D>& w) {
  const auto v = w.fluid.v.view(), node = w.soft.v.view();
  const auto p = w.fluid.p.read();
  const auto hits = hits_.read();
  const auto held = held_.read(), start = nodeStart_.read(), entry = entry_.read();
  const auto triangle = triangles_.read();
  const auto share = share_.read();
  const auto u = u_.view(), sum = impulse.view(), push = push_.view();
  forEach(holding_, [=] BRIM_KERNEL(int h) {
    const int i = held[h];
    const SkinHit<D>& hit = hits[i];
    const Vec<D, int> t = triangle[hit.triangle];
    Vec<D> apart = v[i].x;
    Real way = 1 / p[i].a;
    for (int k = 0; k < D; ++k) {
      apart -= hit.part[k] * u[t[k]];
      way += hit.part[k] * hit.part[k] * max(share[t[k]], Real(1)) * node[t[k]].a;
    }
    const Real approach = -dot(apart, hit.normal);
    const Vec<D> J = (approach > 0 ? approach / way : Real(0)) * hit.normal;
    v[i].x += (1 / p[i].a) * J;
    push[i] = J;
  });
  forEach(w.soft.nodes, [=] BRIM_KERNEL(int a) {
    Vec<D> got{};
    for (int m = start[a]; m < start[a + 1]; ++m) got -= hits[entry[m] / 4].part[entry[m] % 4] * push[entry[m] / 4];
    u[a] += node[a].a * got;
    sum[a] += got;
  });
}

template <int D>
int SkinContact<D>::hold(World<D>& w, double dt) {
  takeNodes(w, now_);
  holding_ = bin(w) ? findHits(w) : 0;  // nodes that are nowhere end the step as diverged
  if (holding_ == 0) return 0;
  share(w, dt);
  for (int pass = 0; pass < 4; ++pass) exchange(w);
  return holding_;
}

template void collideNodes<2>(World<2>&);
template void collideNodes<3>(World<3>&);
template class SkinContact<2>;
template class SkinContact<3>;

}  // namespace brim::inline BRIM_FLAVOUR
