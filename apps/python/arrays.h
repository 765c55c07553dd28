// Numpy arrays over memory of the library.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "brim/simulation.h"

namespace brim::python {

namespace py = pybind11;

/// A capsule that keeps `held` until the last array over it is gone.
template <class T>
py::capsule keeping(T held) {
  return py::capsule(new T(std::move(held)), [](void* p) { delete static_cast<T*>(p); });
}

/// An array that takes a vector's memory over. `numbers` for each row; 0: one-dimensional.
template <class T>
py::array taken(std::vector<T>&& values, int numbers = 0) {
  auto all = std::make_unique<std::vector<T>>(std::move(values));
  const py::ssize_t size = py::ssize_t(all->size()), row = py::ssize_t(sizeof(T));
  T* const data = all->data();
  const py::capsule owner(all.release(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  if (numbers == 0) return py::array(py::dtype::of<T>(), {size}, {row}, data, owner);
  return py::array(py::dtype::of<T>(), {size / numbers, py::ssize_t(numbers)}, {numbers * row, row}, data, owner);
}

/// A column in a GPU's memory, for those who know CUDA (device_array.cpp).
py::object deviceArrayOf(const Columns&, const ParticleColumn&);

/// A view of a column; `written` tells whether Python may write it.
inline py::object viewOf(const Columns& all, const ParticleColumn& c, bool written) {
  if (all.onDevice) return deviceArrayOf(all, c);
  const py::dtype type = c.number == ParticleColumn::Number::single  ? py::dtype::of<float>()
                         : c.number == ParticleColumn::Number::twice ? py::dtype::of<double>()
                                                                     : py::dtype::of<std::int32_t>();
  std::vector<py::ssize_t> shape = {py::ssize_t(all.count)}, strides = {py::ssize_t(c.stride)};
  if (c.numbers > 1) shape.push_back(c.numbers), strides.push_back(type.itemsize());
  py::array a(type, shape, strides, c.first, keeping(all.memory));
  if (!written) py::detail::array_proxy(a.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return a;
}

void bindDeviceArrays(py::module_&);
void bindErrors(py::module_&);
void bindScene(py::module_&);
void bindSnapshot(py::module_&);
void bindSimulation(py::module_&);
void bindTanks(py::module_&);
void bindFiles(py::module_&);
void bindDataset(py::module_&);

}  // namespace brim::python
