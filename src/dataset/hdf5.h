// HDF5 files in the layout of LagrangeBench.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace brim {

/// A file that is in its place once it is finished. Throws Failure where Brim was built without HDF5, or the file cannot be
/// written.
class Hdf5File {
 public:
  explicit Hdf5File(std::string path);
  ~Hdf5File();
  /// NAME/position [frames, particles, dimension] and NAME/particle_type [particles].
  void add(const std::string& name, const float* position, std::size_t frames, std::size_t particles, std::size_t dimension,
           const int* type);
  void finish();

 private:
  struct File;
  std::string path_;
  std::unique_ptr<File> file_;
};

}  // namespace brim
