// Enclosed components on a CPU: first what air reaches, by tiles, then the rest by flood fill.
#include "grid/pressure/components.h"

namespace brim::inline BRIM_FLAVOUR {

static constexpr std::uint64_t leftColumn = 0x0101010101010101ull, rightColumn = leftColumn << 7;

// Grows what is open in tile t and in the tiles beside it through the unknowns of t. True if that opened anything.
template <int D>
bool EnclosedComponents<D>::grow(const Level<D>& l, int t) {
  std::uint64_t* const o = open(t);
  const std::uint64_t* const u = unknown(t);
  const int* const beside = l.tiles.beside().data() + 2 * D * t;
  bool grew = false, full = true, any = false;
  const auto add = [&](int s, std::uint64_t bits) {
    bits &= u[s] & ~o[s];
    o[s] |= bits;
    return bits != 0;
  };
  for (int s = 0; s < words; ++s) {
    std::uint64_t in = ((open(beside[0])[s] & rightColumn) >> 7 & links(0, t, s)) |
                       (open(beside[1])[s] & links(0, beside[1], s) & leftColumn) << 7;
    in |= (open(beside[2])[s] >> 56 & links(1, t, s)) | (open(beside[3])[s] & links(1, beside[3], s)) << 56;
    if (D == 3 && s == 0) in |= open(beside[2 * D - 2])[words - 1] & links(D - 1, t, s);
    if (D == 3 && s == words - 1) in |= open(beside[2 * D - 1])[0] & links(D - 1, beside[2 * D - 1], 0);
    grew |= add(s, in);
    any |= o[s] != 0;
    full &= u[s] == ~std::uint64_t(0);
    for (int k = 0; k < D; ++k) full &= links(k, t, s) == ~std::uint64_t(0);
  }
  if (any && full) {
    for (int s = 0; s < words; ++s) grew |= add(s, u[s]);
    return grew;
  }
  for (bool more = true; more;) {
    more = false;
    for (int s = 0; s < words; ++s) {
      std::uint64_t in = 0;
      if (D == 3) {
        in |= s > 0 ? o[s - 1] & links(D - 1, t, s) : 0;
        in |= s + 1 < words ? o[s + 1] & links(D - 1, t, s + 1) : 0;
      }
      const std::uint64_t x = links(0, t, s), y = links(1, t, s);
      in |= (o[s] << 1 & ~leftColumn & x) | ((o[s] & x & ~leftColumn) >> 1) | (o[s] << 8 & y) | (o[s] & y) >> 8;
      more |= add(s, in);
    }
    grew |= more;
  }
  return grew;
}

template <int D>
void EnclosedComponents<D>::begin(Level<D>&) {}

template <int D>
void EnclosedComponents<D>::find(Level<D>& l) {
  const int n = l.tiles.count();
  const int* const beside = l.tiles.beside().data();
  std::fill_n(open(n), words, 0);
  std::vector<int> cells;
  first_.assign(1, 0);

  // What air reaches, by tiles: from those that air touches to those beside them, while anything opens.
  std::vector<int> queue;
  std::vector<char> waits(n), visited(n);
  for (int t = n; t-- > 0;) {
    std::uint64_t any = 0;
    for (int s = 0; s < words; ++s) any |= open(t)[s];
    if (any) queue.push_back(t), waits[t] = 1;
  }
  while (!queue.empty()) {
    const int t = queue.back();
    queue.pop_back();
    waits[t] = 0;
    const bool grew = grow(l, t);
    if (!grew && visited[t]) continue;
    visited[t] = 1;
    for (int k = 0; k < 2 * D; ++k)
      if (const int b = beside[2 * D * t + k]; b < n && !waits[b]) queue.push_back(b), waits[b] = 1;
  }

  // The rest, component by component. `open` now takes the meaning "seen".
  std::vector<int> next;
  for (int t = 0; t < n; ++t)
    for (int s = 0; s < words; ++s)
      while (const std::uint64_t rest = unknown(t)[s] & ~open(t)[s]) {
        const auto see = [&](int c) {
          if (c >= n * Tiles<D>::cells) return;
          std::uint64_t& word = open_[c >> 6];
          const std::uint64_t bit = std::uint64_t(1) << (c & 63);
          if (!(unknown_[c >> 6] & bit) || (word & bit)) return;
          word |= bit;
          next.push_back(c);
          cells.push_back(c);
        };
        see((t * words + s) * 64 + __builtin_ctzll(rest));
        while (!next.empty()) {
          const int c = next.back();
          next.pop_back();
          const auto isLinked = [&](int at, int k) { return unit_ || (linked_[k][at >> 6] >> (at & 63) & 1); };
          for (int k = 0; k < D; ++k) {
            if (isLinked(c, k)) see(lowerElement<D>(beside, c, k));
            if (const int up = upperElement<D>(beside, c, k); isLinked(up, k)) see(up);
          }
        }
        first_.push_back(int(cells.size()));
      }
  copyIn(cells_, cells.data(), cells.size());
}

template class EnclosedComponents<2>;
template class EnclosedComponents<3>;

}  // namespace brim::inline BRIM_FLAVOUR
