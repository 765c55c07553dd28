// Numpy's npz files: arrays by name, not compressed.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace brim {

class NpzWriter {
 public:
  /// `type` as numpy writes it: "<f4", "<i4". The data are little-endian, the last index fastest.
  void add(const std::string& name, const char* type, const std::vector<std::size_t>& shape, const void* data, std::size_t bytes);
  /// The whole file. Throws Failure above 4 GB.
  std::string file() const;

 private:
  struct Entry {
    std::string name, content;
  };
  std::vector<Entry> entries_;
};

struct NpzArray {
  std::vector<std::size_t> shape;
  std::string_view data;
};
/// The arrays of a file of NpzWriter's; they point into `file`. Throws Failure if it is none.
std::map<std::string, NpzArray> readNpz(std::string_view file);

}  // namespace brim
