// Particles by tile on a CPU: a counting sort in blocks, whose limits depend on the number of particles alone.
#include "grid/tiles/bins.h"

#include <numeric>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Bins<D>::sort(Tiles<D>& tiles, const GridGeometry<D>& geometry, const Particles<D>& fluid, int ring) {
  const int n = fluid.size();
  key_.resize(n), order_.resize(n);
  const auto p = fluid.p.read();
  const auto key = key_.view();
  const Places<D> box = geometry.places();
  tiles.cover(
      box, n,
      [=](int i) {
        const Vec<D, int> cell = geometry.cellOf(p[i].x);
        Vec<D, int> place;
        for (int k = 0; k < D; ++k) place[k] = cell[k] >> 3;
        key[i] = box.number(place);
        return cell;
      },
      ring);
  const int bins = tiles.count() + 1;
  // At most 64 blocks.
  const int block = std::max(4096, (n + 63) / 64), blocks = (n + block - 1) / block;
  count_.assign(std::size_t(blocks) * bins, 0);
  const auto table = tiles.view().table;
  tbb::parallel_for(0, blocks, [&](int b) {
    int* const count = count_.data() + std::size_t(b) * bins;
    for (int i = b * block; i < std::min(n, (b + 1) * block); ++i) {
      const int t = key[i] < 0 ? bins - 1 : table[key[i]];
      key[i] = t;
      ++count[t];
    }
  });
  start_.resize(bins + 1);
  int sum = 0;
  for (int t = 0; t < bins; ++t) {
    start_[t] = sum;
    for (int b = 0; b < blocks; ++b) {
      const int c = std::exchange(count_[std::size_t(b) * bins + t], sum);
      sum += c;
    }
  }
  start_[bins] = sum;
  tbb::parallel_for(0, blocks, [&](int b) {
    int* const next = count_.data() + std::size_t(b) * bins;
    for (int i = b * block; i < std::min(n, (b + 1) * block); ++i) order_[next[key_[i]]++] = i;
  });
  active_.clear();
  slot_.assign(bins, -1);
  for (int t = 0; t + 1 < bins; ++t)
    if (start_[t + 1] > start_[t]) slot_[t] = int(active_.size()), active_.push_back(t);
}

template class Bins<2>;
template class Bins<3>;

}  // namespace brim::inline BRIM_FLAVOUR
