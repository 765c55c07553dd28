#include <gtest/gtest.h>

#include "box.h"

using namespace brim;

namespace {

/// Liquids of a kind that simulations make, in a box of n cells a side.
template <int D>
Box<D> liquid(const std::string& kind, int n) {
  Vec<D, int> size;
  for (int k = 0; k < D; ++k) size[k] = n;
  struct Ball {
    double x[3], r;
  };
  std::vector<Ball> bubbles, drops, solids;
  std::mt19937 generator(7);
  const auto random = [&] { return generator() / 4294967296.0; };
  const auto some = [&](std::vector<Ball>& balls, int count, double low, double high, double least, double most) {
    for (int b = 0; b < count; ++b) {
      Ball ball{{random(), random(), random()}, std::max(least + (most - least) * std::pow(random(), 2), 0.6 / n)};
      ball.x[D - 1] = low + (high - low) * random();
      balls.push_back(ball);
    }
  };
  const bool spray = kind == "spray";
  if (spray) some(bubbles, 150, 0, 0.5, 0.004, 0.02), some(drops, 100, 0.5, 1, 0.004, 0.02);
  if (kind == "obstacles") some(solids, 12, 0, 0.5, 0.04, 0.12);
  const auto in = [](const std::vector<Ball>& balls, const Vec<D, double>& x) {
    for (const Ball& b : balls) {
      double r2 = 0;
      for (int k = 0; k < D; ++k) r2 += (x[k] - b.x[k]) * (x[k] - b.x[k]);
      if (r2 < b.r * b.r) return true;
    }
    return false;
  };
  return Box<D>(size, [=](const Vec<D, double>& x, const Vec<D, int>&) {
    const double up = x[D - 1], side = D == 3 ? x[1] : 0.3;
    if (in(solids, x) || (!solids.empty() && std::abs(x[0] - 0.5) < 0.7 / n && up < 0.45)) return int(solidCell);
    if (kind == "sheets")  // one or two cells thick, standing in shallow water
      return int(up < 0.2 || std::abs(x[0] - 0.3 - 0.1 * std::sin(5 * up)) < 1.2 / n ||
                 std::abs(std::hypot(x[0] - 0.6, up - 0.6) - 0.3) < 0.8 / n);
    double level = 0.5;
    if (kind != "tank")
      level += 0.1 * std::sin(7 * x[0]) * std::cos(9 * side) + 0.03 * std::sin(31 * x[0] + 3) * std::sin(27 * side + 1);
    return int((up < level && !in(bubbles, x)) || in(drops, x) ? fluidCell : airCell);
  });
}

/// Iterations to six digits; in single precision to three, since rounding of A p would come in between.
template <int D>
std::vector<int> iterations(const std::string& kind, std::initializer_list<int> sizes, bool anyTheta = false, bool cut = false) {
  std::vector<int> found;
  for (const int n : sizes) {
    const auto box = liquid<D>(kind, n);
    auto rhs = box.field(), p = box.field();
    box.eachFluid(
        [&](const Vec<D, int>& c) { rhs[box.index(c)] = Real(std::sin(c[0] * 12.9898 + c[1] * 78.233 + c[D - 1] * 37.719)); });
    Poisson<D> poisson;
    const auto distance = box.distances(5);
    const auto open = box.openFaces(9);
    OpenFaces<D> faces;
    for (int k = 0; k < D && cut; ++k) faces.of[k] = &open[k];
    poisson.prepare(box.tiles, box.state, anyTheta ? &distance : nullptr, faces);
    found.push_back(poisson.solve(rhs, p, isSingle ? 1e-3 : 1e-6, 200).iterations);
  }
  return found;
}

// What multigrid is for. Finer cells may cost an iteration or two, since the shapes get new detail with them.
void expectFlat(const std::vector<int>& found, const std::string& kind, int more = 2) {
  EXPECT_LE(*std::max_element(found.begin(), found.end()), found.front() + more) << kind << " " << testing::PrintToString(found);
  EXPECT_LE(found.back(), isSingle ? 7 : 14) << kind << " " << testing::PrintToString(found);
  testing::Test::RecordProperty(kind, testing::PrintToString(found));
}
const std::vector<std::string> kinds = {"tank", "waves", "spray", "sheets", "obstacles"};

TEST(PoissonIterations, stay_nearly_constant_from_64_to_1024_cells_a_side_in_2D) {
  for (const auto& kind : kinds) expectFlat(iterations<2>(kind, {64, 128, 256, 512, 1024}), kind);
}
// With the surface anywhere between the cells, at random from one to the next, which is rougher than any liquid.
TEST(PoissonIterations, stay_nearly_constant_with_any_surface) {
  for (const auto& kind : kinds) expectFlat(iterations<2>(kind, {64, 128, 256, 512}, true), kind);
  for (const auto& kind : kinds) expectFlat(iterations<3>(kind, {32, 64}, true), kind);
}
// With three of ten faces cut by solids, at random from one to the next, which is rougher than any solid; the surface as well, so
// that each adds an iteration (9, 10, 10, 12 for waves in double precision).
TEST(PoissonIterations, stay_nearly_constant_with_cut_cells) {
  for (const auto& kind : kinds) expectFlat(iterations<2>(kind, {64, 128, 256, 512}, true, true), kind, 3);
  for (const auto& kind : kinds) expectFlat(iterations<3>(kind, {32, 64}, true, true), kind, 3);
}
TEST(PoissonIterations, stay_nearly_constant_from_32_to_96_cells_a_side_in_3D) {
  for (const auto& kind : kinds) expectFlat(iterations<3>(kind, {32, 64, 96}), kind);
}
TEST(PoissonIterationsSlow, stay_nearly_constant_from_64_to_256_cells_a_side_in_3D) {
  for (const auto& kind : kinds) expectFlat(iterations<3>(kind, {64, 128, 256}), kind);
}

}  // namespace
