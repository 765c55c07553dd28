// Blocks on a GPU: a sort by colour and block, with ties in the order of the particles.
#include "solvers/constraint/cuda/colours.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void RowLists<D>::layOut(const StepContext<D>& c, View<const int> of, int n) {
  const World<D>& w = c.world;
  size = n;
  if (n == 0) return;
  // Numbers of pairs are whole ones of 32 bits in a scan.
  if (c.neighbourhood().pairs() + w.fluid.size() > 2.1e9)
    throw Failure(
        "solver \"constraint\" on device \"cuda\" holds two thousand million pairs of neighbours at most; a larger "
        "resolution.spacing has fewer");
  rows.resize(n);
  first_.resize(std::size_t(n) + 1);
  const auto row = rows.view();
  const auto first = first_.view();
  const Lists lists = c.nb().fluid;
  const int padding = w.fluid.padding();
  forEach(n + 1, [=] BRIM_KERNEL(int k) {
    int length = 0;
    if (k < n) {
      const int i = of[k];
      for (const int j : lists[i]) length += j != padding;
      row[k].i = i, row[k].length = length;
    }
    first[k] = length;
  });
  scan(first_, n + 1);
  forEach(n, [=] BRIM_KERNEL(int k) { row[k].first = first[k]; });
  pairs.resize(elementOf(first_, n));
}

template <int D>
struct Blocks {
  std::int64_t side[D];                // [cells]
  std::int64_t low[D];                 // the window's first, from the domain's corner
  std::int64_t half[D], ofColour = 1;  // of one colour: along each axis, and in all
};

BRIM_FN static std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

template <int D>
void Colours<D>::build(const StepContext<D>& context, const Apart& apart) {
  const World<D>& w = context.world;
  const Window<D> window = context.neighbourhood().window();
  const int n = w.fluid.size(), rows = n - apart.count;
  const bool some = apart.count > 0;
  Blocks<D> blocks;
  for (int k = 0; k < D; ++k) {
    blocks.side[k] = k == 0 ? 2 * Window<D>::fine : 2;
    blocks.low[k] = floorDiv(window.low[k], blocks.side[k]);
    blocks.low[k] -= blocks.low[k] & 1;  // colours are counted from the corner
    blocks.half[k] = (floorDiv(window.low[k] + window.size[k] - 1, blocks.side[k]) - blocks.low[k] + 2) / 2;
    blocks.ofColour *= blocks.half[k];
  }
  key_.resize(n);
  {
    const auto p = w.fluid.p.read();
    const auto key = key_.view();
    const auto out = apart.mark.read();
    forEach(n, [=] BRIM_KERNEL(int i) {
      std::int64_t colour = 0, block = 0;
      for (int k = D - 1; k >= 0; --k) {
        const std::int64_t at = floorDiv(window.low[k] + window.at(p[i].x, k), blocks.side[k]) - blocks.low[k];
        colour = 2 * colour + (at & 1);
        block = block * blocks.half[k] + at / 2;
      }
      key[i] = some && out[i] ? count * blocks.ofColour : colour * blocks.ofColour + block;
    });
  }
  sortKeys(key_, order_, n);
  number_.resize(std::size_t(n) + 1), begin_.resize(std::size_t(n) + 1), foundThere_.resize(count + 2);
  const auto key = key_.read();
  const auto number = number_.view(), begin = begin_.view(), found = foundThere_.view();
  forEach(rows + 1, [=] BRIM_KERNEL(int k) { number[k] = k < rows && (k == 0 || key[k] != key[k - 1]); });
  scan(number_, rows + 1);
  const std::int64_t ofColour = blocks.ofColour;
  forEach(rows + 1, [=] BRIM_KERNEL(int k) {
    const int last = k == 0 ? -1 : int(key[k - 1] / ofColour), now = k == rows ? count : int(key[k] / ofColour);
    for (int c = last + 1; c <= now; ++c) found[c] = number[k];
    if (k == rows || k == 0 || key[k] != key[k - 1]) begin[number[k]] = k;
  });
  fill(foundThere_, count + 1, count + 2, 0);
  copyOut(foundThere_, found_, count + 1);
  regions_.resize(found_[count]);
  const auto region = regions_.view();
  const auto order = order_.read();
  const auto p = w.fluid.p.read();
  const Runs<D> runs = context.neighbourhood().cells().runs();
  forEach(rows, [=] BRIM_KERNEL(int k) {
    if (k > 0 && key[k] == key[k - 1]) return;
    Region<D> r = {};
    std::int64_t ends[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    for (int d = 0; d < D; ++d) {
      const std::int64_t wide = blocks.side[d] / 2, at = window.low[d] + window.at(p[order[k]].x, d);
      const std::int64_t first = floorDiv(at, blocks.side[d]) * blocks.side[d] - wide - window.low[d],
                         last = first + 4 * wide - 1;
      r.low[d] = int(first);
      ends[d][0] = first < 0 ? 0 : first, ends[d][1] = last < window.size[d] ? last : window.size[d] - 1;
    }
    int sum = 0;
    for (int m = 0; m < Region<D>::runs; ++m) {
      const int y = r.low[1] + m % 4, z = D == 3 ? r.low[2] + m / 4 : 0;
      Run run = {0, 0};
      if (y >= ends[1][0] && y <= ends[1][1] && z >= ends[2][0] && z <= ends[2][1]) run = runs.run(ends[0][0], ends[0][1], y, z);
      r.begin[m] = run.first;
      r.past[m] = sum += run.past - run.first;
    }
    region[number[k]] = r;
    atomicMax(&found[count + 1], sum);
  });
  found_[count + 1] = elementOf(foundThere_, count + 1);
  lists_.layOut(context, order_.read(), rows);
}

template struct RowLists<2>;
template struct RowLists<3>;
template class Colours<2>;
template class Colours<3>;

}  // namespace brim::inline BRIM_FLAVOUR
