// Scenes: from TOML to the library's type and back.
#include <fmt/format.h>

#include "arrays.h"
#include "brim/estimate.h"
#include "brim/toml.h"

namespace brim::python {

static std::vector<Setting> settingsFrom(const std::vector<std::array<std::string, 3>>& all) {
  std::vector<Setting> settings;
  for (const auto& [path, value, given] : all) settings.push_back({path, value, given});
  return settings;
}

template <class T>
std::vector<std::string> namesOf(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

void bindScene(py::module_& m) {
  py::class_<Scene>(m, "Scene")
      .def_readonly("title", &Scene::title)
      .def_readonly("dimension", &Scene::dimension)
      .def_readonly("file", &Scene::file)
      .def_readonly("gravity", &Scene::gravity)
      .def_property_readonly("spacing", [](const Scene& s) { return s.resolution.spacing; })
      .def_property_readonly("density", [](const Scene& s) { return s.fluid.density; })
      .def_property_readonly("until", [](const Scene& s) { return s.time.until; })
      .def_property_readonly("frames_per_second", [](const Scene& s) { return s.output.frames_per_second; })
      .def_property_readonly("low", [](const Scene& s) { return s.domain.min; })
      .def_property_readonly("high", [](const Scene& s) { return s.domain.max; })
      .def_property_readonly("boundary", [](const Scene& s) { return s.domain.boundary; })
      .def_property_readonly("solids", [](const Scene& s) { return namesOf(s.solids); })
      .def_property_readonly("bodies", [](const Scene& s) { return namesOf(s.bodies); })
      .def_property_readonly("joints", [](const Scene& s) { return namesOf(s.joints); })
      .def_property_readonly("gauges", [](const Scene& s) { return namesOf(s.gauges); })
      .def("motor", [](const Scene& s, std::size_t k) {
        const Joint& j = s.joints.at(k);
        return py::make_tuple(j.motor_speed, j.motor_limit);
      });
  m.def(
      "parse_scene",
      [](const std::string& text, const std::string& file, const std::vector<std::array<std::string, 3>>& settings) {
        const py::gil_scoped_release release;
        return parseScene(text, file, settingsFrom(settings));
      },
      py::arg("text"), py::arg("file") = "", py::arg("settings") = std::vector<std::array<std::string, 3>>());
  m.def("to_toml", &toToml);
  m.def("warnings", [](const Scene& s) {
    std::vector<std::string> all;
    for (const Mistake& w : warnings(s)) all.push_back(describe(w));
    return all;
  });
  m.def("estimate", [](const Scene& s) {
    Estimate e;
    {
      const py::gil_scoped_release release;
      e = estimate(s);
    }
    py::dict d;
    d["particles"] = e.particles, d["samples"] = e.samples, d["bytes"] = e.bytes, d["volume"] = e.volume;
    return d;
  });
}

}  // namespace brim::python
