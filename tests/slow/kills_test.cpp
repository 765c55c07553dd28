// Kill -9 at random moments, with every solver: whatever a run leaves goes on to the bits of one that nobody killed.
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>

#include "../cli/command.h"
#include "brim/parameter.h"

namespace brim {

namespace {

class Kills : public Command {
 protected:
  std::string hash(const std::string& out) const {
    const auto summary = nlohmann::json::parse(contentOf(folder / out / "summary.json"), nullptr, false);
    return summary.is_object() ? summary.value("state_hash", "") : "";
  }
};

constexpr int perSolver = 1000 / 9 + 1;

}  // namespace

TEST_F(Kills, AThousandAtRandomMomentsOverAllSolvers) {
  std::ofstream(folder / "kill.toml")
      << smallDam << "\n[time]\nuntil = 0.4\ndt_max = 0.001\n[output]\nframes_per_second = 60\ncheckpoint_every = 0.005\n";
  std::mt19937 random(11);
  int kills = 0, runs = 0;
  for (const SolverInfo& solver : solvers()) {
    const std::string run = "run kill.toml --quiet --threads 1 --solver " + solver.name + " --out ";
    ASSERT_EQ(brim(run + "whole_" + solver.name).code, 0);
    const std::string whole = hash("whole_" + solver.name), out = "killed_" + solver.name;
    for (int here = 0; here < perSolver;) {
      const std::string wait = "0." + std::to_string(1001 + random() % 499).substr(1);  // [s] below 0.5
      const Outcome o = brim(run + out + " --resume", "timeout -s KILL " + wait);
      const bool killed = o.code == 137 || o.code == -1;
      ASSERT_TRUE(killed || o.code == 0) << solver.name << ": " << o.code << "\n" << o.err;
      here += killed, kills += killed;
      if (killed) continue;
      ++runs;
      ASSERT_EQ(hash(out), whole) << solver.name << " after " << here << " kills";
      fs::remove_all(folder / out);
    }
    ASSERT_EQ(brim(run + out + " --resume").code, 0) << solver.name;
    ASSERT_EQ(hash(out), whole) << solver.name;
    fs::remove_all(folder / out);
  }
  std::printf("%d kills, %d runs came to their end between them\n", kills, runs);
}

}  // namespace brim
