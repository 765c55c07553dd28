// Buffers that the stages of a step borrow.
#pragma once
#include <memory>
#include <vector>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Arrays of one type that nobody holds at the moment.
template <class T>
class ScratchPool {
 public:
  /// A buffer and who holds it. It goes back to the pool with the lease. A stage that swaps the array with a column gives the
  /// pool the column's old memory instead.
  class Lease {
   public:
    Lease(Lease&&) = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (array_) pool_->giveBack(std::move(array_), owner_);
    }
    Array<T>& operator*() { return *array_; }
    Array<T>* operator->() { return array_.get(); }
    View<T> view() { return array_->view(); }
    View<const T> read() const { return array_->read(); }

   private:
    friend class ScratchPool;
    Lease(ScratchPool* pool, std::unique_ptr<Array<T>> array, const char* owner)
        : pool_(pool), array_(std::move(array)), owner_(owner) {}
    ScratchPool* pool_;
    std::unique_ptr<Array<T>> array_;
    const char* owner_;
  };

  /// A buffer of n elements without values. `owner` says in a few words what it holds.
  Lease lease(std::size_t n, const char* owner) {
    std::unique_ptr<Array<T>> array;
    if (free_.empty()) {
      array = std::make_unique<Array<T>>();
    } else {
      array = std::move(free_.back());
      free_.pop_back();
    }
    array->resize(n);
    owners_.push_back(owner);
    return Lease(this, std::move(array), owner);
  }
  /// Who holds buffers now.
  const std::vector<const char*>& owners() const { return owners_; }
  std::size_t bytes() const {
    std::size_t b = 0;
    for (const auto& a : free_) b += a->bytes();
    return b;
  }

 private:
  void giveBack(std::unique_ptr<Array<T>> array, const char* owner) {
    free_.push_back(std::move(array));
    for (std::size_t k = owners_.size(); k-- > 0;)
      if (owners_[k] == owner) {
        owners_.erase(owners_.begin() + long(k));
        return;
      }
  }
  std::vector<std::unique_ptr<Array<T>>> free_;  // the last one that came back goes first: it is still in the caches
  std::vector<const char*> owners_;
};

/// The buffers of one simulation: one pool for each type of column.
template <int D>
class Scratch {
 public:
  using Records = typename ScratchPool<Record<D>>::Lease;
  using Reals = typename ScratchPool<Real>::Lease;

  Records records(std::size_t n, const char* owner) { return records_.lease(n, owner); }
  Reals reals(std::size_t n, const char* owner) { return reals_.lease(n, owner); }
  ScratchPool<Record<D>>& pool(const Record<D>*) { return records_; }
  ScratchPool<Real>& pool(const Real*) { return reals_; }
  ScratchPool<int>& pool(const int*) { return ints_; }

  /// Between two steps nobody holds a buffer.
  void expectAllBack() const {
    const auto back = [](const auto& pool) {
      BRIM_ASSERT(pool.owners().empty(), pool.owners().front());
      (void)pool;
    };
    back(records_), back(reals_), back(ints_);
  }
  std::size_t bytes() const { return records_.bytes() + reals_.bytes() + ints_.bytes(); }

 private:
  ScratchPool<Record<D>> records_;
  ScratchPool<Real> reals_;
  ScratchPool<int> ints_;
};

}  // namespace brim::inline BRIM_FLAVOUR
