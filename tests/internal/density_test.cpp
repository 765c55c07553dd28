// The grid solvers' parts by themselves: transfers, densities, the right-hand sides of both equations.
#include "grid/density/density.h"

#include <gtest/gtest.h>

#include "grid/pressure/poisson.h"
#include "grid/pressure/project.h"
#include "grid/transfer/extrapolate.h"
#include "grid/transfer/g2p.h"
#include "grid/transfer/pad.h"
#include "internal/cloud.h"

using namespace brim;

namespace {

constexpr double single = isDouble ? 1e-12 : 1e-5;  // rounding of sums of some ten numbers

/// A world in cells of 0.1 m and the grid of its fluid.
template <int D>
struct Bench {
  World<D> world;
  GridState<D> grid;

  explicit Bench(const Scene& scene, const std::vector<Vector>& points)
      : world(setupOf<D>(scene, points)),
        grid({world.spacing, world.extent, world.walled}, movingBodies(world.solids, world.scene())) {
    grid.sort(world.fluid, world.solids, 3);
  }
  double density() {
    p2gDensity(grid, world.fluid);
    grid.finishFlags();
    return filledOf(grid.filled);
  }
  Real at(const Array<Real>& field, const Vec<D, int>& cell) const { return field[grid.tiles.view().index(cell)]; }
};

template <int D>
constexpr double spacing = D == 2 ? 0.1 / 3 : 0.05;

template <int D>
Scene tank(double side, const std::string& boundary = "walls") {
  Scene s = emptyScene<D>(spacing<D>, {0, 0, 0}, {side, side, side}, boundary);
  s.solver.name = "flip";
  return s;
}
template <int D>
std::vector<Vector> lattice(const Vector& low, const std::array<int, 3>& cells) {
  constexpr int perSide = GridGeometry<D>::perSide;
  std::vector<Vector> x;
  for (int z = 0; z < (D == 3 ? perSide * cells[2] : 1); ++z)
    for (int y = 0; y < perSide * cells[1]; ++y)
      for (int i = 0; i < perSide * cells[0]; ++i)
        x.push_back(
            {low[0] + (i + 0.5) * spacing<D>, low[1] + (y + 0.5) * spacing<D>, D == 3 ? low[2] + (z + 0.5) * spacing<D> : 0});
  return x;
}

template <class T>
class Density : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Density, Dimensions);

}  // namespace

TYPED_TEST(Density, OfALatticeIsRho0UpToTheWalls_ID05_ID07) {
  constexpr int D = TypeParam::value;
  Bench<D> b(tank<D>(1), lattice<D>({0, 0, 0}, {10, 5, 10}));
  const double filled = b.density();
  EXPECT_EQ(filled, b.world.fluid.size()) << "Eq. 19 of a lattice is its number of particles";
  // A wall counts by the integral of the tent kernel, which is what particles without order add up to. Three a side in a lattice
  // add up to 8/9 of a tent kernel cut at its quarter and not to 7/8: a part in 72 more at a wall, twice that in a corner. Two a
  // side are exact.
  const double atWalls = D == 2 ? 2.0 / 72 : 10 * single;
  for (int x = 0; x < 10; ++x)
    for (int y = 0; y < 4; ++y) {  // the fifth layer is the surface, where the density is too low
      Vec<D, int> c{};
      c[0] = x, c[1] = y;
      EXPECT_NEAR(b.at(b.grid.rho, c), 1, x > 0 && x < 9 && y > 0 && D == 2 ? 10 * single : atWalls) << x << ", " << y;
      c[0] = 0, c[D - 1] = x;
      if (D == 3) {
        EXPECT_NEAR(b.at(b.grid.rho, c), 1, atWalls) << "at the wall, " << x;
      }
    }
}

TYPED_TEST(Density, CountsWallsThatCutCells_ID07) {
  constexpr int D = TypeParam::value;
  // 10.4 cells: the walls take 0.3 of the first and the last cell of eleven.
  Bench<D> b(tank<D>(1.04), lattice<D>({0, 0, 0}, {10, 5, 10}));
  EXPECT_EQ(b.grid.geometry.size[0], 11);
  EXPECT_NEAR(b.grid.geometry.shift[0], 0.3, 1e-5);
  b.density();
  Vec<D, int> c{};
  c[1] = 2, c[D - 1] = D == 3 ? 5 : 2;
  for (int x = 0; x < 9; ++x) {
    c[0] = x;
    EXPECT_NEAR(b.at(b.grid.rho, c), 1, 0.025) << x;  // order counts, as above
  }
}

TYPED_TEST(Density, OfASolidIsTheTentKernelsShareOfIt) {
  constexpr int D = TypeParam::value;
  Scene s = tank<D>(2, "open");
  Solid ball;
  ball.shape.kind = "sphere";
  ball.shape.centre = {1.03, 0.97, 1.01}, ball.shape.radius = 0.4;
  s.solids.push_back(ball);
  Bench<D> b(s, lattice<D>({0.3, 0.3, 0.3}, {14, 14, 14}));
  const SolidShape shape = solidShapes(s)[0];
  constexpr int fine = 24;  // points a cell: the sum errs by some 1/24^2
  double worst = 0;
  for (int x = 5; x < 16; ++x)
    for (int y = 8; y < 11; ++y) {
      double sum = 0;
      for (int n = 0; n < power(2 * fine, D); ++n) {
        double w = 1;
        Vector at = {0, 0, D == 3 ? 1.05 : 0};
        const int c[3] = {x, y, 10};
        for (int k = 0, rest = n; k < D; ++k, rest /= 2 * fine) {
          const double r = (rest % (2 * fine) + 0.5) / fine - 1;
          w *= (1 - std::abs(r)) / fine;
          at[k] = 0.1 * (c[k] + 0.5 + r);
        }
        if (shape.distance(at) < 0) sum += w;
      }
      Vec<D, int> c{};
      c[0] = x, c[1] = y, c[D - 1] = D == 3 ? 10 : y;
      worst = std::max(worst, std::abs(sum - double(b.at(b.grid.solids.fraction(), c))));
      // A cell without an open face is solid: where its centre is deeper than its corners are far from it, and never outside.
      const double distance = shape.distance({0.1 * (x + 0.5), 0.1 * (y + 0.5), D == 3 ? 1.05 : 0});
      const bool solid =
          Bits<D>::test(b.grid.solids.solid().data() + std::size_t(b.grid.tiles.view().index(c) >> 3 * D) * Bits<D>::words,
                        TileView<D>::within(c));
      EXPECT_TRUE(solid || distance > -0.09);
      EXPECT_FALSE(solid && distance > 0);
    }
  EXPECT_LT(worst, 0.015);  // the surface is not along the axes, and bends by a cell in three
}

TYPED_TEST(Density, OpenPartsOfFacesAreThoseOutsideTheSolid) {
  constexpr int D = TypeParam::value;
  Scene s = tank<D>(2, "open");
  Solid ball;
  ball.shape.kind = "sphere";
  ball.shape.centre = {1.03, 0.97, 1.01}, ball.shape.radius = 0.4;
  s.solids.push_back(ball);
  Bench<D> b(s, lattice<D>({0.3, 0.3, 0.3}, {14, 14, 14}));
  const SolidShape shape = solidShapes(s)[0];
  constexpr int fine = 40;
  double worst = 0, volume = 0;
  for (int x = 5; x < 16; ++x)
    for (int y = 5; y < 16; ++y)
      for (int k = 0; k < D; ++k) {
        Vec<D, int> c{};
        c[0] = x, c[1] = y;
        if (D == 3) c[D - 1] = 9;
        int outside = 0;
        for (int n = 0; n < power(fine, D - 1); ++n) {
          Vector at = {0, 0, 0};
          for (int a = 0, rest = n; a < D; ++a) {
            at[a] = 0.1 * c[a];
            if (a != k) at[a] += 0.1 * (rest % fine + 0.5) / fine, rest /= fine;
          }
          outside += shape.distance(at) > 0;
        }
        const double open = b.at(b.grid.solids.open(k), c);
        worst = std::max(worst, std::abs(open - double(outside) / power(fine, D - 1)));
        if (D == 2 && k == 1) volume += (1 - open) * 0.01;
      }
  EXPECT_LT(worst, 0.05);  // straight between points half a cell apart; faces of less than 0.02 are shut
  if (D == 2) {
    EXPECT_NEAR(volume, 3.14159265 * 0.16, 0.005);  // what Archimedes' force comes from
  }
}

TYPED_TEST(Density, ErrorIsClampedAndOneSidedBesideAir_ID06_ID08) {
  constexpr int D = TypeParam::value;
  Bench<D> b(tank<D>(2, "open"), lattice<D>({0.5, 0.5, 0.5}, {5, 5, 5}));
  b.density();
  const double dt = 0.01;
  Vec<D, int> middle, edge;
  for (int k = 0; k < D; ++k) middle[k] = 7, edge[k] = 7;
  edge[0] = 5;
  const auto errorFor = [&](const Vec<D, int>& c, double rho) {
    b.grid.rho[b.grid.tiles.view().index(c)] = Real(rho);
    densityError(b.grid, dt, 0.5, b.grid.rhs);
    return double(b.at(b.grid.rhs, c)) * dt;
  };
  EXPECT_NEAR(errorFor(middle, 1.2), 0.2, 1e-5);   // too dense: positive, fluid must leave
  EXPECT_NEAR(errorFor(middle, 0.8), -0.2, 1e-5);  // expansion inside is corrected
  EXPECT_NEAR(errorFor(middle, 9), 0.5, 1e-5);     // [0.5, 1.5]
  EXPECT_NEAR(errorFor(middle, 0.1), -0.5, 1e-5);
  EXPECT_NEAR(errorFor(edge, 0.8), 0, 1e-5);  // beside air the density is too low, not the fluid
  EXPECT_NEAR(errorFor(edge, 1.2), 0.2, 1e-5);
}

TYPED_TEST(Density, PressuresOfBothEquationsAddUpToThatOfTheUnsplitOne_ID02_ID03) {
  constexpr int D = TypeParam::value;
  auto points = lattice<D>({0, 0, 0}, {10, 5, 10});
  Bench<D> b(tank<D>(1), points);
  b.density();
  const std::size_t n = std::size_t(b.grid.tiles.count()) * Tiles<D>::cells;
  std::mt19937 random(3);
  Array<Real> rhs[3], p[3];
  for (int e = 0; e < 3; ++e) b.grid.tiles.fit(rhs[e], Real(0)), b.grid.tiles.fit(p[e], Real(0));
  for (std::size_t c = 0; c < n; ++c) {
    for (int e = 0; e < 2; ++e) rhs[e][c] = Real(random() / 4294967296.0 - 0.5);
    rhs[2][c] = rhs[0][c] + rhs[1][c];
  }
  Poisson<D> poisson;
  poisson.prepare(b.grid.tiles, b.grid.flags.state);
  for (int e = 0; e < 3; ++e) poisson.solve(rhs[e], p[e], isDouble ? 1e-10 : 1e-5, 100);
  double worst = 0, largest = 0;
  for (std::size_t c = 0; c < n; ++c) {
    worst = std::max(worst, std::abs(double(p[0][c]) + p[1][c] - p[2][c]));
    largest = std::max(largest, std::abs(double(p[2][c])));
  }
  EXPECT_LT(worst, (isDouble ? 1e-8 : 1e-3) * largest);  // residuals of 1e-5, and a column of five cells amplifies them some tens
}

TYPED_TEST(Density, APenetratingParticlePushesIntoTheFluidBesideIt_ID11) {
  constexpr int D = TypeParam::value;
  // Solid up to x = 0.52; a particle 0.02 inside, in the solid cell 4, beside the fluid cell 5.
  Scene s = tank<D>(2, "open");
  Solid wall;
  wall.shape.min = {-1, -1, -1}, wall.shape.max = {0.52, 3, 3};
  s.solids.push_back(wall);
  auto points = lattice<D>({0.55, 0.5, 0.5}, {3, 5, 5});
  const Vector deep = {0.45, 0.75, D == 3 ? 0.75 : 0}, beside = {0.56, 0.75, D == 3 ? 0.75 : 0};
  points.push_back(deep), points.push_back({0.49, 0.75, deep[2]}), points.push_back(beside);
  Bench<D> b(s, points);
  b.density();
  int penetrated = 0;
  for (std::size_t w = 0; w < b.grid.flags.penetrated.size(); ++w) penetrated += __builtin_popcountll(b.grid.flags.penetrated[w]);
  ASSERT_EQ(penetrated, 1);
  findPushOut(b.grid, b.world.fluid, b.world.solids);
  Vec<D, int> solid;
  for (int k = 0; k < D; ++k) solid[k] = 7;
  solid[0] = 4;
  const Vec<D> out = b.grid.pushOut[b.grid.tiles.view().index(solid)];
  // The deeper of the two decides: 0.07 m, cut to half a cell.
  EXPECT_NEAR(out[0], 0.05, 1e-5);
  for (int k = 1; k < D; ++k) EXPECT_NEAR(out[k], 0, 1e-5);
  b.grid.tiles.fitCleared({&b.grid.rhs});
  const double dt = 0.01;
  addPushOut(b.grid, dt);
  Vec<D, int> c;
  for (int k = 0; k < D; ++k) c[k] = 7;
  c[0] = 5;
  // rho0 delta / (dx dt) of the corrected Eq. 18, over rho0: positive, so the fluid cell's pressure rises and it expands.
  EXPECT_NEAR(b.at(b.grid.rhs, c), 0.05 / (0.1 * dt), 1e-3);
  c[0] = 3;
  EXPECT_EQ(b.at(b.grid.rhs, c), 0);
}

TYPED_TEST(Density, CoincidentParticlesAreResampled_ID09) {
  constexpr int D = TypeParam::value;
  const int n = 80;
  std::vector<Vector> points(n, Vector{0.77, 0.71, D == 3 ? 0.79 : 0});
  Bench<D> b(tank<D>(2, "open"), points);
  b.density();
  resample(b.grid, b.world.fluid, b.world.solids, b.world.step);  // there are no tiles with velocities
  double nearest = 1e30;
  for (int i = 0; i < n; ++i) {
    const Vec<D, int> cell = b.grid.geometry.cellOf(b.world.fluid.p.data[i].x);
    for (int k = 0; k < D; ++k) EXPECT_EQ(cell[k], 7);
    for (int j = 0; j < i; ++j) {
      const Vec<D> r = b.world.fluid.p.data[i].x - b.world.fluid.p.data[j].x;
      nearest = std::min(nearest, std::sqrt(double(dot(r, r))));
    }
  }
  // Sub-cells of 0.1 m over ceil(80^(1/D)), each point within a quarter of its middle: half a sub-cell between neighbours.
  EXPECT_GT(nearest, 0.45 * 0.1 / std::ceil(std::pow(n, 1.0 / D)));
}

TYPED_TEST(Density, ApicCarriesAnAffineFieldThereAndBack) {
  constexpr int D = TypeParam::value;
  Bench<D> b(tank<D>(2, "open"), shakenLattice<D>(30, {0.5, 0.5, 0.5}, spacing<D>, 0.3 * spacing<D>));
  const double A[3][3] = {{1, -2, 0.5}, {0.3, 0.7, -1}, {2, 0.1, -0.4}}, v0[3] = {0.2, -0.1, 0.4};
  Particles<D>& fluid = b.world.fluid;
  SolverState<D> state(fluid);
  Affine<D> affine(state);
  const auto expected = [&](const Vec<D>& x, int k) {
    double v = v0[k];
    for (int a = 0; a < D; ++a) v += A[k][a] * x[a];
    return v;
  };
  for (int i = 0; i < fluid.size(); ++i)
    for (int k = 0; k < D; ++k) {
      fluid.v.data[i].x[k] = Real(expected(fluid.p.data[i].x, k));
      for (int a = 0; a < D; ++a) affine.c[k]->data[i].x[a] = Real(A[k][a]);
    }
  p2gDensity(b.grid, fluid);
  p2gVelocity(b.grid, fluid, &affine);
  b.grid.finishFlags();
  padVelocity(b.grid);
  b.grid.tiles.fitCleared({&b.grid.phi});
  for (Array<Real>& slope : b.grid.slope) b.grid.tiles.fitCleared({&slope});
  g2pVelocity(b.grid, fluid, {0, 0, {}, 0}, &affine);
  for (int i = 0; i < fluid.size(); ++i) {
    const Vec<D> x = fluid.p.data[i].x;
    for (int k = 0; k < D; ++k) {
      ASSERT_NEAR(fluid.v.data[i].x[k], expected(x, k), 100 * single);
      for (int a = 0; a < D; ++a) ASSERT_NEAR(affine.c[k]->data[i].x[a], A[k][a], 2000 * single);  // over a cell of 0.1 m
    }
  }
}

TYPED_TEST(Density, FlipKeepsWhatTheGridDoesNotChange) {
  constexpr int D = TypeParam::value;
  Bench<D> b(tank<D>(2, "open"), shakenLattice<D>(12, {0.5, 0.5, 0.5}, spacing<D>, 0.3 * spacing<D>));
  Particles<D>& fluid = b.world.fluid;
  std::mt19937 random(1);
  std::vector<Vec<D>> before;
  for (int i = 0; i < fluid.size(); ++i) {
    for (int k = 0; k < D; ++k) fluid.v.data[i].x[k] = Real(random() / 4294967296.0 - 0.5);
    before.push_back(fluid.v.data[i].x);
  }
  p2gDensity(b.grid, fluid);
  p2gVelocity<D>(b.grid, fluid, nullptr);
  b.grid.finishFlags();
  Vec<D> dv{};
  dv[1] = Real(-0.25);
  applyForce(b.grid, b.world.solids, dv);
  extrapolate(b.grid, 2, true);
  padVelocity(b.grid);
  padActive(b.grid, b.grid.faces.change);
  b.grid.tiles.fitCleared({&b.grid.phi});
  for (Array<Real>& slope : b.grid.slope) b.grid.tiles.fitCleared({&slope});
  g2pVelocity<D>(b.grid, fluid, {0, 1, {}, 0}, nullptr);
  for (int i = 0; i < fluid.size(); ++i)
    for (int k = 0; k < D; ++k) ASSERT_NEAR(fluid.v.data[i].x[k], before[i][k] + dv[k], 10 * single);
}
