// Scans and sorts of the device, by CUB; compiled for the flavour cuda32 alone.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

// CUB says first how much memory it wants.
template <class F>
static void withMemory(F work, const char* what) {
  static Array<unsigned char> memory;
  std::size_t bytes = 0;
  check(work(nullptr, bytes), what);
  memory.resize(bytes);
  check(work(memory.data(), bytes), what);
}

void scan(Array<int>& counts, int n) {
  withMemory([&](void* memory, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(memory, bytes, counts.data(), n); },
             "add numbers up");
}

void sortKeys(Array<std::int64_t>& keys, Array<int>& order, int n) {
  static Array<std::int64_t> sorted;
  static Array<int> number;
  sorted.resize(n);
  number.resize(n);
  order.resize(n);
  const auto k = number.view();
  forEach(n, [=] BRIM_KERNEL(int i) { k[i] = i; });
  withMemory(
      [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), sorted.data(), number.data(), order.data(), n);
      },
      "sort numbers");
  keys.swap(sorted);
}

}  // namespace brim::inline BRIM_FLAVOUR
