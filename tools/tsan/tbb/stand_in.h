// The part of TBB that Brim uses, by plain threads, for builds with ThreadSanitizer. TBB's own library is not compiled with the
// sanitizer, which then does not see that a loop waits for its tasks and reports all of them. Here every parallel loop starts two
// threads and joins them, both of which the sanitizer knows. Loops within loops run on their thread.
#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tbb {

namespace info {
inline int default_concurrency() { return 2; }
}  // namespace info

template <class T>
class blocked_range {
 public:
  blocked_range(T begin, T end, std::size_t grain = 1) : begin_(begin), end_(end), grain_(grain) {}
  T begin() const { return begin_; }
  T end() const { return end_; }
  std::size_t grainsize() const { return grain_; }
  bool empty() const { return !(begin_ < end_); }

 private:
  T begin_, end_;
  std::size_t grain_;
};

inline thread_local bool inLoop = false;

/// body(first, last) for pieces of [begin, end), every second piece on another thread.
template <class T, class F>
void inPieces(T begin, T end, std::size_t grain, const F& body) {
  if (!(begin < end)) return;
  const T piece = T(std::max<std::size_t>(grain, std::size_t(end - begin) / 8 + 1));
  if (inLoop || end - begin <= piece) return body(begin, end);
  const auto half = [&](int which) {
    inLoop = true;
    int k = 0;
    for (T first = begin; first < end; ++k) {
      const T last = end - first <= piece ? end : T(first + piece);
      if (k % 2 == which) body(first, last);
      first = last;
    }
    inLoop = false;
  };
  std::exception_ptr thrown[2];
  const auto guarded = [&](int which) {
    try {
      half(which);
    } catch (...) {
      inLoop = false;
      thrown[which] = std::current_exception();
    }
  };
  std::thread other(guarded, 1);
  guarded(0);
  other.join();
  for (const auto& t : thrown)
    if (t) std::rethrow_exception(t);
}

template <class T, class F>
void parallel_for(const blocked_range<T>& range, const F& body) {
  inPieces(range.begin(), range.end(), range.grainsize(), [&](T first, T last) { body(blocked_range<T>(first, last)); });
}
template <class T, class F>
void parallel_for(T begin, T end, const F& body) {
  inPieces(begin, end, 1, [&](T first, T last) {
    for (T i = first; i < last; ++i) body(i);
  });
}

struct simple_partitioner {};
template <class T, class F>
void parallel_for(const blocked_range<T>& range, const F& body, simple_partitioner) {
  parallel_for(range, body);
}

template <class T, class V, class F, class Join>
V parallel_reduce(const blocked_range<T>& range, const V& zero, const F& body, const Join& join) {
  std::mutex mutex;
  std::map<T, V> parts;
  inPieces(range.begin(), range.end(), range.grainsize(), [&](T first, T last) {
    V part = body(blocked_range<T>(first, last), zero);
    const std::lock_guard lock(mutex);
    parts.emplace(first, std::move(part));
  });
  V sum = zero;
  for (const auto& [first, part] : parts) sum = join(sum, part);
  return sum;
}

template <class I, class Less = std::less<>>
void parallel_sort(I begin, I end, Less less = {}) {
  std::sort(begin, end, less);
}
template <class Range, class Less>
void parallel_sort(Range& range, Less less) {
  std::sort(range.begin(), range.end(), less);
}

/// A value for each thread that asks.
template <class T>
class enumerable_thread_specific {
 public:
  enumerable_thread_specific() : make_([] { return T(); }) {}
  template <class F>
  explicit enumerable_thread_specific(F make) : make_(make) {}
  T& local() {
    const std::lock_guard lock(mutex_);
    auto& at = values_[std::this_thread::get_id()];
    if (!at) at = std::make_unique<T>(make_());
    return *at;
  }
  template <class F>
  void combine_each(F body) {
    for (auto& [id, value] : values_) body(*value);
  }

 private:
  std::function<T()> make_;
  std::mutex mutex_;
  std::map<std::thread::id, std::unique_ptr<T>> values_;
};
template <class T>
using combinable = enumerable_thread_specific<T>;

class task_arena {
 public:
  explicit task_arena(int = 2, unsigned = 1) {}
  template <class F>
  auto execute(F&& body) {
    return body();
  }
};

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, std::size_t) {}
};

}  // namespace tbb
