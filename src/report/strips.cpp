#include "report/strips.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "io/png.h"
#include "math/whole.h"
#include "observe/frames.h"
#include "render/preview.h"
#include "report/execute.h"

namespace brim {

namespace {

// The frames nearest to equal parts of the run; a run that diverged shows those that it reached.
std::vector<Panel> panelsOf(const PlannedRun& run, const std::string& folder, int wanted) {
  std::vector<Panel> panels;
  const double fps = run.scene.output.frames_per_second;
  if (!(fps > 0)) return panels;
  const Frames::Settings settings = framesOf(run.scene, folder);
  const int last = whole(std::floor(run.scene.time.until * fps + 1e-9));
  int before = -1;
  for (int k = 1; k <= wanted; ++k) {
    const int number = whole(std::round(double(last) * k / wanted));
    if (number == before) continue;
    before = number;
    if (const auto s = Frames::read(settings, number, 0)) panels.push_back(panelOf(*s, run.scene));
  }
  if (panels.empty())
    if (const auto s = Frames::read(settings, 0, 0)) panels.push_back(panelOf(*s, run.scene));
  return panels;
}

}  // namespace

std::vector<std::string> strips(const Plan& plan, const std::string& out) {
  const bool many = plan.runs.size() > 12;
  const int wanted = many ? 3 : 4, width = many ? 200 : 280;
  const auto folder = [&](const PlannedRun& run) { return out + "/" + run.name; };

  // Frames are read twice rather than held: the colours need the speeds of all runs first. A run that blew up must not
  // turn the others blue.
  std::vector<double> sound, wild;
  for (const PlannedRun& run : plan.runs)
    if (const auto panels = panelsOf(run, folder(run), wanted); !panels.empty()) {
      const bool diverged = summaryOf(folder(run)).contains("diverged");
      (diverged ? wild : sound).push_back(lookOf(panels, run.scene).fastest);
    }
  std::vector<std::string> all;
  for (const PlannedRun& run : plan.runs) {
    all.emplace_back();
    const auto panels = panelsOf(run, folder(run), wanted);
    if (panels.empty()) {
      // Without frames there is still the picture of the end.
      if (const std::string file = folder(run) + "/preview.png"; std::filesystem::exists(file)) all.back() = readFile(file);
      continue;
    }
    Look look = lookOf(panels, run.scene);
    look.fastest = !sound.empty() ? *std::max_element(sound.begin(), sound.end()) : *std::min_element(wild.begin(), wild.end());
    const std::string file = folder(run) + "/strip.png";
    writePng(file, previewStrip(panels, run.scene, look, width));
    all.back() = readFile(file);
  }
  return all;
}

}  // namespace brim
