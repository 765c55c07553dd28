// Scans and sorts of the device, by CUB, and what it is; compiled for the flavour cuda32 alone.
#include <fmt/format.h>

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

std::string deviceInWords() {
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0), "say what it is");
  constexpr std::size_t bytes = 1 << 29;  // ten times what its caches hold
  constexpr int copies = 10;
  Array<char> a, b;
  a.resize(bytes), b.resize(bytes);
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "make a mark");
  check(cudaEventCreate(&to), "make a mark");
  for (int k = -1; k < copies; ++k) {  // the first only warms up
    if (k == 0) check(cudaEventRecord(from), "make a mark");
    check(cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice), "copy memory");
  }
  check(cudaEventRecord(to), "make a mark");
  finish();
  float ms = 0;
  check(cudaEventElapsedTime(&ms, from, to), "tell the time");
  cudaEventDestroy(from), cudaEventDestroy(to);
  return fmt::format("{}, {} GiB, copies {:.2f} TB/s", gpu.name, gpu.totalGlobalMem >> 30, 2e-9 * copies * bytes / ms);
}

}  // namespace brim::inline BRIM_FLAVOUR
