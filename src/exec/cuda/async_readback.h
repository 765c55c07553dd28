// Copies of the device's memory that reach the host beside its other work.
#pragma once
#include <deque>
#include <future>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Takes copies on the device, between two kernels, and brings these to the host on a stream of their own.
class Courier {
 public:
  Courier() = default;
  Courier(const Courier&) = delete;
  ~Courier() {
    if (!stream_) return;
    cudaStreamSynchronize(stream_);
    for (Column& c : columns_) cudaFreeHost(c.host);
    cudaEventDestroy(taken_), cudaEventDestroy(there_);
    cudaStreamDestroy(stream_);
  }
  /// Before the first copy; whoever reads the last ones must be done.
  void begin() {
    if (!stream_) {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
      check(cudaEventCreateWithFlags(&taken_, cudaEventDisableTiming), "make a mark");
      check(cudaEventCreateWithFlags(&there_, cudaEventDisableTiming), "make a mark");
    }
    wait();
    used_ = 0;
  }
  /// Where the first n elements will be.
  template <class T>
  const T* take(const Array<T>& from, std::size_t n) {
    if (used_ == columns_.size()) columns_.emplace_back();
    Column& c = columns_[used_++];
    c.bytes = n * sizeof(T);
    c.copy.resize(c.bytes);
    if (c.bytes > c.room) {
      if (c.host) check(cudaFreeHost(c.host), "free memory");
      c.host = nullptr, c.room = 0;
      const std::size_t room = c.bytes + c.bytes / 8;
      check(cudaHostAlloc(&c.host, room, cudaHostAllocDefault), "allocate memory of the host");
      c.room = room;
    }
    if (n) check(cudaMemcpyAsync(c.copy.data(), from.data(), c.bytes, cudaMemcpyDeviceToDevice), "copy memory");
    return static_cast<const T*>(c.host);
  }
  /// After the last: they are on their way.
  void go() {
    check(cudaEventRecord(taken_), "make a mark");
    check(cudaStreamWaitEvent(stream_, taken_), "wait for a mark");
    for (std::size_t k = 0; k < used_; ++k) {
      const Column& c = columns_[k];
      if (c.bytes) check(cudaMemcpyAsync(c.host, c.copy.data(), c.bytes, cudaMemcpyDeviceToHost, stream_), "give data back");
    }
    check(cudaEventRecord(there_, stream_), "make a mark");
  }
  void wait() const { check(cudaEventSynchronize(there_), "give data back"); }

 private:
  struct Column {
    Array<unsigned char> copy;
    void* host = nullptr;
    std::size_t bytes = 0, room = 0;
  };
  std::deque<Column> columns_;
  std::size_t used_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t taken_ = nullptr, there_ = nullptr;
};

}  // namespace brim::inline BRIM_FLAVOUR
