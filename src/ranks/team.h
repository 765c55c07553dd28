// The ranks of a run and what they say to each other. MPI itself is behind this face, in a module that is loaded where ranks are
// asked for: the library and the command need no MPI.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brim::ranks {

/// What this rank has sent.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;
};

using Bytes = std::vector<char>;

class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Rank 0's bytes come to all. `patient`: who waits may wait long, and does so without keeping a core busy.
  virtual void broadcast(void* data, std::size_t bytes, bool patient = false) = 0;
  /// Element by element, over all ranks; the result is everybody's.
  virtual void sum(std::int64_t* all, std::size_t n) = 0;
  virtual void largest(double* all, std::size_t n) = 0;
  virtual void largest(int* all, std::size_t n) = 0;
  /// What all ranks have, in their order; for everybody.
  virtual Bytes gatherAll(const void* mine, std::size_t bytes) = 0;
  /// The same for rank 0 alone; the others get nothing.
  virtual Bytes gather(const void* mine, std::size_t bytes) = 0;
  /// to[r] goes to rank r, whose own comes into from[r]. `known`: from[r] has its size already.
  virtual void swap(const std::vector<Bytes>& to, std::vector<Bytes>& from, bool known) = 0;

  virtual Traffic traffic() const = 0;
  virtual void leave() = 0;
  [[noreturn]] virtual void end(int code) = 0;

  bool together = false;  // within something that all do
};

/// The ranks that this process has joined; null: it has not.
Team* team();
/// Joins them.
Team& join();

}  // namespace brim::ranks
