#include "scene/parse.h"

#include <fmt/format.h>

#include <filesystem>

#include "brim/files.h"
#include "scene/reader.h"
#include "scene/settings.h"
#include "scene/validate.h"

namespace brim {

std::string syntaxComplaint(const toml::parse_error& e) {
  std::string what(e.description());
  if (const std::string opening = "Error while parsing "; what.starts_with(opening)) what = what.substr(opening.size());
  if (what.find("could not determine value type") != std::string::npos) what += " (a word needs quotes)";
  return "not TOML: " + what;
}

Draft draftScene(const std::string& text, const std::string& file, const std::vector<Setting>& settings,
                 const std::vector<RenamedKey>& renamed) {
  Draft draft;
  Scene& scene = draft.scene;
  scene.file = file;
  scene.text = text;
  for (const Setting& s : settings) scene.text += fmt::format("\n# {} = {}", s.path, s.value);

  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    const auto place = e.source().begin;
    draft.mistakes.add("", {file, static_cast<int>(place.line), static_cast<int>(place.column)}, syntaxComplaint(e));
    return draft;
  }
  draft.readable = true;
  // Before the settings, so that one by the new name replaces what the file gives by the old one; and after them, for the keys of
  // tables that a setting gives.
  renameKeys(root, renamed, {}, scene, draft.mistakes);
  const auto given = applySettings(root, renamePaths(settings, renamed, scene), draft.mistakes);
  renameKeys(root, renamed, given, scene, draft.mistakes);
  Reader reader(root, scene, draft.mistakes, given);
  declare(reader, scene);
  reader.finish();
  return draft;
}

Scene parseScene(const std::string& text, const std::string& file, const std::vector<Setting>& settings) {
  Draft draft = draftScene(text, file, settings);
  if (draft.readable) checkMeaning(draft.scene, draft.mistakes);
  if (auto all = draft.mistakes.inOrder(); !all.empty()) throw SceneError(std::move(all));
  return std::move(draft.scene);
}

Scene readScene(const std::string& file, const std::vector<Setting>& settings) {
  std::error_code ignored;
  constexpr std::size_t longest = 64 << 20;  // bytes
  if (!std::filesystem::exists(file, ignored))
    throw Failure(fmt::format("cannot read the scene {}: there is no such file", file));
  if (std::filesystem::is_directory(file, ignored)) throw Failure(fmt::format("cannot read the scene {}: it is a folder", file));
  return parseScene(readFile(file, longest), file, settings);
}

}  // namespace brim
