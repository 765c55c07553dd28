// Marching cubes (Lorensen & Cline 1987) with a table that is made instead of written down, so that the surface is a manifold:
//  - On each face of a cube the crossings of its edges are joined so that corners inside the liquid stay apart. A face looks the
//    same from both of its cubes, so their pieces meet along it.
//  - The lines of all faces form loops, and each loop becomes triangles none of whose inner sides joins two points of one face:
//  such
//    a side could also be drawn by the cube beyond, and four triangles would meet at it. For every loop there is such a choice.
// A crossing then belongs to one loop of each of the four cubes around its edge, which close to one ring around it.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "surface/field.h"

namespace brim {

namespace {

constexpr int side = Field::side;

// Corner c lies at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge 4 a + k runs along axis a from the k-th corner without bit a.
struct Table {
  struct Case {
    int count = 0;
    std::array<std::array<std::int8_t, 3>, 5> triangles;
  };
  std::array<std::array<int, 2>, 12> edge;  // its corners
  std::array<Case, 256> cases;

  Table() {
    int n = 0;
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 8; ++c)
        if (!(c >> a & 1)) edge[std::size_t(n++)] = {c, c | 1 << a};
    for (int a = 0; a < 3; ++a)
      for (int high = 0; high < 2; ++high) {
        const int u = 1 << (a + 1) % 3, v = 1 << (a + 2) % 3, c = high << a;
        // Anticlockwise as seen from outside.
        std::array<int, 4> corners = {c, c | u, c | u | v, c | v};
        if (!high) std::reverse(corners.begin(), corners.end());
        face_[std::size_t(2 * a + high)] = corners;
      }
    for (int inside = 0; inside < 256; ++inside) fill(inside);
  }

 private:
  std::array<std::array<int, 4>, 6> face_;

  int edgeOf(int c, int d) const {
    for (int e = 0; e < 12; ++e)
      if (edge[std::size_t(e)] == std::array<int, 2>{std::min(c, d), std::max(c, d)}) return e;
    return -1;
  }

  bool onOneFace(int e, int f) const {
    const int bits[4] = {edge[std::size_t(e)][0], edge[std::size_t(e)][1], edge[std::size_t(f)][0], edge[std::size_t(f)][1]};
    return (bits[0] & bits[1] & bits[2] & bits[3]) != 0 || (~bits[0] & ~bits[1] & ~bits[2] & ~bits[3] & 7) != 0;
  }

  void fill(int inside) {
    int next[12];
    std::fill(next, next + 12, -1);
    for (const auto& f : face_)
      for (int k = 0; k < 4; ++k) {
        const auto in = [&](int i) { return inside >> f[std::size_t(i & 3)] & 1; };
        if (!in(k) || in(k + 1)) continue;
        int first = k;  // of the corners inside that follow each other up to k
        while (in(first + 3)) first += 3;
        next[edgeOf(f[std::size_t(k)], f[std::size_t((k + 1) & 3)])] =
            edgeOf(f[std::size_t(first & 3)], f[std::size_t((first + 3) & 3)]);
      }
    for (int start = 0; start < 12; ++start) {
      std::vector<int> loop;
      for (int e = start; next[e] >= 0;) {
        loop.push_back(e);
        e = std::exchange(next[e], -1);
      }
      if (!loop.empty()) cut(loop, 0, int(loop.size()) - 1, cases[std::size_t(inside)]);
    }
  }

  // Triangles over the part i .. j of a loop, whose side i-j is drawn already; false where there is no good choice.
  bool cut(const std::vector<int>& loop, int i, int j, Case& out) const {
    if (j - i < 2) return true;
    const auto good = [&](int a, int b) { return b - a == 1 || !onOneFace(loop[std::size_t(a)], loop[std::size_t(b)]); };
    for (int k = i + 1; k < j; ++k) {
      if (!good(i, k) || !good(k, j)) continue;
      const int before = out.count;
      if (cut(loop, i, k, out) && cut(loop, k, j, out)) {
        out.triangles[std::size_t(out.count++)] = {std::int8_t(loop[std::size_t(i)]), std::int8_t(loop[std::size_t(j)]),
                                                   std::int8_t(loop[std::size_t(k)])};
        return true;
      }
      out.count = before;
    }
    return false;
  }
};

const Table& table() {
  static const Table t;
  return t;
}

/// The nodes of a block and the first layer of those behind it.
struct Corner {
  static constexpr int row = side + 1;
  float value[row * row * row];
  int block[8];  // the block itself and those behind it along x, y, xy, ...

  Corner(const Field& field, int b) {
    const auto low = field.low(b);
    for (int n = 0; n < 8; ++n) {
      block[n] = n == 0 ? b : field.find({low[0] + (n & 1) * side, low[1] + (n >> 1 & 1) * side, low[2] + (n >> 2 & 1) * side});
      const float* from = block[n] < 0 ? nullptr : field.values(block[n]);
      const int nx = n & 1 ? 1 : side, ny = n & 2 ? 1 : side, nz = n & 4 ? 1 : side;
      for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
          for (int x = 0; x < nx; ++x)
            value[at(x + (n & 1) * side, y + (n >> 1 & 1) * side, z + (n >> 2 & 1) * side)] =
                from ? from[(z * side + y) * side + x] : 0.f;
    }
  }
  static int at(int x, int y, int z) { return (z * row + y) * row + x; }
};

/// The points of one block: those of the edges that start at its nodes, numbered by node and axis.
struct Points {
  std::vector<int> number;  // 3 * node + axis -> point, counted from `first`; empty if the block has none
  std::vector<Vector> place;
  int first = 0;
};

}  // namespace

Mesh isosurface(const Field& field, float iso) {
  const Table& t = table();
  std::vector<Points> points(std::size_t(field.blocks()));
  tbb::parallel_for(0, field.blocks(), [&](int b) {
    const Corner c(field, b);
    const auto [least, most] = std::minmax_element(std::begin(c.value), std::end(c.value));
    if (*least > iso || *most <= iso) return;
    Points& p = points[std::size_t(b)];
    p.number.assign(3 * Field::nodes, -1);
    for (int z = 0, node = 0; z < side; ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x, ++node) {
          const float here = c.value[Corner::at(x, y, z)];
          for (int a = 0; a < 3; ++a) {
            const float there = c.value[Corner::at(x + (a == 0), y + (a == 1), z + (a == 2))];
            if ((here > iso) == (there > iso)) continue;
            // Points stay apart from the nodes: triangles that shrink to nothing there would have no normal.
            const double f = std::clamp((double(iso) - here) / (double(there) - here), 0.002, 0.998);
            Vector v = {double(field.low(b)[0] + x), double(field.low(b)[1] + y), double(field.low(b)[2] + z)};
            v[std::size_t(a)] += f;
            for (double& coordinate : v) coordinate *= field.voxel();
            p.number[std::size_t(3 * node + a)] = int(p.place.size());
            p.place.push_back(v);
          }
        }
  });
  Mesh mesh;
  for (Points& p : points) {
    p.first = int(mesh.points.size());
    mesh.points.insert(mesh.points.end(), p.place.begin(), p.place.end());
  }

  std::vector<std::vector<std::array<int, 3>>> triangles(std::size_t(field.blocks()));
  tbb::parallel_for(0, field.blocks(), [&](int b) {
    const Corner c(field, b);
    const auto [least, most] = std::minmax_element(std::begin(c.value), std::end(c.value));
    if (*least > iso || *most <= iso) return;
    for (int z = 0; z < side; ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
          int inside = 0;
          for (int k = 0; k < 8; ++k)
            inside |= int(c.value[Corner::at(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2 & 1))] > iso) << k;
          const Table::Case& now = t.cases[std::size_t(inside)];
          for (int k = 0; k < now.count; ++k) {
            std::array<int, 3> corners;
            for (std::size_t v = 0; v < 3; ++v) {
              const int e = now.triangles[std::size_t(k)][v], from = t.edge[std::size_t(e)][0], axis = e / 4;
              const int u[3] = {x + (from & 1), y + (from >> 1 & 1), z + (from >> 2 & 1)};
              const Points& p = points[std::size_t(c.block[(u[0] >> 3) | (u[1] >> 3) << 1 | (u[2] >> 3) << 2])];
              corners[v] = p.first + p.number[std::size_t(3 * (((u[2] & 7) * side + (u[1] & 7)) * side + (u[0] & 7)) + axis)];
            }
            triangles[std::size_t(b)].push_back(corners);
          }
        }
  });
  for (const auto& some : triangles) mesh.triangles.insert(mesh.triangles.end(), some.begin(), some.end());
  return mesh;
}

}  // namespace brim
