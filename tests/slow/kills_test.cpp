// Kill -9 at random moments, with every solver: whatever a run leaves goes on to the bits of one that nobody killed.
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "../cli/command.h"
#include "brim/parameter.h"

namespace brim {

namespace {

class Kills : public Command, public testing::WithParamInterface<std::string> {
 protected:
  std::string hash(const std::string& out) const {
    const auto summary = nlohmann::json::parse(contentOf(folder / out / "summary.json"), nullptr, false);
    return summary.is_object() ? summary.value("state_hash", "") : "";
  }
};

constexpr int perSolver = 1000 / 9 + 1;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SolverInfo& s : solvers()) all.push_back(s.name);
  return all;
}

}  // namespace

// A thousand over all solvers.
TEST_P(Kills, AtRandomMomentsChangeNoBit) {
  std::ofstream(folder / "kill.toml")
      << smallDam << "\n[time]\nuntil = 0.4\ndt_max = 0.001\n[output]\nframes_per_second = 60\ncheckpoint_every = 0.005\n";
  std::mt19937 random(11);
  int runs = 0;
  const std::string run = "run kill.toml --quiet --threads 1 --solver " + GetParam() + " --out ";
  ASSERT_EQ(brim(run + "whole").code, 0);
  const std::string whole = hash("whole");
  for (int kills = 0; kills < perSolver;) {
    const std::string wait = "0." + std::to_string(1001 + random() % 499).substr(1);  // [s] below 0.5
    const Outcome o = brim(run + "killed --resume", "timeout -s KILL " + wait);
    const bool killed = o.code == 137 || o.code == -1;
    ASSERT_TRUE(killed || o.code == 0) << o.code << "\n" << o.err;
    kills += killed;
    if (killed) continue;
    ++runs;
    ASSERT_EQ(hash("killed"), whole) << "after " << kills << " kills";
    fs::remove_all(folder / "killed");
  }
  ASSERT_EQ(brim(run + "killed --resume").code, 0);
  ASSERT_EQ(hash("killed"), whole);
  std::printf("%s: %d kills, %d runs came to their end between them\n", GetParam().c_str(), perSolver, runs);
}
INSTANTIATE_TEST_SUITE_P(AllSolvers, Kills, testing::ValuesIn(names()), [](const auto& i) { return i.param; });

}  // namespace brim
