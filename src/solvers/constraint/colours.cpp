#include "solvers/constraint/colours.h"

#include <algorithm>
#include <numeric>

namespace brim::inline BRIM_FLAVOUR {

namespace {
constexpr int rowsOfTask = 2048;
std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
}  // namespace

template <int D>
void Colours<D>::build(const StepContext<D>& c, const std::vector<char>& apart) {
  const World<D>& w = c.world;
  const Window<D>& window = c.neighbourhood().window();
  const int n = w.fluid.size();
  const auto p = w.fluid.p.read();
  // Cells are h wide, along x `fine` of them. Some hundred rows a block: each brings the particles around it into the cache anew.
  // Few rows are cut finer, so that there are tasks for several threads.
  const int cells = n < 20000 ? 2 : D == 3 ? 4 : 8;
  const auto side = [=](int k) { return k == 0 ? cells * Window<D>::fine : cells; };
  std::int64_t low[D], blocks[D], ofColour = 1;
  for (int k = 0; k < D; ++k) {
    low[k] = floorDiv(window.low[k], side(k));
    low[k] -= low[k] & 1;  // colours are counted from the corner
    blocks[k] = floorDiv(window.low[k] + window.size[k] - 1, side(k)) - low[k] + 1;
    ofColour *= (blocks[k] + 1) / 2;
  }
  std::vector<std::int64_t> key(n);
  forEachOnHost(n, [&](int i) {
    std::int64_t colour = 0, block = 0;
    for (int k = D - 1; k >= 0; --k) {
      const std::int64_t at = floorDiv(window.low[k] + window.at(p[i].x, k), side(k)) - low[k];
      colour = 2 * colour + (at & 1);
      block = block * ((blocks[k] + 1) / 2) + at / 2;
    }
    key[i] = colour * ofColour + block;
  });
  std::vector<int> order;  // rows by colour and block
  const std::int64_t keys = count * ofColour;
  if (keys <= 4 * std::int64_t(n) + 4096) {
    std::vector<int> start(keys + 1);
    for (int i = 0; i < n; ++i)
      if (!apart[i]) ++start[key[i] + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    order.resize(start.back());
    for (int i = 0; i < n; ++i)
      if (!apart[i]) order[start[key[i]]++] = i;
  } else {
    for (int i = 0; i < n; ++i)
      if (!apart[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  }

  const int rows = int(order.size());
  for (std::vector<Task>& colour : tasks_) colour.clear();
  for (int first = 0; first < rows;) {
    const std::int64_t k = key[order[first]];
    int last = first;
    while (last < rows && key[order[last]] == k) ++last;
    std::vector<Task>& tasks = tasks_[k / ofColour];
    if (tasks.empty() || tasks.back().last - tasks.back().first >= rowsOfTask) tasks.push_back({first, first});
    tasks.back().last = last;
    first = last;
  }
  const Lists lists = c.nb().fluid;
  const int padding = w.fluid.padding();
  const auto upToFour = [](int length) { return (length + 3) / 4 * 4; };
  rows_.resize(rows);
  forEachOnHost(rows, [&](int k) {
    const int i = order[k];
    const Lists::Slice slice = lists.slice[unsigned(i) / lanes];
    const int* const list = slice.first + unsigned(i) % lanes;
    int length = slice.length;
    while (length > 0 && list[long(length - 1) * lanes] == padding) --length;
    rows_[k].i = i, rows_[k].length = upToFour(length);
  });
  place_.resize(w.fluid.capacity());
  fill(place_, 0, w.fluid.capacity(), std::int64_t(-1));
  std::int64_t pairs = 0;
  for (Row& row : rows_) {
    place_[row.i] = row.first = pairs;
    pairs += upToFour(lists.slice[unsigned(row.i) / lanes].length);
  }
  pairs_.resize(pairs);
}

template <int D>
std::size_t Colours<D>::bytes() const {
  return rows_.capacity() * sizeof(Row) + place_.bytes() + pairs_.bytes();
}

template class Colours<2>;
template class Colours<3>;

}  // namespace brim::inline BRIM_FLAVOUR
