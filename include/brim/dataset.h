// Data for learning: trajectories of varied scenes in the layout of LagrangeBench (Toshev et al. 2023), and as npz files.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "brim/simulation.h"

namespace brim {

/// A value of the scene that every trajectory draws anew.
struct Drawn {
  std::string path;                 // "fluid.blocks[0].max[0]"
  double low = 0, high = 1;         // the range, both ends within
  bool log = false;                 // evenly over the logarithms
  bool whole = false;               // a whole number
  std::vector<std::string> values;  // if not empty: one of these, as --set takes them
};

struct DatasetSpec {
  std::string file, text;  // where it was read from, and all of it
  std::string title;
  std::string scene;                   // file
  double seed = 1;                     // of all that is drawn
  double frames = 100;                 // of a trajectory
  double every = 0.01;                 // [s] between frames
  int walls = 3;                       // layers of particles that stand for the walls and within solids
  bool hdf5 = true;                    // false: npz files alone
  int train = 1, valid = 1, test = 1;  // trajectories
  std::vector<Setting> set;            // for all
  std::vector<Drawn> vary;
  double densityErrorMax = 0.05;  // a trajectory whose mean density error exceeds it at a frame is ruined
  int attempts = 10;              // at a trajectory, before all is given up
};

/// Reads a data set's TOML file. Throws SceneError with all mistakes of form, Failure if the file cannot be read.
DatasetSpec readDataset(const std::string& file);

/// Whether this Brim was built with HDF5.
bool hdf5Available();

struct DatasetTold {
  int done = 0, of = 0;
  int replaced = 0;  // trajectories that were ruined
  int kept = 0;      // from an earlier attempt
};

struct DatasetOptions {
  std::string out;
  bool overwrite = false;
  std::string precision = "single";
  int threads = 0;  // trajectories at a time; 0: one for each core. The result does not depend on it.
};

/// Makes OUT/npz/{train,valid,test}/00000.npz ..., OUT/{train,valid,test}.h5, OUT/metadata.json and OUT/manifest.json. What an
/// interrupted call has made stays: the next one with the same file goes on. Returns false where `stop` ended it. Throws
/// SceneError, and Failure where the folder holds something else, or a trajectory was ruined too often.
bool makeDataset(const DatasetSpec&, const DatasetOptions&, const std::atomic<bool>& stop,
                 const std::function<void(const DatasetTold&)>& told);

}  // namespace brim
