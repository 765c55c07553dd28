// The ranks of a run by MPI: the one file that knows it.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "ranks/team.h"

namespace brim::ranks {

namespace {

// MPI counts in int: longer messages go in pieces.
constexpr std::size_t piece = std::size_t(1) << 30;  // [bytes]

class Mpi final : public Team {
 public:
  Mpi() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void broadcast(void* data, std::size_t bytes, bool patient) override {
    char* const at = static_cast<char*>(data);
    for (std::size_t k = 0; k < bytes; k += piece) {
      MPI_Request request;
      MPI_Ibcast(at + k, int(std::min(piece, bytes - k)), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
      wait(request, patient);
    }
    if (rank_ == 0) count(bytes * std::size_t(size_ - 1), size_ - 1);
  }
  void sum(std::int64_t* all, std::size_t n) override { reduce(all, n, MPI_INT64_T, MPI_SUM); }
  void largest(double* all, std::size_t n) override { reduce(all, n, MPI_DOUBLE, MPI_MAX); }
  void largest(int* all, std::size_t n) override { reduce(all, n, MPI_INT, MPI_MAX); }

  Bytes gatherAll(const void* mine, std::size_t bytes) override {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
    const auto own = std::int64_t(bytes);
    MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t(0));
    if (all > INT_MAX) return gathered(mine, bytes, true);
    std::vector<int> counts(sizes.begin(), sizes.end()), starts(sizes.size(), 0);
    std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
    Bytes to(static_cast<std::size_t>(all));
    MPI_Allgatherv(mine, int(bytes), MPI_BYTE, to.data(), counts.data(), starts.data(), MPI_BYTE, MPI_COMM_WORLD);
    count(bytes + sizeof own, 2);
    return to;
  }
  Bytes gather(const void* mine, std::size_t bytes) override { return gathered(mine, bytes, false); }

  void swap(const std::vector<Bytes>& to, std::vector<Bytes>& from, bool known) override {
    std::vector<const void*> data(to.size());
    std::vector<std::size_t> sizes(to.size());
    for (std::size_t r = 0; r < to.size(); ++r) data[r] = to[r].data(), sizes[r] = to[r].size();
    swap(data, sizes, from, known);
  }

  Traffic traffic() const override { return traffic_; }
  void leave() override { MPI_Finalize(); }
  void end(int code) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  void count(std::size_t bytes, int messages) { traffic_.bytes += std::int64_t(bytes), traffic_.messages += messages; }

  // Whoever waits for rank 0's next word leaves the core to others after a while.
  void wait(MPI_Request& request, bool patient) {
    if (!patient) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return;
    }
    const double start = MPI_Wtime();
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
      if (MPI_Wtime() - start < 2e-3) continue;
      const timespec nap = {0, 100000};
      nanosleep(&nap, nullptr);
    }
  }

  template <class T>
  void reduce(T* all, std::size_t n, MPI_Datatype type, MPI_Op how) {
    if (size_ == 1 || n == 0) return;
    MPI_Allreduce(MPI_IN_PLACE, all, int(n), type, how, MPI_COMM_WORLD);
    count(n * sizeof(T), 1);
  }

  Bytes gathered(const void* mine, std::size_t bytes, bool everybody) {
    std::vector<const void*> data(std::size_t(size_), nullptr);
    std::vector<std::size_t> sizes(std::size_t(size_), 0);
    for (int r = 0; r < size_; ++r)
      if (everybody || r == 0) data[std::size_t(r)] = mine, sizes[std::size_t(r)] = bytes;
    std::vector<Bytes> from(static_cast<std::size_t>(size_));
    swap(data, sizes, from, false);
    Bytes all;
    for (const Bytes& one : from) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  void swap(const std::vector<const void*>& to, const std::vector<std::size_t>& sizes, std::vector<Bytes>& from, bool known) {
    if (!known) {
      std::vector<std::int64_t> mine(sizes.begin(), sizes.end()), theirs(sizes.size());
      MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
      count(mine.size() * sizeof(std::int64_t), size_ - 1);
      for (std::size_t r = 0; r < from.size(); ++r) from[r].resize(std::size_t(theirs[r]));
    }
    requests_.clear();
    const auto me = std::size_t(rank_);
    for (std::size_t r = 0; r < from.size(); ++r)
      for (std::size_t k = 0; r != me && k < from[r].size(); k += piece)
        MPI_Irecv(from[r].data() + k, int(std::min(piece, from[r].size() - k)), MPI_BYTE, int(r), 0, MPI_COMM_WORLD,
                  &requests_.emplace_back());
    for (std::size_t r = 0; r < to.size(); ++r)
      for (std::size_t k = 0; r != me && k < sizes[r]; k += piece) {
        const std::size_t n = std::min(piece, sizes[r] - k);
        MPI_Isend(static_cast<const char*>(to[r]) + k, int(n), MPI_BYTE, int(r), 0, MPI_COMM_WORLD, &requests_.emplace_back());
        count(n, 1);
      }
    if (sizes[me] > 0) {
      const char* const own = static_cast<const char*>(to[me]);
      from[me].assign(own, own + sizes[me]);
    }
    MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  int rank_ = 0, size_ = 1;
  Traffic traffic_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

}  // namespace brim::ranks

extern "C" brim::ranks::Team* brimJoinRanks() {
  static brim::ranks::Mpi all;
  return &all;
}
