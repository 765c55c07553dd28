// What stands beside the trajectories of a data set.
#pragma once
#include <string>

#include "brim/dataset.h"

namespace brim {

/// The file of a trajectory, without its ending: OUT/npz/train/00007.
std::string pathOf(const std::string& out, const std::string& split, int k);

/// Writes OUT/{train,valid,test}.h5 from the npz files, and OUT/metadata.json with the keys of LagrangeBench.
void writeLayout(const DatasetSpec&, const Scene& base, const std::string& out);

}  // namespace brim
