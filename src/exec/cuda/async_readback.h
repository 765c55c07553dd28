// Copies of the device's memory that reach the host while kernels run.
#pragma once
#include <deque>
#include <future>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Copies arrays within the device, between two kernels, and sends the copies to the host on a stream of its own.
class AsyncReadback {
 public:
  AsyncReadback() = default;
  AsyncReadback(const AsyncReadback&) = delete;
  ~AsyncReadback() {
    if (!stream_) return;
    cudaStreamSynchronize(stream_);
    for (Column& c : columns_) cudaFreeHost(c.host);
    cudaEventDestroy(copied_), cudaEventDestroy(sent_);
    cudaStreamDestroy(stream_);
  }
  /// Before the first copy(). The host must have read what the last send() brought.
  void begin() {
    if (!stream_) {
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
      check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "make a mark");
      check(cudaEventCreateWithFlags(&sent_, cudaEventDisableTiming), "make a mark");
    }
    wait();
    used_ = 0;
  }
  /// Copies the first n elements within the device; returns where they will be on the host.
  template <class T>
  const T* copy(const Array<T>& from, std::size_t n) {
    if (used_ == columns_.size()) columns_.emplace_back();
    Column& c = columns_[used_++];
    c.bytes = n * sizeof(T);
    c.copy.resize(c.bytes);
    if (c.bytes > c.capacity) {
      if (c.host) check(cudaFreeHost(c.host), "free memory");
      c.host = nullptr, c.capacity = 0;
      const std::size_t capacity = c.bytes + c.bytes / 8;
      check(cudaHostAlloc(&c.host, capacity, cudaHostAllocDefault), "allocate memory of the host");
      c.capacity = capacity;
    }
    if (n) check(cudaMemcpyAsync(c.copy.data(), from.data(), c.bytes, cudaMemcpyDeviceToDevice), "copy memory");
    return static_cast<const T*>(c.host);
  }
  /// After the last copy(): starts the transfer to the host.
  void send() {
    check(cudaEventRecord(copied_), "make a mark");
    check(cudaStreamWaitEvent(stream_, copied_), "wait for a mark");
    for (std::size_t k = 0; k < used_; ++k) {
      const Column& c = columns_[k];
      if (c.bytes) check(cudaMemcpyAsync(c.host, c.copy.data(), c.bytes, cudaMemcpyDeviceToHost, stream_), "give data back");
    }
    check(cudaEventRecord(sent_, stream_), "make a mark");
  }
  /// Waits until the transfer is done.
  void wait() const { check(cudaEventSynchronize(sent_), "give data back"); }

 private:
  struct Column {
    Array<unsigned char> copy;
    void* host = nullptr;
    std::size_t bytes = 0, capacity = 0;
  };
  std::deque<Column> columns_;
  std::size_t used_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr, sent_ = nullptr;
};

}  // namespace brim::inline BRIM_FLAVOUR
