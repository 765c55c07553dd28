// Data sets.
#include "brim/dataset.h"

#include <chrono>

#include "arrays.h"

namespace brim::python {

// Returns what was done; `told` hears of every trajectory and may stop all by returning True.
static py::dict make(const std::string& file, const std::string& out, bool overwrite, const std::string& precision, int threads,
                     const py::object& told) {
  std::atomic<bool> stop = false;
  std::exception_ptr broken;
  DatasetTold last;
  const auto hear = [&](const DatasetTold& t) {  // one at a time
    last = t;
    const py::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (told.is_none() || stop) return;
      const py::object answer = told(t.done, t.of);
      if (!answer.is_none() && answer.cast<bool>()) stop = true;
    } catch (py::error_already_set&) {
      broken = std::current_exception();
      stop = true;
    }
  };
  bool finished = false;
  {
    const py::gil_scoped_release release;
    const DatasetSpec spec = readDataset(file);
    finished = makeDataset(spec, {out, overwrite, precision, threads}, stop, hear);
  }
  if (broken) std::rethrow_exception(broken);
  py::dict d;
  d["finished"] = finished, d["trajectories"] = last.done, d["replaced"] = last.replaced, d["kept"] = last.kept;
  return d;
}

void bindDataset(py::module_& m) {
  m.def("hdf5_available", &hdf5Available);
  m.def("make_dataset", &make);
}

}  // namespace brim::python
