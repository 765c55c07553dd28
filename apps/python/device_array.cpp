// Columns in a GPU's memory, as other packages take them without a copy: __cuda_array_interface__ (cupy, torch, numba) and DLPack
// (torch, cupy, jax). The library waits for its own work before it gives a column, so no stream has to be named.
#include <dlpack/dlpack.h>

#include "arrays.h"

namespace brim::python {

namespace {

struct DeviceArray {
  void* first;
  std::vector<std::int64_t> shape, strides;  // strides [bytes]
  bool whole;                                // numbers of 32 bits; else float
  std::shared_ptr<const void> memory;

  static constexpr int bytes = 4;
  const char* type() const { return whole ? "<i4" : "<f4"; }
};

/// What DLPack's consumer owns.
struct Lent {
  DLManagedTensor tensor;
  std::vector<std::int64_t> shape, strides;  // strides in numbers
  std::shared_ptr<const void> memory;
};

py::tuple tupleOf(const std::vector<std::int64_t>& numbers) {
  py::tuple t(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) t[k] = numbers[k];
  return t;
}

py::dict interfaceOf(const DeviceArray& a) {
  py::dict d;
  d["shape"] = tupleOf(a.shape);
  d["strides"] = tupleOf(a.strides);
  d["typestr"] = a.type();
  d["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(a.first), false);
  d["version"] = 3;
  return d;
}

// A consumer renames the capsule to "used_dltensor" and calls the deleter itself.
void freeUnused(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  tensor->deleter(tensor);
}

py::capsule tensorOf(const DeviceArray& a) {
  auto lent = std::make_unique<Lent>();
  lent->shape = a.shape;
  for (const std::int64_t stride : a.strides) lent->strides.push_back(stride / DeviceArray::bytes);
  lent->memory = a.memory;
  lent->tensor.dl_tensor = {a.first,
                            {kDLCUDA, 0},
                            int(a.shape.size()),
                            {std::uint8_t(a.whole ? kDLInt : kDLFloat), 8 * DeviceArray::bytes, 1},
                            lent->shape.data(),
                            lent->strides.data(),
                            0};
  lent->tensor.manager_ctx = lent.get();
  lent->tensor.deleter = [](DLManagedTensor* t) { delete static_cast<Lent*>(t->manager_ctx); };
  return py::capsule(&lent.release()->tensor, "dltensor", &freeUnused);
}

}  // namespace

py::object deviceArrayOf(const Columns& all, const ParticleColumn& c) {
  DeviceArray a{
      c.first, {std::int64_t(all.count)}, {std::int64_t(c.stride)}, c.number == ParticleColumn::Number::whole, all.memory};
  if (c.numbers > 1) a.shape.push_back(c.numbers), a.strides.push_back(DeviceArray::bytes);
  return py::cast(std::move(a));
}

void bindDeviceArrays(py::module_& m) {
  py::class_<DeviceArray>(m, "DeviceArray",
                          "Numbers of all particles in a GPU's memory. torch.as_tensor(a, device=\"cuda\"), cupy.asarray(a) and "
                          "jax.dlpack.from_dlpack(a) take it without a copy.")
      .def_property_readonly("shape", [](const DeviceArray& a) { return tupleOf(a.shape); })
      .def_property_readonly("dtype", [](const DeviceArray& a) { return py::dtype(a.type()); })
      .def("__len__", [](const DeviceArray& a) { return a.shape[0]; })
      .def("__repr__",
           [](const DeviceArray& a) {
             return "<brim.DeviceArray " + py::repr(tupleOf(a.shape)).cast<std::string>() +
                    " in a GPU's memory: torch, cupy and jax take it>";
           })
      .def_property_readonly("__cuda_array_interface__", &interfaceOf)
      .def(
          "__dlpack__", [](const DeviceArray& a, const py::object&) { return tensorOf(a); }, py::arg("stream") = py::none())
      .def("__dlpack_device__", [](const DeviceArray&) { return py::make_tuple(int(kDLCUDA), 0); });
}

}  // namespace brim::python
