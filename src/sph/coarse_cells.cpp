#include "sph/coarse_cells.h"

#include "exec/team.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void countParticles(const CoarseCells<D> grid, int cells, View<int> count) {
  forEach(cells, [=] BRIM_KERNEL(int c) {
    int sum = 0;
    grid.eachRun(c, [&](int a, int b) { sum += b - a; });
    count[c] = sum;
  });
}

template <int D>
void findStates(const CoarseCells<D> grid, int cells, const World<D>& w, View<const int> count, View<int> state,
                View<int> number) {
  const Vec<D> extent = w.extent;
  const auto walled = w.walled;
  const double room = 0.75 * w.spacing;
  const Real inside = Real(-0.2 * grid.side);
  const auto body = w.solids.placed().read();
  const int bodies = int(w.solids.placed().size());
  forEach(cells, [=] BRIM_KERNEL(int c) {
    number[c] = count[c] > 0;
    state[c] = air;
    if (count[c]) return;
    Real x[3] = {}, y[3];
    const auto place = grid.placeOf(c);
    for (int k = 0; k < D; ++k) {
      const double low = grid.low[k] + double(place.at[k]) * grid.side, high = low + grid.side, end = extent[k];
      const double within = (high < end ? high : end) - (low > 0 ? low : 0);
      if ((walled[k] && within < room) || (grid.seam[k].there && within <= 0)) state[c] = wall;
      x[k] = Real(low + grid.side / 2);
    }
    for (int b = 0; b < bodies && state[c] == air; ++b) {
      body[b].pose.toBody(x, y);
      if (body[b].shape.distance(y) < inside) state[c] = wall - 1 - b;
    }
  });
}

template <int D>
void findMiddles(const CoarseCells<D> grid, int n, View<const int> where, View<const Record<D>> p, View<Record<D>> middle) {
  forEachTeam<32>(n, [=] BRIM_KERNEL(int i, Team<32> team) {
    double sum[D] = {}, count = 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a + team.rank; j < b; j += team.size) {
        for (int k = 0; k < D; ++k) sum[k] += p[j].x[k];
        ++count;
      }
    });
    count = team.total(count);
    for (int k = 0; k < D; ++k) {
      sum[k] = team.total(sum[k]);
      if (team.leads()) middle[i].x[k] = Real(sum[k] / count);
    }
  });
}

template <int D>
void connect(const WetCells<D> cells, int n, View<const int> where, View<Link> link, View<double> diagonal, View<double> filled) {
  forEachTeam<8>(n, [=] BRIM_KERNEL(int i, Team<8> team) {  // a face for each
    const int c = where[i];
    const double fill = cells.fill(c);
    double sum = 0, part = 1;
    Real centre[3] = {};
    for (int k = 0; k < D; ++k) centre[k] = Real(cells.centre(c, k));
    const int solid = cells.obstacles.near(centre, 1.6 * cells.grid.side);  // as far as rays go
    for (int face = team.rank; face < 2 * D; face += team.size) {
      const int k = face / 2, up = face % 2;
      if (up == 0 || team.size > 1) part = cells.wetPart(c, k);
      int state = cells.beyond(c, k, up);
      const std::int64_t there = cells.next(c, k, up);
      double open = 1;
      if (state > wall && solid < cells.obstacles.bodies && there == c + (up ? 1 : -1) * cells.stride(k)) {
        const auto o = cells.opening(c, there, k, up, solid);
        open = o.part;
        if (open == 0) state = wall - 1 - o.closedBy;
      }
      Link l = {state, 0, 0};
      if (state >= 0) {
        // Between the middles of cells, or of what is wet in a film.
        const bool films = cells.inner(c) < 0.5 || cells.inner(there) < 0.5;
        const double way = (films ? part + cells.wetPart(there, k) : cells.extent(c, k) + cells.extent(there, k)) / 2;
        const double section = (cells.section(c, k) + cells.section(there, k)) / 2;
        l = {state, float((section < open ? section : open) / way), float(1 / way)};
      } else if (state > wall) {
        const double way = cells.toSurface(c, k, up, state, part);
        l = {state, float(fill / part / way), float(1 / way)};
      }
      link[face * n + i] = l;
      sum += l.weight;
    }
    sum = team.total(sum);
    if (!team.leads()) return;
    diagonal[i] = sum > 1e-3 ? sum : 1e-3;  // fluid shut in on all sides
    filled[i] = fill;
  });
}

template <int D>
void findVoids(const CoarseCells<D> grid, int n, View<const int> where, View<const Record<D>> v, double rho0,
               const Vec<D> gravity, View<Link> link, View<double> diagonal) {
  const Real perRho = Real(1 / rho0);
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int ceiling = ceilingOf<D>(Links{{link.data}, n}, i, gravity);
    if (ceiling < 0) return;
    double missing = 0, count = 0;
    grid.eachRun(where[i], [&](int a, int b) {
      for (int j = a; j < b; ++j) {
        const Real error = v[j].a * perRho - Real(1);
        missing -= error < farBelow ? error : 0;
        ++count;
      }
    });
    const double layers = missing / 0.02;  // in particles of a layer, of which a cell has count^((D - 1)/D)
    if (layers * layers * (D == 2 ? 1 : layers) < count * (D == 2 ? 1 : count)) return;
    link[ceiling * n + i].weight = 2;
    diagonal[i] += 2;
  });
}

// Whether walls on both sides leave at most two cells along axis k, that of c among them.
template <int D>
BRIM_DEVICE_FN bool isNarrow(const WetCells<D>& cells, std::int64_t c, int k) {
  const std::int64_t at = cells.grid.placeOf(c).at[k];
  int wide[2] = {2, 2};
  for (int up = 0; up < 2; ++up)
    for (int far = 2; far > 0; --far) {
      const std::int64_t place = up ? at + far : at - far;
      if (place < 0 || place >= cells.grid.size[k]) continue;
      if (cells.state[int(c + (place - at) * cells.stride(k))] <= wall) wide[up] = far - 1;
    }
  return wide[0] + wide[1] < 2;
}

template <int D>
bool anyJet(const WetCells<D> cells, int n, View<const int> where, const Links link, const Vec<D> gravity) {
  return maxOf(n, [=] BRIM_KERNEL(int i) {
           const auto open = [=](int j) {
             bool any = false;
             for (int l = 0; l < 2 * D; ++l) any = any || (link(j, l).to < 0 && link(j, l).perDrop != 0);
             return any;
           };
           bool jet = false;
           for (int m = 0; m < D; ++m)
             for (int up = 0; up < 2; ++up) {
               const Link in = link(i, 2 * m + 1 - up);
               const Real rises = up ? -gravity[m] : gravity[m];
               if (in.to < 0 || rises > 0 || open(in.to)) continue;
               int end = i;  // the surface may begin behind the edge of the opening by two cells
               for (int way = 0; way < 2 && !open(end); ++way)
                 if (const int next = link(end, 2 * m + up).to; next >= 0) end = next;
               if (!open(end)) continue;
               for (int k = 0; k < D; ++k)  // a whole tank that is narrow has no opening there
                 jet = jet || (k != m && isNarrow(cells, where[i], k) && !isNarrow(cells, where[in.to], k));
             }
           return double(jet);
         }) > 0;
}

template void countParticles(const CoarseCells<2>, int, View<int>);
template void findStates(const CoarseCells<2>, int, const World<2>&, View<const int>, View<int>, View<int>);
template void findMiddles(const CoarseCells<2>, int, View<const int>, View<const Record<2>>, View<Record<2>>);
template void connect(const WetCells<2>, int, View<const int>, View<Link>, View<double>, View<double>);
template bool anyJet(const WetCells<2>, int, View<const int>, const Links, const Vec<2>);
template void findVoids(const CoarseCells<2>, int, View<const int>, View<const Record<2>>, double, const Vec<2>, View<Link>,
                        View<double>);
template void countParticles(const CoarseCells<3>, int, View<int>);
template void findStates(const CoarseCells<3>, int, const World<3>&, View<const int>, View<int>, View<int>);
template void findMiddles(const CoarseCells<3>, int, View<const int>, View<const Record<3>>, View<Record<3>>);
template void connect(const WetCells<3>, int, View<const int>, View<Link>, View<double>, View<double>);
template bool anyJet(const WetCells<3>, int, View<const int>, const Links, const Vec<3>);
template void findVoids(const CoarseCells<3>, int, View<const int>, View<const Record<3>>, double, const Vec<3>, View<Link>,
                        View<double>);

}  // namespace brim::inline BRIM_FLAVOUR
