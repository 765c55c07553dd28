// brim dataset as its users meet it: what it leaves, that it goes on, and what it refuses.
#include "brim/dataset.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.h"

namespace brim {
namespace {

class DatasetCommand : public Command {
 protected:
  void write(const std::string& more = "") const {
    std::ofstream(folder / "spec.toml") << "scene = \"scenes/dam.toml\"\nframes = 4\nevery = 0.01\nwalls = 1\n" + more +
                                               (hdf5Available() && more.find("hdf5") == more.npos ? "" : "hdf5 = false\n") +
                                               "[splits]\ntrain = 2\nvalid = 1\ntest = 1\n"
                                               "[[vary]]\npath = \"fluid.viscosity\"\nlow = 0.001\nhigh = 1\nlog = true\n";
  }
  std::string npz(const std::string& out) const { return contentOf(folder / out / "npz/train/00001.npz"); }
};

TEST_F(DatasetCommand, LeavesTrajectoriesAndGoesOnToTheSameOnes) {
  write();
  Outcome o = brim("dataset spec.toml --out whole --threads 1");
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* file : {"metadata.json", "manifest.json", "npz/test/00000.npz", "npz/valid/00000.json"})
    EXPECT_TRUE(fs::exists(folder / "whole" / file)) << file;
  EXPECT_EQ(fs::exists(folder / "whole/train.h5"), hdf5Available());
  const auto manifest = nlohmann::json::parse(contentOf(folder / "whole/manifest.json"));
  EXPECT_EQ(manifest["trajectories"].size(), 4u);
  EXPECT_EQ(manifest["ruined"], 0);
  // As if it had been killed after some of them.
  EXPECT_EQ(brim("dataset spec.toml --out parts --threads 2").code, 0);
  EXPECT_EQ(npz("parts"), npz("whole"));
  fs::remove(folder / "parts/npz/train/00001.json");
  std::ofstream(folder / "parts/npz/train/00001.npz") << "half";
  o = brim("dataset spec.toml --out parts");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("kept        3"), std::string::npos) << o.out;
  EXPECT_EQ(npz("parts"), npz("whole"));
  EXPECT_EQ(contentOf(folder / "parts/manifest.json"), contentOf(folder / "whole/manifest.json"));
}

TEST_F(DatasetCommand, RefusesAnotherDataSetsFolderAndMistakesWithTheirPlace) {
  write();
  EXPECT_EQ(brim("dataset spec.toml --out data").code, 0);
  write("seed = 2\n");
  Outcome o = brim("dataset spec.toml --out data");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("holds another data set"), std::string::npos) << o.err;
  EXPECT_EQ(brim("dataset spec.toml --out data --overwrite").code, 0);
  write("seeds = 2\n");
  o = brim("dataset spec.toml --out data");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("spec.toml:5:1: a data set has no \"seeds\"; did you mean \"seed\"?"), std::string::npos) << o.err;
}

TEST_F(DatasetCommand, GivesUpWhereEveryTrajectoryIsRuined) {
  write("attempts = 2\ndensity_error_max = 1e-9\n");
  const Outcome o = brim("dataset spec.toml --out data");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("was ruined 2 times, the last time: mean density error"), std::string::npos) << o.err;
  EXPECT_FALSE(fs::exists(folder / "data/manifest.json"));
}

}  // namespace
}  // namespace brim
