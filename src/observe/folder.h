// The files of a run's folder that say what was run.
#pragma once
#include <string>

#include "brim/run_folder.h"

namespace brim {

/// scene.toml: the whole scene as it was run, and where it came from, for mesh files are relative to that.
void writeSceneOf(const std::string& folder, const Scene&);

}  // namespace brim
