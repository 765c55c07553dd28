#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "io/file.h"
#include "observe/checkpoint.h"
#include "observe/frames.h"
#include "observe/spacing.h"
#include "observe/statistics.h"
#include "observe/summary.h"
#include "observe/volume.h"

using namespace brim;
namespace fs = std::filesystem;

namespace {

class InFolder : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("brim_observe_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string in(const char* name) const { return (folder / name).string(); }
};

using StatisticsFile = InFolder;
using CheckpointFile = InFolder;
using FrameFiles = InFolder;

StepReport report(std::int64_t step) {
  StepReport r;
  r.step = step;
  r.time = double(step) / 3;
  r.dt = 1. / 3;
  r.dt_limit = "velocity";
  r.iterations = 4;
  r.density_error_mean = 0.01 * double(step);
  r.particles = 100;
  r.momentum = {1, -2, 0.1 + 0.2};
  r.stages = {{"search", 1.5}, {"pressure", 2.25}};
  return r;
}

std::vector<std::string> split(const std::string& line, char by) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

Snapshot lattice(int D, int n, double d, double stretch = 1, const Vector& corner = {0, 0, 0}) {
  Snapshot s;
  s.dimension = D;
  for (int k = 0; k < (D == 3 ? n : 1); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        s.id.push_back(std::int64_t(s.id.size()));
        s.position.push_back(corner[0] + stretch * (i + 0.5) * d);
        s.position.push_back(corner[1] + stretch * (j + 0.5) * d);
        s.position.push_back(D == 3 ? corner[2] + stretch * (k + 0.5) * d : 0);
      }
  return s;
}

// Volume over n^D d^D.
double ratioOf(const Snapshot& s, int n, double d, const Domain& domain) {
  const double cell = std::pow(d, s.dimension);
  return liquidVolume(s, domain, d, 1000 * cell, 1000) / (std::pow(n, s.dimension) * cell);
}
double ratioOf(const Snapshot& s, int n, double d, const Vector& corner = {0, 0, 0}) {
  return ratioOf(s, n, d, {corner, corner, {"open", "open", "open"}});
}

Checkpoint checkpoint(std::int64_t step) {
  Checkpoint c;
  c.sceneText = "version = 1\n";
  c.physics = "spacing = 0.02\n";
  c.precision = "single";
  c.flavour = "cpu32";
  c.time = 0.1 * double(step);
  c.step = step;
  c.totals.add(report(step), 3.5);
  c.frames = {{0, 0.}, {1, 1 / 30.}};
  c.state.assign(1001, char(step));
  return c;
}

}  // namespace

TEST_F(StatisticsFile, NumbersReadBackToTheSameBits) {
  {
    Statistics statistics(in("s.csv"));
    statistics.row(report(1), 4.5, std::nullopt);
    statistics.row(report(2), 4.5, 0.9996);
  }
  const auto lines = split(readFile(in("s.csv")), '\n');
  ASSERT_EQ(lines.size(), 3u);
  const auto names = split(lines[0], ','), first = split(lines[1], ','), second = split(lines[2], ',');
  const auto value = [&](const std::vector<std::string>& row, const char* name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return row.at(std::size_t(at - names.begin()));
  };
  EXPECT_EQ(std::stod(value(second, "time [s]")), 2. / 3);
  EXPECT_EQ(std::stod(value(first, "momentum_z [kg m/s]")), 0.1 + 0.2);
  EXPECT_EQ(value(first, "dt_limit"), "velocity");
  EXPECT_EQ(value(first, "volume_ratio"), "");
  EXPECT_EQ(value(second, "volume_ratio"), "0.9996");
  EXPECT_EQ(value(second, "ms_pressure [ms]"), "2.2500");
  EXPECT_EQ(value(second, "ms_step [ms]"), "4.5000");
  EXPECT_EQ(first.size(), names.size());
}

TEST_F(StatisticsFile, ResumingCutsRowsPastTheCheckpoint_X04) {
  std::string whole;
  {
    Statistics statistics(in("s.csv"));
    for (int step = 1; step <= 9; ++step) statistics.row(report(step), 1, std::nullopt);
    statistics.flush();
    whole = readFile(in("s.csv"));
  }
  std::ofstream(in("s.csv"), std::ios::app) << "10,3.33,0.3";  // killed within a row
  {
    Statistics statistics(in("s.csv"), 6);
    EXPECT_EQ(statistics.lastKept(), 6);
    for (int step = 7; step <= 9; ++step) statistics.row(report(step), 1, std::nullopt);
  }
  EXPECT_EQ(readFile(in("s.csv")), whole);
}

TEST_F(StatisticsFile, AResumedFileKeepsItsColumns) {
  { Statistics(in("s.csv")).row(report(1), 1, std::nullopt); }
  auto other = report(2);
  other.stages = {{"pressure", 8}};  // a stage less, and in another place
  { Statistics(in("s.csv"), 1).row(other, 1, std::nullopt); }
  const auto lines = split(readFile(in("s.csv")), '\n');
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].ends_with("ms_step [ms],ms_search [ms],ms_pressure [ms]"));
  EXPECT_TRUE(lines[2].ends_with(",1.0000,,8.0000")) << lines[2];
}

TEST_F(StatisticsFile, AFullDiskIsAFailure) {
  Statistics statistics("/dev/full");
  statistics.row(report(1), 1, std::nullopt);
  EXPECT_THROW(statistics.flush(), Failure);
}

TEST_F(StatisticsFile, ALinkIsNotFollowed) {
  std::ofstream(in("mine")) << "keep";
  fs::create_symlink(in("mine"), in("s.csv"));
  EXPECT_THROW(Statistics(in("s.csv")), Failure);
  EXPECT_THROW(Statistics(in("s.csv"), 3), Failure);
  EXPECT_EQ(readFile(in("mine")), "keep");
}

// Edges of a block are rounded off by the kernel: 12 edges of n nodes in n^3, less in 2D.
TEST(LiquidVolume, OfALatticeBlockIsItsVolume) {
  EXPECT_NEAR(ratioOf(lattice(3, 40, 0.025), 40, 0.025), 1, 0.01);
  EXPECT_NEAR(ratioOf(lattice(2, 100, 0.02), 100, 0.02), 1, 0.01);
}

TEST(LiquidVolume, DoesNotDependOnWhereTheDomainIs) {
  const Vector far = {1000, -2000, 500};
  EXPECT_EQ(ratioOf(lattice(3, 20, 0.025, 1, far), 20, 0.025, far), ratioOf(lattice(3, 20, 0.025), 20, 0.025));
}

// 20 % more volume. The threshold of rho0/2 lies nearer to the outermost particles of a thinner fluid, and the nodes are
// a spacing apart on 34: 4 %.
TEST(LiquidVolume, SeesExpansion) {
  const double stretch = std::cbrt(1.2);
  EXPECT_NEAR(ratioOf(lattice(3, 32, 0.025, stretch), 32, 0.025) / ratioOf(lattice(3, 32, 0.025), 32, 0.025), 1.2, 0.048);
}

// A kernel cut by a wall reads little more than rho0/2 beside it, and less where the particles keep a little away.
TEST(LiquidVolume, WallsAreNotTakenForASurface) {
  for (const int D : {2, 3}) {
    const int n = 40;
    const double d = 0.025;  // n d: the 1 m of Domain's tank
    auto s = lattice(D, n, d);
    for (double& x : s.position) x = 0.5 + (x - 0.5) * (1 - 0.6 / (n - 1));  // the outermost lie at 0.8 d instead of 0.5 d
    EXPECT_NEAR(ratioOf(s, n, d, Domain{}), 1, 0.003) << D;                  // the edges of the tank read low
    EXPECT_LT(ratioOf(s, n, d), 0.97) << D;
  }
}

TEST(LiquidVolume, SeesLoss) {
  auto s = lattice(3, 32, 0.025);
  s.id.resize(s.id.size() / 2);  // the upper half of z is gone
  s.position.resize(3 * s.id.size());
  EXPECT_NEAR(ratioOf(s, 32, 0.025), 0.5, 0.01);
}

// A spray is no liquid; a particle 1 km away must not cost memory for the way there, and is not counted.
TEST(LiquidVolume, OneParticleFarAwayChangesNothing) {
  auto s = lattice(3, 20, 0.025);
  const double before = ratioOf(s, 20, 0.025);
  s.id.push_back(-1);
  s.position.insert(s.position.end(), {1000, 1000, -1000});
  EXPECT_EQ(ratioOf(s, 20, 0.025), before);
}

TEST(LiquidVolume, IsTheSameForAnyNumberOfThreads) {
  auto s = lattice(3, 30, 0.025, 1.1);
  for (std::size_t k = 0; k < s.position.size(); ++k) s.position[k] += 0.012 * std::sin(12.9898 * double(k));
  double volume[3];
  int at = 0;
  for (int threads : {1, 2, 7}) {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    volume[at++] = ratioOf(s, 30, 0.025);
  }
  EXPECT_EQ(volume[0], volume[1]);
  EXPECT_EQ(volume[0], volume[2]);
}

TEST(VolumeRatio, CountsFluidLetInAndTakenOutButNotLeaks) {
  Scene scene;
  Totals t;
  t.startParticles = 1000;
  t.startVolume = 2;
  t.emitted = 600, t.sunk = 100, t.lost = 0;
  EXPECT_DOUBLE_EQ(volumeRatio(t, scene, 3, 1500), 1);
  t.lost = 150;  // 10 % of the fluid leaked
  EXPECT_DOUBLE_EQ(volumeRatio(t, scene, 2.7, 1350), 0.9);
  EXPECT_DOUBLE_EQ(t.volumeRatioMin, 0.9);
  EXPECT_DOUBLE_EQ(t.volumeRatioMax, 1);
  scene.domain.boundary[1] = "open";  // leaving is no leak there
  EXPECT_DOUBLE_EQ(volumeRatio(t, scene, 2.7, 1350), 1);
}

TEST(Totals, GoThroughACheckpointUnchanged_X04) {
  Totals t;
  for (int step = 1; step < 8; ++step) t.add(report(step), 0.1 * step);
  const auto once = toJson(t);
  EXPECT_EQ(toJson(totalsFrom(nlohmann::json::parse(once.dump()))), once);
}

TEST(Totals, WeighDensityErrorsByTime) {
  Totals t;
  auto r = report(1);
  r.dt = 3, r.density_error_mean = 0.1, r.density_error_max = 0.5;
  t.add(r, 1);
  r.dt = 1, r.density_error_mean = 0.5, r.density_error_max = 0.6;
  t.add(r, 1);
  EXPECT_DOUBLE_EQ(t.densityErrorMean / t.simulated, 0.2);
  EXPECT_DOUBLE_EQ(t.densityErrorMax, 0.6);
  EXPECT_DOUBLE_EQ(t.particleIterations, 800);
  EXPECT_DOUBLE_EQ(t.stages["pressure"], 4.5);
}

TEST_F(CheckpointFile, ReadsBackWhatWasWritten_X04) {
  const auto c = checkpoint(3);
  writeCheckpoint(folder.string(), c);
  const auto read = readCheckpoint(in("state.brim"));
  EXPECT_EQ(read.time, c.time);
  EXPECT_EQ(read.step, c.step);
  EXPECT_EQ(read.sceneText, c.sceneText);
  EXPECT_EQ(read.frames, c.frames);
  EXPECT_EQ(read.state, c.state);
  EXPECT_EQ(toJson(read.totals), toJson(c.totals));
}

// One flipped bit anywhere, or any byte missing at the end.
TEST_F(CheckpointFile, DamageIsSeenWhereverItIs) {
  writeCheckpoint(folder.string(), checkpoint(3));
  const std::string good = readFile(in("state.brim"));
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ 0x10);
    std::ofstream(in("state.brim"), std::ios::binary) << bad;
    EXPECT_THROW(readCheckpoint(in("state.brim")), Failure) << at;
  }
  for (std::size_t cut : {std::size_t(1), std::size_t(500), good.size() - 3}) {
    std::ofstream(in("state.brim"), std::ios::binary) << good.substr(0, good.size() - cut);
    EXPECT_THROW(readCheckpoint(in("state.brim")), Failure) << cut;
  }
}

// With checksums that fit, as who means harm would make them.
TEST_F(CheckpointFile, ACraftedHeaderIsRefused) {
  writeCheckpoint(folder.string(), checkpoint(3));
  const std::string good = readFile(in("state.brim"));
  const std::string header = good.substr(48, good.find("}", good.find("\"warnings\"")) + 1 - 48);
  const auto read = [&](const std::string& from, const std::string& to) {
    std::string text = header;
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(in("state.brim"), std::ios::binary) << sealedCheckpoint(text, "state");
    return readCheckpoint(in("state.brim"));
  };
  EXPECT_EQ(read("\"step\":3", "\"step\":3").step, 3);
  EXPECT_THROW(read("\"step\":3", "\"step\":1e300"), Failure);
  EXPECT_THROW(read("\"step\":3", "\"step\":-3"), Failure);
  EXPECT_THROW(read("\"frames\":[[0", "\"frames\":[[2147483648"), Failure);
  EXPECT_THROW(read("\"frames\":[[0", "\"frames\":[[0.5"), Failure);
  EXPECT_THROW(read("\"frames\":[[0", "\"frames\":[[]], \"x\":[[0"), Failure);
  EXPECT_THROW(read("\"particles\":", "\"particles\":1e19, \"x\":"), Failure);
}

TEST_F(CheckpointFile, ADamagedOneFallsBackToTheOneBeforeAndSaysSo) {
  std::vector<std::string> warnings;
  EXPECT_FALSE(latestCheckpoint(folder.string(), warnings));
  for (int step : {1, 2, 3}) writeCheckpoint(folder.string(), checkpoint(step));
  EXPECT_EQ(latestCheckpoint(folder.string(), warnings)->step, 3);
  EXPECT_TRUE(warnings.empty());

  fs::resize_file(in("state.brim"), 700);
  EXPECT_EQ(latestCheckpoint(folder.string(), warnings)->step, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("state.brim is damaged"), std::string::npos);

  fs::remove(in("state.brim"));  // killed between the two renames
  EXPECT_EQ(latestCheckpoint(folder.string(), warnings)->step, 2);

  fs::resize_file(in("state.previous.brim"), 10);
  EXPECT_THROW(latestCheckpoint(folder.string(), warnings), Failure);
}

TEST(Physics, IgnoresTitleEndAndOutputOnly) {
  Scene a;
  a.fluid.blocks.resize(1);
  a.fluid.blocks[0].shape.max = {0.5, 0.5, 0.5};
  Scene b = a;
  b.title = "another";
  b.time.until = 99;
  b.output.frames_per_second = 7;
  b.output.checkpoint_every = 1;
  b.output.formats = {"ply"};
  EXPECT_EQ(difference(physicsOf(a), physicsOf(b)), "");
  b.fluid.blocks[0].shape.max[1] = 0.6;
  EXPECT_NE(difference(physicsOf(a), physicsOf(b)).find("max = [0.5, 0.5, 0.5] there, max = [0.5, 0.6, 0.5] here"),
            std::string::npos)
      << difference(physicsOf(a), physicsOf(b));
  b = a;
  b.resolution.spacing = 0.01;
  EXPECT_EQ(difference(physicsOf(a), physicsOf(b)), "[resolution] spacing = 0.02 there, spacing = 0.01 here");
  b = a;
  b.solver.name = "wcsph";
  EXPECT_NE(difference(physicsOf(a), physicsOf(b)), "");
}

TEST_F(FrameFiles, ThoseOfAnotherRunAreRemovedAndThoseKeptStay_X04) {
  std::vector<std::string> warnings;
  const Frames::Settings settings = {folder.string(), {"vtp", "ply"}, 0.02, true};
  {
    Frames frames(settings, {}, warnings);
    for (int number = 0; number < 4; ++number) {
      auto s = lattice(2, 3, 0.02);
      s.time = number / 30.;
      s.solids = {0.25 * number, 2, 0};
      frames.write(number, std::make_shared<Snapshot>(std::move(s)));
    }
    frames.finish();
  }
  std::ofstream(in("frame_notes.txt")) << "the user's own";
  std::ofstream(in("frame_000009.vtp.tmp")) << "left by a kill";
  fs::remove(in("frame_000001.vtp"));
  fs::remove(in("frame_000001.ply"));
  Frames frames(settings, {{0, 0.}, {1, 1 / 30.}, {2, 2 / 30.}}, warnings);
  EXPECT_FALSE(fs::exists(in("frame_000003.vtp")));
  EXPECT_FALSE(fs::exists(in("solids_000003.ply")));
  EXPECT_FALSE(fs::exists(in("frame_000009.vtp.tmp")));
  EXPECT_TRUE(fs::exists(in("frame_notes.txt")));
  const std::string collection = readFile(in("frames.pvd"));
  EXPECT_NE(collection.find("frame_000002.vtp"), std::string::npos);
  EXPECT_EQ(collection.find("frame_000003.vtp"), std::string::npos);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("frame 1 "), std::string::npos);
  const auto read = frames.read(2);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 9u);
  EXPECT_EQ(read->solids, (std::vector<double>{0.5, 2, 0}));
  EXPECT_FALSE(frames.read(3));
}

TEST_F(FrameFiles, AFailureOfTheWriterReachesTheRun) {
  std::vector<std::string> warnings;
  Frames frames({in("frames"), {"vtp"}, 0.02, false}, {}, warnings);
  fs::remove_all(in("frames"));
  frames.write(0, std::make_shared<Snapshot>(lattice(2, 3, 0.02)));
  EXPECT_THROW(frames.finish(), Failure);
}

TEST(Spacing, IsThatOfAllPairs) {
  // Points of a shaken lattice around the origin, so that cells of both signs are met, and one far away that is left out.
  for (const int dimension : {2, 3}) {
    Snapshot s;
    s.dimension = dimension;
    const double d = 0.1;
    std::mt19937 random(3);
    const auto shake = [&] { return 0.8 * d * (random() / 4294967296.0 - 0.5); };
    const int n = dimension == 2 ? 20 : 8;
    for (int c = 0; c < (dimension == 2 ? n * n : n * n * n); ++c)
      for (int k = 0, rest = c; k < 3; ++k, rest /= n) s.position.push_back(k < dimension ? d * (rest % n - n / 2) + shake() : 0);
    s.position.insert(s.position.end(), {50, 50, dimension == 3 ? 50. : 0});
    s.id.resize(s.position.size() / 3);
    double sum = 0, squares = 0, close = 0;
    const std::size_t m = s.size() - 1;
    for (std::size_t i = 0; i < m; ++i) {
      double nearest = 1e30;
      for (std::size_t j = 0; j < m; ++j)
        if (i != j)
          nearest =
              std::min(nearest, std::hypot(s.position[3 * i] - s.position[3 * j], s.position[3 * i + 1] - s.position[3 * j + 1],
                                           s.position[3 * i + 2] - s.position[3 * j + 2]));
      sum += nearest / d, squares += nearest * nearest / (d * d), close += nearest < 0.5 * d;
    }
    const Spacing found = spacingOf(s, d);
    const double mean = sum / double(m);
    EXPECT_NEAR(found.mean, mean, 1e-12);  // the same distances; sums of a few hundred doubles round to 1e-14
    EXPECT_NEAR(found.variance, squares / double(m) - mean * mean, 1e-12);
    EXPECT_EQ(found.close, close / double(m));
    EXPECT_GT(found.close, 0);
  }
  EXPECT_EQ(spacingOf(Snapshot{}, 0.1).mean, 0);
}
