#include "world/spread.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "brim/error.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
constexpr int placesPerCell = 20;  // bits of a place for the number within the cell
constexpr std::int64_t behindAll = std::int64_t(1) << 62, far = std::int64_t(1) << 60;
constexpr double unbalanced = 1.1;  // the most particles of a rank over the mean, from which cuts move

// The columns c that have particles for the range [low, high) with `width` columns around.
bool wants(std::int64_t low, std::int64_t high, int width, std::int64_t c) {
  return low < high && c >= low - width && c < high + width;
}
template <class T>
void append(ranks::Bytes& to, const Array<T>& column, const std::vector<int>& which) {
  const std::size_t at = to.size();
  to.resize(at + which.size() * sizeof(T));
  char* const out = to.data() + at;
  for (std::size_t k = 0; k < which.size(); ++k) std::memcpy(out + k * sizeof(T), &column[which[k]], sizeof(T));
}
}  // namespace

template <int D>
Spread<D>::Spread(ranks::Team& t, const Vec<D>& extent, const Vec<D, bool>& periodic)
    : team(t), extent_(extent), periodic_(periodic), cut_(t.size() + 1, 0) {
  // Across the longest axis halos are least. Columns along x are a quarter of a support: cuts there balance better.
  for (int k = 1; k < D; ++k)
    if (extent[k] > (axis_ == 0 ? 1.5 : 1) * extent[axis_]) axis_ = k;
  width_ = axis_ == 0 ? Window<D>::fine : 1;
}

// What lies outside the window, or nowhere, is in the first column.
template <int D>
std::int64_t Spread<D>::columnOf(const Window<D>& w, const Vec<D>& x) const {
  const double s = std::floor(x[axis_] * w.scale[axis_]) - double(w.low[axis_]);  // as Window::keyOf
  return w.low[axis_] + (s >= 0 && s < double(w.size[axis_]) ? std::int64_t(s) : 0);
}

template <int D>
int Spread<D>::ownerOf(std::int64_t column) const {
  return int(std::upper_bound(cut_.begin() + 1, cut_.end() - 1, column) - cut_.begin()) - 1;
}

// Cuts where equal shares of the particles end, to a whole column. They move where a rank has a tenth too many, if that helps.
template <int D>
void Spread<D>::balance(const std::vector<std::int64_t>& histogram, std::int64_t low) {
  const int ranks = team.size();
  total_ = std::accumulate(histogram.begin(), histogram.end(), std::int64_t(0));
  const auto most = [&](const std::vector<std::int64_t>& cut) {
    std::int64_t worst = 0;
    for (int r = 0; r < ranks; ++r) {
      const std::int64_t a = std::max(low, cut[r]), b = std::min(low + std::int64_t(histogram.size()), cut[r + 1]);
      std::int64_t own = 0;
      for (std::int64_t c = a; c < b; ++c) own += histogram[c - low];
      worst = std::max(worst, own);
    }
    return double(worst);
  };
  const double mean = std::max(1.0, double(total_) / ranks), now = most(cut_);
  imbalance_ = now / mean;
  if (active_ && now <= unbalanced * mean) return;
  std::vector<std::int64_t> cut(ranks + 1, far);
  cut[0] = -far;
  std::int64_t before = 0, c = 0;
  for (int r = 1; r < ranks; ++r) {
    const double share = double(total_) * r / ranks;
    while (c < std::int64_t(histogram.size()) && double(before) + double(histogram[c]) / 2 < share) before += histogram[c++];
    cut[r] = low + c;
  }
  if (active_ && most(cut) >= now) return;
  if (active_) ++cutsMoved_;
  cut_ = cut;
  imbalance_ = most(cut) / mean;
}

template <int D>
void Spread<D>::prepareTargets(const Window<D>& w) {
  targets_.assign(w.size[axis_], {});
  for (std::int64_t k = 0; k < w.size[axis_]; ++k)
    for (int r = 0; r < team.size(); ++r)
      if (wants(cut_[r], cut_[r + 1], width_, w.low[axis_] + k)) targets_[k].push_back(r);
}

// All ranks that want a particle: its owner, those with its column in their halo, and those that it reaches around the domain.
template <int D>
void Spread<D>::targetsOf(const Window<D>& w, const Vec<D>& x, std::int64_t column, std::vector<int>& to) const {
  const std::vector<int>& near = targets_[column - w.low[axis_]];
  to.assign(near.begin(), near.end());
  if (!periodic_[axis_]) return;
  const double scale = w.scale[axis_];
  const auto end = std::int64_t(std::floor(extent_[axis_] * scale)) + 1;
  for (int way = -1; way <= 1; way += 2) {
    const Real at = x[axis_] + way * extent_[axis_];
    const auto c = std::int64_t(std::floor(at * scale));
    for (int r = 0; r < team.size(); ++r)
      if (wants(std::max<std::int64_t>(cut_[r], 0), std::min(cut_[r + 1], end), width_ + 1, c) &&
          std::find(to.begin(), to.end(), r) == to.end())
        to.push_back(r);
  }
}

template <int D>
void Spread<D>::place(Particles<D>& fluid, CellTable<D>& table, const Window<D>& window, Scratch<D>& scratch) {
  const int me = team.rank();
  int n = fluid.size();
  if (!active_) {
    own_.assign(n, 1);
    place_.resize(n);
    std::iota(place_.begin(), place_.end(), std::int64_t(0));
  }
  BRIM_ASSERT(own_.size() == std::size_t(n), "particles came or went and the ranks were not told");
  const std::int64_t low = window.low[axis_];
  const auto p = fluid.p.read();
  column_.resize(n);
  std::vector<std::int64_t> histogram(window.size[axis_], 0);
  for (int i = 0; i < n; ++i)
    if (own_[i]) ++histogram[(column_[i] = columnOf(window, p[i].x)) - low];
  if (active_) team.sum(histogram.data(), histogram.size());
  balance(histogram, low);
  prepareTargets(window);

  std::vector<std::vector<int>> go(team.size());
  std::vector<int> keep, to;
  for (int i = 0; i < n; ++i) {
    if (!own_[i]) continue;
    if (const auto& near = targets_[column_[i] - low]; near.size() == 1 && near[0] == me && !periodic_[axis_]) {
      keep.push_back(i);
      continue;
    }
    targetsOf(window, p[i].x, column_[i], to);
    for (const int r : to)
      if (r == me)
        keep.push_back(i);
      else if (active_)
        go[r].push_back(i);
  }
  const int came = receive(fluid, go);
  // In the order of all, as they would stand without ranks: ties in a cell keep it. Most are in order already.
  std::vector<int> others(came);
  std::iota(others.begin(), others.end(), n);
  const auto before = [&](int a, int b) { return place_[a] < place_[b]; };
  for (auto* part : {&keep, &others})
    if (!std::is_sorted(part->begin(), part->end(), before)) std::sort(part->begin(), part->end(), before);
  std::vector<int> merged(keep.size() + others.size());
  std::merge(keep.begin(), keep.end(), others.begin(), others.end(), merged.begin(), before);
  keep.swap(merged);
  n = int(keep.size());

  Array<Record<D>> x;
  x.resize(n);
  const auto all = fluid.p.read();
  for (int k = 0; k < n; ++k) x[k] = all[keep[k]];
  table.sort(n, x.read(), window);
  Array<int> order;
  order.resize(n);
  for (int k = 0; k < n; ++k) order[k] = keep[table.order()[k]];
  fluid.reorder(order, n, scratch);
  active_ = true;
  list(fluid, window);
}

// The particles that others send here, behind those that are here.
template <int D>
int Spread<D>::receive(Particles<D>& fluid, const std::vector<std::vector<int>>& go) {
  if (!active_ || team.size() == 1) return 0;
  const int ranks = team.size();
  to_.resize(ranks), from_.resize(ranks);
  std::size_t each = sizeof(std::int64_t);
  fluid.each([&](auto& f) { each += sizeof f.fresh; });
  for (int r = 0; r < ranks; ++r) {
    to_[r].clear(), from_[r].clear();
    if (go[r].empty()) continue;
    to_[r].reserve(each * go[r].size());
    for (const int i : go[r]) {
      const char* const at = reinterpret_cast<const char*>(&place_[i]);
      to_[r].insert(to_[r].end(), at, at + sizeof(std::int64_t));
    }
    fluid.each([&](auto& f) { append(to_[r], f.data, go[r]); });
  }
  team.swap(to_, from_, false);
  int came = 0;
  for (const auto& one : from_) came += int(one.size() / each);
  if (came == 0) return 0;
  int at = fluid.grow(came);
  place_.resize(at + came);
  for (const ranks::Bytes& one : from_) {
    const std::size_t n = one.size() / each;
    if (n == 0) continue;
    const char* read = one.data();
    std::memcpy(&place_[at], read, n * sizeof(std::int64_t));
    read += n * sizeof(std::int64_t);
    fluid.each([&](auto& f) {
      std::memcpy(static_cast<void*>(f.data.data() + at), read, n * sizeof f.fresh);
      read += n * sizeof f.fresh;
    });
    at += int(n);
  }
  return came;
}

// Who is whose, after the sort: two ranks that share particles have them in the same order, so both lists match.
template <int D>
void Spread<D>::list(const Particles<D>& fluid, const Window<D>& window) {
  const int n = fluid.size(), me = team.rank();
  const auto p = fluid.p.read();
  own_.resize(n), place_.resize(n), column_.resize(n);
  send_.assign(team.size(), {}), halo_.assign(team.size(), {});
  const std::int64_t low = std::max(window.low[axis_], cut_[me]),
                     high = std::max(low, std::min(window.low[axis_] + window.size[axis_], cut_[me + 1]));
  start_.assign(high - low + 1, 0);
  std::int64_t last = -1, number = 0;
  std::vector<int> to;
  for (int k = 0; k < n; ++k) {
    const std::int64_t key = window.keyOf(p[k].x), column = columnOf(window, p[k].x);
    number = key == last ? number + 1 : 0;
    last = key;
    place_[k] = (key << placesPerCell) + number;
    column_[k] = column;
    const int owner = ownerOf(column);
    own_[k] = owner == me;
    if (owner != me) {
      halo_[owner].push_back(k);
      continue;
    }
    ++start_[column - low + 1];
    if (targets_[column - window.low[axis_]].size() == 1 && !periodic_[axis_]) continue;
    targetsOf(window, p[k].x, column, to);
    for (const int r : to)
      if (r != me) send_[r].push_back(k);
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  which_.resize(start_.back());
  std::vector<int> at(start_.begin(), start_.end() - 1);
  for (int k = 0; k < n; ++k)
    if (own_[k]) which_[at[column_[k] - low]++] = k;
  arrangement_ = fluid.arrangement();
  grown_ = 0;
}

template <int D>
template <class T>
void Spread<D>::refresh(Array<T>& column) const {
  const int ranks = team.size();
  if (ranks == 1) return;
  to_.resize(ranks), from_.resize(ranks);
  for (int r = 0; r < ranks; ++r) {
    to_[r].clear();
    append(to_[r], column, send_[r]);
    from_[r].resize(halo_[r].size() * sizeof(T));
  }
  team.swap(to_, from_, true);
  for (int r = 0; r < ranks; ++r)
    for (std::size_t k = 0; k < halo_[r].size(); ++k)
      std::memcpy(static_cast<void*>(&column[halo_[r][k]]), from_[r].data() + k * sizeof(T), sizeof(T));
}

template <int D>
OwnColumns Spread<D>::own(const Particles<D>& fluid) const {
  if (fluid.arrangement() != arrangement_) throw Failure("a sum over ranks was asked for between an exchange and a search");
  return {int(start_.size()) - 1, start_.data(), which_.data()};
}

template <int D>
std::vector<int> Spread<D>::ownOf(int n) const {
  std::vector<int> own;
  for (int i = 0; i < n; ++i)
    if (own_[i]) own.push_back(i);
  return own;
}

// The columns come together at rank 0 and go into the order of all; its own part stands by meanwhile.
template <int D>
void Spread<D>::whole(Particles<D>& fluid, const std::function<void()>& task) {
  const std::vector<int> own = ownOf(fluid.size());
  ranks::Bytes mine;
  for (const int i : own) {
    const char* const at = reinterpret_cast<const char*>(&place_[i]);
    mine.insert(mine.end(), at, at + sizeof(std::int64_t));
  }
  const ranks::Bytes keys = team.gather(mine.data(), mine.size());
  const int n = int(keys.size() / sizeof(std::int64_t));
  std::vector<ranks::Bytes> columns;
  fluid.each([&](auto& f) {
    mine.clear();
    append(mine, f.data, own);
    columns.push_back(team.gather(mine.data(), mine.size()));
  });
  fluid.grow(0);  // at no rank do lists match from here on
  if (team.rank() != 0) return;
  std::vector<std::int64_t> key(n);
  if (n > 0) std::memcpy(key.data(), keys.data(), keys.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  // This rank's own columns stand by.
  const int part = fluid.size();
  const Array<int> none;
  std::deque<Array<Record<D>>> records;
  std::deque<Array<Real>> reals;
  std::deque<Array<int>> numbers;
  const auto standIns = [&](auto& f) -> auto& {
    using T = std::decay_t<decltype(f.fresh)>;
    if constexpr (std::is_same_v<T, Record<D>>)
      return records;
    else if constexpr (std::is_same_v<T, Real>)
      return reals;
    else
      return numbers;
  };
  fluid.each([&](auto& f) { f.data.swap(standIns(f).emplace_back()); });
  fluid.reorder(none, 0, scratch_);
  active_ = false;
  const auto back = [&] {
    fluid.reorder(none, 0, scratch_);
    fluid.grow(part);
    fluid.each([&](auto& f) {
      auto& kept = standIns(f);
      f.data.swap(kept.front());
      kept.pop_front();
    });
    fluid.pad();
    active_ = true;
  };
  try {
    fluid.grow(n);
    std::size_t c = 0;
    fluid.each([&](auto& f) {
      const ranks::Bytes& from = columns[c++];
      for (int k = 0; k < n; ++k)
        std::memcpy(static_cast<void*>(&f.data[k]), from.data() + std::size_t(order[k]) * sizeof f.fresh, sizeof f.fresh);
    });
    fluid.pad();
    task();
  } catch (...) {
    back();
    throw;
  }
  back();
}

template <int D>
void Spread<D>::dropHalo(Particles<D>& fluid) {
  const std::vector<int> own = ownOf(fluid.size());
  for (std::size_t k = 0; k < own.size(); ++k) place_[k] = place_[own[k]];
  Array<int> order;
  copyIn(order, own.data(), own.size());
  fluid.reorder(order, int(own.size()), scratch_);
  own_.assign(own.size(), 1);
  place_.resize(own.size());
}

// Without ranks the last of all particles come to the places of those that went. Here they stay where they are, with the places
// of those.
template <int D>
void Spread<D>::fillHoles(const Array<int>& which, int going, const Array<int>& last, int moved, std::int64_t goingOfAll) {
  const auto sorted = [&](const std::vector<std::int64_t>& mine) {
    const ranks::Bytes all = team.gatherAll(mine.data(), mine.size() * sizeof(std::int64_t));
    std::vector<std::int64_t> places(all.size() / sizeof(std::int64_t));
    if (!all.empty()) std::memcpy(places.data(), all.data(), all.size());
    std::sort(places.begin(), places.end());
    return places;
  };
  std::vector<std::int64_t> mine;
  for (int k = 0; k < going; ++k) mine.push_back(place_[which[k]]);
  const std::vector<std::int64_t> gone = sorted(mine);
  // The last of all are among the last of every rank.
  mine = place_;
  const std::size_t few = std::min(mine.size(), std::size_t(goingOfAll));
  std::partial_sort(mine.begin(), mine.begin() + long(few), mine.end(), std::greater<>());
  mine.resize(few);
  std::vector<std::int64_t> tail = sorted(mine);
  tail.erase(tail.begin(), tail.end() - goingOfAll);
  std::unordered_map<std::int64_t, std::int64_t> next;
  std::size_t hole = 0;
  for (const std::int64_t one : tail)
    if (!std::binary_search(gone.begin(), gone.end(), one)) next[one] = gone[hole++];
  // As Particles::fillHoles moves them here.
  const std::size_t staying = place_.size() - std::size_t(going);
  for (int k = 0; k < moved; ++k) place_[which[k]] = place_[staying + std::size_t(last[k])];
  place_.resize(staying);
  own_.assign(staying, 1);
  for (std::int64_t& place : place_)
    if (const auto at = next.find(place); at != next.end()) place = at->second;
}

template <int D>
void Spread<D>::grow(int count, bool here) {
  for (int k = 0; here && k < count; ++k) place_.push_back(behindAll + grown_ + k), own_.push_back(1);
  grown_ += count;
}

// A process has one team of ranks, and so one fluid that is spread over them.
template <int D>
static std::pair<const World<D>*, Spread<D>*>& theOne() {
  static std::pair<const World<D>*, Spread<D>*> one = {nullptr, nullptr};
  return one;
}
template <int D>
Spread<D>::~Spread() {
  if (theOne<D>().second == this) theOne<D>() = {nullptr, nullptr};
}
template <int D>
void Spread<D>::isOf(const World<D>& w) {
  theOne<D>() = {&w, this};
}
template <int D>
Spread<D>* spreadOf(const World<D>& w) {
  return theOne<D>().first == &w ? theOne<D>().second : nullptr;
}
template class Spread<2>;
template class Spread<3>;
template Spread<2>* spreadOf(const World<2>&);
template Spread<3>* spreadOf(const World<3>&);
template void Spread<2>::refresh(Array<Record<2>>&) const;
template void Spread<3>::refresh(Array<Record<3>>&) const;
template void Spread<2>::refresh(Array<Real>&) const;
template void Spread<3>::refresh(Array<Real>&) const;

}  // namespace brim::inline BRIM_FLAVOUR
