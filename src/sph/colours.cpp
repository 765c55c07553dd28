#include "sph/colours.h"

#include <algorithm>
#include <numeric>

namespace brim::inline BRIM_FLAVOUR {

namespace {
constexpr int rowsOfTask = 2048;
std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
}  // namespace

template <int D>
void Colours<D>::build(const World<D>& w, const std::vector<char>& apart) {
  const Window<D>& window = w.window();
  const int n = w.fluid.size();
  const auto p = w.fluid.p.read();
  // Blocks of the window by axis: 2h are 2 of its cells, along x 2 `fine`.
  std::int64_t low[D], blocks[D], ofColour = 1;
  const auto side = [](int k) { return k == 0 ? 2 * Window<D>::fine : 2; };
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
  order_.clear();
  order_.reserve(n);
  const std::int64_t keys = count * ofColour;
  if (keys <= 4 * std::int64_t(n) + 4096) {
    std::vector<int> start(keys + 1);
    for (int i = 0; i < n; ++i)
      if (!apart[i]) ++start[key[i] + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    order_.resize(start.back());
    for (int i = 0; i < n; ++i)
      if (!apart[i]) order_[start[key[i]]++] = i;
  } else {
    for (int i = 0; i < n; ++i)
      if (!apart[i]) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return key[a] < key[b]; });
  }

  std::vector<Task*> all;
  std::size_t used[count] = {};
  const int rows = int(order_.size());
  for (int first = 0; first < rows;) {
    const std::int64_t k = key[order_[first]];
    int last = first;
    while (last < rows && key[order_[last]] == k) ++last;
    const int colour = int(k / ofColour);
    std::vector<Task>& tasks = tasks_[colour];
    const bool full = used[colour] > 0 && [&] {
      int sum = 0;
      for (const Block& b : tasks[used[colour] - 1].blocks) sum += b.last - b.first;
      return sum >= rowsOfTask;
    }();
    if (used[colour] == 0 || full) {
      if (used[colour] == tasks.size()) tasks.emplace_back();
      tasks[used[colour]++].blocks.clear();
    }
    tasks[used[colour] - 1].blocks.push_back({first, last});
    first = last;
  }
  for (int c = 0; c < count; ++c) {
    tasks_[c].resize(used[c]);
    for (Task& t : tasks_[c]) all.push_back(&t);
  }
  tbb::parallel_for(0, int(all.size()), [&](int t) { fillTask(w, *all[t]); });
  longest_ = 0;
  for (const Task* t : all)
    for (int l : t->length) longest_ = std::max(longest_, l);
}

template <int D>
void Colours<D>::fillTask(const World<D>& w, Task& task) const {
  const Lists lists = w.nb().fluid;
  const int ghost = w.fluid.ghost();
  // Every block to the lane that has least to do.
  std::vector<int> queue[lanes];
  for (const Block& b : task.blocks) {
    int lane = 0;
    for (int l = 1; l < lanes; ++l)
      if (queue[l].size() < queue[lane].size()) lane = l;
    queue[lane].insert(queue[lane].end(), order_.begin() + b.first, order_.begin() + b.last);
  }
  std::size_t steps = 0;
  for (const auto& q : queue) steps = std::max(steps, q.size());
  task.rows.assign(steps * lanes, ghost);
  task.length.assign(steps, 0);
  task.list.clear();
  for (std::size_t s = 0; s < steps; ++s) {
    int most = 0;
    for (int l = 0; l < lanes; ++l) {
      if (s >= queue[l].size()) continue;
      const int i = queue[l][s];
      task.rows[s * lanes + l] = i;
      int n = 0;
      const Lists::Slice slice = lists.slice[unsigned(i) / lanes];
      const int* const p = slice.first + unsigned(i) % lanes;
      while (n < slice.length && p[long(n) * lanes] != ghost) ++n;
      most = std::max(most, n);
    }
    const std::size_t at = task.list.size();
    task.list.resize(at + std::size_t(most) * lanes, ghost);
    for (int l = 0; l < lanes; ++l) {
      if (s >= queue[l].size()) continue;
      int* to = task.list.data() + at + l;
      eachFluidNeighbour(lists, queue[l][s], ghost, [&](int j) { *to = j, to += lanes; });
    }
    task.length[s] = most;
  }
}

template <int D>
std::size_t Colours<D>::bytes() const {
  std::size_t b = order_.capacity() * sizeof(int);
  for (const auto& colour : tasks_)
    for (const Task& t : colour) b += (t.rows.capacity() + t.list.capacity() + t.length.capacity()) * sizeof(int);
  return b;
}

template class Colours<2>;
template class Colours<3>;

}  // namespace brim::inline BRIM_FLAVOUR
