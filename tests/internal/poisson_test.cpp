#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/SparseCholesky>

#include "box.h"
#include "grid/tiles/surface.h"

using namespace brim;

namespace {

/// Number of the body of fluid of each cell, and whether air touches that body.
template <int D>
struct Bodies {
  std::vector<int> of;
  std::vector<char> open;
  std::vector<int> cells;
  explicit Bodies(const Box<D>& box) : of(box.states.size(), -1) {
    box.eachFluid([&](const Vec<D, int>& start) {
      if (of[box.number(start)] >= 0) return;
      const int body = int(open.size());
      open.push_back(0);
      cells.push_back(0);
      std::vector<Vec<D, int>> next{start};
      of[box.number(start)] = body;
      while (!next.empty()) {
        const auto c = next.back();
        next.pop_back();
        ++cells[body];
        box.eachBeside(c, [&](const Vec<D, int>& b) {
          if (box.stateAt(b) == airCell) open[body] = 1;
          const long at = box.number(b);
          if (at < 0 || box.states[at] != fluidCell || of[at] >= 0) return;
          of[at] = body;
          next.push_back(b);
        });
      }
    });
  }
};

/// The solution by an assembled matrix and a direct factorisation, per cell of the box.
template <int D>
std::vector<double> assembled(const Box<D>& box, const Bodies<D>& bodies, const Array<Real>& rhs,
                              const Array<Real>* distance = nullptr) {
  std::vector<int> unknown(box.states.size(), -1);
  std::vector<Vec<D, int>> cells;
  box.eachFluid([&](const Vec<D, int>& c) {
    unknown[box.number(c)] = int(cells.size());
    cells.push_back(c);
  });
  const int n = int(cells.size()), count = int(bodies.open.size());
  std::vector<double> mean(count);
  std::vector<char> pinned(count);
  for (const auto& c : cells)
    if (const int b = bodies.of[box.number(c)]; !bodies.open[b]) mean[b] += double(rhs[box.index(c)]) / bodies.cells[b];
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd b(n);
  for (int i = 0; i < n; ++i) {
    const int body = bodies.of[box.number(cells[i])];
    double diagonal = 0;
    box.eachBeside(cells[i], [&](const Vec<D, int>& beside) {
      if (box.stateAt(beside) == solidCell) return;
      const bool atSurface = distance && box.stateAt(beside) == airCell;
      diagonal += atSurface ? perTheta((*distance)[box.index(cells[i])], (*distance)[box.index(beside)]) : 1;
      if (box.stateAt(beside) == fluidCell) entries.push_back({i, unknown[box.number(beside)], -1.0});
    });
    // A closed body's constant is free: its first cell is tied to zero, and the mean taken out below.
    if (!bodies.open[body] && !pinned[body]) pinned[body] = 1, ++diagonal;
    entries.push_back({i, i, diagonal});
    b[i] = double(rhs[box.index(cells[i])]) - mean[body];
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> direct(A);
  EXPECT_EQ(direct.info(), Eigen::Success);
  const Eigen::VectorXd x = direct.solve(b);
  std::vector<double> p(box.states.size()), shift(count);
  for (int i = 0; i < n; ++i)
    if (const int body = bodies.of[box.number(cells[i])]; !bodies.open[body]) shift[body] += x[i] / bodies.cells[body];
  for (int i = 0; i < n; ++i) p[box.number(cells[i])] = x[i] - shift[bodies.of[box.number(cells[i])]];
  return p;
}

template <class N>
struct PoissonOnTiles : testing::Test {
  static constexpr int D = N::value;

  static Vec<D, int> cube(int n) {
    Vec<D, int> size;
    for (int k = 0; k < D; ++k) size[k] = n;
    return size;
  }
  // Fluid with air and solid cells at random, alone and in lumps, so that there are drops, sheets, bubbles, closed bodies and
  // single cells walled in.
  static Box<D> rubble(unsigned seed) {
    Vec<D, int> size;
    for (int k = 0; k < D; ++k) size[k] = (D == 2 ? 61 : 19) + 5 * k;
    auto generator = std::make_shared<std::mt19937>(seed);
    return Box<D>(size, [=](const Vec<D, double>& x, const Vec<D, int>&) {
      double lump = 1;
      for (int k = 0; k < D; ++k) lump *= std::sin((9 + 2 * k) * x[k] + seed);
      const int one = int((*generator)() % 100);
      if (one < 25) return int(solidCell);
      if (one < 30 || lump > 0.5) return int(airCell);
      return lump < -0.5 ? int(solidCell) : int(fluidCell);
    });
  }
  static Box<D> tank(const Vec<D, int>& size, double level) {
    return Box<D>(size, [=](const Vec<D, double>& x, const Vec<D, int>&) { return int(x[D - 1] < level ? fluidCell : airCell); });
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(PoissonOnTiles, Dimensions);

TYPED_TEST(PoissonOnTiles, matches_an_assembled_sparse_solve_ID10_ID31) {
  for (unsigned seed : {1u, 2u, 3u}) {
    const auto box = this->rubble(seed);
    const Bodies<TypeParam::value> bodies(box);
    ASSERT_GT(std::count(bodies.open.begin(), bodies.open.end(), 0), 3) << "closed bodies are part of the claim";
    ASSERT_GT(std::count(bodies.open.begin(), bodies.open.end(), 1), 3);
    const auto rhs = box.random(seed + 10);
    const auto exact = assembled(box, bodies, rhs);
    const double most =
        std::abs(*std::max_element(exact.begin(), exact.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    Poisson<TypeParam::value> poisson;
    poisson.prepare(box.tiles, box.state);
    for (const double tolerance : {isSingle ? 2e-6 : 1e-12, 0.0}) {  // of 0: as far as rounding lets it, and no worse for trying
      auto p = box.random(99);                                       // whatever was there
      EXPECT_LT(poisson.solve(rhs, p, tolerance, 300).iterations, isSingle ? 25 : 40);
      double error = 0;
      box.eachFluid([&](const auto& c) { error = std::max(error, std::abs(double(p[box.index(c)]) - exact[box.number(c)])); });
      // Rounding of p is 6e-8 of it; the residual left is some 1e-6 of rhs, and A^-1 makes of it what it makes of rhs.
      EXPECT_LT(error, (isSingle ? 1e-5 : 1e-10) * most);
      for (int i = 0; i < int(p.size()); ++i) ASSERT_TRUE(box.state[i] == fluidCell || p[i] == 0) << "pressure where no fluid is";
    }
  }
}

TYPED_TEST(PoissonOnTiles, puts_the_surface_where_it_is_between_cells) {
  for (unsigned seed : {1u, 2u}) {
    const auto box = this->rubble(seed);
    const Bodies<TypeParam::value> bodies(box);
    const auto rhs = box.random(seed + 10);
    const auto distance = box.distances(seed + 20);
    const auto exact = assembled(box, bodies, rhs, &distance);
    double most = 0, error = 0;
    Poisson<TypeParam::value> poisson;
    poisson.prepare(box.tiles, box.state, &distance);
    auto p = box.field();
    EXPECT_LT(poisson.solve(rhs, p, isSingle ? 2e-6 : 1e-12, 300).iterations, isSingle ? 25 : 40);
    box.eachFluid([&](const auto& c) {
      error = std::max(error, std::abs(double(p[box.index(c)]) - exact[box.number(c)]));
      most = std::max(most, std::abs(exact[box.number(c)]));
    });
    EXPECT_LT(error, (isSingle ? 1e-5 : 1e-7) * most);  // 1/theta is kept in single precision
  }
}

// Still water: p grows by 1 from cell to cell from the surface down, which is theta above the last centre.
TYPED_TEST(PoissonOnTiles, is_exact_for_a_column_of_any_height) {
  constexpr int D = TypeParam::value;
  for (const double theta : {0.1, 0.5, 0.9}) {
    Vec<D, int> size = this->cube(9);
    size[D - 1] = 40;
    const auto box = Box<D>(size, [](const auto&, const Vec<D, int>& c) { return int(c[D - 1] < 20 ? fluidCell : airCell); });
    auto distance = box.distances(1);
    for (int c = 0; c < box.tiles.count() * Tiles<D>::cells; ++c) {
      const int up = 8 * box.tiles.place(c / Tiles<D>::cells)[D - 1] + (c >> 3 * (D - 1) & 7);
      distance[c] = Real(up - 19 - theta);
    }
    // The weight of water enters by the floor: rhs 1 in the lowest cells, and p falls by 1 from cell to cell.
    auto rhs = box.field(), p = box.field();
    box.eachFluid([&](const Vec<D, int>& c) { rhs[box.index(c)] = Real(c[D - 1] == 0 ? 1 : 0); });
    Poisson<D> poisson;
    poisson.prepare(box.tiles, box.state, &distance);
    poisson.solve(rhs, p, isSingle ? 1e-5 : 1e-10, 100);
    box.eachFluid([&](const Vec<D, int>& c) { ASSERT_NEAR(p[box.index(c)], 19 + theta - c[D - 1], 2e-3); });
  }
}

TYPED_TEST(PoissonOnTiles, reports_the_residual_of_what_it_returns) {
  constexpr int D = TypeParam::value;
  const auto box = this->tank(this->cube(D == 2 ? 200 : 40), 0.6);
  const auto rhs = box.random(1);
  auto p = box.field();
  Poisson<D> poisson;
  poisson.prepare(box.tiles, box.state);
  const PoissonReport report = poisson.solve(rhs, p, 1e-3, 100);
  double most = 0;
  box.eachFluid([&](const Vec<D, int>& c) {
    double r = rhs[box.index(c)];
    box.eachBeside(c, [&](const Vec<D, int>& b) {
      if (box.stateAt(b) != solidCell) r -= double(p[box.index(c)]) - (box.stateAt(b) == fluidCell ? double(p[box.index(b)]) : 0);
    });
    most = std::max(most, std::abs(r));
  });
  EXPECT_LE(report.residual, 1e-3);
  EXPECT_NEAR(report.residual, most, isSingle ? 2e-5 : 1e-12);  // rounding of A p, p up to some 10
  EXPECT_GT(report.iterations, 2);
  EXPECT_EQ(poisson.solve(rhs, p, 1.01 * report.residual + 1e-6, 100, true).iterations, 0)
      << "its solution is a first guess to keep";
}

TYPED_TEST(PoissonOnTiles, stops_at_the_given_number_of_iterations) {
  const auto box = this->tank(this->cube(40), 0.6);
  const auto rhs = box.random(1);
  auto p = box.field();
  Poisson<TypeParam::value> poisson;
  poisson.prepare(box.tiles, box.state);
  const PoissonReport three = poisson.solve(rhs, p, 0, 3), more = poisson.solve(rhs, p, 0, 6);
  EXPECT_EQ(three.iterations, 3);
  EXPECT_LT(more.residual, 0.2 * three.residual);  // it gains about half a digit an iteration
  EXPECT_LT(poisson.solve(rhs, p, 0, 1000).iterations, 60) << "and does not try for what rounding forbids";
}

// A column at rest under gravity for dt: u = -g dt but at the floor, so rhs = -div u = g dt/h there. In SI the solution is
// p = rho g depth, depth counting from the middle of the air cell above: Poisson's p is dt/(rho h^2) times that.
TYPED_TEST(PoissonOnTiles, gives_rho_g_h_under_gravity) {
  constexpr int D = TypeParam::value;
  auto size = this->cube(13);
  size[D - 1] = 150;
  const int depth = 117;
  const auto box = Box<D>(size, [=](const auto&, const Vec<D, int>& c) { return int(c[D - 1] < depth ? fluidCell : airCell); });
  const double g = 9.81, dt = 0.002, h = 1.0 / 64, rho = 1000;
  auto rhs = box.field(), p = box.field();
  box.eachFluid([&](const Vec<D, int>& c) { rhs[box.index(c)] = Real(c[D - 1] == 0 ? g * dt / h : 0); });
  Poisson<D> poisson;
  poisson.prepare(box.tiles, box.state);
  const double tolerance = isSingle ? 1e-4 : 1e-10;
  EXPECT_LT(poisson.solve(rhs, p, tolerance, 100).iterations, isSingle ? 10 : 20);
  double error = 0;
  box.eachFluid([&](const Vec<D, int>& c) {
    error = std::max(error, std::abs(p[box.index(c)] * rho * h * h / dt - rho * g * h * (depth - c[D - 1])));
  });
  // A residual of `tolerance` everywhere is depth^2/2 of it in p; CG's is not of one sign, so most of that is not used.
  EXPECT_LT(error, 0.2 * tolerance * depth * depth / 2 * rho * h * h / dt);
}

TYPED_TEST(PoissonOnTiles, has_a_symmetric_positive_preconditioner) {
  constexpr int D = TypeParam::value;
  for (unsigned seed : {1u, 2u}) {
    const auto box = seed == 1 ? this->rubble(4) : this->tank(this->cube(D == 2 ? 150 : 40), 0.55);
    Poisson<D> poisson;
    poisson.prepare(box.tiles, box.state);
    for (unsigned s = 0; s < 5; ++s) {
      const auto x = box.random(2 * s), y = box.random(2 * s + 1);
      auto Mx = box.field(), My = box.field();
      poisson.precondition(x, Mx);
      poisson.precondition(y, My);
      const double xMx = box.dot(x, Mx), yMy = box.dot(y, My);
      EXPECT_GT(xMx, 0);
      EXPECT_GT(yMy, 0);
      EXPECT_NEAR(box.dot(x, My), box.dot(y, Mx), 2e-6 * std::sqrt(xMx * yMy));  // the V-cycle is in single precision
    }
  }
}

TYPED_TEST(PoissonOnTiles, has_a_symmetric_operator) {
  const auto box = this->rubble(5);
  Poisson<TypeParam::value> poisson;
  poisson.prepare(box.tiles, box.state);
  const auto x = box.random(1), y = box.random(2);
  auto Ax = box.field(), Ay = box.field();
  poisson.apply(x, Ax);
  poisson.apply(y, Ay);
  const double scale = std::sqrt(box.dot(x, Ax) * box.dot(y, Ay));
  EXPECT_NEAR(box.dot(x, Ay), box.dot(y, Ax), (isSingle ? 1e-6 : 1e-14) * scale);
}

// A sealed tank: rhs has no solution until its mean is taken out, and p is free by a constant.
TYPED_TEST(PoissonOnTiles, neither_fails_nor_drifts_where_no_air_is) {
  constexpr int D = TypeParam::value;
  const auto box = Box<D>(this->cube(D == 2 ? 70 : 30), [](const Vec<D, double>& x, const auto&) {
    double r2 = 0;
    for (int k = 0; k < D; ++k) r2 += (x[k] - 0.4) * (x[k] - 0.4);
    return int(r2 < 0.02 ? solidCell : fluidCell);
  });
  auto rhs = box.random(3), p = box.field();
  double mean = 0;
  int n = 0;
  box.eachFluid([&](const Vec<D, int>& c) { mean += double(rhs[box.index(c)] += Real(0.5)), ++n; });
  ASSERT_GT(mean / n, 0.4);
  Poisson<D> poisson;
  poisson.prepare(box.tiles, box.state);
  const double tolerance = isSingle ? 1e-4 : 1e-9;
  const PoissonReport report = poisson.solve(rhs, p, tolerance, 100);
  EXPECT_LE(report.residual, tolerance);
  EXPECT_LT(report.iterations, isSingle ? 15 : 22);
  const double first = box.largest(p);
  for (int again = 0; again < 50; ++again) {
    for (std::size_t i = 0; i < p.size(); ++i) p[i] *= Real(1.001);  // so that there is something to do
    EXPECT_LE(poisson.solve(rhs, p, tolerance, 100, true).residual, tolerance);
  }
  double sum = 0;
  box.eachFluid([&](const Vec<D, int>& c) { sum += double(p[box.index(c)]); });
  EXPECT_LT(std::abs(sum / n), (isSingle ? 1e-6 : 1e-14) * first);
  EXPECT_NEAR(box.largest(p), first, 0.01 * first);
}

TYPED_TEST(PoissonOnTiles, solves_drops_of_one_cell_exactly_and_leaves_walled_in_cells_alone) {
  constexpr int D = TypeParam::value;
  const auto box = Box<D>(this->cube(20), [](const auto&, const Vec<D, int>& c) {
    if (c[0] > 10) return int(c[0] == 15 && c[1] == 7 ? fluidCell : solidCell);  // in 3D a closed line of cells
    return int(c[0] % 4 == 2 && c[1] % 3 == 1 && (D == 2 || c[D - 1] % 5 == 0) ? fluidCell : airCell);
  });
  const auto rhs = box.random(1);
  auto p = box.field();
  Poisson<D> poisson;
  poisson.prepare(box.tiles, box.state);
  poisson.solve(rhs, p, 1e-6, 50);
  int drops = 0;
  box.eachFluid([&](const Vec<D, int>& c) {
    if (c[0] > 10) {
      EXPECT_TRUE(D == 3 || p[box.index(c)] == 0);
      return;
    }
    int open = 0;
    box.eachBeside(c, [&](const Vec<D, int>& b) { open += box.stateAt(b) == airCell; });
    EXPECT_NEAR(p[box.index(c)], rhs[box.index(c)] / open, 1e-6);  // the tolerance
    ++drops;
  });
  EXPECT_GT(drops, 10);
}

TYPED_TEST(PoissonOnTiles, solves_nothing_where_there_is_nothing) {
  const auto box = this->tank(this->cube(16), -1);
  auto rhs = box.field(), p = box.field();
  Poisson<TypeParam::value> poisson;
  poisson.prepare(box.tiles, box.state);
  const PoissonReport report = poisson.solve(rhs, p, 1e-3, 10);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.residual, 0);
}

TYPED_TEST(PoissonOnTiles, gives_the_same_bits_for_any_number_of_threads) {
  constexpr int D = TypeParam::value;
  const auto rough = [](const Vec<D, double>& x, const Vec<D, int>& c) {
    if (std::hypot(x[0] - 0.7, x[1] - 0.3) < 0.1) return int(solidCell);
    return int(x[D - 1] < 0.6 + 0.1 * std::sin(20 * x[0]) || (c[0] * 7 + c[1] * 13) % 101 == 0 ? fluidCell : airCell);
  };
  const auto box = Box<D>(this->cube(D == 2 ? 500 : 64), rough);
  const auto rhs = box.random(1);
  Array<Real> first;
  for (const int threads : {1, 2, 7}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    auto p = box.field();
    Poisson<D> poisson;
    poisson.prepare(box.tiles, box.state);
    poisson.solve(rhs, p, 1e-4, 100);
    if (threads == 1) first.swap(p);
    if (threads == 1) continue;
    const auto a = onHost(first, p.size()), b = onHost(p, p.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), p.size() * sizeof(Real)), 0) << threads << " threads";
  }
}

}  // namespace
