// A run knows when it is ruined: docs/trust.md.
#include <nlohmann/json.hpp>

#include "command.h"

namespace brim {

namespace {

class Ruin : public Command {
 protected:
  nlohmann::json summary(const std::string& out) { return nlohmann::json::parse(contentOf(folder / out / "summary.json")); }
  std::vector<std::string> ruined(const std::string& out) {
    std::vector<std::string> kinds;
    const nlohmann::json all = summary(out);
    for (const auto& one : all["health"]["ruined"]) kinds.push_back(one["kind"]);
    return kinds;
  }
};

bool holds(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_F(Ruin, StepsThatAreFarTooLongAreToldAtOnceAndInTheSummary) {
  // The tank of the trust tests, 2D, 96 particles: with steps of 50 ms constraint lets it be compressed by 5 % on average.
  fs::copy(fs::path(BRIM_SOURCE) / "tests/trust/tank.toml", folder);
  const Outcome o = brim("run tank.toml --solver constraint --set time.dt=0.05 --out out --threads 1");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "warning: t = ")) << o.err;
  EXPECT_TRUE(has(o.out, "RUINED: ")) << o.out;
  EXPECT_TRUE(holds(ruined("out"), "density")) << summary("out")["health"];
  EXPECT_FALSE(summary("out")["warnings"].empty());
  EXPECT_EQ(brim("run tank.toml --solver constraint --set time.dt=0.05 --out strict --threads 1 --strict --quiet").code, 3);
  // The same tank with its own steps is in order, and says what a user must know.
  const Outcome good = brim("run tank.toml --solver constraint --out good --threads 1 --strict");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(ruined("good").empty()) << summary("good")["health"];
  EXPECT_TRUE(has(good.out, "volume ")) << good.out;
  EXPECT_TRUE(has(good.out, "density error mean ")) << good.out;
  EXPECT_TRUE(has(good.out, "energy ")) << good.out;
}

TEST_F(Ruin, EnergyFromNowhereIsToldWithPbf) {
  // Steps of 50 ms throw the water up: it ends with 59 % more energy than it once had.
  const Outcome o = brim("run scenes/dam.toml --solver pbf --until 2 --set time.dt=0.05 --out out --threads 1");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(holds(ruined("out"), "energy")) << summary("out")["health"];
}

}  // namespace brim
