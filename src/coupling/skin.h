// The skin of sheets and soft bodies over one step: triangles (in the plane: segments) in cells, and the paths that meet them.
#pragma once
#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Corners of a triangle or a segment.
template <int D>
struct Corners {
  Vec<D> x[D];
};

BRIM_FN Vec<2> normalOf(const Corners<2>& c) {
  const Vec<2> e = c.x[1] - c.x[0];
  const Real size = sqrt(dot(e, e));
  return size > 0 ? Vec<2>{-e[1] / size, e[0] / size} : Vec<2>{};
}
BRIM_FN Vec<3> normalOf(const Corners<3>& c) {
  const Vec<3> n = cross(c.x[1] - c.x[0], c.x[2] - c.x[0]);
  const Real size = sqrt(dot(n, n));
  return size > 0 ? (1 / size) * n : Vec<3>{};
}

// Parts of the corners at the foot of x; true if the foot lies on the triangle, with a little more for the seams.
constexpr Real seam = Real(0.02);
BRIM_FN bool partsAt(const Corners<2>& c, const Vec<2>& x, Real (&part)[3]) {
  const Vec<2> e = c.x[1] - c.x[0];
  const Real s = dot(x - c.x[0], e) / dot(e, e);
  part[0] = 1 - s, part[1] = s, part[2] = 0;
  return s > -seam && s < 1 + seam;
}
BRIM_FN bool partsAt(const Corners<3>& c, const Vec<3>& x, Real (&part)[3]) {
  const Vec<3> a = c.x[1] - c.x[0], b = c.x[2] - c.x[0], r = x - c.x[0];
  const Real aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), ar = dot(a, r), br = dot(b, r), det = aa * bb - ab * ab;
  if (!(det > 0)) return false;
  const Real s = (bb * ar - ab * br) / det, t = (aa * br - ab * ar) / det;
  part[0] = 1 - s - t, part[1] = s, part[2] = t;
  return s > -seam && t > -seam && s + t < 1 + seam;
}

/// Where a particle met the skin.
template <int D>
struct SkinHit {
  int triangle = -1;
  Real part[3] = {};   // of its corners
  Vec<D> normal = {};  // towards the particle's side
};

/// Cells a, ..., b of each axis.
struct CellBox {
  int first[3], last[3];
};

/// The skin as kernels see it, at the beginning of the step and now.
template <int D>
struct SkinView {
  View<const Vec<D, int>> triangle;  // nodes
  View<const Vec<D>> before, now;    // [m] of the nodes
  View<const int> start, list;       // of each cell: the triangles that sweep over it within the step, ascending
  Vec<D> low;                        // [m]
  Vec<D, int> size;
  Real side, gap;  // [m] of a cell; how near a particle may come to the middle of a sheet

  BRIM_FN int cellOf(Real x, int k) const {
    const int c = int((x - low[k]) / side);
    return c < 0 ? 0 : c < size[k] ? c : size[k] - 1;
  }
  BRIM_FN int number(int x, int y, int z) const { return (z * size[1] + y) * size[0] + x; }

  BRIM_DEVICE_FN CellBox cellsOf(int t) const {
    CellBox box{};
    for (int k = 0; k < D; ++k) {
      Real a = Real(1e30), b = Real(-1e30);
      for (int c = 0; c < D; ++c) {
        const int node = triangle[t][c];
        a = min(min(a, before[node][k]), now[node][k]), b = max(max(b, before[node][k]), now[node][k]);
      }
      box.first[k] = cellOf(a - gap, k), box.last[k] = cellOf(b + gap, k);
    }
    return box;
  }

  BRIM_DEVICE_FN Corners<D> corners(View<const Vec<D>> node, int t) const {
    Corners<D> c;
    for (int k = 0; k < D; ++k) c.x[k] = node[triangle[t][k]];
    return c;
  }

  /// Puts a particle that went from -> to back to its side, where something is in its way. The first triangle on the path
  /// counts; then whatever the particle stands too near to.
  BRIM_DEVICE_FN SkinHit<D> turnBack(const Vec<D>& from, Vec<D>& to) const {
    SkinHit<D> hit;
    for (int pass = 0; pass < 3; ++pass) {
      // Cells of both ends: a step is shorter than a cell.
      CellBox box{};
      for (int k = 0; k < D; ++k) {
        const Real a = min(from[k], to[k]), b = max(from[k], to[k]);
        if (b < low[k] - gap || a > low[k] + Real(size[k]) * side + gap) return hit;
        box.first[k] = cellOf(a, k), box.last[k] = cellOf(b, k);
      }
      Real earliest = 2, move = 0;
      SkinHit<D> found;
      for (int z = box.first[2]; z <= box.last[2]; ++z)
        for (int y = box.first[1]; y <= box.last[1]; ++y)
          for (int x = box.first[0]; x <= box.last[0]; ++x) {
            const int c = number(x, y, z);
            for (int k = start[c]; k < start[c + 1]; ++k) {
              const Corners<D> old = corners(before, list[k]), here = corners(now, list[k]);
              const Vec<D> n0 = normalOf(old), n1 = normalOf(here);
              const Real s0 = dot(n0, from - old.x[0]), s1 = dot(n1, to - here.x[0]), way = s0 < 0 ? Real(-1) : Real(1);
              if (way * s1 >= gap) continue;
              Real part[3], when = 1;
              if (way * s1 < 0) {  // passed: where it went through
                when = s0 / (s0 - s1);
                Corners<D> then;
                for (int m = 0; m < D; ++m) then.x[m] = old.x[m] + when * (here.x[m] - old.x[m]);
                if (!partsAt(then, from + when * (to - from), part)) continue;
              } else if (!partsAt(here, to, part)) {
                continue;
              }
              if (!(when < earliest)) continue;
              earliest = when;
              move = way * (way * gap - s1);
              found.triangle = list[k];
              for (int m = 0; m < 3; ++m) found.part[m] = min(max(part[m], Real(0)), Real(1));
              found.normal = way * n1;
            }
          }
      if (found.triangle < 0) break;
      to += move * found.normal;
      if (hit.triangle < 0) hit = found;
    }
    return hit;
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
