// A scene file as read, before anything about its meaning is checked.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"
#include "scene/renamed.h"

namespace brim {

struct Draft {
  bool readable = false;  // it is TOML
  Scene scene;
  Mistakes mistakes;  // of form: TOML, types, unknown and missing keys
};

/// Keys by an old name of `renamed` are read like those by the new one.
Draft draftScene(const std::string& text, const std::string& file, const std::vector<Setting>&,
                 const std::vector<RenamedKey>& renamed = renamedKeys());

}  // namespace brim
