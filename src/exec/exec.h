// Arrays, loops and reductions of this flavour's machine. Kernels are written for one particle `i`; on a CPU every value
// they use is `lanes` wide. Sums run over the neighbours of each lane in list order and reductions in fixed blocks, so
// the bits do not depend on the number of threads.
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>

#include <span>
#include <vector>

#include "math/assert.h"
#include "math/vec.h"
#if BRIM_CUDA
#include "exec/cuda/lists.h"
#include "exec/cuda/reduce.h"
#else
#include "exec/cpu.h"
#endif

namespace brim::inline BRIM_FLAVOUR {

/// Whether kernels run on a device, which has memory of its own.
#if BRIM_CUDA
constexpr bool onDevice = true;
#else
constexpr bool onDevice = false;
#endif

/// The sum sign of the papers: term(j) added over a list.
template <class L, class F>
BRIM_DEVICE_FN auto sumOver(L list, F term) {
  decltype(term(*list.begin())) s{};
  for (auto j : list) s += term(j);
  return s;
}

/// Entries a gathered field needs for n particles: whole slices, then the padding entry of lists.
constexpr int wholeSlices(int n) { return (n + lanes - 1) / lanes * lanes; }

/// to[k] = from[order[k]] for k in [0, n).
template <class T>
void permute(Array<T>& to, const Array<T>& from, const Array<int>& order, int n) {
  BRIM_ASSERT(std::size_t(n) <= to.size() && std::size_t(n) <= order.size(), "permute goes past an array's end");
  const auto t = to.view();
  const auto f = from.read();
  const auto at = order.read();
  forEach(n, [=] BRIM_KERNEL(int k) { t[k] = f[at[k]]; });
}

/// to[k] = from[k] for k in [0, n).
template <class T>
void copy(Array<T>& to, const Array<T>& from, int n) {
  BRIM_ASSERT(std::size_t(n) <= to.size() && std::size_t(n) <= from.size(), "copy goes past an array's end");
  const auto t = to.view();
  const auto f = from.read();
  forEach(n, [=] BRIM_KERNEL(int k) { t[k] = f[k]; });
}

/// Elements first .. last - 1 become `value`.
template <class T>
void fill(Array<T>& to, int first, int last, T value) {
  BRIM_ASSERT(first >= 0 && (last <= first || std::size_t(last) <= to.size()), "fill writes past the array's end");
#if BRIM_CUDA
  if (fillMany(to, first, last, value)) return;
#endif
  const auto t = to.view();
  forEach(last - first, [=] BRIM_KERNEL(int k) { t[first + k] = value; });
}

/// The first n elements for the host to read: in place on a CPU, a copy of a device's memory.
template <class T>
auto onHost(const Array<T>& a, std::size_t n) {
  BRIM_ASSERT(n <= a.size(), "onHost reads past the array's end");
#if BRIM_CUDA
  std::vector<T> copy(n);
  copyOut(a, copy.data(), n);
  return copy;
#else
  return std::span<const T>(a.data(), n);
#endif
}

/// One element of an array, for the host. The host waits for a device.
template <class T>
T elementOf(const Array<T>& a, std::size_t i) {
  BRIM_ASSERT(i < a.size(), "elementOf reads past the array's end");
#if BRIM_CUDA
  T* const one = ThreadScratch::ours().staging.reserve<T>(1);
  copyToStaging(one, a.data() + i, sizeof(T));
  finish();
  return *one;
#else
  return a[i];
#endif
}

/// body(i) for i in [0, n) by the host's threads, on every machine: for memory that onHost gave.
template <class F>
void forEachOnHost(int n, F body) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n, 512), [&](const auto& r) {
    for (int i = r.begin(); i < r.end(); ++i) body(i);
  });
}

#if !BRIM_CUDA
/// How many i in [0, n) fall into each bin; bin(i) < 0 is in no bin. Whole numbers, so the order of adding does not matter.
class Histogram {
 public:
  const int* counts() const { return all_.data(); }

  /// reduce(n, zero, term, into) and the counts. queued() is called before the host waits for a device.
  template <class T, class F, class Into, class Bin, class Queued>
  T reduceCounting(int n, T zero, F term, Into into, int bins, Bin bin, Queued queued) {
    using Counts = std::vector<int>;
    tbb::combinable<Counts> parts([=] { return Counts(bins); });
    tbb::parallel_for(tbb::blocked_range<int>(0, n, 4096), [&](const auto& r) {
      Counts& c = parts.local();
      for (int i = r.begin(); i < r.end(); ++i)
        if (const int b = bin(i); b >= 0) ++c[b];
    });
    all_.assign(bins, 0);
    parts.combine_each([&](const Counts& c) {
      for (int b = 0; b < bins; ++b) all_[b] += c[b];
    });
    const T sum = reduce(n, zero, term, into);
    queued();
    return sum;
  }

 private:
  std::vector<int> all_;
};
#endif

/// Where the padding entry is [m]: every kernel is zero there, and squares stay finite in float.
constexpr Real farAway = Real(1e15);

}  // namespace brim::inline BRIM_FLAVOUR
