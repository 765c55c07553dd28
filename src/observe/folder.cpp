#include "observe/folder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "bodies/mass.h"
#include "io/file.h"
#include "observe/checkpoint.h"
#include "observe/frames.h"
#include "scene/write.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view origin = "# scene file: ";

Scene sceneOf(const std::string& folder) {
  const std::string file = folder + "/scene.toml";
  if (fs::exists(file)) {
    const std::string text = readFile(file);
    std::string from = file;
    if (text.starts_with(origin)) from = text.substr(origin.size(), text.find('\n') - origin.size());
    return parseScene(text, from);
  }
  std::vector<std::string> ignored;
  if (const auto c = latestCheckpoint(folder + "/checkpoint", ignored)) return parseScene(c->physics, file);
  throw Failure(fmt::format("{} is not the folder of a run: it has no scene.toml and no checkpoint  (brim run)", folder));
}

// Columns of a body in bodies.csv (see observe/table.h): place, velocity, turn, spin, force, torque.
int columnsOf(int D) { return D == 2 ? 2 + 2 + 1 + 1 + 2 + 1 : 3 + 3 + 4 + 3 + 3 + 3; }

}  // namespace

void writeSceneOf(const std::string& folder, const Scene& scene) {
  std::string text;
  if (!scene.file.empty()) text = fmt::format("{}{}\n", origin, fs::absolute(scene.file).string());
  writeFile(folder + "/scene.toml", text + toToml(scene));
}

struct RunFolder::Content {
  explicit Content(std::string folder);
  void findFrames();
  void readBodies();

  std::string folder;
  Scene scene;
  Frames::Settings settings;
  std::vector<int> frames;
  std::vector<Vector> centres;                         // [m] of mass of the bodies, in their shapes' frames
  std::map<std::int64_t, std::vector<double>> bodies;  // bodies.csv: step -> its row
};

RunFolder::Content::Content(std::string path) : folder(std::move(path)) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (!fs::is_directory(folder)) throw Failure(fmt::format("there is no folder {}", folder));
  scene = sceneOf(folder);
  settings = framesOf(scene, folder);
  settings.formats = {"vtp", "ply"};
  findFrames();
  readBodies();
}

RunFolder::RunFolder(std::string folder) : content_(std::make_unique<Content>(std::move(folder))) {}
RunFolder::~RunFolder() = default;
const std::string& RunFolder::path() const { return content_->folder; }
const Scene& RunFolder::scene() const { return content_->scene; }
const std::vector<int>& RunFolder::frames() const { return content_->frames; }

void RunFolder::Content::findFrames() {
  std::set<int> numbers;
  if (fs::is_directory(settings.folder))
    for (const auto& entry : fs::directory_iterator(settings.folder)) {
      const std::string name = entry.path().filename().string();
      const auto parts = frameName(name);
      if (parts && parts->what == "frame" && (parts->format == "vtp" || parts->format == "ply")) numbers.insert(parts->number);
    }
  frames.assign(numbers.begin(), numbers.end());
  if (frames.empty()) throw Failure(fmt::format("{} has no frames; run the scene with output.frames_per_second above 0", folder));
}

void RunFolder::Content::readBodies() {
  const std::string file = folder + "/bodies.csv";
  if (scene.bodies.empty() || !fs::exists(file)) return;
  const auto shapes = solidShapes(scene);
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) centres.push_back(massOf(shapes[scene.solids.size() + k], 1).centre);
  std::istringstream lines(readFile(file));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::strtod(cell.c_str(), nullptr));
    if (row.size() >= 2 + scene.bodies.size() * std::size_t(columnsOf(scene.dimension)))
      bodies[std::int64_t(row[0])] = std::move(row);
  }
}

Snapshot RunFolder::read(int frame) const {
  const Content& c = *content_;
  auto s = Frames::read(c.settings, frame, c.frames.front());
  if (!s) throw Failure(fmt::format("frame {} of {} is gone", frame, c.folder));
  const auto row = c.bodies.find(s->step);
  for (std::size_t k = 0; row != c.bodies.end() && k < c.scene.bodies.size(); ++k) {
    using namespace vectors;
    const int D = c.scene.dimension;
    const double* at = &row->second[2 + k * std::size_t(columnsOf(D))];
    BodyReport& body = s->bodies.emplace_back();
    body.name = c.scene.bodies[k].name;
    const double* turn = at + 2 * D;
    body.rotation = matrixOf(D == 3 ? Quaternion{turn[0], turn[1], turn[2], turn[3]}
                                    : Quaternion{std::cos(turn[0] / 2), 0, 0, std::sin(turn[0] / 2)});
    for (int a = 0; a < D; ++a) body.centre[std::size_t(a)] = at[a], body.velocity[std::size_t(a)] = at[D + a];
    const double* spin = turn + (D == 3 ? 4 : 1);
    if (D == 3)
      body.spin = {spin[0], spin[1], spin[2]};
    else
      body.spin = {0, 0, spin[0]};
    body.position = body.centre - body.rotation * c.centres[k];
  }
  return std::move(*s);
}

}  // namespace brim
