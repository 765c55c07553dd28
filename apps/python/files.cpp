// Frames, surfaces and pictures as files.
#include "brim/files.h"

#include "arrays.h"
#include "brim/picture.h"
#include "brim/run.h"
#include "brim/surface.h"

namespace brim::python {

static PictureOptions pictureFrom(int width, int height, const std::string& style, const std::string& view, bool label) {
  PictureOptions o;
  o.width = width, o.height = height, o.style = style, o.label = label;
  if (!view.empty()) o.eye = eyeFrom(view);
  return o;
}

static py::tuple surfaceArrays(const Snapshot& s, double spacing, const std::string& method, double voxel) {
  LiquidSurface made;
  {
    const py::gil_scoped_release release;
    made = surfaceOf(s, spacing, {method, voxel});
  }
  std::vector<double> points;
  for (const Vector& p : made.mesh.points) points.insert(points.end(), p.begin(), p.end());
  std::vector<int> triangles;
  for (const auto& t : made.mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  std::vector<float> velocity;
  for (const auto& v : made.velocity) velocity.insert(velocity.end(), v.begin(), v.end());
  return py::make_tuple(taken(std::move(points), 3), taken(std::move(triangles), 3), taken(std::move(velocity), 3));
}

// Runs as the command does. Returns whether it reached its end; `told` hears of its progress and may stop it by returning True.
static bool runInFolder(const Scene& scene, const std::string& out, bool resume, const std::string& from,
                        const std::string& device, const std::string& precision, int threads, const py::object& told) {
  RunOptions options{out, resume, from, {device, precision, threads, {}}};
  std::atomic<bool> stop = false;
  std::exception_ptr broken;  // what the callback threw: the run leaves its checkpoint first
  const auto progress = [&](const Progress& p) {
    const py::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (told.is_none() || stop) return;
      py::dict d;
      d["time"] = p.time, d["until"] = p.until, d["step"] = p.step, d["particles"] = p.particles, d["wall"] = p.wall;
      d["seconds_left"] = p.seconds_left, d["dt"] = p.dt, d["density_error_mean"] = p.density_error_mean;
      const py::object answer = told(d);
      if (!answer.is_none() && answer.cast<bool>()) stop = true;
    } catch (py::error_already_set&) {
      broken = std::current_exception();
      stop = true;
    }
  };
  Ending end;
  {
    const py::gil_scoped_release release;
    end = run(scene, options, stop, progress);
  }
  if (broken) std::rethrow_exception(broken);
  return end == Ending::finished;
}

void bindFiles(py::module_& m) {
  py::class_<Pictures>(m, "Pictures")
      .def(py::init([](const Scene& scene, const std::vector<const Snapshot*>& some, int width, int height,
                       const std::string& style, const std::string& view, bool label) {
             std::vector<Snapshot> all;
             for (const Snapshot* s : some) all.push_back(*s);
             const py::gil_scoped_release release;
             return std::make_unique<Pictures>(scene, pictureFrom(width, height, style, view, label), all);
           }),
           py::arg("scene"), py::arg("some"), py::arg("width"), py::arg("height"), py::arg("style"), py::arg("view"),
           py::arg("label"))
      .def(
          "write", [](const Pictures& p, const std::string& path, const Snapshot& s) { p.write(path, s); },
          py::call_guard<py::gil_scoped_release>());
  m.def("picture_styles", &pictureStyles);
  m.def("surface_methods", &surfaceMethods);
  m.def("write_film", &writeFilm, py::call_guard<py::gil_scoped_release>());
  m.def("surface", &surfaceArrays);
  m.def("write_surface", [](const std::string& path, const Snapshot& s, double spacing, const std::string& method, double voxel) {
    const py::gil_scoped_release release;
    const LiquidSurface made = surfaceOf(s, spacing, {method, voxel});
    const std::string end = path.substr(std::min(path.size(), path.rfind('.')));
    if (end == ".ply")
      writeSurfacePly(path, made, s.time);
    else if (end == ".obj")
      writeSurfaceObj(path, made, s.time);
    else if (end == ".vdb")
      writeSurfaceVdb(path, made, voxel * spacing, s.time);
    else
      throw Failure("a surface is written as .ply, .obj or .vdb; \"" + path + "\" is none of them");
  });
  m.def("write_frame", [](const std::string& path, const Snapshot& s, double spacing) {
    const py::gil_scoped_release release;
    const std::string end = path.substr(std::min(path.size(), path.rfind('.')));
    if (end == ".vtp")
      writeVtp(path, s, spacing);
    else if (end == ".ply")
      writePly(path, s, spacing);
    else if (end == ".bgeo")
      writeBgeo(path, s);
    else
      throw Failure("particles are written as .vtp, .ply or .bgeo; \"" + path + "\" is none of them");
  });
  m.def("run", &runInFolder);
}

}  // namespace brim::python
