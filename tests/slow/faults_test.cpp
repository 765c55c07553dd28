// Every call of the system that can fail, fails once (tests/faults/inject.cpp): the run ends with 0, 2 or 3 and a sentence, and
// what it leaves goes on to the bits of a run where nothing failed.
#include <nlohmann/json.hpp>

#include "../cli/command.h"

namespace brim {

namespace {

class Faults : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::ofstream(folder / "small.toml")
        << smallDam << "\n[time]\nuntil = 0.03\n[output]\nframes_per_second = 100\ncheckpoint_every = 0.001\n";
    ASSERT_EQ(brim("run small.toml --quiet --threads 2 --out whole").code, 0);
    whole = hash("whole");
    ASSERT_EQ(whole.size(), 16u);
  }
  std::string hash(const std::string& out) const {
    const auto summary = nlohmann::json::parse(contentOf(folder / out / "summary.json"), nullptr, false);
    return summary.is_object() ? summary.value("state_hash", "") : "";
  }
  std::string with(const std::string& kind, long n) const {
    return "BRIM_FAULT=" + kind + ":" + std::to_string(n) + " LD_PRELOAD='" BRIM_FAULTS "'";
  }
  long callsOf(const std::string& kind) {
    EXPECT_EQ(brim("run small.toml --quiet --threads 2 --out counted", "BRIM_FAULT_COUNT=count " + with(kind, 0)).code, 0);
    fs::remove_all(folder / "counted");
    return std::stol("0" + contentOf(folder / "count"));
  }

  /// Fails every call of a kind, one in each run.
  void failThem(const std::string& kind) {
    const long calls = callsOf(kind);
    ASSERT_GT(calls, 0) << kind;
    int ended[4] = {};
    for (long n = 1; n <= calls; ++n) {
      const Outcome failed = brim("run small.toml --quiet --threads 2 --out a", "timeout -s KILL 60 env " + with(kind, n));
      ASSERT_TRUE(failed.code == 0 || failed.code == 2 || failed.code == 3)
          << kind << " " << n << " of " << calls << ": " << failed.code << "\n"
          << failed.err;
      ++ended[failed.code];
      if (failed.code == 0)
        EXPECT_EQ(hash("a"), whole) << kind << " " << n;
      else  // toml++ says of a number that it has no memory to read that it is none: with its place
        EXPECT_TRUE(failed.err.find("brim: ") != std::string::npos || failed.err.find("small.toml:") == 0)
            << kind << " " << n << " ends without a sentence: " << failed.err;
      const Outcome resumed = brim("run small.toml --quiet --threads 2 --out a --resume");
      ASSERT_EQ(resumed.code, 0) << kind << " " << n << ": " << failed.err << resumed.err;
      ASSERT_EQ(hash("a"), whole) << kind << " " << n << ": " << failed.err;
      fs::remove_all(folder / "a");
    }
    std::printf("%s: %ld calls; ended with 0: %d, with 2: %d, with 3: %d\n", kind.c_str(), calls, ended[0], ended[2], ended[3]);
  }

  std::string whole;
};

}  // namespace

TEST_F(Faults, EveryWriteThatFailsEndsWithASentenceAndGoesOn) { failThem("write"); }
TEST_F(Faults, EverySyncThatFailsEndsWithASentenceAndGoesOn) { failThem("fsync"); }
TEST_F(Faults, EveryRenameThatFailsEndsWithASentenceAndGoesOn) { failThem("rename"); }
TEST_F(Faults, EveryThreadThatCannotStartEndsWithASentenceAndGoesOn) { failThem("thread"); }
// A run asks for memory some ten thousand times: half an hour.
TEST_F(Faults, EveryMemoryThatIsNotThereEndsWithASentenceAndGoesOn) { failThem("malloc"); }

}  // namespace brim
