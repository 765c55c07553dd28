#include "grid/tiles.h"

#include <fmt/format.h>

#include "brim/error.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void Tiles<D>::begin(const Places<D>& box) {
  if (box == box_) return;
  const std::int64_t n = box.count();
  if (n > mostPlaces) {
    double cells = 1;
    for (int k = 0; k < D; ++k) cells *= 8.0 * box.size[k];
    throw Failure(
        fmt::format("the domain has {:.3g} grid cells, more than the {:.3g} that a grid can span: make the domain "
                    "smaller or the particles coarser",
                    cells, double(mostPlaces) * Tiles::cells));
  }
  box_ = box;
  places_.resize(0);
  wanted_.resize(n);
  table_.resize(n);
  fill(wanted_, 0, int(n), std::uint32_t(0));
}

template <int D>
void Tiles<D>::finish() {
  const int n = int(box_.count());
  Vec<D, int> step[ways];  // of the ways, from the middle
  for (int w = 0; w < ways; ++w)
    for (int k = 0, rest = w; k < D; ++k, rest /= 3) step[w][k] = rest % 3 - 1;

  // Which places are wanted by themselves or by one around them; 1 in the table until they are numbered.
  fill(table_, 0, n, 0);
  forEach(n, [&](int p) {
    std::uint32_t bits = wanted_[p];
    if (!bits) return;
    wanted_[p] = 0;
    const Vec<D, int> place = box_.place(p);
    for (; bits; bits &= bits - 1)
      if (const int to = box_.number(place + step[__builtin_ctz(bits)]); to >= 0)
        std::atomic_ref<int>(table_[to]).store(1, std::memory_order_relaxed);
  });
  constexpr int block = 4096;
  const int blocks = (n + block - 1) / block;
  std::vector<int> first(blocks + 1);
  forEachTile(blocks, [&](int b) {
    for (int p = b * block; p < std::min(n, (b + 1) * block); ++p) first[b + 1] += table_[p];
  });
  for (int b = 0; b < blocks; ++b) first[b + 1] += first[b];
  const int used = first[blocks];
  places_.resize(used);
  forEachTile(blocks, [&](int b) {
    for (int p = b * block, t = first[b]; p < std::min(n, (b + 1) * block); ++p) {
      if (table_[p]) places_[t] = p;
      table_[p] = table_[p] ? t++ : used;
    }
  });
  links_.resize(std::size_t(used) * ways);
  forEach(used, [&](int t) {
    const Vec<D, int> place = box_.place(places_[t]);
    for (int w = 0; w < ways; ++w) links_[t * ways + w] = at(place + step[w]);
  });
}

template class Tiles<2>;
template class Tiles<3>;

}  // namespace brim::inline BRIM_FLAVOUR
