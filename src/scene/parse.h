// A scene file as read, before anything about its meaning is checked.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"

namespace brim {

struct Draft {
  bool readable = false;  // it is TOML
  Scene scene;
  Mistakes mistakes;  // of form: TOML, types, unknown and missing keys
};

Draft draftScene(const std::string& text, const std::string& file, const std::vector<Setting>&);

}  // namespace brim
