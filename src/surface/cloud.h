// The particles of a frame by cells, for whatever asks who is near.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

using Place = std::array<float, 3>;  // [spacings] from Cloud::origin

class Cloud {
 public:
  /// Cells have sides of `reach` spacings: the farthest anybody may ask. Particles that are not finite are left out.
  Cloud(const Snapshot&, double spacing, float reach);

  int size() const { return int(x_.size()); }
  /// By cell; ties in the order of the snapshot.
  const std::vector<Place>& places() const { return x_; }
  /// Where the particle of this place is in the snapshot.
  const std::vector<int>& order() const { return order_; }
  const Vector& origin() const { return origin_; }  // [m]
  double spacing() const { return spacing_; }       // [m]

  int cells() const { return int(keys_.size()); }
  int begin(int cell) const { return begin_[std::size_t(cell)]; }
  int end(int cell) const { return begin_[std::size_t(cell) + 1]; }

  struct Ranges {
    int count = 0;
    std::array<int, 27> begin, end;
  };
  /// The particles in and around the cell, in a fixed order.
  Ranges around(int cell) const;
  Ranges around(const Place&) const;

 private:
  std::array<std::int64_t, 3> cellOf(const Place&) const;
  Ranges aroundKey(const std::array<std::int64_t, 3>&) const;
  int find(std::uint64_t key) const;

  double spacing_;
  float reach_;
  Vector origin_ = {0, 0, 0};
  std::vector<Place> x_;
  std::vector<int> order_;
  std::vector<std::uint64_t> keys_;  // ascending
  std::vector<int> begin_;
  std::vector<int> slots_;  // open addressing: a cell's number, or -1
};

}  // namespace brim
