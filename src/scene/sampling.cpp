#include "scene/sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/whole.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::number() { return double(bits() >> 11) * 0x1p-53; }

PointGrid::PointGrid(double cell, std::size_t expected) : cell_(cell) {
  std::size_t n = 64;
  while (n < 2 * expected) n *= 2;
  head_.assign(n, -1);
  key_.resize(n);
}

std::array<int, 3> PointGrid::cellOf(const Vector& x) const {
  return {whole(std::floor(x[0] / cell_)), whole(std::floor(x[1] / cell_)), whole(std::floor(x[2] / cell_))};
}

std::size_t PointGrid::slot(const std::array<int, 3>& k) const {
  const std::uint64_t hash = std::uint64_t(std::uint32_t(k[0])) * 0x9e3779b97f4a7c15u ^
                             std::uint64_t(std::uint32_t(k[1])) * 0xc2b2ae3d27d4eb4fu ^
                             std::uint64_t(std::uint32_t(k[2])) * 0x165667b19e3779f9u;
  std::size_t s = (hash ^ hash >> 29) & (head_.size() - 1);
  while (head_[s] >= 0 && key_[s] != k) s = (s + 1) & (head_.size() - 1);
  return s;
}

void PointGrid::grow() {
  const std::vector<int> heads = std::move(head_);
  const auto keys = std::move(key_);
  head_.assign(2 * heads.size(), -1);
  key_.assign(2 * heads.size(), {});
  for (std::size_t i = 0; i < heads.size(); i++)
    if (heads[i] >= 0) {
      const std::size_t s = slot(keys[i]);
      head_[s] = heads[i], key_[s] = keys[i];
    }
}

void PointGrid::add(const Vector& x) {
  if (2 * used_ >= head_.size()) grow();
  const auto k = cellOf(x);
  const std::size_t s = slot(k);
  if (head_[s] < 0) used_++;
  next_.push_back(head_[s]);
  head_[s] = int(points_.size());
  key_[s] = k;
  points_.push_back(x);
}

bool PointGrid::anyWithin(const Vector& x, double r) const {
  return visitWithin(x, r, [](int, double) { return true; });
}

bool PointGrid::addIfFree(const Vector& x, double r) {
  if (anyWithin(x, r)) return false;
  add(x);
  return true;
}

int PointGrid::nearest(const Vector& x) const {
  int best = -1;
  double best2 = 1e300;
  visitWithin(x, cell_, [&](int j, double r2) {
    if (r2 < best2 || (r2 == best2 && j < best)) best = j, best2 = r2;
    return false;
  });
  return best;
}

// Darts of even density over the surface fill most of it; then every triangle that no single disk covers is halved again and
// again, with a dart into the middle of each piece, until pieces are too small to matter.
std::vector<Vector> samplePoissonDisk(const Mesh& m, double r, std::uint64_t seed) {
  if (m.triangles.empty()) return {};                     // a solid around the whole domain has no surface in it
  std::vector<double> area(m.triangles.size() + 1, 0.0);  // running sum
  for (std::size_t i = 0; i < m.triangles.size(); i++) {
    const auto& t = m.triangles[i];
    area[i + 1] = area[i] + 0.5 * length(cross(m.points[t[1]] - m.points[t[0]], m.points[t[2]] - m.points[t[0]]));
  }
  const std::size_t n = std::size_t(area.back() / (r * r)) + 1;  // a plane holds at most 1.15 of these
  PointGrid grid(r, n);
  Random random(seed);
  for (std::size_t i = 0; i < 5 * n; i++) {
    const double a = random.number() * area.back();
    const std::size_t k = std::size_t(std::upper_bound(area.begin() + 1, area.end() - 1, a) - area.begin() - 1);
    const auto& t = m.triangles[k];
    const double u = std::sqrt(random.number()), v = random.number();
    grid.addIfFree((1 - u) * m.points[t[0]] + (u * (1 - v)) * m.points[t[1]] + (u * v) * m.points[t[2]], r);
  }

  using Piece = std::array<Vector, 3>;
  std::vector<Piece> pieces;
  for (const auto& t : m.triangles) {
    pieces.push_back({m.points[t[0]], m.points[t[1]], m.points[t[2]]});
    while (!pieces.empty()) {
      const Piece p = pieces.back();
      pieces.pop_back();
      const Vector centre = (1.0 / 3) * (p[0] + p[1] + p[2]);
      // A disk that covers the piece covers its centre; disks are convex, so three corners suffice.
      const bool covered = grid.visitWithin(centre, r, [&](int j, double) {
        const Vector& y = grid.points()[j];
        return std::all_of(p.begin(), p.end(), [&](const Vector& c) { return dot(c - y, c - y) <= r * r; });
      });
      if (covered) continue;
      grid.addIfFree(centre, r);
      int e = 0;
      double longest = 0;
      for (int k = 0; k < 3; k++)
        if (const double l = length(p[(k + 1) % 3] - p[k]); l > longest) longest = l, e = k;
      if (longest < 0.01 * r) continue;  // the piece lies within 0.01 r of its centre, and the centre is covered
      const Vector half = 0.5 * (p[e] + p[(e + 1) % 3]);
      pieces.push_back({p[e], half, p[(e + 2) % 3]});
      pieces.push_back({half, p[(e + 1) % 3], p[(e + 2) % 3]});
    }
  }
  return grid.points();
}

std::vector<Vector> sampleCurve(const std::vector<Vector>& corners, double spacing) {
  const std::size_t n = corners.size();
  double perimeter = 0;
  for (std::size_t i = 0; i < n; i++) perimeter += length(corners[(i + 1) % n] - corners[i]);
  const int count = std::max(1, whole(std::round(perimeter / spacing)));
  const double step = perimeter / count;
  std::vector<Vector> samples;
  double next = step / 2, gone = 0;  // arc lengths of the next sample and of the current corner
  for (std::size_t i = 0; i < n; i++) {
    const Vector &a = corners[i], &b = corners[(i + 1) % n];
    const double l = length(b - a);
    for (; next < gone + l && int(samples.size()) < count; next += step) samples.push_back(a + ((next - gone) / l) * (b - a));
    gone += l;
  }
  return samples;
}

namespace {

// A closed surface of revolution about x from a profile (x, radius) whose ends lie on the axis. Neighbouring rings may have
// different numbers of points; the strip between them is closed by always taking the step that lags behind.
Mesh revolve(const std::vector<std::array<double, 2>>& profile, double edge) {
  Mesh m;
  std::vector<int> first, count;
  for (const auto& [x, r] : profile) {
    const int n = r <= 0 ? 1 : std::max(6, whole(std::ceil(2 * std::numbers::pi * r / edge)));
    first.push_back(int(m.points.size()));
    count.push_back(n);
    for (int i = 0; i < n; i++) {
      const double a = 2 * std::numbers::pi * i / n;
      m.points.push_back({x, r * std::cos(a), r * std::sin(a)});
    }
  }
  for (std::size_t k = 0; k + 1 < profile.size(); k++) {
    const int n = count[k], o = count[k + 1];
    const auto low = [&](int i) { return first[k] + i % n; };
    const auto high = [&](int i) { return first[k + 1] + i % o; };
    int i = n == 1 ? 1 : 0, j = o == 1 ? 1 : 0;  // a pole takes no steps
    while (i < n || j < o) {
      const bool stepLow = j >= o || (i < n && (i + 1) * double(o) <= (j + 1) * double(n));
      if (stepLow) {
        m.triangles.push_back({low(i), high(j), low(i + 1)});
        i++;
      } else {
        m.triangles.push_back({low(i), high(j), high(j + 1)});
        j++;
      }
    }
  }
  if (volume(m) < 0)
    for (auto& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

Mesh triangulateBox(const double half[3], double edge) {
  Mesh m;
  for (int axis = 0; axis < 3; axis++)
    for (const int side : {-1, 1}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      const int nu = std::max(1, whole(std::ceil(2 * half[u] / edge))), nv = std::max(1, whole(std::ceil(2 * half[v] / edge)));
      const int base = int(m.points.size());
      for (int j = 0; j <= nv; j++)
        for (int i = 0; i <= nu; i++) {
          Vector p;
          p[axis] = side * half[axis];
          p[u] = i == nu ? half[u] : half[u] * (2.0 * i / nu - 1);
          p[v] = j == nv ? half[v] : half[v] * (2.0 * j / nv - 1);
          m.points.push_back(p);
        }
      for (int j = 0; j < nv; j++)
        for (int i = 0; i < nu; i++) {
          const int a = base + j * (nu + 1) + i, b = a + 1, c = a + nu + 2, d = a + nu + 1;
          if (side > 0)
            m.triangles.insert(m.triangles.end(), {{a, b, c}, {a, c, d}});
          else
            m.triangles.insert(m.triangles.end(), {{a, c, b}, {a, d, c}});
        }
    }
  joinEqualPoints(m);
  return m;
}

}  // namespace

Mesh triangulate(const Primitive<double>& p, double edge) {
  const double r = p.size[0], l = p.size[1], pi = std::numbers::pi;
  std::vector<std::array<double, 2>> profile;
  if (p.kind == Kind::box) return triangulateBox(p.size, edge);
  if (p.kind == Kind::sphere || p.kind == Kind::capsule) {
    const double half = p.kind == Kind::sphere ? 0 : l;
    const int n = std::max(2, whole(std::ceil(pi / 2 * r / edge))), along = half > 0 ? whole(std::ceil(2 * half / edge)) : 0;
    for (int i = 0; i <= n; i++) {
      const double a = pi / 2 * i / n;
      profile.push_back({-half - r * std::cos(a), i == 0 ? 0 : r * std::sin(a)});
    }
    for (int i = 1; i <= along; i++) profile.push_back({half * (2.0 * i / along - 1), r});
    for (int i = n - 1; i >= 0; i--) {
      const double a = pi / 2 * i / n;
      profile.push_back({half + r * std::cos(a), i == 0 ? 0 : r * std::sin(a)});
    }
  } else if (p.kind == Kind::cylinder) {
    const int n = std::max(1, whole(std::ceil(r / edge))), along = std::max(1, whole(std::ceil(2 * l / edge)));
    for (int i = 0; i <= n; i++) profile.push_back({-l, r * i / n});
    for (int i = 1; i < along; i++) profile.push_back({l * (2.0 * i / along - 1), r});
    for (int i = n; i >= 0; i--) profile.push_back({l, r * i / n});
  }
  return revolve(profile, edge);
}

std::vector<Vector> outline(const Primitive<double>& p, double edge) {
  std::vector<Vector> c;
  const double r = p.size[0], pi = std::numbers::pi;
  if (p.kind == Kind::box) {
    const double a = p.size[0], b = p.size[1];
    c = {{-a, -b, 0}, {a, -b, 0}, {a, b, 0}, {-a, b, 0}};
  } else if (p.kind == Kind::polygon) {
    for (int i = 0; i < p.count; i++) c.push_back({p.points[2 * i], p.points[2 * i + 1], 0});
  } else {  // a half disc at each end of the axis; a disc has its ends together
    const double half = p.kind == Kind::sphere ? 0 : p.size[1];
    const int n = std::max(4, whole(std::ceil(pi * r / edge)));
    for (const int end : {1, -1})
      for (int i = half > 0 ? 0 : 1; i <= n; i++) {
        const double a = pi * i / n - pi / 2;
        c.push_back({end * (half + r * std::cos(a)), end * r * std::sin(a), 0});
      }
  }
  return c;
}

}  // namespace brim
