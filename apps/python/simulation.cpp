// Simulations and batches of them.
#include <chrono>

#include "brim/state_file.h"
#include "stepper.h"

namespace brim::python {

using Use = Stepper::Use;

static Options optionsFrom(const std::string& device, const std::string& precision, int threads, const std::string& flavour) {
  return {device, precision, threads, flavour};
}

// Ctrl-C ends a long call; asking costs the interpreter's lock, so it is done ten times a second.
static void advanceTo(Stepper& s, double time) {
  const Use sim(s);
  const py::gil_scoped_release release;
  auto asked = std::chrono::steady_clock::now();
  while (s.timeNow() < time) {
    s.advance(time);
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < std::chrono::milliseconds(100)) continue;
    asked = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

static py::dict asDict(const HealthWarning& w) {
  py::dict d;
  d["kind"] = w.kind, d["time"] = w.time, d["step"] = w.step, d["value"] = w.value, d["limit"] = w.limit, d["text"] = w.text;
  return d;
}

static py::dict statistics(const Stepper& s) {
  py::dict all;
  for (std::size_t c = 0; c < kept; ++c) {
    std::vector<double> values;
    values.reserve(s.steps().size());
    for (const auto& row : s.steps()) values.push_back(row[c]);
    all[keptNames[c]] = taken(std::move(values));
  }
  return all;
}

static py::bytes bytesOf(const std::vector<char>& state) { return py::bytes(state.data(), state.size()); }
static std::vector<char> charsOf(const py::bytes& state) {
  const std::string_view all = state;
  return {all.begin(), all.end()};
}

static Motion motionFrom(const Vector& velocity, const Vector& axis, const Vector& pivot, double rate,
                         const std::vector<std::pair<double, Vector>>& displacement, double start, double stop) {
  Motion m;
  m.velocity = velocity, m.axis = axis, m.pivot = pivot, m.rate = rate, m.start = start, m.stop = stop;
  for (const auto& [time, value] : displacement) m.displacement.push_back({time, value});
  return m;
}

static void bindBatch(py::module_& m) {
  py::class_<Batch>(m, "Batch")
      .def(py::init([](const std::vector<const Scene*>& scenes, const std::string& precision, int threads,
                       const std::string& flavour) {
             std::vector<Scene> all;
             for (const Scene* s : scenes) all.push_back(*s);
             const py::gil_scoped_release release;
             return std::make_unique<Batch>(all, optionsFrom("cpu", precision, threads, flavour));
           }),
           py::arg("scenes"), py::arg("precision"), py::arg("threads"), py::arg("flavour"))
      .def("__len__", &Batch::size)
      .def(
          "tank", [](Batch& b, std::size_t k) { return std::make_unique<Stepper>(b[k]); }, py::keep_alive<0, 1>())
      .def("failure", &Batch::failure)
      .def("replace", &Batch::replace, py::call_guard<py::gil_scoped_release>())
      // The tanks' own steppers keep the reports.
      .def("advance", [](Batch& b, const std::vector<Stepper*>& tanks, const std::vector<double>& until, bool one) {
        std::vector<std::unique_ptr<Use>> used;
        for (Stepper* s : tanks) used.push_back(std::make_unique<Use>(*s));
        const py::gil_scoped_release release;
        b.each([&](std::size_t k) {
          if (one)
            tanks[k]->advance(until[k]);
          else
            tanks[k]->advanceTo(until[k]);
        });
      });
}

void bindSimulation(py::module_& m) {
  py::class_<Stepper>(m, "Simulation")
      .def(py::init([](const Scene& scene, const std::string& device, const std::string& precision, int threads,
                       const std::string& flavour) {
             const py::gil_scoped_release release;
             return std::make_unique<Stepper>(scene, optionsFrom(device, precision, threads, flavour));
           }),
           py::arg("scene"), py::arg("device"), py::arg("precision"), py::arg("threads"), py::arg("flavour"))
      .def_readwrite("recording", &Stepper::recording)
      .def("statistics", &statistics)
      .def("forget", &Stepper::forget)
      .def("advance",
           [](Stepper& s, double limit) {
             const Use sim(s);
             const py::gil_scoped_release release;
             s.advance(limit);
           })
      .def("advance_to", &advanceTo)
      .def_property_readonly("time", [](Stepper& s) { return Use(s)->time(); })
      .def_property_readonly("step", [](Stepper& s) { return Use(s)->step(); })
      .def_property_readonly("scene", [](Stepper& s) { return Use(s)->scene(); })
      .def_property_readonly("report", [](Stepper& s) { return Use(s)->report(); })
      .def_property_readonly("facts",
                             [](Stepper& s) {
                               const Facts& f = Use(s)->facts();
                               py::dict d;
                               d["flavour"] = f.flavour, d["fluid_particles"] = f.fluid_particles;
                               d["boundary_samples"] = f.boundary_samples, d["particle_mass"] = f.particle_mass;
                               d["support"] = f.support;
                               return d;
                             })
      .def("warnings",
           [](Stepper& s) {
             Use sim(s);
             py::list all;
             for (const HealthWarning& w : sim->health().warnings()) all.append(asDict(w));
             return all;
           })
      .def_property_readonly("bytes", [](Stepper& s) { return Use(s)->bytes(); })
      .def_property_readonly("origin", [](Stepper& s) { return Use(s)->scene().domain.min; })
      .def_property_readonly("count", [](Stepper& s) { return Use(s)->report().particles; })
      .def("column",
           [](Stepper& s, const std::string& name) {
             Use sim(s);
             const Columns all = sim->columns();
             if (name == "position") return viewOf(all, all.position, true);
             if (name == "velocity") return viewOf(all, all.velocity, true);
             if (name == "density") return viewOf(all, all.density, false);
             if (name == "pressure") return viewOf(all, all.pressure, false);
             return viewOf(all, all.id, false);
           })
      .def("write", [](Stepper& s, const std::vector<double>& position,
                       const std::vector<double>& velocity) { Use(s)->write(position, velocity); })
      .def("snapshot",
           [](Stepper& s) {
             Use sim(s);
             const py::gil_scoped_release release;
             return sim->snapshot();
           })
      .def("bodies", [](Stepper& s) { return Use(s)->bodies(); })
      .def("solids", [](Stepper& s) { return Use(s)->solids(); })
      .def("joints", [](Stepper& s) { return Use(s)->joints(); })
      .def("gauges", [](Stepper& s) { return Use(s)->gauges(); })
      .def("restart_averages", [](Stepper& s) { Use(s)->restartAverages(); })
      .def("state_hash", [](Stepper& s) { return Use(s)->stateHash(); })
      .def("save", [](Stepper& s) { return bytesOf(Use(s)->save()); })
      .def("restore", [](Stepper& s, const py::bytes& state) { Use(s)->restore(charsOf(state)); })
      .def("set_gravity", [](Stepper& s, const Vector& g) { Use(s)->setGravity(g); })
      .def("set_motion",
           [](Stepper& s, std::size_t solid, const Vector& velocity, const Vector& axis, const Vector& pivot, double rate,
              const std::vector<std::pair<double, Vector>>& displacement, double start,
              double stop) { Use(s)->setMotion(solid, motionFrom(velocity, axis, pivot, rate, displacement, start, stop)); })
      .def("set_velocity", [](Stepper& s, std::size_t solid, const Vector& v) { Use(s)->setVelocity(solid, v); })
      .def("take_motions",
           [](Stepper& s, Stepper& from) {
             Use to(s), old(from);
             for (std::size_t k = 0; k < to->scene().solids.size(); ++k)
               if (to->scene().solids[k].motion.moves()) to->setMotion(k, old->scene().solids[k].motion);
           })
      .def("set_body", [](Stepper& s, std::size_t b, const BodyReport& r) { Use(s)->setBody(b, r); })
      .def("set_load", [](Stepper& s, std::size_t b, const Vector& f, const Vector& t) { Use(s)->setLoad(b, f, t); })
      .def("set_motor", [](Stepper& s, std::size_t j, double speed, double limit) { Use(s)->setMotor(j, speed, limit); })
      .def("write_state", [](Stepper& s, const std::string& folder) { writeState(folder, *Use(s)); });
  m.def("read_state", [](const std::string& path) {
    StoredState s;
    {
      const py::gil_scoped_release release;
      s = readState(path);
    }
    py::dict d;
    d["scene"] = s.scene, d["precision"] = s.precision, d["flavour"] = s.flavour, d["time"] = s.time, d["step"] = s.step;
    d["state"] = bytesOf(s.state), d["warnings"] = s.warnings;
    return d;
  });
  bindBatch(m);
}

}  // namespace brim::python
