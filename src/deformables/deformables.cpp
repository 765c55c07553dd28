#include "deformables/deformables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "scene/vector.h"

namespace brim::inline BRIM_FLAVOUR {

using namespace vectors;

template <int D>
struct Deformables<D>::Builder {
  std::vector<SoftConstraint<D>> constraint;
  std::vector<SoftRow> row;
  std::vector<Record<D>> x, v;
  std::vector<double> mass;

  static SoftRow rowOf(std::initializer_list<int> nodes, std::initializer_list<double> parts, double whole) {
    SoftRow r{};
    const int n = int(nodes.size());
    double rest = whole;
    for (int k = 0; k < 4; ++k) {
      r.node[k] = nodes.begin()[k < n ? k : 0];
      r.part[k] = k < n ? Real(parts.begin()[k]) : Real(0);
      if (k > 0) rest -= double(r.part[k]);
    }
    r.part[0] = Real(rest);
    r.whole = Real(whole);
    return r;
  }
  void add(SoftKind kind, std::initializer_list<SoftRow> rows, double w, double low, double high, Vec<D> target = {}) {
    constraint.push_back({kind, int(row.size()), int(rows.size()), Real(w), Real(low), Real(high), target});
    row.insert(row.end(), rows);
  }
  // [N/m] how stiffly its constraints hold a node.
  double stiffness(int node) const {
    double sum = 0;
    for (const auto& c : constraint)
      for (int r = c.first; r < c.first + c.rows; ++r)
        for (int k = 0; k < 4; ++k)
          if (row[r].node[k] == node) sum += double(c.w) * row[r].part[k] * row[r].part[k];
    return sum;
  }
};

// Rows of the deformation gradient F = sum_k x_k (grad N_k)^T of a triangle in its own plane, or of a tetrahedron.
// part[r][k] is the r-th component of grad N_k.
static void gradients(const std::vector<Vector>& p, const std::array<int, 4>& e, int corners, double (&part)[3][4],
                      double& measure) {
  const Vector a = p[e[1]] - p[e[0]], b = p[e[2]] - p[e[0]];
  double m[3][3] = {}, inverse[3][3];  // columns: edges in the element's axes
  const int n = corners - 1;
  if (corners == 3) {
    const Vector s = unit(a), t = unit(b - dot(b, s) * s);
    m[0][0] = dot(a, s), m[0][1] = dot(b, s), m[1][1] = dot(b, t);
    if (p[e[0]][2] == 0 && p[e[1]][2] == 0 && p[e[2]][2] == 0)  // in the plane, the scene's own axes
      m[0][0] = a[0], m[1][0] = a[1], m[0][1] = b[0], m[1][1] = b[1];
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    inverse[0][0] = m[1][1] / det, inverse[0][1] = -m[0][1] / det, inverse[1][0] = -m[1][0] / det, inverse[1][1] = m[0][0] / det;
    measure = std::abs(det) / 2;
  } else {
    const Vector c = p[e[3]] - p[e[0]];
    const double det = dot(a, vectors::cross(b, c));
    const Vector rows[3] = {vectors::cross(b, c), vectors::cross(c, a), vectors::cross(a, b)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) inverse[i][j] = rows[i][j] / det;
    measure = std::abs(det) / 6;
  }
  // F E = (x_1 - x_0, ...), so F's column r is sum_i (x_i+1 - x_0) inverse[i][r].
  for (int r = 0; r < n; ++r) {
    part[r][0] = 0;
    for (int i = 0; i < n; ++i) part[r][i + 1] = inverse[i][r], part[r][0] -= inverse[i][r];
  }
}

template <int D>
void Deformables<D>::addCloth(const Cloth& cloth, const DeformableMesh& m, int first, Builder& b) {
  const double low = std::max(0.0, 1 - cloth.give), high = 1 + cloth.give;
  if (m.corners == 2) {
    std::vector<double> length(m.elements.size());
    for (std::size_t i = 0; i < m.elements.size(); ++i) {
      const int s = m.elements[i][0], t = m.elements[i][1];
      const double l = length[i] = vectors::length(m.points[t] - m.points[s]);
      for (const int k : {s, t}) b.mass[first + k] += cloth.density * l / 2;
      // In units of the rest length, so that w/2 |F - p|^2 with w = stretch * l is the energy of a strip of that length.
      const SoftRow row = Builder::rowOf({first + s, first + t}, {-1 / l, 1 / l}, 0);
      b.add(SoftKind::length, {row}, cloth.stretch * l, low, high);
    }
    for (std::size_t i = 1; i < m.elements.size() && cloth.bending > 0; ++i) {
      const double s = length[i - 1], t = length[i];
      const int k = m.elements[i][0] + first;
      b.add(SoftKind::bend, {Builder::rowOf({k, k - 1, k + 1}, {-1 / s - 1 / t, 1 / s, 1 / t}, 0)}, cloth.bending * 2 / (s + t),
            0, 0);
    }
    return;
  }
  std::map<std::pair<int, int>, std::vector<int>> edges;  // -> elements
  std::vector<double> area(m.elements.size());
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    const auto& e = m.elements[i];
    double part[3][4];
    gradients(m.points, e, 3, part, area[i]);
    for (int k = 0; k < 3; ++k) {
      b.mass[first + e[k]] += cloth.density * area[i] / 3;
      edges[std::minmax(e[k], e[(k + 1) % 3])].push_back(int(i));
    }
    if (cloth.springs != "areas") continue;
    const auto row = [&](int r) {
      return Builder::rowOf({first + e[0], first + e[1], first + e[2]}, {part[r][0], part[r][1], part[r][2]}, 0);
    };
    b.add(SoftKind::strain, {row(0), row(1)}, cloth.stretch * area[i], low, high);
  }
  for (const auto& [edge, sides] : edges) {
    const auto [i, j] = edge;
    const double l = vectors::length(m.points[j] - m.points[i]);
    double around = 0;
    for (const int t : sides) around += area[t];
    if (cloth.springs == "edges") {
      // Edges of many directions share the sheet: 2/3 of the area around each makes their sum stretch like the sheet.
      const SoftRow row = Builder::rowOf({first + i, first + j}, {-1 / l, 1 / l}, 0);
      b.add(SoftKind::length, {row}, cloth.stretch * around * 2 / 3, low, high);
    }
    if (sides.size() != 2 || !(cloth.bending > 0)) continue;
    // Bergou et al. 2006: the cotangent stencil of the hinge, E = 3/(A0 + A1) |sum K_k x_k|^2 / 2.
    const auto opposite = [&](int t) {
      for (int k = 0; k < 3; ++k)
        if (m.elements[t][k] != i && m.elements[t][k] != j) return m.elements[t][k];
      return -1;
    };
    const int k = opposite(sides[0]), h = opposite(sides[1]);
    const auto cotangent = [&](int at, int to, int other) {
      const Vector s = m.points[to] - m.points[at], t = m.points[other] - m.points[at];
      return vectors::dot(s, t) / vectors::length(vectors::cross(s, t));
    };
    const double c01 = cotangent(i, j, k), c02 = cotangent(i, j, h), c03 = cotangent(j, i, k), c04 = cotangent(j, i, h);
    const SoftRow row =
        Builder::rowOf({first + i, first + j, first + k, first + h}, {c03 + c04, c01 + c02, -c01 - c03, -c02 - c04}, 0);
    Vector bent = {0, 0, 0};
    const int at[4] = {i, j, k, h};
    for (int n = 0; n < 4; ++n) bent = bent + double(row.part[n]) * (m.points[at[n]] - m.points[i]);
    const double rest = vectors::length(bent) < 1e-5 * l ? 0 : vectors::length(bent);
    b.add(SoftKind::bend, {row}, cloth.bending * 3 / around, rest, rest);
  }
}

template <int D>
void Deformables<D>::addSoft(const Soft& soft, const DeformableMesh& m, int first, Builder& b) {
  for (const auto& e : m.elements) {
    double part[3][4] = {}, volume;
    gradients(m.points, e, m.corners, part, volume);
    for (int k = 0; k < m.corners; ++k) b.mass[first + e[k]] += soft.density * volume / m.corners;
    const auto row = [&](int r) {
      return m.corners == 3 ? Builder::rowOf({first + e[0], first + e[1], first + e[2]}, {part[r][0], part[r][1], part[r][2]}, 0)
                            : Builder::rowOf({first + e[0], first + e[1], first + e[2], first + e[3]},
                                             {part[r][0], part[r][1], part[r][2], part[r][3]}, 0);
    };
    const auto add = [&](SoftKind kind, double w) {
      if (!(w > 0)) return;
      if (m.corners == 3)
        b.add(kind, {row(0), row(1)}, w, 1, 1);
      else
        b.add(kind, {row(0), row(1), row(2)}, w, 1, 1);
    };
    add(SoftKind::strain, soft.stiffness * volume);
    add(SoftKind::volume, soft.bulk_modulus * volume);
  }
}

// Greedily, in the order of the constraints: the first colour that none of a constraint's nodes has.
template <int D>
void Deformables<D>::findColours(const Builder& b) {
  std::vector<std::vector<int>> of;  // constraints of each colour
  std::vector<std::vector<char>> used(b.x.size());
  for (int c = 0; c < int(b.constraint.size()); ++c) {
    const SoftRow& r = b.row[b.constraint[c].first];
    std::size_t k = 0;
    const auto taken = [&] {
      for (int n = 0; n < 4; ++n)
        if (k < used[r.node[n]].size() && used[r.node[n]][k]) return true;
      return false;
    };
    while (taken()) ++k;
    for (int n = 0; n < 4; ++n) {
      auto& u = used[r.node[n]];
      if (u.size() <= k) u.resize(k + 1);
      u[k] = 1;
    }
    if (of.size() <= k) of.resize(k + 1);
    of[k].push_back(c);
  }
  std::vector<int> all;
  colour = {0};
  for (const auto& list : of) {
    all.insert(all.end(), list.begin(), list.end());
    colour.push_back(int(all.size()));
  }
  copyIn(order, all.data(), all.size());
}

template <int D>
Deformables<D>::Deformables(const Setup& setup) : origin_(setup.scene.domain.min) {
  const Scene& scene = setup.scene;
  Builder b;
  std::vector<SoftRow> sampleRow;
  std::vector<Real> volume;
  for (const DeformableMesh& m : setup.deformables) {
    const int first = int(b.x.size());
    const Vector velocity = m.cloth >= 0 ? scene.cloth[m.cloth].velocity : scene.soft[m.soft].velocity;
    for (const Vector& p : m.points) {
      Record<D> at{}, u{};
      for (int k = 0; k < D; ++k) at.x[k] = Real(p[k] - origin_[k]), u.x[k] = Real(velocity[k]);
      b.x.push_back(at);
      b.v.push_back(u);
    }
    b.mass.resize(b.x.size());
    if (m.cloth >= 0)
      addCloth(scene.cloth[m.cloth], m, first, b);
    else
      addSoft(scene.soft[m.soft], m, first, b);
    for (const Attachment& a : m.samples) {
      SoftRow r{};
      double rest = 1;
      for (int k = 0; k < 4; ++k) r.node[k] = first + a.node[k], r.part[k] = Real(a.part[k]), rest -= k ? double(r.part[k]) : 0;
      r.part[0] = Real(rest), r.whole = 1;
      sampleRow.push_back(r);
      volume.push_back(Real(scene.fluid.density * a.volume));
    }
    for (auto t : m.skin) {
      for (int& k : t) k = k < 0 ? k : k + first;
      skin.push_back(t);
    }
    if (m.cloth >= 0) sheets = int(skin.size());
    named_.push_back({m.name, first, int(m.points.size()), m.skin});
  }
  // A thousand times stiffer than what pulls at the node: it gives way by a thousandth of what its surroundings do.
  for (std::size_t k = 0; k < setup.deformables.size(); ++k)
    for (const int node : setup.deformables[k].held) {
      const int a = named_[k].first + node;
      const double w = 1e3 * std::max(b.stiffness(a), b.mass[a] * 1e4);
      b.add(SoftKind::pin, {Builder::rowOf({a}, {1}, 1)}, w, 0, 0, b.x[a].x);
    }

  nodes = int(b.x.size()), constraints = int(b.constraint.size()), rows = int(b.row.size()), samples = int(sampleRow.size());
  for (double& m : b.mass) m = std::max(m, 1e-12);  // points of a mesh file that no triangle uses
  for (int a = 0; a < nodes; ++a) b.x[a].a = Real(b.mass[a]), b.v[a].a = Real(1 / b.mass[a]);
  copyIn(x, b.x.data(), b.x.size());
  copyIn(v, b.v.data(), b.v.size());
  copyIn(constraint, b.constraint.data(), b.constraint.size());
  copyIn(sampleMass, volume.data(), volume.size());
  findColours(b);
  std::vector<SoftRow> all = b.row;
  all.insert(all.end(), sampleRow.begin(), sampleRow.end());
  copyIn(row, all.data(), all.size());

  std::vector<std::vector<int>> of(nodes);
  for (int r = 0; r < int(all.size()); ++r)
    for (int k = 0; k < 4; ++k)
      if (k == 0 || all[r].node[k] != all[r].node[0]) of[all[r].node[k]].push_back(4 * r + k);
  std::vector<int> begin = {0}, entry;
  for (const auto& list : of) {
    entry.insert(entry.end(), list.begin(), list.end());
    begin.push_back(int(entry.size()));
  }
  copyIn(begin_, begin.data(), begin.size());
  copyIn(entry_, entry.data(), entry.size());

  // The largest row sum of B M^-1 B^T: what all samples do to one at most.
  std::vector<double> carried(nodes);
  for (const SoftRow& r : sampleRow)
    for (int k = 0; k < 4; ++k) carried[r.node[k]] += double(r.part[k]);
  std::vector<Real> answer;
  for (const SoftRow& r : sampleRow) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += double(r.part[k]) * carried[r.node[k]] / b.mass[r.node[k]];
    answer.push_back(Real(sum));
  }
  copyIn(answer_, answer.data(), answer.size());
}

template <int D>
void Deformables<D>::samplesAt(Array<Record<D>>& p, Array<Record<D>>& u) const {
  p.resize(samples);
  u.resize(samples);
  const auto to = p.view(), speed = u.view();
  const auto at = x.read(), now = v.read();
  const auto m = sampleMass.read(), a = answer_.read();
  const View<const SoftRow> r{row.data() + rows};
  forEach(samples, [=] BRIM_KERNEL(int k) {
    to[k] = {brim::rowOf<D>(r[k], at), m[k]};
    speed[k] = {brim::rowOf<D>(r[k], now), a[k]};
  });
}

template <int D>
Vec<D, double> Deformables<D>::momentum() const {
  const auto p = x.read(), u = v.read();
  return reduce(
      nodes, Vec<D, double>{},
      [=] BRIM_KERNEL(int a) {
        Vec<D, double> one;
        for (int k = 0; k < D; ++k) one[k] = double(p[a].a) * double(u[a].x[k]);
        return one;
      },
      [] BRIM_KERNEL(Vec<D, double> & s, const Vec<D, double>& t) { s += t; });
}

template <int D>
double Deformables<D>::kineticEnergy() const {
  const auto p = x.read(), u = v.read();
  return sumOf(nodes, [=] BRIM_KERNEL(int a) { return 0.5 * double(p[a].a) * double(dot(u[a].x, u[a].x)); });
}

template <int D>
double Deformables<D>::maxSpeed() const {
  const auto u = v.read();
  return std::sqrt(maxOf(nodes, [=] BRIM_KERNEL(int a) { return dot(u[a].x, u[a].x); }));
}

template <int D>
int Deformables<D>::lost() const {
  const auto p = x.read(), u = v.read();
  const int n = nodes;
  const int before = int(maxOf(n, [=] BRIM_KERNEL(int a) {
    const bool sound = dot(u[a].x, u[a].x) < Real(1e10) && dot(p[a].x, p[a].x) < Real(1e24);
    return sound ? 0 : n - a;
  }));
  return before > 0 ? n - before : -1;
}

template <int D>
const std::string& Deformables<D>::nameOf(int node) const {
  std::size_t k = 0;
  while (k + 1 < named_.size() && named_[k + 1].first <= node) ++k;
  return named_[k].name;
}

template <int D>
std::vector<Surface> Deformables<D>::surfaces() const {
  std::vector<Surface> all;
  const auto p = onHost(x, nodes);
  for (const Named& n : named_) {
    Surface& s = all.emplace_back();
    s.name = n.name;
    s.corners = D;
    for (int a = n.first; a < n.first + n.count; ++a)
      for (int k = 0; k < 3; ++k) s.vertex.push_back(k < D ? double(p[a].x[k]) + origin_[k] : 0);
    for (const auto& t : n.skin) s.element.insert(s.element.end(), t.begin(), t.begin() + D);
  }
  return all;
}

template <int D>
std::size_t Deformables<D>::bytes() const {
  return x.bytes() + v.bytes() + constraint.bytes() + row.bytes() + begin_.bytes() + entry_.bytes() + order.bytes();
}

template class Deformables<2>;
template class Deformables<3>;

}  // namespace brim::inline BRIM_FLAVOUR
