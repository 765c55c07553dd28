#include "scene/closest.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "math/whole.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

struct Nearest {
  Vector point;
  int feature;  // 0: the face; 1, 2, 3: the edge from that corner on; 4, 5, 6: a corner
};

// Ericson 2005, Section 5.1.5: which of the seven regions around a triangle x lies in, by signs of areas.
Nearest nearestOnTriangle(const Vector& x, const Vector& a, const Vector& b, const Vector& c) {
  const Vector ab = b - a, ac = c - a, ax = x - a, bx = x - b, cx = x - c;
  const double d1 = dot(ab, ax), d2 = dot(ac, ax);
  if (d1 <= 0 && d2 <= 0) return {a, 4};
  const double d3 = dot(ab, bx), d4 = dot(ac, bx);
  if (d3 >= 0 && d4 <= d3) return {b, 5};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + (d1 / (d1 - d3)) * ab, 1};
  const double d5 = dot(ab, cx), d6 = dot(ac, cx);
  if (d6 >= 0 && d5 <= d6) return {c, 6};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + (d2 / (d2 - d6)) * ac, 3};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) return {b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b), 2};
  const double s = 1 / (va + vb + vc);
  return {a + (vb * s) * ab + (vc * s) * ac, 0};
}

double squaredDistance(const Vector& x, const float low[3], const float high[3]) {
  double r2 = 0;
  for (int i = 0; i < 3; i++) {
    const double q = std::max({double(low[i]) - x[i], 0.0, x[i] - double(high[i])});
    r2 += q * q;
  }
  return r2;
}

}  // namespace

ClosestPoint::ClosestPoint(const Mesh& m) : mesh_(m) {
  build();
  pseudoNormals();
}

// Halves the triangles at the median of their centres along the longest side, down to four.
void ClosestPoint::build() {
  const int n = int(mesh_.triangles.size());
  std::vector<Vector> centre(n);
  for (int i = 0; i < n; i++) {
    const auto& t = mesh_.triangles[i];
    centre[i] = (1.0 / 3) * (mesh_.points[t[0]] + mesh_.points[t[1]] + mesh_.points[t[2]]);
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  boxes_.reserve(n);
  boxes_.push_back({{}, {}, 0, n});
  for (std::size_t k = 0; k < boxes_.size(); k++) {
    const int first = boxes_[k].first, count = boxes_[k].count;
    Vector low = {1e300, 1e300, 1e300}, high = -low, cLow = low, cHigh = high;
    for (int i = first; i < first + count; i++) {
      for (const int v : mesh_.triangles[order[i]]) low = lower(low, mesh_.points[v]), high = upper(high, mesh_.points[v]);
      cLow = lower(cLow, centre[order[i]]), cHigh = upper(cHigh, centre[order[i]]);
    }
    for (int i = 0; i < 3; i++) {  // rounded outwards: a box must not lose its triangles
      boxes_[k].low[i] = std::nextafter(float(low[i]), -1e38f);
      boxes_[k].high[i] = std::nextafter(float(high[i]), 1e38f);
    }
    if (count <= 4) continue;
    const Vector side = cHigh - cLow;
    const int axis = int(std::max_element(side.begin(), side.end()) - side.begin());
    const int half = count / 2;
    std::nth_element(order.begin() + first, order.begin() + first + half, order.begin() + first + count, [&](int a, int b) {
      return centre[a][axis] != centre[b][axis] ? centre[a][axis] < centre[b][axis] : a < b;
    });
    boxes_[k].first = int(boxes_.size());
    boxes_[k].count = 0;
    boxes_.push_back({{}, {}, first, half});
    boxes_.push_back({{}, {}, first + half, count - half});
  }
  std::vector<std::array<int, 3>> sorted(n);
  for (int i = 0; i < n; i++) sorted[i] = mesh_.triangles[order[i]];
  mesh_.triangles = std::move(sorted);
}

void ClosestPoint::pseudoNormals() {
  const int n = int(mesh_.triangles.size());
  faceNormal_.resize(n);
  edgeNormal_.resize(3 * std::size_t(n));
  pointNormal_.assign(mesh_.points.size(), {0, 0, 0});
  std::unordered_map<std::uint64_t, int> other;  // the first triangle's side on each edge
  other.reserve(3 * std::size_t(n) / 2);
  for (int i = 0; i < n; i++) {
    const auto& t = mesh_.triangles[i];
    const Vector p[3] = {mesh_.points[t[0]], mesh_.points[t[1]], mesh_.points[t[2]]};
    faceNormal_[i] = unit(cross(p[1] - p[0], p[2] - p[0]));
    for (int e = 0; e < 3; e++) {
      const Vector a = p[(e + 1) % 3] - p[e], b = p[(e + 2) % 3] - p[e];
      pointNormal_[t[e]] = pointNormal_[t[e]] + std::atan2(length(cross(a, b)), dot(a, b)) * faceNormal_[i];
      const std::uint64_t u = std::uint64_t(t[e]), v = std::uint64_t(t[(e + 1) % 3]);
      const auto [it, fresh] = other.try_emplace(std::min(u, v) << 32 | std::max(u, v), 3 * i + e);
      if (!fresh) edgeNormal_[it->second] = edgeNormal_[3 * i + e] = faceNormal_[i] + faceNormal_[it->second / 3];
    }
  }
}

ClosestPoint::Hit ClosestPoint::nearest(const Vector& x, double within, double slack) const {
  const double loose = (1 + slack) * (1 + slack);
  Hit hit;
  int feature = 0;
  // A little more than the bound, so that rounding cannot hide the answer.
  double best2 = within < 1e150 ? within * within * (1 + 1e-6) + 1e-300 : 1e300;
  struct Visit {
    int box;
    double r2;
  };
  Visit stack[128];
  int top = 0;
  stack[top++] = {0, squaredDistance(x, boxes_[0].low, boxes_[0].high)};
  while (top > 0) {
    const Visit v = stack[--top];
    if (v.r2 * loose >= best2) continue;
    const Box& b = boxes_[v.box];
    if (b.count == 0) {
      const Box &l = boxes_[b.first], &r = boxes_[b.first + 1];
      Visit near = {b.first, squaredDistance(x, l.low, l.high)}, far = {b.first + 1, squaredDistance(x, r.low, r.high)};
      if (far.r2 < near.r2) std::swap(near, far);
      if (far.r2 * loose < best2) stack[top++] = far;
      if (near.r2 * loose < best2) stack[top++] = near;
      continue;
    }
    for (int i = b.first; i < b.first + b.count; i++) {
      const auto& t = mesh_.triangles[i];
      const Nearest c = nearestOnTriangle(x, mesh_.points[t[0]], mesh_.points[t[1]], mesh_.points[t[2]]);
      const double r2 = dot(x - c.point, x - c.point);
      if (r2 < best2) best2 = r2, hit.point = c.point, hit.triangle = i, feature = c.feature;
    }
  }
  if (hit.triangle < 0) return within < 1e150 ? nearest(x, 1e300, slack) : hit;  // the bound was too small
  if (feature == 0) hit.normal = faceNormal_[hit.triangle];
  if (feature >= 1 && feature <= 3) hit.normal = edgeNormal_[3 * std::size_t(hit.triangle) + feature - 1];
  if (feature >= 4) hit.normal = pointNormal_[mesh_.triangles[hit.triangle][feature - 4]];
  hit.distance = dot(x - hit.point, hit.normal) < 0 ? -std::sqrt(best2) : std::sqrt(best2);
  return hit;
}

DistanceGrid bake(const ClosestPoint& tree, double cell, double most) {
  const auto box = bounds(tree.mesh().points);
  const Vector &low = box[0], &high = box[1];  // no bindings: clang 14 captures none
  DistanceGrid g;
  const auto nodesFor = [&](double c) {
    double n = 1;
    for (int i = 0; i < 3; i++) {
      // A whole number of blocks of 4 cells, so that coarse corners are nodes.
      g.nodes[i] = 4 * whole(std::min(1e6, std::ceil(((high[i] - low[i]) / c + 6) / 4))) + 1;
      n *= g.nodes[i];
    }
    return n;
  };
  while (nodesFor(cell) > most) cell *= 1.05;
  g.cell = cell;
  for (int i = 0; i < 3; i++) g.origin[i] = 0.5 * (low[i] + high[i]) - 0.5 * cell * (g.nodes[i] - 1);
  g.values.resize(std::size_t(g.nodes[0]) * g.nodes[1] * g.nodes[2]);

  const auto at = [&](int i, int j, int k) -> float& { return g.values[(std::size_t(k) * g.nodes[1] + j) * g.nodes[0] + i]; };
  const auto place = [&](int i, int j, int k) { return g.origin + Vector{i * cell, j * cell, k * cell}; };

  // Every fourth node. Far from the surface a loose search does: the sign is that of the node before, as nothing lies between
  // them, and near a centre, where all triangles are about equally far, an exact search would look at each.
  tbb::parallel_for(0, (g.nodes[2] - 1) / 4 + 1, [&](int kb) {
    for (int j = 0; j < g.nodes[1]; j += 4) {
      double last = 0;
      for (int i = 0; i < g.nodes[0]; i += 4) {
        const Vector x = place(i, j, 4 * kb);
        const double bound = i > 0 ? std::abs(last) + 4 * cell : 1e300;
        double phi = 0;
        if (std::abs(last) > 5 * cell) phi = std::copysign(tree.nearest(x, bound, 0.02).distance, last);
        if (std::abs(phi) < 8 * cell) phi = tree.distance(x, bound);
        at(i, j, 4 * kb) = float(phi);
        last = phi;
      }
    }
  });
  // Then block by block, between the corners where that gives 5 cells and more, else exactly. A distance changes by at most the
  // way walked, and no node is farther than 2 sqrt(3) cells from its block's corners on average: where 5 is interpolated, the
  // surface is at least 1.5 cells away and the sign is right.
  const auto block = [&](int ib, int jb, int kb) {
    const int i0 = 4 * ib, j0 = 4 * jb, k0 = 4 * kb;
    double corner[2][2][2];
    for (int c = 0; c < 8; c++) {
      const double phi = at(i0 + 4 * (c & 1), j0 + 4 * (c >> 1 & 1), k0 + 4 * (c >> 2));
      corner[c >> 2][c >> 1 & 1][c & 1] = phi;
    }
    // A block writes the nodes of its low faces only; those on the grid's high faces belong to the last block.
    const int ie = i0 + 4 == g.nodes[0] - 1 ? 5 : 4, je = j0 + 4 == g.nodes[1] - 1 ? 5 : 4, ke = k0 + 4 == g.nodes[2] - 1 ? 5 : 4;
    for (int k = 0; k < ke; k++)
      for (int j = 0; j < je; j++)
        for (int i = 0; i < ie; i++) {
          if (i % 4 == 0 && j % 4 == 0 && k % 4 == 0) continue;
          double phi = 0;
          for (int c = 0; c < 8; c++) {
            const double w = (c & 1 ? i : 4 - i) * (c >> 1 & 1 ? j : 4 - j) * (c >> 2 ? k : 4 - k) / 64.0;
            phi += w * corner[c >> 2][c >> 1 & 1][c & 1];
          }
          // The distance changes by at most the way to a corner, which bounds the search.
          if (std::abs(phi) < 5 * cell) {
            const double bound = std::abs(corner[k > 2][j > 2][i > 2]) + 4 * std::sqrt(3.0) * cell;
            phi = tree.distance(place(i0 + i, j0 + j, k0 + k), bound);
          }
          at(i0 + i, j0 + j, k0 + k) = float(phi);
        }
  };
  tbb::parallel_for(0, (g.nodes[2] - 1) / 4, [&](int kb) {
    for (int jb = 0; jb < (g.nodes[1] - 1) / 4; jb++)
      for (int ib = 0; ib < (g.nodes[0] - 1) / 4; ib++) block(ib, jb, kb);
  });
  return g;
}

}  // namespace brim
