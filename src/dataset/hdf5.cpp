#include "dataset/hdf5.h"

#include <cstdio>

#include "brim/dataset.h"
#include "brim/error.h"

#ifdef BRIM_HDF5
#include <hdf5.h>

#include <mutex>
#endif

namespace brim {

#ifdef BRIM_HDF5

bool hdf5Available() { return true; }

namespace {

/// An open object of the library. Debian's library is not for several threads: one file at a time is written, by one of them.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw Failure("HDF5 refuses to " + what);
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace

struct Hdf5File::File {
  explicit File(const std::string& path)
      : id((H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
           H5Fclose, "write " + path) {}
  Handle id;
};

Hdf5File::Hdf5File(std::string path) : path_(std::move(path)), file_(std::make_unique<File>(path_ + ".part")) {}
Hdf5File::~Hdf5File() {
  if (!file_) return;
  file_.reset();
  std::remove((path_ + ".part").c_str());
}

void Hdf5File::add(const std::string& name, const float* position, std::size_t frames, std::size_t particles,
                   std::size_t dimension, const int* type) {
  const Handle group(H5Gcreate2(file_->id, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                     "make the group " + name);
  const auto put = [&](const char* what, int rank, const hsize_t* size, hid_t stored, hid_t given, const void* data,
                       bool packed) {
    const Handle space(H5Screate_simple(rank, size, nullptr), H5Sclose, "describe an array");
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe an array");
    if (packed && particles > 0) {  // a frame at a time, as readers take them
      const hsize_t chunk[] = {1, size[1], size[2]};
      H5Pset_chunk(how, 3, chunk);
      H5Pset_shuffle(how);
      H5Pset_deflate(how, 4);
    }
    const Handle set(H5Dcreate2(group, what, stored, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose, "make an array");
    if (H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
      throw Failure("HDF5 refuses to write to " + path_ + ": the disk may be full");
  };
  const hsize_t cube[] = {frames, particles, dimension}, row[] = {particles};
  put("position", 3, cube, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, position, true);
  put("particle_type", 1, row, H5T_STD_I64LE, H5T_NATIVE_INT, type, false);
}

void Hdf5File::finish() {
  const bool good = H5Fflush(file_->id, H5F_SCOPE_LOCAL) >= 0;
  file_.reset();
  if (!good || std::rename((path_ + ".part").c_str(), path_.c_str()) != 0) throw Failure("cannot write " + path_);
}

#else

bool hdf5Available() { return false; }

struct Hdf5File::File {};
Hdf5File::Hdf5File(std::string path) : path_(std::move(path)) {
  throw Failure("this brim was built without HDF5: install Debian's libhdf5-dev and build it again, or write \"hdf5 = false\"");
}
Hdf5File::~Hdf5File() = default;
void Hdf5File::add(const std::string&, const float*, std::size_t, std::size_t, std::size_t, const int*) {}
void Hdf5File::finish() {}

#endif

}  // namespace brim
