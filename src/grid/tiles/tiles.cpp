// Which tiles are in use, their numbers, and the numbers of the tiles around each.
#include "grid/tiles/tiles.h"

#include <fmt/format.h>

#include "brim/error.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
/// The place that lies one step in direction `way` (of 3^D) from another.
template <int D>
BRIM_FN Vec<D, int> stepped(Vec<D, int> place, int way) {
  for (int k = 0; k < D; ++k, way /= 3) place[k] += way % 3 - 1;
  return place;
}
}  // namespace

template <int D>
void Tiles<D>::begin(const Places<D>& box) {
  if (box == box_ && std::int64_t(wanted_.size()) == box.count()) return;
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
  count_ = 0;
  wanted_.resize(n);
  fill(wanted_, 0, int(n), std::uint32_t(0));
}

template <int D>
void Tiles<D>::finish() {
  const int n = int(box_.count());
  number_.resize(n + 1);
  fill(number_, 0, n + 1, 0);
  const Places<D> box = box_;
  const auto wanted = wanted_.view();
  const auto number = number_.view();
  // Which places are wanted by themselves or by a place around them. Every thread that sets a number sets it to one.
  forEach(n, [=] BRIM_KERNEL(int p) {
    const std::uint32_t bits = wanted[p];
    if (!bits) return;
    wanted[p] = 0;
    const Vec<D, int> place = box.place(p);
    for (int w = 0; w < ways; ++w)
      if (bits >> w & 1)
        if (const int to = box.number(stepped(place, w)); to >= 0) setOne(number[to]);
  });
  scan(number_, n + 1);
  this->number(box_, number_, 0, elementOf(number_, n));
}

template <int D>
void Tiles<D>::number(const Places<D>& box, const Array<int>& numbers, int offset, int used) {
  const int n = int(box.count());
  box_ = box;
  count_ = used;
  table_.resize(n);
  places_.resize(used);
  const auto number = numbers.read();
  const auto table = table_.view(), places = places_.view();
  forEach(n, [=] BRIM_KERNEL(int p) {
    const int t = number[offset + p] - number[offset];
    const bool is = number[offset + p + 1] > number[offset + p];
    if (is) places[t] = p;
    table[p] = is ? t : used;
  });
  link();
}

template <int D>
void Tiles<D>::choose(const Tiles& from, const Array<int>& which, int n) {
  if (!(box_ == from.box_)) box_ = from.box_, table_.resize(from.table_.size());
  count_ = n;
  places_.resize(n);
  fill(table_, 0, int(table_.size()), n);
  const auto places = places_.view(), table = table_.view();
  const auto others = from.places_.read(), number = which.read();
  forEach(n, [=] BRIM_KERNEL(int t) {
    const int p = others[number[t]];
    places[t] = p;
    table[p] = t;
  });
  link();
}

namespace {
/// The tiles around tile t.
template <int D>
BRIM_DEVICE_FN void linkTile(const TileView<D>& tiles, int t, int* links, int* beside) {
  constexpr int ways = TileView<D>::ways;
  const Vec<D, int> place = tiles.place(t);
  int* const own = links + t * ways;
  for (int w = 0; w < ways; ++w) own[w] = tiles.at(stepped(place, w));
  for (int k = 0; k < D; ++k) {
    beside[2 * D * t + 2 * k] = own[(ways - 1) / 2 - power(3, k)];
    beside[2 * D * t + 2 * k + 1] = own[(ways - 1) / 2 + power(3, k)];
  }
}
}  // namespace

template <int D>
void Tiles<D>::link() {
  links_.resize(std::size_t(count_) * ways);
  const TileView<D> tiles = view();
  beside_.resize(std::size_t(count_) * 2 * D);
  const auto links = links_.view(), beside = beside_.view();
  forEach(count_, [=] BRIM_KERNEL(int t) { linkTile(tiles, t, links.data, beside.data); });
}

#if BRIM_CUDA
namespace {
/// Several sets of tiles, as kernels see them.
template <int D>
struct TileSets {
  static constexpr int most = 16;
  struct Set {
    Places<D> box;
    int offset, used, first;  // where its places and its tiles begin
    int *table, *places, *links, *beside;
  } set[most];
  int sets;
  const int* numbers;

  __device__ void numberPlace(int at) const {
    int s = 0;
    while (s + 1 < sets && at >= set[s + 1].offset) ++s;
    const int p = at - set[s].offset, t = numbers[at] - numbers[set[s].offset];
    const bool is = numbers[at + 1] > numbers[at];
    if (is) set[s].places[t] = p;
    set[s].table[p] = is ? t : set[s].used;
  }
  __device__ void link(int at) const {
    int s = 0;
    while (s + 1 < sets && at >= set[s + 1].first) ++s;
    const Set& one = set[s];
    const TileView<D> tiles{{one.table}, {one.places}, one.links, one.box, one.used};
    linkTile(tiles, at - one.first, one.links, one.beside);
  }
};
template <int D>
struct NumberPlaces {
  TileSets<D> sets;
  __device__ void operator()(int at) const { sets.numberPlace(at); }
};
template <int D>
struct LinkTiles {
  TileSets<D> sets;
  __device__ void operator()(int at) const { sets.link(at); }
};
}  // namespace

template <int D>
void Tiles<D>::numberAll(const std::vector<Numbered>& all, const Array<int>& number) {
  TileSets<D> sets{};
  sets.numbers = number.data();
  int places = 0, tiles = 0;
  for (const Numbered& n : all) {
    if (sets.sets == TileSets<D>::most) throw Failure("there are more levels of tiles than a GPU numbers at once");
    const int count = int(n.box.count());
    Tiles& t = *n.tiles;
    t.box_ = n.box, t.count_ = n.used;
    t.table_.resize(count), t.places_.resize(n.used);
    t.links_.resize(std::size_t(n.used) * ways), t.beside_.resize(std::size_t(n.used) * 2 * D);
    sets.set[sets.sets++] = {n.box,           n.offset,         n.used,          tiles,
                             t.table_.data(), t.places_.data(), t.links_.data(), t.beside_.data()};
    places = n.offset + count, tiles += n.used;
  }
  forEach(places, NumberPlaces<D>{sets});
  forEach(tiles, LinkTiles<D>{sets});
}
#endif

template class Tiles<2>;
template class Tiles<3>;

}  // namespace brim::inline BRIM_FLAVOUR
