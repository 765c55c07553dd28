#include "scene/gauge_columns.h"

namespace brim {

std::vector<Column> gaugeColumns(const Gauge& g, int dimension) {
  static const char* const axis[] = {"x", "y", "z"};
  const std::string over = g.average > 0      ? ", mean over the averaging time"
                           : g.kind == "flow" ? ", mean since the row before"
                                              : "";
  std::vector<Column> all;
  const auto add = [&](const std::string& name, const char* unit, const std::string& meaning, const char* frame,
                       const char* sign) {
    all.push_back({g.name + name, unit, meaning, frame, sign});
  };
  const char* const scene = "axes of the scene";
  if (g.kind == "level")
    add("", "m", "free surface on the line: its coordinate along the line's direction" + over,
        "from the scene's origin, along the unit vector from \"from\" to \"to\"; on a line upwards it is the height",
        "larger towards \"to\"");
  else if (g.kind == "runup")
    add("", "m", "how far the fluid reaches along the line" + over, "from \"from\"",
        "positive towards \"to\"; 0: the line is dry");
  else if (g.kind == "pressure")
    add("", "Pa", "pressure at the sensor" + over, "",
        "gauge pressure: 0 at the free surface, positive where fluid is compressed");
  else if (g.kind == "velocity")
    for (int k = 0; k < dimension; ++k)
      add(std::string(".") + axis[k], "m/s", std::string("velocity at the sensor along ") + axis[k] + over, scene, "");
  else if (g.kind == "flow") {
    add("", "m^3/s", "volume flow through the rectangle" + over, "", "positive along \"direction\"");
    add(".volume", "m^3", "volume that has passed since the start", "", "positive along \"direction\"");
  } else if (g.kind == "volume")
    add("", "m^3", "volume of the fluid in the box" + over, "", "");
  else {
    for (int k = 0; k < dimension; ++k)
      add(std::string(".force_") + axis[k], "N", std::string("force of the fluid's pressure along ") + axis[k] + over, scene,
          "on the solid");
    const char* const about = "axes of the scene, about the point \"about\"";
    if (dimension == 2) add(".torque", "N m", "moment of the fluid's pressure" + over, about, "anticlockwise, on the solid");
    for (int k = 0; k < dimension && dimension == 3; ++k)
      add(std::string(".torque_") + axis[k], "N m", std::string("moment of the fluid's pressure around ") + axis[k] + over, about,
          "right-handed, on the solid");
  }
  return all;
}

}  // namespace brim
