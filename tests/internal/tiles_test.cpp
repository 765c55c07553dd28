#include "grid/tiles/tiles.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <random>
#include <set>

#include "brim/error.h"
#include "internal/cells.h"

using namespace brim;

namespace {

template <class N>
struct SparseTiles : testing::Test {
  static constexpr int D = N::value;
  using Cell = Vec<D, int>;

  static Places<D> box() {
    Cell first, last;
    for (int k = 0; k < D; ++k) first[k] = -8 - 16 * k, last[k] = 100 + 30 * k;
    return Places<D>::ofCells(first, last);
  }
  // Cells of a few clusters, some of them outside the box.
  static std::vector<Cell> cells(int n, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<Cell> c(n);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < D; ++k) c[i][k] = int(random() % 12) + 37 * ((i + k) % 5) - 20;
    return c;
  }
  static void cover(Tiles<D>& tiles, const std::vector<Cell>& c, int ring) {
    const CellList<D> list(c);
    tiles.cover(box(), list.size(), list.at(), ring);
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(SparseTiles, Dimensions);

TYPED_TEST(SparseTiles, hold_every_cell_within_the_ring_and_no_other_tile) {
  constexpr int D = TypeParam::value;
  Tiles<D> tiles;
  for (const int ring : {0, 1, 3, 8}) {
    const auto c = this->cells(200, unsigned(ring));
    this->cover(tiles, c, ring);
    std::set<int> wanted;
    for (const auto& x : c)
      for (int w = 0; w < power(2 * ring + 1, D); ++w) {
        Vec<D, int> place, own;
        for (int k = 0, rest = w; k < D; ++k, rest /= 2 * ring + 1) {
          place[k] = (x[k] + rest % (2 * ring + 1) - ring) >> 3;
          own[k] = x[k] >> 3;
        }
        if (const int n = this->box().number(place); n >= 0 && this->box().number(own) >= 0) wanted.insert(n);
      }
    ASSERT_EQ(tiles.count(), int(wanted.size())) << "ring " << ring;
    int t = 0;
    for (const int n : wanted) {  // in the order of places
      const auto place = this->box().place(n);
      ASSERT_EQ(tiles.at(place), t);
      ASSERT_EQ(this->box().number(tiles.place(t)), n);
      ++t;
    }
  }
}

TYPED_TEST(SparseTiles, know_the_tiles_around_them) {
  constexpr int D = TypeParam::value;
  Tiles<D> tiles;
  this->cover(tiles, this->cells(100), 2);
  int absent = 0;
  for (int t = 0; t < tiles.count(); ++t)
    for (int w = 0; w < Tiles<D>::ways; ++w) {
      Vec<D, int> place = tiles.place(t);
      for (int k = 0, rest = w; k < D; ++k, rest /= 3) place[k] += rest % 3 - 1;
      ASSERT_EQ(tiles.around(t)[w], tiles.at(place));
      absent += tiles.around(t)[w] == tiles.count();
    }
  EXPECT_GT(absent, 0);  // or the background is not tested
}

TYPED_TEST(SparseTiles, find_any_cell_of_a_field_and_the_background_elsewhere) {
  constexpr int D = TypeParam::value;
  Tiles<D> tiles;
  const auto c = this->cells(50);
  this->cover(tiles, c, 1);
  Array<int> field;
  tiles.fit(field, -7);
  for (int i = 0; i < tiles.count() * Tiles<D>::cells; ++i) field[i] = i;
  std::set<int> seen;
  for (const auto& x : c) {
    const int i = field[tiles.view().index(x)];
    Vec<D, int> place;
    for (int k = 0; k < D; ++k) place[k] = x[k] >> 3;
    if (tiles.at(place) == tiles.count()) {
      EXPECT_EQ(i, -7);
      continue;
    }
    EXPECT_EQ(i / Tiles<D>::cells, tiles.at(place));
    Vec<D, int> beside = x;
    beside[0] ^= 1;  // in the same line
    EXPECT_EQ(field[tiles.view().index(beside)], i ^ 1);
  }
  Vec<D, int> far;
  for (int k = 0; k < D; ++k) far[k] = 1 << 20;
  EXPECT_EQ(field[tiles.view().index(far)], -7);
}

TYPED_TEST(SparseTiles, are_numbered_alike_for_any_number_of_threads) {
  constexpr int D = TypeParam::value;
  const auto c = this->cells(20000);
  std::vector<int> first;
  for (const int threads : {1, 2, 7}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Tiles<D> tiles;
    this->cover(tiles, c, 3);
    std::vector<int> numbers;
    for (int t = 0; t < tiles.count(); ++t) numbers.push_back(this->box().number(tiles.place(t)));
    if (first.empty()) first = numbers;
    EXPECT_EQ(numbers, first);
  }
}

TYPED_TEST(SparseTiles, can_be_some_of_others) {
  constexpr int D = TypeParam::value;
  Tiles<D> all, some;
  this->cover(all, this->cells(100), 2);
  Array<int> which;
  which.resize(all.count() / 2);
  for (int t = 0; t < all.count() / 2; ++t) which[t] = 2 * t + 1;
  some.choose(all, which, all.count() / 2);
  ASSERT_EQ(some.count(), all.count() / 2);
  int linked = 0;
  for (int t = 0; t < all.count(); ++t) {
    const bool kept = t % 2 == 1 && t / 2 < some.count();
    ASSERT_EQ(some.at(all.place(t)), kept ? t / 2 : some.count());
    if (!kept) continue;
    ASSERT_EQ(this->box().number(some.place(t / 2)), this->box().number(all.place(t)));
    for (int w = 0; w < Tiles<D>::ways; ++w) {
      const int next = all.around(t)[w];
      const bool there = next % 2 == 1 && next / 2 < some.count() && next < all.count();
      ASSERT_EQ(some.around(t / 2)[w], there ? next / 2 : some.count());
      linked += there;
    }
  }
  EXPECT_GT(linked, some.count());  // more than with themselves, or links are not tested
}

TEST(Tiles, refuse_a_domain_beyond_all_tables) {
  Tiles<3> tiles;
  const auto box = Places<3>::ofCells({0, 0, 0}, {8 * 1000, 8 * 1000, 8 * 1000});
  EXPECT_THROW(tiles.cover(box, 0, CellList<3>({}).at(), 0), Failure);
}

}  // namespace
