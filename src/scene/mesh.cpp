#include "scene/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include "scene/mesh_file.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

// A side of a triangle, named by its two corners in ascending order, and whether the triangle runs along it upwards.
struct Side {
  std::uint64_t edge;
  bool up;
};

std::vector<Side> sides(const Mesh& m) {
  std::vector<Side> s;
  s.reserve(3 * m.triangles.size());
  for (const auto& t : m.triangles)
    for (int e = 0; e < 3; e++) {
      const std::uint64_t a = std::uint64_t(t[e]), b = std::uint64_t(t[(e + 1) % 3]);
      s.push_back({std::min(a, b) << 32 | std::max(a, b), a < b});
    }
  std::sort(s.begin(), s.end(), [](const Side& a, const Side& b) { return a.edge < b.edge; });
  return s;
}

Vector middle(const Mesh& m, std::uint64_t edge) { return 0.5 * (m.points[edge >> 32] + m.points[edge & 0xffffffffu]); }

std::string place(const Vector& x) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", x[0], x[1], x[2]); }

// Open edges that share a point belong to the same hole.
int countHoles(const std::vector<std::uint64_t>& open) {
  std::unordered_map<int, int> parent;
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto e : open)
    for (const int v : {int(e >> 32), int(e & 0xffffffffu)}) parent.try_emplace(v, v);
  int holes = int(parent.size());
  for (const auto e : open) {
    const int a = root(int(e >> 32)), b = root(int(e & 0xffffffffu));
    if (a != b) parent[a] = b, holes--;
  }
  return holes;
}

}  // namespace

std::string defect(const Mesh& m) {
  if (m.triangles.empty()) return "the mesh has no triangles";
  for (const Vector& p : m.points)
    if (!std::isfinite(p[0] + p[1] + p[2])) return "the mesh has points whose coordinates are not finite";

  const auto s = sides(m);
  std::vector<std::uint64_t> open, crowded, folded;
  for (std::size_t i = 0, j; i < s.size(); i = j) {
    for (j = i; j < s.size() && s[j].edge == s[i].edge;) j++;
    if (j - i == 1) open.push_back(s[i].edge);
    if (j - i > 2) crowded.push_back(s[i].edge);
    if (j - i == 2 && s[i].up == s[i + 1].up) folded.push_back(s[i].edge);
  }
  if (!open.empty()) {
    const int holes = countHoles(open);
    return fmt::format("the mesh has {} {} ({} open edges, the first near {}); a solid needs a closed surface", holes,
                       holes == 1 ? "hole" : "holes", open.size(), place(middle(m, open[0])));
  }
  if (!crowded.empty())
    return fmt::format(
        "{} edges of the mesh belong to more than two triangles, the first near {}; a solid needs a surface that "
        "does not touch itself",
        crowded.size(), place(middle(m, crowded[0])));
  if (!folded.empty())
    return fmt::format(
        "triangles of the mesh face opposite ways along {} edges, the first near {}; make their orientation "
        "consistent",
        folded.size(), place(middle(m, folded[0])));
  return {};
}

double volume(const Mesh& m) {
  if (m.points.empty()) return 0;
  const Vector o = m.points[0];  // any point does; a near one keeps the digits
  double v = 0;
  for (const auto& t : m.triangles) v += dot(m.points[t[0]] - o, cross(m.points[t[1]] - o, m.points[t[2]] - o)) / 6;
  return v;
}

std::array<Vector, 2> bounds(const std::vector<Vector>& points) {
  std::array<Vector, 2> b = {Vector{1e300, 1e300, 1e300}, Vector{-1e300, -1e300, -1e300}};
  for (const Vector& p : points) b = {lower(b[0], p), upper(b[1], p)};
  return b;
}

void joinEqualPoints(Mesh& m) {
  for (Vector& p : m.points) p = p + Vector{0, 0, 0};  // -0 becomes 0
  std::vector<int> order(m.points.size()), name(m.points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return m.points[a] != m.points[b] ? m.points[a] < m.points[b] : a < b; });
  // Each point takes the name of the first one equal to it, so the order of the file is kept.
  for (std::size_t i = 0; i < order.size(); i++)
    name[order[i]] = i > 0 && m.points[order[i]] == m.points[order[i - 1]] ? name[order[i - 1]] : order[i];
  std::vector<int> index(m.points.size());
  std::vector<Vector> kept;
  for (int i = 0; i < int(m.points.size()); i++)
    if (name[i] == i) index[i] = int(kept.size()), kept.push_back(m.points[i]);
  std::vector<std::array<int, 3>> triangles;
  for (auto t : m.triangles) {
    for (int& v : t) v = index[name[v]];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) triangles.push_back(t);
  }
  m.points = std::move(kept);
  m.triangles = std::move(triangles);
}

Mesh readSurface(const std::string& file, double scale, const Vector& translate, const Location& at) {
  const std::string name = std::filesystem::path(file).filename().string();
  const auto fail = [&](const std::string& what) { throw SceneError({Mistake{at, what}}); };
  Mesh mesh;
  try {
    mesh = readTriangles(file);
  } catch (const MeshError& e) {
    fail(fmt::format("{}: {}", name, e.what()));
  }
  joinEqualPoints(mesh);
  for (Vector& p : mesh.points) p = scale * p + translate;
  if (mesh.triangles.empty()) fail(fmt::format("{}: the mesh has no triangles", name));
  return mesh;
}

Mesh readMesh(const std::string& file, double scale, const Vector& translate, const Location& at) {
  const std::string name = std::filesystem::path(file).filename().string();
  const auto fail = [&](const std::string& what) { throw SceneError({Mistake{at, what}}); };
  Mesh mesh = readSurface(file, scale, translate, at);
  if (const std::string what = defect(mesh); !what.empty()) fail(fmt::format("{}: {}", name, what));
  const double v = volume(mesh);
  const auto [low, high] = bounds(mesh.points);
  const Vector side = high - low;
  if (std::abs(v) <= 1e-9 * side[0] * side[1] * side[2])
    fail(fmt::format("{}: the mesh encloses no volume; a solid needs some", name));
  if (v < 0)
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace brim
