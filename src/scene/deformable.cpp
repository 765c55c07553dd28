#include "scene/deformable.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>

#include "math/whole.h"
#include "scene/declare.h"
#include "scene/mesh.h"
#include "scene/shape.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

void hold(DeformableMesh& m, int node) {
  if (std::find(m.held.begin(), m.held.end(), node) == m.held.end()) m.held.push_back(node);
}

void holdPins(DeformableMesh& m, const std::vector<Vector>& pins) {
  for (const Vector& pin : pins) {
    int nearest = 0;
    for (int i = 1; i < int(m.points.size()); ++i)
      if (length(m.points[i] - pin) < length(m.points[nearest] - pin)) nearest = i;
    hold(m, nearest);
  }
  std::sort(m.held.begin(), m.held.end());
}

bool holds(const Cloth& c, const char* what) { return std::find(c.hold.begin(), c.hold.end(), what) != c.hold.end(); }

int cellsOf(double side, double cell) { return std::max(1, whole(std::round(side / cell))); }

// Squares halved along diagonals that alternate, so that neither direction is the stiffer one.
void makeRectangle(DeformableMesh& m, const Cloth& c, double cell) {
  const int nu = cellsOf(length(c.along), cell), nv = cellsOf(length(c.across), cell);
  const auto at = [&](int u, int v) { return v * (nu + 1) + u; };
  for (int v = 0; v <= nv; ++v)
    for (int u = 0; u <= nu; ++u) {
      m.points.push_back(c.corner + (double(u) / nu) * c.along + (double(v) / nv) * c.across);
      const bool corner = (u == 0 || u == nu) && (v == 0 || v == nv);
      if ((corner && holds(c, "corners")) || (u == 0 && holds(c, "along_low")) || (u == nu && holds(c, "along_high")) ||
          (v == 0 && holds(c, "across_low")) || (v == nv && holds(c, "across_high")))
        hold(m, at(u, v));
    }
  for (int v = 0; v < nv; ++v)
    for (int u = 0; u < nu; ++u) {
      const int a = at(u, v), b = at(u + 1, v), d = at(u, v + 1), e = at(u + 1, v + 1);
      if ((u + v) % 2) {
        m.elements.push_back({a, b, d, -1});
        m.elements.push_back({b, e, d, -1});
      } else {
        m.elements.push_back({a, b, e, -1});
        m.elements.push_back({a, e, d, -1});
      }
    }
}

void makeRope(DeformableMesh& m, const Cloth& c, double cell) {
  const int n = cellsOf(length(c.to - c.from), cell);
  m.corners = 2;
  for (int i = 0; i <= n; ++i) m.points.push_back(c.from + (double(i) / n) * (c.to - c.from));
  for (int i = 0; i < n; ++i) m.elements.push_back({i, i + 1, -1, -1});
  if (holds(c, "from")) hold(m, 0);
  if (holds(c, "to")) hold(m, n);
}

// Faces that belong to one element alone; outward for tetrahedra.
void findSkin(DeformableMesh& m, int D) {
  if (m.cloth >= 0) {
    for (const auto& e : m.elements) m.skin.push_back({e[0], e[1], m.corners == 3 ? e[2] : -1});
    return;
  }
  std::map<std::array<int, 3>, std::pair<int, std::array<int, 3>>> faces;
  const auto add = [&](std::array<int, 3> f) {
    auto key = f;
    std::sort(key.begin(), key.end());
    auto& entry = faces[key];
    ++entry.first, entry.second = f;
  };
  for (const auto& e : m.elements)
    if (D == 2) {
      for (int k = 0; k < 3; ++k) add({e[k], e[(k + 1) % 3], -1});
    } else {
      for (const auto& f : {std::array{0, 1, 2}, std::array{0, 3, 1}, std::array{1, 3, 2}, std::array{0, 2, 3}}) {
        const int rest = e[6 - f[0] - f[1] - f[2]];
        std::array<int, 3> t = {e[f[0]], e[f[1]], e[f[2]]};
        const Vector normal = cross(m.points[t[1]] - m.points[t[0]], m.points[t[2]] - m.points[t[0]]);
        if (dot(normal, m.points[rest] - m.points[t[0]]) > 0) std::swap(t[1], t[2]);
        add(t);
      }
    }
  for (const auto& [key, face] : faces)
    if (face.first == 1) m.skin.push_back(face.second);
}

// [m^dimension] of a triangle in the plane or a tetrahedron; either sign as it is turned.
double measure(const std::vector<Vector>& p, const std::array<int, 4>& e, int corners) {
  const Vector a = p[e[1]] - p[e[0]], b = p[e[2]] - p[e[0]];
  return corners == 3 ? (a[0] * b[1] - a[1] * b[0]) / 2 : dot(a, cross(b, p[e[3]] - p[e[0]])) / 6;
}

// Cells of a lattice whose middle is inside, in 2D halved and in 3D cut into five tetrahedra, mirrored from cell to cell so that
// their faces meet. Nodes near the surface are moved onto it.
void fillShape(DeformableMesh& m, const Scene& scene, const Soft& soft, const std::string& path, double cell) {
  const int D = scene.dimension;
  const SolidShape shape(scene, soft.shape, path);
  std::array<int, 3> n = {1, 1, 1};
  Vector step = {0, 0, 0};
  for (int k = 0; k < D; ++k) {
    n[k] = cellsOf(shape.high()[k] - shape.low()[k], cell);
    step[k] = (shape.high()[k] - shape.low()[k]) / n[k];
  }
  std::map<std::array<int, 3>, int> known;
  const auto node = [&](std::array<int, 3> at) {
    const auto [found, fresh] = known.try_emplace(at, int(m.points.size()));
    if (fresh) {
      Vector x = {0, 0, 0};
      for (int k = 0; k < D; ++k) x[k] = shape.low()[k] + at[k] * step[k];
      m.points.push_back(x);
    }
    return found->second;
  };
  m.corners = D + 1;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        Vector middle = {0, 0, 0};
        const int at[3] = {x, y, z};
        for (int k = 0; k < D; ++k) middle[k] = shape.low()[k] + (at[k] + 0.5) * step[k];
        if (!(shape.distance(middle) < 0)) continue;
        const auto corner = [&](int c) { return node({x + (c & 1), y + (c >> 1 & 1), z + (c >> 2 & 1)}); };
        const bool odd = (x + y + z) % 2;
        if (D == 2) {
          if (odd)
            m.elements.insert(m.elements.end(), {{corner(0), corner(1), corner(2), -1}, {corner(1), corner(3), corner(2), -1}});
          else
            m.elements.insert(m.elements.end(), {{corner(0), corner(1), corner(3), -1}, {corner(0), corner(3), corner(2), -1}});
          continue;
        }
        static constexpr int cut[2][5][4] = {{{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}, {0, 3, 6, 5}},
                                             {{1, 3, 2, 7}, {1, 2, 0, 4}, {1, 7, 4, 5}, {2, 4, 7, 6}, {1, 2, 4, 7}}};
        for (const auto& t : cut[odd]) m.elements.push_back({corner(t[0]), corner(t[1]), corner(t[2]), corner(t[3])});
      }
  // An element that this would flatten keeps its corners.
  const auto lattice = m.points;
  findSkin(m, D);
  for (const auto& face : m.skin)
    for (int k = 0; k < D; ++k) {
      const Vector& p = lattice[face[k]];
      if (const double out = shape.distance(p); std::abs(out) < 0.75 * cell) m.points[face[k]] = p - out * shape.normal(p);
    }
  m.skin.clear();
  for (bool again = true; again;) {
    again = false;
    for (const auto& e : m.elements) {
      if (measure(m.points, e, m.corners) / measure(lattice, e, m.corners) > 0.2) continue;
      for (int k = 0; k < m.corners; ++k) {
        again = again || m.points[e[k]] != lattice[e[k]];
        m.points[e[k]] = lattice[e[k]];
      }
    }
  }
}

// Points evenly over cloth: each element in small ones of at most (0.75 d)^(D-1), a sample at the middle of each.
void sampleSheet(DeformableMesh& m, double d, double thickness) {
  for (const auto& e : m.elements) {
    const Vector u = m.points[e[1]] - m.points[e[0]];
    if (m.corners == 2) {
      const int n = std::max(1, whole(std::ceil(length(u) / (0.55 * d))));
      for (int k = 0; k < n; ++k) {
        const double s = (k + 0.5) / n;
        m.samples.push_back({{e[0], e[1], e[0], e[0]}, {1 - s, s, 0, 0}, thickness * length(u) / n});
      }
      continue;
    }
    const double area = length(cross(u, m.points[e[2]] - m.points[e[0]])) / 2;
    const int n = std::max(1, whole(std::ceil(std::sqrt(area) / (0.75 * d))));
    for (int a = 0; a < n; ++a)
      for (int b = 0; a + b < n; ++b)
        for (int turned = 0; turned < (a + b + 1 < n ? 2 : 1); ++turned) {
          const double s = (a + (turned ? 2 : 1) / 3.0) / n, t = (b + (turned ? 2 : 1) / 3.0) / n;
          m.samples.push_back({{e[0], e[1], e[2], e[0]}, {1 - s - t, s, t, 0}, thickness * area / (n * n)});
        }
  }
}

// Parts of an element's corners at a point: barycentric coordinates.
std::array<double, 4> partsAt(const DeformableMesh& m, const std::array<int, 4>& e, const Vector& x) {
  const Vector r = x - m.points[e[0]], a = m.points[e[1]] - m.points[e[0]], b = m.points[e[2]] - m.points[e[0]];
  if (m.corners == 3) {
    const double all = a[0] * b[1] - a[1] * b[0], s = (r[0] * b[1] - r[1] * b[0]) / all, t = (a[0] * r[1] - a[1] * r[0]) / all;
    return {1 - s - t, s, t, 0};
  }
  const Vector c = m.points[e[3]] - m.points[e[0]];
  const double all = dot(a, cross(b, c)), s = dot(r, cross(b, c)) / all, t = dot(a, cross(r, c)) / all,
               u = dot(a, cross(b, r)) / all;
  return {1 - s - t - u, s, t, u};
}

// The lattice that fluid in the body's place would be, each point carried by the element it lies in.
void sampleBody(DeformableMesh& m, int D, double d) {
  const auto [low, high] = bounds(m.points);
  std::array<int, 3> n = {1, 1, 1};
  Vector step = {0, 0, 0};
  for (int k = 0; k < D; ++k) {
    n[k] = cellsOf(high[k] - low[k], d);
    step[k] = (high[k] - low[k]) / n[k];
  }
  const double volume = step[0] * step[1] * (D == 3 ? step[2] : 1);
  std::vector<char> taken(std::size_t(n[0]) * n[1] * n[2]);
  for (const auto& e : m.elements) {
    Vector from = m.points[e[0]], to = from;
    for (int k = 1; k < m.corners; ++k) from = lower(from, m.points[e[k]]), to = upper(to, m.points[e[k]]);
    int first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) {
      first[k] = std::max(0, whole(std::floor((from[k] - low[k]) / step[k] - 0.5)));
      last[k] = std::min(n[k] - 1, whole(std::ceil((to[k] - low[k]) / step[k] - 0.5)));
    }
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) {
          char& here = taken[(std::size_t(z) * n[1] + y) * n[0] + x];
          const int at[3] = {x, y, z};
          Vector p = {0, 0, 0};
          for (int k = 0; k < D; ++k) p[k] = low[k] + (at[k] + 0.5) * step[k];
          const auto part = partsAt(m, e, p);
          if (here || *std::min_element(part.begin(), part.begin() + m.corners) < -1e-9) continue;
          here = 1;
          m.samples.push_back({{e[0], e[1], e[2], m.corners == 4 ? e[3] : e[0]}, part, volume});
        }
  }
}

}  // namespace

double sheetThickness(int D, double d, double support, const std::function<double(double)>& W) {
  const double h = support * d;
  double behind = 0, sheet = 0;
  const int reach = int(support) + 1, wide = D == 3 ? reach : 0;
  for (int k = 1; k <= reach; ++k)
    for (int a = -reach; a <= reach; ++a)
      for (int b = -wide; b <= wide; ++b)
        if (const double r = d * std::sqrt(double(k * k + a * a + b * b)); r < h) behind += std::pow(d, D) * W(r);
  const int n = 2000;
  for (int k = 0; k < n; ++k) {
    const double s = (k + 0.5) * h / n, r = std::hypot(s, d);
    if (r < h) sheet += (D == 3 ? 2 * std::numbers::pi * s : 2) * W(r) * h / n;
  }
  return behind / sheet;
}

std::vector<DeformableMesh> deformableMeshes(const Scene& scene, const std::function<double(double)>& W) {
  std::vector<DeformableMesh> all;
  const double d = scene.resolution.spacing;
  const int D = scene.dimension;
  const double thickness = scene.cloth.empty() ? 0 : sheetThickness(D, d, supportOf(scene), W);
  for (std::size_t i = 0; i < scene.cloth.size(); ++i) {
    const Cloth& c = scene.cloth[i];
    const std::string path = fmt::format("cloth[{}]", i);
    DeformableMesh& m = all.emplace_back();
    m.name = c.name.empty() ? fmt::format("cloth_{}", i) : c.name;
    m.cloth = int(i);
    const double cell = c.cell > 0 ? c.cell : d;
    if (c.kind == "rope") makeRope(m, c, cell);
    if (c.kind == "rectangle") makeRectangle(m, c, cell);
    if (c.kind == "mesh") {
      const auto file = std::filesystem::path(scene.file).parent_path() / c.file;
      Mesh mesh = readSurface(file.string(), c.scale, c.translate, scene.at(path + ".file"));
      m.points = std::move(mesh.points);
      for (const auto& t : mesh.triangles) m.elements.push_back({t[0], t[1], t[2], -1});
    }
    holdPins(m, c.pins);
    findSkin(m, D);
    sampleSheet(m, d, thickness);
  }
  for (std::size_t i = 0; i < scene.soft.size(); ++i) {
    const Soft& s = scene.soft[i];
    const std::string path = fmt::format("soft[{}]", i);
    DeformableMesh& m = all.emplace_back();
    m.name = s.name.empty() ? fmt::format("soft_{}", i) : s.name;
    m.soft = int(i);
    fillShape(m, scene, s, path, s.cell > 0 ? s.cell : 2 * d);
    if (m.elements.empty())
      throw SceneError({Mistake{scene.at(path), "the soft body is smaller than its cells; give it a smaller \"cell\""}});
    holdPins(m, s.pins);
    findSkin(m, D);
    sampleBody(m, D, d);
  }
  return all;
}

}  // namespace brim
