#include "sph/viscous_boundary.h"

#include "scene/vector.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void ViscousBoundary<D>::begin(StepContext<D>& c) {
  World<D>& w = c.world;
  if (kinds_.size() == 0) {
    std::vector<SurfaceKind<D>> kinds;
    const Scene& scene = w.scene();
    for (std::size_t b = 0; b < lengths_.solids.size(); ++b) {
      SurfaceKind<D> k{};
      k.slip = lengths_.solids[b] < freeSlip ? Real(lengths_.solids[b]) : Real(-1);
      for (int a = 0; a < D && b < scene.solids.size(); ++a) k.slide[a] = Real(scene.solids[b].surface_velocity[a]);
      kinds.push_back(k);
    }
    if (kinds.empty()) kinds.push_back({});
    copyIn(kinds_, kinds.data(), kinds.size());
  }
  findSurfaces(c);
  bodies_ = w.bodies && w.bodies->size() > 0;
  nodes_ = lengths_.automatic < freeSlip && w.soft.any() ? w.soft.nodes : 0;
  held_ = false;
  if (!bodies_) return;
  const int n = w.bodies->size();
  inertia_.resize(n);
  for (int b = 0; b < n; ++b) {
    const BodyState& s = w.bodies->body(b);
    Inertia& i = inertia_[b];
    i.moves = s.perMass > 0;
    held_ = held_ || !i.moves;
    if (!i.moves) continue;
    i.mass = 1 / s.perMass;
    const Matrix& P = s.perInertiaHere;
    std::fill(i.about, i.about + 9, 0.0);
    if (D == 2) {
      i.about[8] = P[8] > 0 ? 1 / P[8] : 0;
      continue;
    }
    const double det =
        P[0] * (P[4] * P[8] - P[5] * P[7]) - P[1] * (P[3] * P[8] - P[5] * P[6]) + P[2] * (P[3] * P[7] - P[4] * P[6]);
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) {
        const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        i.about[3 * k + r] = (P[3 * r1 + k1] * P[3 * r2 + k2] - P[3 * r1 + k2] * P[3 * r2 + k1]) / det;
      }
  }
}

template <int D>
void ViscousBoundary<D>::findSurfaces(StepContext<D>& c) {
  World<D>& w = c.world;
  const int n = w.solids.size(), room = w.solids.padding() + 1 + lanes;
  for (Array<Record<D>>* a : {&place_, &motion_, &change_}) a->resize(room);
  const auto place = place_.view(), motion = motion_.view(), change = change_.view();
  const auto p = w.solids.p(), v = w.solids.v();
  const auto owner = w.solids.owner();
  const auto body = w.solids.placed().read();
  const auto kind = kinds_.read();
  const Vec<D> size = w.extent;
  const auto wall = w.walled;
  const Real eps = Real(0.05 * w.spacing);
  const Real walls = lengths_.walls < freeSlip ? Real(lengths_.walls) : Real(-1);
  const Real others = lengths_.automatic < freeSlip ? Real(lengths_.automatic) : Real(-1);
  forEach(room, [=] BRIM_KERNEL(int k) {
    Record<D> here{}, moves{}, still{};
    moves.a = -1;
    if (k < n) {
      const int of = owner[k];
      moves = v[k];
      moves.a = of >= 0 ? kind[of].slip : of == -1 ? walls : others;
      if (of == -1) {
        Real square = 0;
        for (int a = 0; a < D; ++a) {
          const Real x = p[k].x[a], out = !wall[a] ? Real(0) : x < 0 ? -x : x > size[a] ? size[a] - x : Real(0);
          here.x[a] = out;
          square += out * out;
        }
        here.a = sqrt(square);
        for (int a = 0; a < D; ++a) here.x[a] = square > 0 ? here.x[a] / here.a : Real(0);
      } else if (of >= 0 && moves.a >= 0) {
        Real x[3] = {}, y[3], normal[3] = {}, out[3], u[3];
        for (int a = 0; a < D; ++a) x[a] = p[k].x[a];
        body[of].pose.toBody(x, y);
        const Real depth = max(-body[of].shape.distance(y), 0);
        body[of].shape.normal(y, eps, normal);
        body[of].pose.directionToWorld(normal, out);
        Real length = 0, across = 0;
        for (int a = 0; a < D; ++a) length += out[a] * out[a];
        if (length > Real(0.25)) {
          here.a = depth;
          for (int a = 0; a < D; ++a) here.x[a] = out[a], x[a] += depth * out[a], across += out[a] * kind[of].slide[a];
        }
        body[of].pose.velocityAt(x, u);
        for (int a = 0; a < D; ++a) moves.x[a] = u[a] + kind[of].slide[a] - across * here.x[a];
      }
      still.a = moves.a;
    } else {
      still.a = -1;
    }
    place[k] = here;
    motion[k] = moves;
    change[k] = still;
  });
}

// Forces on the samples as those of their bodies, about the centres of mass.
template <int D>
std::vector<BodyChange> ViscousBoundary<D>::gatherBodies(StepContext<D>& c) const {
  using namespace vectors;
  World<D>& w = c.world;
  const std::vector<Wrench> sums = c.reaction.perBody(w.solids);
  std::vector<BodyChange> all(inertia_.size());
  for (std::size_t b = 0; b < all.size(); ++b) {
    const Vector f = sums[b].force, m = sums[b].torque - vectors::cross(w.bodies->body(int(b)).x - w.origin, f);
    for (int k = 0; k < 3; ++k) all[b].v[k] = f[k], all[b].w[k] = m[k];
    if (D == 2) all[b].v[2] = all[b].w[0] = all[b].w[1] = 0;
  }
  return all;
}

// to = scale m nodeQ - J^T impulses; or the diagonal of the matrix.
template <int D>
void ViscousBoundary<D>::gatherNodes(StepContext<D>& c, Array<Record<D>>& out, Real scale, bool diagonal) {
  World<D>& w = c.world;
  const auto J = c.reaction.perCarried(w.solids).read();
  const auto row = w.soft.row.read();
  const auto v = w.soft.v.read(), q = nodeQ_.read();
  const auto to = out.view();
  const Incidence of = w.soft.incidence();
  const int first = w.soft.rows;
  forEach(nodes_, [=] BRIM_KERNEL(int a) {
    Vec<D> sum{};
    Real stiff = 0;
    for (int k = of.begin[a]; k < of.begin[a + 1]; ++k) {
      const int r = of.entry[k] / 4;
      if (r < first) continue;
      const Real part = row[r].part[of.entry[k] % 4];
      sum += part * J[r - first].x;
      stiff += part * J[r - first].a;
    }
    const Real per = v[a].a, mass = per > 0 ? 1 / per : Real(0);
    if (diagonal) {
      to[a].a = mass + stiff;
    } else {
      to[a].x = per > 0 ? (scale * mass) * q[a].x - sum : Vec<D>{};
    }
  });
}

template <int D>
void ViscousBoundary<D>::start(StepContext<D>& c) {
  if (bodies_) {
    r_ = gatherBodies(c);
    for (std::size_t b = 0; b < r_.size(); ++b)
      if (!inertia_[b].moves) r_[b] = {};
    x_.assign(r_.size(), {}), z_ = x_, q_ = x_, Aq_ = x_;
  }
  if (nodes_ > 0) {
    for (Array<Record<D>>* a : {&nodeX_, &nodeR_, &nodeZ_, &nodeQ_, &nodeAq_})
      a->resize(nodes_), fill(*a, 0, nodes_, Record<D>{});
    gatherNodes(c, nodeZ_, 0, true);
    gatherNodes(c, nodeR_, 0, false);
    const auto r = nodeR_.view();
    forEach(nodes_, [=] BRIM_KERNEL(int a) { r[a].x = Real(-1) * r[a].x; });
  }
}

namespace {
double dotOf(const std::vector<BodyChange>& a, const std::vector<BodyChange>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int k = 0; k < 3; ++k) s += a[i].v[k] * b[i].v[k] + a[i].w[k] * b[i].w[k];
  return s;
}
template <int D>
double dotOf(int n, const Array<Record<D>>& a, const Array<Record<D>>& b) {
  const auto x = a.read(), y = b.read();
  return sumOf(n, [=] BRIM_KERNEL(int i) { return dot(x[i].x, y[i].x); });
}
// to = a + factor b.
template <int D>
void combine(int n, Array<Record<D>>& to, const Array<Record<D>>& a, double factor, const Array<Record<D>>& b) {
  const auto t = to.view();
  const auto x = a.read(), y = b.read();
  const Real f = Real(factor);
  forEach(n, [=] BRIM_KERNEL(int i) { t[i].x = x[i].x + f * y[i].x; });
}
}  // namespace

template <int D>
double ViscousBoundary<D>::precondition() {
  double sum = 0;
  if (bodies_) {
    for (std::size_t b = 0; b < r_.size(); ++b) {
      if (!inertia_[b].moves) continue;
      for (int k = 0; k < 3; ++k) z_[b].v[k] = r_[b].v[k] / inertia_[b].mass;
      // The diagonal of the inertia will do.
      for (int k = 0; k < 3; ++k) z_[b].w[k] = inertia_[b].about[4 * k] > 0 ? r_[b].w[k] / inertia_[b].about[4 * k] : 0;
    }
    sum += dotOf(r_, z_);
  }
  if (nodes_ > 0) {
    const auto z = nodeZ_.view();
    const auto r = nodeR_.read();
    forEach(nodes_, [=] BRIM_KERNEL(int a) { z[a].x = z[a].a > 0 ? (1 / z[a].a) * r[a].x : Vec<D>{}; });
    sum += dotOf<D>(nodes_, nodeR_, nodeZ_);
  }
  return sum;
}

template <int D>
void ViscousBoundary<D>::search(StepContext<D>& c, double beta) {
  for (std::size_t b = 0; bodies_ && b < q_.size(); ++b)
    for (int k = 0; k < 3; ++k) q_[b].v[k] = z_[b].v[k] + beta * q_[b].v[k], q_[b].w[k] = z_[b].w[k] + beta * q_[b].w[k];
  if (nodes_ > 0) combine<D>(nodes_, nodeQ_, nodeZ_, beta, nodeQ_);
  spread(c);
}

// Velocities of the samples by those of bodies and nodes in q.
template <int D>
void ViscousBoundary<D>::spread(StepContext<D>& c) {
  World<D>& w = c.world;
  std::vector<BodyTurn<D>> turns(bodies_ ? q_.size() : 1);
  for (std::size_t b = 0; bodies_ && b < q_.size(); ++b) {
    for (int k = 0; k < D; ++k)
      turns[b].centre[k] = Real(w.bodies->body(int(b)).x[k] - w.origin[k]), turns[b].v[k] = Real(q_[b].v[k]);
    for (int k = 0; k < 3; ++k) turns[b].w[k] = Real(q_[b].w[k]);
  }
  copyIn(turns_, turns.data(), turns.size());
  const auto turn = turns_.read();
  const auto at = w.solids.reacting().read(), owner = w.solids.owner();
  const auto p = w.solids.p(), place = place_.read();
  const auto to = change_.view();
  const int first = w.solids.firstFree();
  const bool carried = nodes_ > 0;
  const auto row = View<const SoftRow>{w.soft.any() ? w.soft.row.data() + w.soft.rows : nullptr};
  const auto q = nodeQ_.read();
  forEach(int(w.solids.reacting().size()), [=] BRIM_KERNEL(int m) {
    const int k = at[m], of = owner[k];
    Vec<D> u{};
    if (of >= first) {
      const BodyTurn<D>& t = turn[of - first];
      Real x[3] = {}, v[3];
      for (int a = 0; a < D; ++a) x[a] = p[k].x[a] + place[k].a * place[k].x[a] - t.centre[a];
      v[0] = t.w[1] * x[2] - t.w[2] * x[1];
      v[1] = t.w[2] * x[0] - t.w[0] * x[2];
      v[2] = t.w[0] * x[1] - t.w[1] * x[0];
      for (int a = 0; a < D; ++a) u[a] = t.v[a] + v[a];
    } else if (of < -1 && carried) {
      const SoftRow& s = row[-2 - of];
      for (int a = 0; a < 4; ++a) u += s.part[a] * q[s.node[a]].x;
    }
    to[k].x = u;
  });
}

template <int D>
double ViscousBoundary<D>::curvature(StepContext<D>& c) {
  double sum = 0;
  if (bodies_) {
    const std::vector<BodyChange> f = gatherBodies(c);
    for (std::size_t b = 0; b < f.size(); ++b) {
      Aq_[b] = {};
      if (!inertia_[b].moves) continue;
      for (int k = 0; k < 3; ++k) {
        Aq_[b].v[k] = inertia_[b].mass * q_[b].v[k] - f[b].v[k];
        for (int l = 0; l < 3; ++l) Aq_[b].w[k] += inertia_[b].about[3 * k + l] * q_[b].w[l];
        Aq_[b].w[k] -= f[b].w[k];
      }
    }
    sum += dotOf(q_, Aq_);
  }
  if (nodes_ > 0) {
    gatherNodes(c, nodeAq_, 1, false);
    sum += dotOf<D>(nodes_, nodeQ_, nodeAq_);
  }
  return sum;
}

template <int D>
void ViscousBoundary<D>::advance(double alpha) {
  for (std::size_t b = 0; bodies_ && b < x_.size(); ++b)
    for (int k = 0; k < 3; ++k) {
      x_[b].v[k] += alpha * q_[b].v[k], x_[b].w[k] += alpha * q_[b].w[k];
      r_[b].v[k] -= alpha * Aq_[b].v[k], r_[b].w[k] -= alpha * Aq_[b].w[k];
    }
  if (nodes_ > 0) {
    combine<D>(nodes_, nodeX_, nodeX_, alpha, nodeQ_);
    combine<D>(nodes_, nodeR_, nodeR_, -alpha, nodeAq_);
  }
}

template <int D>
void ViscousBoundary<D>::finish(StepContext<D>& c, bool converged) {
  World<D>& w = c.world;
  if (bodies_) {
    const std::vector<BodyChange> f = held_ ? gatherBodies(c) : std::vector<BodyChange>();
    for (int b = 0; b < w.bodies->size(); ++b) {
      Vector impulse = {0, 0, 0}, moment = {0, 0, 0};
      for (int k = 0; k < 3; ++k) {
        if (!inertia_[b].moves) {
          impulse[k] = f[b].v[k], moment[k] = f[b].w[k];
          continue;
        }
        impulse[k] = inertia_[b].mass * x_[b].v[k] + (converged ? r_[b].v[k] : 0);
        for (int l = 0; l < 3; ++l) moment[k] += inertia_[b].about[3 * k + l] * x_[b].w[l];
        moment[k] += converged ? r_[b].w[k] : 0;
      }
      w.bodies->pushNow(b, impulse, moment);
    }
  }
  if (nodes_ > 0) {
    const auto v = w.soft.v.view();
    const auto x = nodeX_.read();
    forEach(nodes_, [=] BRIM_KERNEL(int a) { v[a].x += x[a].x; });
  }
}

template class ViscousBoundary<2>;
template class ViscousBoundary<3>;

}  // namespace brim::inline BRIM_FLAVOUR
