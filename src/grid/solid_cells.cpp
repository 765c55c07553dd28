#include "grid/solid_cells.h"

#include "grid/rows.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
SolidCells<D>::SolidCells(const World<D>& w, const Frame<D>& frame) : frame_(frame) {
  for (std::size_t b = 0; b < w.solids.bodies().size(); ++b)
    (int(b) >= w.solids.firstFree() || w.scene().solids[b].motion.moves() ? moving_ : resting_).push_back(int(b));
  copyIn(movers_, moving_.data(), moving_.size());
  for (int k = 0; k < D; ++k) open_[k] = openness(frame, k);
  known_.assign(frame.places().count(), int(unknown));
}

template <int D>
Real SolidCells<D>::open(int k, int c) const {
  const int at = c + 8, n = int(open_[k].size());
  return open_[k][at < 0 ? 0 : at >= n ? n - 1 : at];
}

// The walls of the domain: exact, since hats and boxes are products over the axes.
template <int D>
bool SolidCells<D>::walls(const Vec<D, int>& place, Part& part) const {
  bool any = false;
  for (int k = 0; k < D; ++k) any = any || (frame_.walled[k] && (place[k] <= 0 || 8 * place[k] + 9 > frame_.size[k]));
  if (!any) return false;
  for (std::uint64_t& w : part.solid) w = 0;
  for (int c = 0; c < Tiles<D>::cells; ++c) {
    Real share = 1;
    bool outside = false;
    for (int k = 0, rest = c; k < D; ++k, rest /= 8) {
      const int at = 8 * place[k] + rest % 8;
      share *= open(k, at);
      outside = outside || (frame_.walled[k] && (at < 0 || at >= frame_.size[k]));
    }
    part.fraction[c] = 1 - share;
    if (outside) part.solid[c >> 6] |= std::uint64_t(1) << (c & 63);
  }
  return true;
}

// Bodies: a hat is the sum of hats half as wide, 1 2 1, and of each of those a plane at its signed distance covers a known part.
// Exact for surfaces along the axes.
template <int D>
bool SolidCells<D>::bodies(const World<D>& w, const std::vector<int>& which, const Vec<D, int>& place, Part& part) const {
  const auto& body = w.solids.hostBodies();
  Vec<D> middle;
  for (int k = 0; k < D; ++k) middle[k] = Real(8 * place[k] + 4);
  middle = frame_.inMetres(middle);
  const Real reach = Real(5.5) * std::sqrt(Real(D)) * frame_.cell;  // from the middle to any point that matters
  std::vector<int> near;
  for (const int b : which) {
    bool beside = false;
    for (int k = 0; k < D; ++k) beside = beside || middle[k] + reach < body[b].low[k] || middle[k] - reach > body[b].high[k];
    if (!beside && distanceTo(body[b], middle) < reach) near.push_back(b);
  }
  if (near.empty()) return false;
  const auto distance = [&](const Vec<D>& q) {
    const Vec<D> x = frame_.inMetres(q);
    Real least = Real(1e30);
    for (const int b : near) least = min(least, distanceTo(body[b], x));
    return least;
  };
  constexpr int side = 17, halves = power(side, D);
  std::vector<Real> full(halves);
  for (int h = 0; h < halves; ++h) {
    Vec<D> q;
    for (int k = 0, rest = h; k < D; ++k, rest /= side) q[k] = Real(8 * place[k]) + Real(rest % side) / 2;
    full[h] = Real(hatUpTo(-2 * double(distance(q) * frame_.perCell)));
  }
  const Real weight[3] = {Real(0.25), Real(0.5), Real(0.25)};
  for (std::uint64_t& word : part.solid) word = 0;
  for (int c = 0; c < Tiles<D>::cells; ++c) {
    Vec<D> q;
    int first = 0;
    for (int k = 0, rest = c, stride = 1; k < D; ++k, rest /= 8, stride *= side) {
      first += 2 * (rest % 8) * stride;
      q[k] = Real(8 * place[k] + rest % 8) + Real(0.5);
    }
    Real sum = 0;
    for (int z = 0; z < (D == 3 ? 3 : 1); ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
          sum += (D == 3 ? weight[z] : Real(1)) * weight[y] * weight[x] * full[first + (z * side + y) * side + x];
    part.fraction[c] = sum;
    if (distance(q) < 0) part.solid[c >> 6] |= std::uint64_t(1) << (c & 63);
  }
  return true;
}

template <int D>
void SolidCells<D>::update(const World<D>& w, const Tiles<D>& tiles) {
  constexpr int cells = Tiles<D>::cells, words = Bits<D>::words;
  const int n = tiles.count();
  const Places<D>& box = tiles.box();
  tiles.fit(fraction_, Real(0));
  solid_.resize(std::size_t(n + 1) * words);
  touches_.resize(n + 1);
  fill(touches_, 0, n + 1, std::uint8_t(0));
  for (int s = 0; s < words; ++s) solid_[std::size_t(n) * words + s] = 0;

  std::vector<int> fresh;
  for (int t = 0; t < n; ++t)
    if (int& k = known_[box.number(tiles.place(t))]; k == unknown) k = int(parts_.size() + fresh.size()), fresh.push_back(t);
  const std::size_t before = parts_.size();
  parts_.resize(before + fresh.size());
  eachTile<D>(int(fresh.size()), [&](int f) {
    const Vec<D, int> place = tiles.place(fresh[f]);
    auto part = std::make_unique<Part>(), more = std::make_unique<Part>();
    const bool wall = walls(place, *part), solid = bodies(w, resting_, place, wall ? *more : *part);
    // Where a wall and a body meet, what one leaves open the other may fill.
    for (int c = 0; c < cells && wall && solid; ++c) part->fraction[c] = 1 - (1 - part->fraction[c]) * (1 - more->fraction[c]);
    for (int s = 0; s < words && wall && solid; ++s) part->solid[s] |= more->solid[s];
    if (wall || solid)
      parts_[before + f] = std::move(part);
    else
      known_[box.number(place)] = none;
  });

  eachTile<D>(n, [&](int t) {
    const Vec<D, int> place = tiles.place(t);
    const int k = known_[box.number(place)];
    Real* const to = fraction_.data() + std::size_t(t) * cells;
    std::uint64_t* const bits = solid_.data() + std::size_t(t) * words;
    if (k == none) {
      std::fill_n(to, cells, Real(0));
      std::fill_n(bits, words, std::uint64_t(0));
    } else {
      std::copy_n(parts_[k]->fraction, cells, to);
      std::copy_n(parts_[k]->solid, words, bits);
      touches_[t] = 1;
    }
    if (moving_.empty()) return;
    Part part;
    if (!bodies(w, moving_, place, part)) return;
    touches_[t] = 1;
    for (int c = 0; c < cells; ++c) to[c] = 1 - (1 - to[c]) * (1 - part.fraction[c]);
    for (int s = 0; s < words; ++s) bits[s] |= part.solid[s];
  });
}

template <int D>
std::size_t SolidCells<D>::bytes() const {
  std::size_t parts = 0;
  for (const auto& p : parts_) parts += p ? sizeof(Part) : 0;
  return parts + fraction_.bytes() + solid_.bytes() + sizeof(int) * known_.size();
}

template class SolidCells<2>;
template class SolidCells<3>;

}  // namespace brim::inline BRIM_FLAVOUR
