// brim._core: the library's public interface in Python's types. What users see stands in python/brim.
#include "arrays.h"
#include "brim/catalogue.h"
#include "brim/parameter.h"

namespace brim::python {

void bindErrors(py::module_&) {
  // The classes stand in python/brim/errors.py, where their documentation is.
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const char* name, const auto&... arguments) {
      const py::object type = py::module_::import("brim.errors").attr(name);
      const py::object e = type(arguments...);
      PyErr_SetObject(type.ptr(), e.ptr());
    };
    try {
      std::rethrow_exception(thrown);
    } catch (const SceneError& e) {
      py::list mistakes;
      for (const Mistake& m : e.mistakes())
        mistakes.append(py::make_tuple(m.at.file, m.at.line, m.at.column, m.what, describe(m)));
      raise("SceneError", mistakes);
    } catch (const Diverged& e) {
      raise("Diverged", e.what(), e.time, e.step, e.particle);
    } catch (const Failure& e) {
      raise("Failure", e.what());
    }
  });
}

static py::list listSolvers() {
  py::list all;
  for (const SolverInfo& s : solvers()) {
    py::dict d;
    d["name"] = s.name, d["source"] = s.source, d["text"] = s.text;
    all.append(d);
  }
  return all;
}

static py::list listSections() {
  py::list all;
  for (const CatalogueSection& s : catalogue()) {
    py::list rows;
    for (const CatalogueRow& r : s.rows) {
      py::dict d;
      d["name"] = r.name, d["type"] = r.type, d["unit"] = r.unit, d["default"] = r.fallback, d["range"] = r.range;
      d["text"] = r.text, d["words"] = r.words;
      rows.append(d);
    }
    all.append(py::make_tuple(s.path, s.list, s.text, rows));
  }
  return all;
}

}  // namespace brim::python

PYBIND11_MODULE(_core, m) {
  using namespace brim::python;
  m.doc() = "The compiled part of brim; use what the package brim itself offers.";
  bindErrors(m);
  m.def("flavours", &brim::flavours);
  m.def("devices", [] {
    py::list all;
    for (const brim::DeviceInfo& d : brim::devices()) all.append(py::make_tuple(d.name, d.text));
    return all;
  });
  m.def("solvers", listSolvers);
  m.def("catalogue", listSections);
  m.def("catalogue_text", &brim::catalogueText, py::arg("name") = "");
  bindScene(m);
  bindSnapshot(m);
  bindDeviceArrays(m);
  bindSimulation(m);
  bindTanks(m);
  bindFiles(m);
  bindDataset(m);
}
