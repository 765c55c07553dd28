// How much fluid the cells of the coarse level hold.
#pragma once
#include "exec/team.h"
#include "sph/coarse.h"

namespace brim::inline BRIM_FLAVOUR {

/// [particles] of each cell that has any, each particle a cube of its spacing, so that a surface that moves by less than a
/// spacing changes it evenly. Whole particles would jump: one of the 16 of a cell in the plane is g/16 between two cells at a
/// surface. Deep inside whole particles do.
template <int D>
void measureFluid(const CoarseCells<D> grid, int cells, const World<D>& w, View<const int> count, View<Real> amount) {
  const auto p = w.fluid.p.read();
  const Vec<D> extent = w.extent;
  const auto walled = w.walled, periodic = w.periodic;
  const double d = w.spacing, most = 0.8 * grid.full;
  forEachTeam<32>(cells, [=] BRIM_KERNEL(int c, Team<32> team) {
    constexpr int rows = CoarseCells<D>::rows, fine = rows * Window<D>::fine;
    if (team.leads()) amount[c] = Real(count[c]);
    if (!count[c]) return;
    const auto place = grid.placeOf(c);
    bool deep = count[c] > most;
    for (int k = 0, stride = 1; k < D; stride *= int(grid.size[k++])) {
      if (place.at[k] > 0) deep = deep && count[c - stride] > most;
      if (place.at[k] + 1 < grid.size[k]) deep = deep && count[c + stride] > most;
    }
    if (deep) return;
    double low[D], sum = 0;
    for (int k = 0; k < D; ++k) low[k] = grid.low[k] + double(place.at[k]) * grid.side;
    const std::int64_t lines = rows * grid.size[1], layers = D == 3 ? rows * grid.size[2] : 1, last = fine * grid.size[0] - 1;
    const std::int64_t x0 = place.at[0] * fine - 1, x1 = (place.at[0] + 1) * fine;
    for (std::int64_t z = D == 3 ? place.at[2] * rows - 1 : 0; z <= (D == 3 ? (place.at[2] + 1) * rows : 0); ++z)
      for (std::int64_t y = place.at[1] * rows - 1; y <= (place.at[1] + 1) * rows; ++y) {
        if (y < 0 || z < 0 || y >= lines || z >= layers) continue;
        const auto ends = grid.particles.run(x0 < 0 ? 0 : x0, x1 < last ? x1 : last, y, z);
        for (int j = ends.first + team.rank; j < ends.past; j += team.size) {
          double part = 1;
          for (int k = 0; k < D; ++k) {
            double from = double(p[j].x[k]) - d / 2;
            const double most = extent[k] - d, end = low[k] + grid.side;
            if (walled[k] || periodic[k]) from = from < 0 ? 0 : from > most ? most : from;
            const double to = from + d;
            const double within = (to < end ? to : end) - (from > low[k] ? from : low[k]);
            part *= within > 0 ? within / d : 0;
          }
          sum += part;
        }
      }
    sum = team.total(sum);
    if (team.leads()) amount[c] = Real(sum);
  });
}

}  // namespace brim::inline BRIM_FLAVOUR
