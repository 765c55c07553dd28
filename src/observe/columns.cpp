#include "observe/columns.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"

namespace brim {

namespace {

const char* const axisName[] = {"x", "y", "z"};
const char* const inScene = "axes of the scene";

std::vector<Column> begun() {
  return {{"step", "", "steps done since the start"}, {"time", "s", "simulated time at the end of the step"}};
}

/// Appends columns of one body, joint or vector.
class Columns {
 public:
  Columns(std::vector<Column>& all, int dimension, std::string owner) : all_(all), D_(dimension), owner_(std::move(owner)) {}
  void one(const std::string& name, const char* unit, const std::string& meaning, const char* frame, const char* sign) {
    all_.push_back({owner_ + name, unit, meaning, frame, sign});
  }
  void vector(const std::string& name, const char* unit, const std::string& meaning, const char* frame, const char* sign) {
    for (int k = 0; k < D_; ++k) one(name + axisName[k], unit, fmt::format("{} along {}", meaning, axisName[k]), frame, sign);
  }
  void axial(const std::string& name, const char* unit, const std::string& meaning, const char* frame, const std::string& on) {
    if (D_ == 2) return one(name, unit, meaning, frame, ("anticlockwise" + on).c_str());
    for (int k = 0; k < 3; ++k)
      one(name + "_" + axisName[k], unit, fmt::format("{} around {}", meaning, axisName[k]), frame,
          ("right-handed" + on).c_str());
  }

 private:
  std::vector<Column>& all_;
  int D_;
  std::string owner_;
};

}  // namespace

std::vector<Column> statisticsColumns() {
  std::vector<Column> all = begun();
  const std::vector<Column> rest = {
      {"dt", "s", "length of the step"},
      {"dt_limit", "", "what bound the step, a word"},
      {"iterations", "", "pressure iterations"},
      {"density_error_mean", "", "mean over the particles of max(rho/rho0 - 1, 0)"},
      {"density_error_max", "", "largest max(rho/rho0 - 1, 0) of a particle"},
      {"density_error_p999", "", "99.9th percentile of max(rho/rho0 - 1, 0)"},
      {"kinetic_energy", "J", "kinetic energy of the fluid"},
      {"potential_energy", "J", "potential energy of the fluid in gravity", "height 0 of the scene"},
      {"momentum_x", "kg m/s", "momentum of the fluid along x", inScene},
      {"momentum_y", "kg m/s", "momentum of the fluid along y", inScene},
      {"momentum_z", "kg m/s", "momentum of the fluid along z", inScene},
      {"max_speed", "m/s", "largest speed of a particle"},
      {"particles", "", "particles of the fluid"},
      {"emitted", "", "particles let in since the start"},
      {"sunk", "", "particles taken out by sinks since the start"},
      {"lost", "", "particles that left through open sides since the start"},
      {"neighbours", "", "mean number of neighbours of a particle"},
      {"volume_ratio", "", "volume where the smoothed density exceeds rho0/2 over its value at the start; once a frame"},
      {"volume_ratio_eq19", "", "grid solvers: full cells, Eq. 19 of Kugelstadt et al. 2019, over particles"},
      {"residual", "", "constraint: residual of Eq. 33 after the last iteration over that before the first"},
      {"ms_step", "ms", "wall time of the step"}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Column stageColumn(const std::string& stage) { return {"ms_" + stage, "ms", "wall time of the stage " + stage + " of the step"}; }

std::vector<Column> bodiesColumns(const Scene& scene) {
  const int D = scene.dimension;
  std::vector<Column> all = begun();
  for (const RigidBody& b : scene.bodies) {
    Columns c(all, D, b.name);
    c.vector(".", "m", "centre of mass",
             "from the scene's origin, "
             "axes of the scene",
             "");
    c.vector(".v", "m/s", "velocity of the centre of mass", inScene, "");
    if (D == 2)
      c.one(".angle", "rad", "turn since the shape's own frame", inScene, "anticlockwise");
    else
      for (const char* k : {"w", "x", "y", "z"})
        c.one(std::string(".q") + k, "", std::string("turn as a unit quaternion, part ") + k,
              "from the shape's frame to the scene", "");
    c.axial(".spin", "rad/s", "angular velocity", inScene, "");
    c.vector(".force_", "N", "force of the fluid, mean since the row before", inScene, "on the body");
    c.axial(".torque", "N m", "moment of the fluid, mean since the row before", "axes of the scene, about the centre of mass",
            ", on the body");
  }
  for (const Joint& j : scene.joints) {
    Columns c(all, D, j.name);
    c.vector(".force_", "N", "force of the joint, mean since the row before", inScene, "on body a");
    c.axial(".torque", "N m", "moment of the joint, mean since the row before", "axes of the scene, about the joint",
            ", on body a");
    const bool slides = j.kind == "slider", turns = j.kind == "hinge";
    c.one(".motor", slides ? "N" : "N m", "force or moment of the motor, mean since the row before", "along or around the axis",
          "speeds up a against b along the axis");
    c.one(".position", turns ? "rad" : "m", "where the joint stands", "from the start; kind distance: its length",
          "a against b, along or around the axis");
    c.one(".error", "m", "by which the joint is apart", "", "");
  }
  return all;
}

std::vector<Column> gaugesColumns(const Scene& scene) {
  std::vector<Column> all = begun();
  for (const Gauge& g : scene.gauges) {
    if (g.rate > 0) continue;
    const std::vector<Column> columns = gaugeColumns(g, scene.dimension);
    all.insert(all.end(), columns.begin(), columns.end());
  }
  return all;
}

std::vector<Column> ownColumns(const Gauge& g, int dimension) {
  std::vector<Column> all = begun();
  const std::vector<Column> columns = gaugeColumns(g, dimension);
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

std::string headingOf(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& c : columns)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", c.name, c.unit.empty() ? "" : " [" + c.unit + "]");
  return text;
}

void describeColumns(const std::string& table, const std::vector<Column>& columns) {
  const std::filesystem::path path = table;
  nlohmann::ordered_json told;
  told["table"] = path.filename().string();
  for (const Column& c : columns)
    told["columns"].push_back({{"name", c.name},
                               {"heading", headingOf({c})},
                               {"unit", c.unit.empty() ? "1" : c.unit},
                               {"meaning", c.meaning},
                               {"frame", c.frame},
                               {"sign", c.sign}});
  writeFile((path.parent_path() / (path.stem().string() + ".columns.json")).string(), told.dump(2) + "\n");
}

}  // namespace brim
