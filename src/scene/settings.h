// --set path=value, applied to the tree of a TOML file before it is read, so that a slip in it is told like one in the file.
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

/// "--set solver.iterations=20", or as it was given.
std::string label(const Setting&);

/// The place of a value: the setting that gave it or a table around it, or else its place in the file.
Location placeOf(const std::string& path, const Location& inFile, const std::map<std::string, std::string>& given);

/// Puts the values into `root`. Returns who put what there: path -> label, tables made on the way included.
std::map<std::string, std::string> applySettings(toml::table& root, const std::vector<Setting>&, Mistakes&);

}  // namespace brim
