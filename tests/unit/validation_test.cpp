// Scores of validation on curves whose scores are known, and case files with mistakes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "report/validation/curve.h"

namespace brim {
namespace {

namespace fs = std::filesystem;

Curve sampled(double begin, double end, int n, const std::function<double(double)>& f) {
  Curve c;
  for (int k = 0; k <= n; ++k) {
    const double x = begin + (end - begin) * k / n;
    c.add(x, f(x));
  }
  return c;
}

Score scoreOf(ScoreRule rule, const Curve& run, const Curve& reference, double shift = 0) {
  CurveRule curve;
  curve.name = "curve", curve.shift = shift;
  rule.tolerance = 0.01;
  curve.scores = {rule};
  return scoresOf(curve, run, reference).front();
}

ScoreRule rule(const char* kind) {
  ScoreRule r;
  r.kind = kind;
  return r;
}

TEST(ValidationScores, AnArrivalIsTheDifferenceOfTheTimesOfCrossing) {
  const Curve reference = sampled(0, 1, 100, [](double x) { return x; });
  const Curve run = sampled(0, 1, 37, [](double x) { return x - 0.05; });
  ScoreRule r = rule("arrival");
  r.level = 0.5;
  const Score s = scoreOf(r, run, reference);
  EXPECT_NEAR(s.expected, 0.5, 1e-12);
  EXPECT_NEAR(s.error, 0.05, 1e-12);
  EXPECT_FALSE(s.good);
}

TEST(ValidationScores, AnOscillationsPeriodAndDecayAreFound) {
  // Points every 1/50 of a period; the fit is of the curve's own form, so that only its search limits it.
  const auto wave = [](double period, double kept) {
    return [=](double t) { return 0.4 + 0.02 * std::pow(kept, t / (4 * period)) * std::cos(2 * M_PI * t / period + 0.3); };
  };
  const Curve reference = sampled(0, 5, 200, wave(1.2276, 0.97)), run = sampled(0, 5, 260, wave(1.25, 0.6));
  const Score period = scoreOf(rule("period"), run, reference);
  EXPECT_NEAR(period.expected, 1.2276, 1e-5);
  EXPECT_NEAR(period.value, 1.25, 1e-5);
  EXPECT_NEAR(period.error, 1.25 / 1.2276 - 1, 1e-5);
  const Score kept = scoreOf(rule("kept"), run, reference);
  EXPECT_NEAR(kept.expected, 0.97, 1e-4);
  EXPECT_NEAR(kept.value, std::pow(0.6, 1.2276 / 1.25), 1e-4);
}

TEST(ValidationScores, RmsCorrelationAndBandAreThoseOfTheReferencesPoints) {
  Curve reference = sampled(0, 1, 1000, [](double x) { return std::sin(2 * M_PI * x); });
  for (std::size_t k = 0; k < reference.size(); ++k) {
    reference.low.push_back(reference.y[k] - (reference.x[k] < 0.25 ? 0.2 : 0.05));
    reference.high.push_back(reference.y[k] + (reference.x[k] < 0.25 ? 0.2 : 0.05));
  }
  const Curve run = sampled(-0.1, 1.1, 5000, [](double x) { return std::sin(2 * M_PI * x) + 0.1; });
  EXPECT_NEAR(scoreOf(rule("rms"), run, reference).value, 0.05, 1e-4);  // 0.1 of a range of 2
  EXPECT_NEAR(scoreOf(rule("correlation"), run, reference).value, 1, 1e-6);
  const Score inside = scoreOf(rule("inside"), run, reference);
  EXPECT_NEAR(inside.value, 0.25, 2e-3);  // a point more or less
  EXPECT_NEAR(inside.error, 0.75, 2e-3);
}

TEST(ValidationScores, AShiftMovesARunOntoTheReferenceButNotBeyondItsLimit) {
  const Curve reference = sampled(0, 3, 300, [](double x) { return x * x; });
  const Curve run = sampled(0, 4, 400, [](double x) { return (x - 0.2) * (x - 0.2); });
  EXPECT_NEAR(scoreOf(rule("rms"), run, reference, 0.5).value, 0, 1e-3);
  EXPECT_GT(scoreOf(rule("rms"), run, reference, 0.05).value, 0.03);
}

TEST(ValidationScores, ARunThatEndedBeforeTheWindowHasNoScore) {
  const Curve reference = sampled(0, 2, 100, [](double x) { return 1 + x; });
  const Curve run = sampled(0, 1, 100, [](double x) { return 1 + x; });
  for (const char* kind : {"rms", "correlation", "mean", "slope", "period"}) {
    const Score s = scoreOf(rule(kind), run, reference);
    EXPECT_TRUE(std::isnan(s.error)) << kind;
    EXPECT_FALSE(s.good) << kind;
  }
  EXPECT_FALSE(scoreOf(rule("mean"), {}, reference).good);
  ScoreRule early = rule("mean");
  early.end = 0.5;
  EXPECT_TRUE(scoreOf(early, run, reference).good);
}

class ValidationCases : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("brim_case_" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "scene.toml") << "version = 1\ndimension = 2\n[domain]\nmax = [1, 1]\n";
    std::ofstream(folder / "data.csv") << "# a comment\nt,p [Pa]\n0,1\n1,2\n";
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string complaintsOf(const std::string& text) {
    std::ofstream(folder / "case.toml") << text;
    try {
      readCase((folder / "case.toml").string());
    } catch (const SceneError& e) {
      std::string all;
      for (const Mistake& m : e.mistakes()) all += describe(m) + "\n";
      return all;
    }
    return "";
  }
  fs::path folder;
};

const std::string start = "title = \"T\"\nsource = \"S\"\nabout = \"A\"\nscene = \"scene.toml\"\n";
const std::string curve =
    "[[curves]]\nname = \"p\"\ntitle = \"P\"\nkind = \"gauge\"\ncolumn = \"p\"\nx_title = \"t\"\ny_title = \"p\"\nreference = "
    "\"data.csv\"\n"
    "x = \"t\"\n";

TEST_F(ValidationCases, ACaseIsReadWithItsScores) {
  EXPECT_EQ(complaintsOf(start + curve + "y = \"p\"\n[[curves.scores]]\nkind = \"rms\"\ntolerance = 0.1\nwhy = \"w\"\n"), "");
}

TEST_F(ValidationCases, MistakesAreToldWithTheirPlaces) {
  const std::string wrong =
      complaintsOf(start + curve + "y = \"q\"\n[[curves.scores]]\nkind = \"rsm\"\ntolerance = 0.1\nwhy = \"w\"\n");
  EXPECT_NE(wrong.find("case.toml:14:"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("no column \"q\"; it has t, p"), std::string::npos) << wrong;
  const std::string unknown = complaintsOf(start + "solver = \"pbf\"\n" + curve + "y = \"p\"\n");
  EXPECT_NE(unknown.find("has no \"solver\"; did you mean \"solvers\""), std::string::npos) << unknown;
  EXPECT_NE(complaintsOf(start).find("at least one [[curves]]"), std::string::npos);
}

}  // namespace
}  // namespace brim
