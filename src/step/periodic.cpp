#include "step/periodic.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void PeriodicGhosts<D>::make(Particles<D>& fluid, const Vec<D>& extent, const Vec<D, bool>& periodic, Real support) {
  std::vector<int> source;
  std::vector<Record<D>> shift;
  const auto p = onHost(fluid.p.data, fluid.size());
  for (int i = 0; i < fluid.size(); ++i) {
    // Every combination of axes along which i is near a face, without none of them.
    Record<D> s[9 * 3] = {};
    int count = 1;
    for (int k = 0; k < D; ++k) {
      if (!periodic[k]) continue;
      const int before = count;
      for (int way = -1; way <= 1; way += 2) {
        if (!(way > 0 ? p[i].x[k] < support : p[i].x[k] > extent[k] - support)) continue;
        for (int c = 0; c < before; ++c) {
          s[count] = s[c];
          s[count++].x[k] = way * extent[k];
        }
      }
    }
    for (int c = 1; c < count; ++c) source.push_back(i), shift.push_back(s[c]);
  }
  copyIn(source_, source.data(), source.size());
  copyIn(shift_, shift.data(), shift.size());
  fluid.setPeriodicGhosts(int(source.size()));
  refreshPositions(fluid, fluid.p.data);
}

template <int D>
void PeriodicGhosts<D>::sort(Particles<D>& fluid, const Window<D>& window) {
  const int n = fluid.periodicGhosts();
  table_.sort(n, View<const Record<D>>{fluid.p.data.data() + fluid.firstPeriodicGhost()}, window);
  Array<int> source;
  Array<Record<D>> shift;
  source.resize(n);
  shift.resize(n);
  permute(source, source_, table_.order(), n);
  permute(shift, shift_, table_.order(), n);
  source_.swap(source);
  shift_.swap(shift);
}

template <int D>
void PeriodicGhosts<D>::refreshPositions(const Particles<D>& fluid, Array<Record<D>>& positions) const {
  const int first = fluid.firstPeriodicGhost();
  const auto p = positions.view();
  const auto source = source_.read();
  const auto shift = shift_.read();
  forEach(fluid.periodicGhosts(), [=] BRIM_KERNEL(int k) { p[first + k] = {p[source[k]].x + shift[k].x, p[source[k]].a}; });
}

template class PeriodicGhosts<2>;
template class PeriodicGhosts<3>;

}  // namespace brim::inline BRIM_FLAVOUR
