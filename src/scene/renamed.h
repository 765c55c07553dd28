// Keys that had another name in older scenes. An old name is still read, and warnings() tells the new one.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "brim/scene.h"
#include "scene/mistakes.h"

namespace toml::inline v3 {
class table;
}

namespace brim {

struct RenamedKey {
  std::string table;     // path of the table without indices: "soft", "fluid.blocks", "solver.pbf"; "" for the top of the file
  std::string old, now;  // names of the key
};

/// All keys that were renamed since version 1 of the format.
const std::vector<RenamedKey>& renamedKeys();

/// Gives the keys of `root` their present names and notes each of them in scene.renamed. `given` as from applySettings. A table
/// that has the old name and the new one is a mistake. Keys that hold a table are left alone: [solver.constraint] is a solver.
void renameKeys(toml::table& root, const std::vector<RenamedKey>&, const std::map<std::string, std::string>& given, Scene&,
                Mistakes&);

/// The same for the paths of settings; messages still name a setting as it was given.
std::vector<Setting> renamePaths(std::vector<Setting>, const std::vector<RenamedKey>&, Scene&);

}  // namespace brim
