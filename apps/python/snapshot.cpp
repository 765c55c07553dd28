// Snapshots and reports as Python reads them.
#include "arrays.h"
#include "brim/run_folder.h"

namespace brim::python {

template <class T>
static py::array copied(const std::vector<T>& values, int numbers = 0) {
  return taken(std::vector<T>(values), numbers);
}

// A column of the snapshot's own memory, which lives as long as the snapshot.
template <class T>
static py::array column(const py::object& self, const std::vector<T>& values, int dimension = 0) {
  std::vector<py::ssize_t> shape = {py::ssize_t(values.size())}, strides = {py::ssize_t(sizeof(T))};
  if (dimension > 0) {  // three numbers are kept, also in 2D
    shape = {py::ssize_t(values.size() / 3), dimension};
    strides = {3 * py::ssize_t(sizeof(T)), py::ssize_t(sizeof(T))};
  }
  return py::array(py::dtype::of<T>(), shape, strides, values.data(), self);
}

void bindSnapshot(py::module_& m) {
  py::class_<BodyReport>(m, "BodyReport")
      .def(py::init<>())
      .def_readwrite("name", &BodyReport::name)
      .def_readwrite("position", &BodyReport::position)
      .def_readwrite("rotation", &BodyReport::rotation)
      .def_readwrite("centre", &BodyReport::centre)
      .def_readwrite("velocity", &BodyReport::velocity)
      .def_readwrite("spin", &BodyReport::spin)
      .def_readwrite("force", &BodyReport::force)
      .def_readwrite("torque", &BodyReport::torque);
  py::class_<JointReport>(m, "JointReport")
      .def_readonly("name", &JointReport::name)
      .def_readonly("force", &JointReport::force)
      .def_readonly("torque", &JointReport::torque)
      .def_readonly("motor", &JointReport::motor)
      .def_readonly("position", &JointReport::position)
      .def_readonly("error", &JointReport::error);
  py::class_<GaugeReport>(m, "GaugeReport").def_readonly("name", &GaugeReport::name).def_readonly("values", &GaugeReport::values);
  py::class_<StepReport>(m, "StepReport")
      .def_readonly("step", &StepReport::step)
      .def_readonly("time", &StepReport::time)
      .def_readonly("dt", &StepReport::dt)
      .def_property_readonly("dt_limit", [](const StepReport& r) { return std::string(r.dt_limit); })
      .def_readonly("iterations", &StepReport::iterations)
      .def_readonly("density_error_mean", &StepReport::density_error_mean)
      .def_readonly("density_error_max", &StepReport::density_error_max)
      .def_readonly("density_error_p999", &StepReport::density_error_p999)
      .def_readonly("kinetic_energy", &StepReport::kinetic_energy)
      .def_readonly("potential_energy", &StepReport::potential_energy)
      .def_readonly("momentum", &StepReport::momentum)
      .def_readonly("max_speed", &StepReport::max_speed)
      .def_readonly("particles", &StepReport::particles)
      .def_readonly("emitted", &StepReport::emitted)
      .def_readonly("sunk", &StepReport::sunk)
      .def_readonly("lost", &StepReport::lost)
      .def_readonly("neighbours", &StepReport::neighbours)
      .def_property_readonly("stages", [](const StepReport& r) {
        py::dict d;
        for (const auto& s : r.stages) d[s.name] = s.ms;
        return d;
      });
  py::class_<Surface>(m, "Surface")
      .def_readonly("name", &Surface::name)
      .def_property_readonly("vertices", [](const Surface& s) { return copied(s.vertex, 3); })
      .def_property_readonly("elements", [](const Surface& s) { return copied(s.element, s.corners); });
  py::class_<Snapshot>(m, "Snapshot")
      .def_readonly("dimension", &Snapshot::dimension)
      .def_readonly("time", &Snapshot::time)
      .def_readonly("step", &Snapshot::step)
      .def_readonly("surfaces", &Snapshot::surfaces)
      .def_readonly("bodies", &Snapshot::bodies)
      .def_readonly("joints", &Snapshot::joints)
      .def_readonly("gauges", &Snapshot::gauges)
      .def("__len__", &Snapshot::size)
      .def_property_readonly("id", [](const py::object& o) { return column(o, o.cast<const Snapshot&>().id); })
      .def_property_readonly("position",
                             [](const py::object& o) {
                               const auto& s = o.cast<const Snapshot&>();
                               return column(o, s.position, s.dimension);
                             })
      .def_property_readonly("velocity",
                             [](const py::object& o) {
                               const auto& s = o.cast<const Snapshot&>();
                               return column(o, s.velocity, s.dimension);
                             })
      .def_property_readonly("density", [](const py::object& o) { return column(o, o.cast<const Snapshot&>().density); })
      .def_property_readonly("pressure", [](const py::object& o) { return column(o, o.cast<const Snapshot&>().pressure); });
  py::class_<RunFolder>(m, "RunFolder")
      .def(py::init<std::string>())
      .def_property_readonly("path", &RunFolder::path)
      .def_property_readonly("scene", [](const RunFolder& f) { return f.scene(); })
      .def_property_readonly("frames", [](const RunFolder& f) { return f.frames(); })
      .def("read", &RunFolder::read, py::call_guard<py::gil_scoped_release>());
}

}  // namespace brim::python
