// exec for CPUs: TBB threads, `lanes` particles at a time.
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "math/assert.h"
#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

constexpr int grain = 512;  // particles a task handles at least

struct Index {
  int first;  // the particles first .. first + lanes - 1
};
struct Neighbour {
  const int* index;  // one neighbour of each particle of the lanes
};

/// The wide counterpart of a stored type: Real -> Reals, Vec<D, Real> -> Vec<D, Reals>, Sample likewise. Other types stay as they
/// are.
template <class T>
struct Widen {
  using type = T;
};
template <>
struct Widen<Real> {
  using type = Reals;
};
template <template <int, class> class T, int D>
struct Widen<T<D, Real>> {
  using type = T<D, Reals>;
};
template <class T>
using Wide = typename Widen<std::remove_const_t<T>>::type;

template <class T, class At>
BRIM_FN Wide<T> gather(const T* data, At at) {
  if constexpr (lanes == 1) {
    return data[at(0)];
  } else {
    constexpr int numbers = sizeof(T) / sizeof(Real);
    Reals c[numbers];
    const Real* p = reinterpret_cast<const Real*>(data);
    if constexpr (numbers == 4)
      loadRecords(p, at, c);
    else
      for (int n = 0; n < numbers; ++n) {
        c[n] = Real(0);
        for (int k = 0; k < lanes; ++k) c[n].v[k] = p[long(at(k)) * numbers + n];
      }
    Wide<T> r;
    __builtin_memcpy(&r, c, sizeof r);
    return r;
  }
}

/// The inverse of a gather of records: data[j] = value of each lane. Lanes must name different elements, or agree on the value.
template <class T>
BRIM_FN void scatter(T* data, Neighbour j, const Wide<T>& value) {
  constexpr int numbers = sizeof(T) / sizeof(Real);
  if constexpr (lanes == 1) {
    data[j.index[0]] = value;
  } else {
    Reals c[numbers] = {};
    __builtin_memcpy(c, &value, sizeof value);
    Real* const q = reinterpret_cast<Real*>(data);
    const int* const index = j.index;
    if constexpr (numbers == 4)
      storeRecords(
          q, [=](int k) { return index[k]; }, c);
    else
      for (int k = 0; k < lanes; ++k)
        for (int n = 0; n < numbers; ++n) q[long(index[k]) * numbers + n] = c[n].v[k];
  }
}

/// Memory as kernels see it: v[i] for the particles of all lanes, v[j] for one neighbour of each.
template <class T>
struct View {
  T* data;
  BRIM_FN T& operator[](int i) const { return data[i]; }
  BRIM_FN Wide<T> operator[](Neighbour j) const {
    const int* const index = j.index;
    return gather(data, [=](int k) { return index[k]; });
  }
  BRIM_FN Wide<T> operator[](Ints j) const requires(lanes > 1) {
    return gather(data, [=](int k) { return j.v[k]; });
  }

  struct Slot {  // what v[i] stands for in a View to write: `lanes` consecutive elements
    T* p;
    BRIM_FN operator Wide<T>() const {
      if constexpr (sizeof(T) == sizeof(Real) && lanes > 1) {
        Reals r;
        __builtin_memcpy(&r, p, sizeof r);
        return r;
      } else {
        return gather(p, [](int k) { return k; });
      }
    }
    BRIM_FN void operator=(const Wide<T>& value) const requires(!std::is_const_v<T>) {
      constexpr int numbers = sizeof(T) / sizeof(Real);
      if constexpr (lanes == 1) {
        *p = value;
      } else if constexpr (numbers == 1) {
        __builtin_memcpy(p, &value, sizeof value);
      } else {
        Reals c[numbers] = {};
        __builtin_memcpy(c, &value, sizeof value);
        Real* q = reinterpret_cast<Real*>(p);
        if constexpr (numbers == 4)
          storeRecords(
              q, [](int k) { return k; }, c);
        else
          for (int k = 0; k < lanes; ++k)
            for (int n = 0; n < numbers; ++n) q[k * numbers + n] = c[n].v[k];
      }
    }
  };
  BRIM_FN auto operator[](Index i) const {
    if constexpr (std::is_const_v<T>)
      return static_cast<Wide<T>>(Slot{data + i.first});
    else
      return Slot{data + i.first};
  }
};

/// Memory aligned to cache lines. Growing writes no values, so that the first loop that writes decides where pages lie.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Array&& b) noexcept { swap(b); }
  Array& operator=(Array&& b) noexcept { return swap(b), *this; }
  ~Array() { std::free(data_); }

  /// Memory for n elements. The old elements keep their values, the new ones have none.
  void resize(std::size_t n) {
    if (n > capacity_) {
      const std::size_t room = std::max(n, capacity_ + capacity_ / 8), bytes = (room * sizeof(T) + 63) / 64 * 64;
      T* const more = static_cast<T*>(std::aligned_alloc(64, bytes));
      if (!more) throw std::bad_alloc();
      if (size_) std::memcpy(static_cast<void*>(more), data_, size_ * sizeof(T));
      std::free(data_);
      data_ = more, capacity_ = room;
    }
    size_ = n;
  }
  void swap(Array& b) noexcept {
    std::swap(data_, b.data_);
    std::swap(size_, b.size_);
    std::swap(capacity_, b.capacity_);
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) {
    BRIM_ASSERT(i < size_, "index past the array's end");
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    BRIM_ASSERT(i < size_, "index past the array's end");
    return data_[i];
  }
  View<T> view() { return {data_}; }
  View<const T> view() const { return {data_}; }
  View<const T> read() const { return {data_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// A device waits here for its work; a CPU has none under way.
inline void finish() {}
inline void finishOthers() {}

/// Copies between the machine's memory and the host's.
template <class T>
void copyIn(Array<T>& to, const T* from, std::size_t n) {
  to.resize(n);
  if (n) std::memcpy(static_cast<void*>(to.data()), from, n * sizeof(T));
}
template <class T>
void copyOut(const Array<T>& from, T* to, std::size_t n) {
  BRIM_ASSERT(n <= from.size(), "copyOut reads past the array's end");
  if (n) std::memcpy(static_cast<void*>(to), from.data(), n * sizeof(T));
}

/// Neighbour lists in slices of `lanes` particles, interleaved, padded with an entry far away.
struct Lists {
  static constexpr int width = lanes;  // particles of a slice
  struct Slice {
    const int* first;
    int length;
  };
  const Slice* slice;

  struct Iterator {
    const int* p;
    BRIM_FN Neighbour operator*() const { return {p}; }
    BRIM_FN void operator++() { p += lanes; }
    BRIM_FN bool operator!=(Iterator b) const { return p != b.p; }
  };
  struct Range {
    Iterator b, e;
    BRIM_FN Iterator begin() const { return b; }
    BRIM_FN Iterator end() const { return e; }
  };
  BRIM_FN Range operator[](Index i) const {
    const Slice s = slice[unsigned(i.first) / lanes];
    return {{s.first}, {s.first + long(lanes) * s.length}};
  }
};

/// A solver that starts hundreds of short kernels has an object of this class; it means something on a GPU alone.
struct ShortKernels {};
/// How many threads of a GPU share a particle is a matter of a GPU too.
struct SharedAsBy {
  explicit SharedAsBy(int) {}
};

/// body(i) for i in [0, n): with an Index in lanes (fields are padded to whole slices, so the last may run past n), or,
/// if the body takes an int, one at a time.
template <class F>
void forEach(int n, F body) {
  if constexpr (std::is_invocable_v<F, Index>) {
    tbb::parallel_for(tbb::blocked_range<int>(0, (n + lanes - 1) / lanes, grain / lanes), [&](const auto& r) {
      for (int s = r.begin(); s < r.end(); ++s) body(Index{s * lanes});
    });
  } else {
    tbb::parallel_for(tbb::blocked_range<int>(0, n, grain), [&](const auto& r) {
      for (int i = r.begin(); i < r.end(); ++i) body(i);
    });
  }
}

/// The same for a body [](auto i) that ends its sums over neighbours with total() and writes if leads(i): on a GPU with few
/// particles several threads share a particle.
template <class F>
void forEachShared(int n, F body) {
  forEach(n, [=](Index i) { body(i); });
}
template <class T>
BRIM_FN T total(Index, const T& sum) {
  return sum;
}
BRIM_FN bool leads(Index) { return true; }

/// Adds one to a counter that many threads use; returns its old value.
BRIM_FN int countOne(int& counter) { return std::atomic_ref<int>(counter).fetch_add(1, std::memory_order_relaxed); }

/// Sets a number that many threads set to one.
BRIM_FN void setOne(int& shared) { std::atomic_ref<int>(shared).store(1, std::memory_order_relaxed); }

/// Sets bits of a word that many threads set bits in. Nearly always the bits are set already.
BRIM_FN void setBits(std::uint32_t& shared, std::uint32_t bits) {
  const std::atomic_ref<std::uint32_t> word(shared);
  if (~word.load(std::memory_order_relaxed) & bits) word.fetch_or(bits, std::memory_order_relaxed);
}

/// Exclusive prefix sum of the first n counts: in two sweeps over fixed blocks.
inline void scan(Array<int>& counts, int n) {
  constexpr int block = 1 << 15;
  const int blocks = (n + block - 1) / block;
  int* const count = counts.data();
  std::vector<int> sum(blocks);
  auto sweep = [&](auto body) { tbb::parallel_for(0, blocks, [&](int b) { body(b, b * block, std::min(n, (b + 1) * block)); }); };
  sweep([&](int b, int from, int to) {
    int s = 0;
    for (int c = from; c < to; ++c) s += count[c];
    sum[b] = s;
  });
  for (int b = 0, s = 0; b < blocks; ++b) std::swap(s, sum[b]), s += sum[b];
  sweep([&](int b, int from, int to) {
    int s = sum[b];
    for (int c = from; c < to; ++c) {
      const int k = count[c];
      count[c] = s;
      s += k;
    }
  });
}

/// Sorts the first n keys, stably; order[k] is the old place of the k-th.
inline void sortKeys(Array<std::int64_t>& keys, Array<int>& order, int n) {
  std::vector<std::pair<std::int64_t, int>> pair(n);
  forEach(n, [&](int i) { pair[i] = {keys[i], i}; });
  tbb::parallel_sort(pair.begin(), pair.end());
  forEach(n, [&](int i) { keys[i] = pair[i].first, order[i] = pair[i].second; });
}

/// zero combined with term(i) for all i in [0, n), by `into(sum, term)`, in blocks whose limits never depend on threads.
template <class T, class F, class Into>
T reduce(int n, T zero, F term, Into into) {
  constexpr int block = 2048;
  const int blocks = (n + block - 1) / block;
  std::vector<T> part(blocks, zero);
  tbb::parallel_for(0, blocks, [&](int b) {
    T s = zero;
    for (int i = b * block, e = std::min(n, i + block); i < e; ++i) into(s, term(i));
    part[b] = s;
  });
  for (const T& p : part) into(zero, p);
  return zero;
}
template <class F>
double sumOf(int n, F term) {
  return reduce(
      n, 0.0, [&](int i) { return double(term(i)); }, [](double& s, double t) { s += t; });
}
template <class F>
double maxOf(int n, F term) {
  return reduce(
      n, 0.0, [&](int i) { return double(term(i)); }, [](double& s, double t) { s = s < t ? t : s; });
}

/// The same into to[at], for kernels to read; the host does not wait for a device. term(i) is called once for each i.
template <class T, class F, class Into>
void reduceTo(Array<T>& to, int at, int n, T zero, F term, Into into) {
  to[at] = reduce(n, zero, term, into);
}
/// For each k, zero combined with term(m) for all m in [start[k], start[k + 1]), in order; for the host.
template <class T, class F, class Into>
std::vector<T> reduceEach(const Array<int>& start, T zero, F term, Into into) {
  std::vector<T> sums(start.size() - 1, zero);
  tbb::parallel_for(std::size_t(0), sums.size(), [&](std::size_t k) {
    for (int m = start[k]; m < start[k + 1]; ++m) into(sums[k], term(m));
  });
  return sums;
}
/// A loop tests its convergence once in so many iterations: on a device the host has to wait to know.
constexpr int lookEvery = 1;

/// Reads a number that other threads may be changing. swapIf sets it to `desired` if it is `expected`; both return the old value.
BRIM_FN int readShared(int& shared) { return std::atomic_ref<int>(shared).load(std::memory_order_relaxed); }
BRIM_FN int swapIf(int& shared, int expected, int desired) {
  std::atomic_ref<int>(shared).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
}

}  // namespace brim::inline BRIM_FLAVOUR
