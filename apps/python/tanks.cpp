// Tanks that step together, as Python holds them.
#include "brim/tanks.h"

#include <atomic>
#include <chrono>

#include "arrays.h"

namespace brim::python {

namespace {

/// One caller at a time, as of a simulation.
class Together {
 public:
  explicit Together(Tanks&& all) : tanks_(std::move(all)) {}

  class Use {
   public:
    explicit Use(Together& t) : held_(t) {
      if (t.busy_.exchange(true)) throw Failure("this batch is at work in another thread");
    }
    ~Use() { held_.busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Tanks* operator->() { return &held_.tanks_; }

   private:
    Together& held_;
  };

 private:
  Tanks tanks_;
  std::atomic<bool> busy_ = false;
};
using Use = Together::Use;

// Steps until the slowest tank that has not failed is there. Ctrl-C ends it after a step.
void advanceTo(Together& t, double time) {
  Use all(t);
  const py::gil_scoped_release release;
  auto asked = std::chrono::steady_clock::now();
  const auto before = [&] {
    for (std::size_t k = 0; k < all->size(); ++k)
      if (all->failure(k).empty() && all->time(k) < time) return true;
    return false;
  };
  while (before()) {
    all->advance(time);
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < std::chrono::milliseconds(100)) continue;
    asked = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

py::object columnOf(const Columns& all, const std::string& name) {
  if (name == "position") return viewOf(all, all.position, true);
  if (name == "velocity") return viewOf(all, all.velocity, true);
  if (name == "density") return viewOf(all, all.density, false);
  if (name == "pressure") return viewOf(all, all.pressure, false);
  return viewOf(all, all.id, false);
}

}  // namespace

void bindTanks(py::module_& m) {
  py::class_<Together>(m, "Tanks")
      .def("__len__", [](Together& t) { return Use(t)->size(); })
      .def_property_readonly("members", [](Together& t) { return Use(t)->members(); })
      .def_property_readonly("offsets", [](Together& t) { return Use(t)->offsets(); })
      .def_property_readonly("origin", [](Together& t) { return Use(t)->scene(0).domain.min; })
      .def_property_readonly("bytes", [](Together& t) { return Use(t)->bytes(); })
      .def("advance",
           [](Together& t, double limit) {
             Use all(t);
             const py::gil_scoped_release release;
             all->advance(limit);
           })
      .def("advance_to", &advanceTo)
      .def("time", [](Together& t, std::size_t k) { return Use(t)->time(k); })
      .def("step", [](Together& t, std::size_t k) { return Use(t)->step(k); })
      .def("scene", [](Together& t, std::size_t k) { return Use(t)->scene(k); })
      .def("report", [](Together& t, std::size_t k) { return Use(t)->report(k); })
      .def("state_hash", [](Together& t, std::size_t k) { return Use(t)->stateHash(k); })
      .def("column", [](Together& t, const std::string& name) { return columnOf(Use(t)->columns(), name); })
      .def("column_of", [](Together& t, std::size_t k, const std::string& name) { return columnOf(Use(t)->columns(k), name); })
      .def("write", [](Together& t, std::size_t k, const std::vector<double>& position,
                       const std::vector<double>& velocity) { Use(t)->write(k, position, velocity); })
      .def("snapshot",
           [](Together& t, std::size_t k) {
             Use all(t);
             const py::gil_scoped_release release;
             return all->snapshot(k);
           })
      .def("set_gravity", [](Together& t, std::size_t k, const Vector& g) { Use(t)->setGravity(k, g); })
      .def("set_gravities",
           [](Together& t, const std::vector<Vector>& g) {
             Use all(t);
             for (std::size_t k = 0; k < g.size(); ++k) all->setGravity(k, g[k]);
           })
      .def("gravities",
           [](Together& t) {
             Use all(t);
             std::vector<double> g;
             for (std::size_t k = 0; k < all->size(); ++k)
               for (const double x : all->scene(k).gravity) g.push_back(x);
             return taken(std::move(g), 3);
           })
      .def("times",
           [](Together& t) {
             Use all(t);
             std::vector<double> times;
             for (std::size_t k = 0; k < all->size(); ++k) times.push_back(all->time(k));
             return taken(std::move(times));
           })
      .def("failures",
           [](Together& t) {
             Use all(t);
             py::dict told;
             for (std::size_t k = 0; k < all->size(); ++k)
               if (!all->failure(k).empty()) told[py::int_(k)] = all->failure(k);
             return told;
           })
      .def("replace", [](Together& t, std::size_t k, const Scene& scene) { Use(t)->replace(k, scene); });
  m.def("tanks_of", [](const std::vector<const Scene*>& scenes, const std::string& device, const std::string& precision,
                       int threads, const std::string& flavour) {
    std::vector<Scene> given;
    for (const Scene* s : scenes) given.push_back(*s);
    std::vector<std::unique_ptr<Together>> all;
    {
      const py::gil_scoped_release release;
      for (Tanks& t : Tanks::of(given, {device, precision, threads, flavour}))
        all.push_back(std::make_unique<Together>(std::move(t)));
    }
    py::list groups;
    for (auto& t : all) groups.append(py::cast(std::move(t)));
    return groups;
  });
}

}  // namespace brim::python
