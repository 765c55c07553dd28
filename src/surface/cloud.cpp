#include "surface/cloud.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

namespace brim {

namespace {

constexpr std::int64_t half = 1 << 20;  // cells on either side of the origin that keys can tell apart

std::uint64_t keyOf(const std::array<std::int64_t, 3>& c) {
  std::uint64_t key = 0;
  for (int a = 2; a >= 0; --a) key = key << 21 | std::uint64_t(std::clamp(c[a] + half, std::int64_t(0), 2 * half - 1));
  return key;
}

std::size_t hash(std::uint64_t key) { return std::size_t((key * 0x9e3779b97f4a7c15u) >> 24); }

}  // namespace

Cloud::Cloud(const Snapshot& s, double spacing, float reach) : spacing_(spacing), reach_(reach) {
  std::vector<int> good;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (std::isfinite(s.position[3 * i] + s.position[3 * i + 1] + s.position[3 * i + 2])) good.push_back(int(i));
  // The median: a particle lost far away takes no digits from the others.
  std::vector<double> x(good.size());
  for (std::size_t a = 0; a < 3 && !good.empty(); ++a) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = s.position[3 * std::size_t(good[k]) + a];
    const auto middle = x.begin() + std::ptrdiff_t(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    origin_[a] = *middle;
  }

  struct Entry {
    std::uint64_t key;
    int particle;
    bool operator<(const Entry& b) const { return key != b.key ? key < b.key : particle < b.particle; }
  };
  const auto placeOf = [&](int i) {
    Place p;
    for (int a = 0; a < 3; ++a) p[a] = float((s.position[3 * std::size_t(i) + a] - origin_[a]) / spacing);
    return p;
  };
  std::vector<Entry> entries(good.size());
  tbb::parallel_for(std::size_t(0), good.size(), [&](std::size_t k) { entries[k] = {keyOf(cellOf(placeOf(good[k]))), good[k]}; });
  tbb::parallel_sort(entries.begin(), entries.end());

  x_.resize(entries.size());
  order_.resize(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k == 0 || entries[k].key != keys_.back()) keys_.push_back(entries[k].key), begin_.push_back(int(k));
    order_[k] = entries[k].particle;
    x_[k] = placeOf(order_[k]);
  }
  begin_.push_back(int(entries.size()));

  std::size_t room = 64;
  while (room < 3 * keys_.size()) room *= 2;
  slots_.assign(room, -1);
  for (std::size_t c = 0; c < keys_.size(); ++c) {
    std::size_t at = hash(keys_[c]);
    while (slots_[at & (room - 1)] >= 0) ++at;
    slots_[at & (room - 1)] = int(c);
  }
}

std::array<std::int64_t, 3> Cloud::cellOf(const Place& p) const {
  std::array<std::int64_t, 3> c;
  for (int a = 0; a < 3; ++a) c[a] = std::int64_t(std::floor(double(p[a]) / reach_));
  return c;
}

int Cloud::find(std::uint64_t key) const {
  for (std::size_t at = hash(key);; ++at) {
    const int c = slots_[at & (slots_.size() - 1)];
    if (c < 0 || keys_[std::size_t(c)] == key) return c;
  }
}

Cloud::Ranges Cloud::around(int cell) const { return around(x_[std::size_t(begin(cell))]); }
Cloud::Ranges Cloud::around(const Place& p) const { return aroundKey(cellOf(p)); }

Cloud::Ranges Cloud::aroundKey(const std::array<std::int64_t, 3>& c) const {
  Ranges r;
  for (std::int64_t z = c[2] - 1; z <= c[2] + 1; ++z)
    for (std::int64_t y = c[1] - 1; y <= c[1] + 1; ++y)
      for (std::int64_t x = c[0] - 1; x <= c[0] + 1; ++x) {
        const int cell = find(keyOf({x, y, z}));
        if (cell < 0) continue;
        // Cells that follow each other are read as one.
        if (r.count > 0 && r.end[std::size_t(r.count) - 1] == begin(cell)) {
          r.end[std::size_t(r.count) - 1] = end(cell);
        } else {
          r.begin[std::size_t(r.count)] = begin(cell);
          r.end[std::size_t(r.count++)] = end(cell);
        }
      }
  return r;
}

}  // namespace brim
