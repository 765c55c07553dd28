// Fields of a grid solver besides plain arrays: face values, and blocks of a tile's values with one cell around them.
#pragma once
#include "grid/tiles/geometry.h"

namespace brim::inline BRIM_FLAVOUR {

/// Face values, component k on the lower face along k of each cell: the velocity [m/s] and by how much the step changed it.
template <int D>
struct Faces {
  Array<Real> u[D], change[D];
  void fit(const Tiles<D>& tiles) { tiles.fit({&u[0], &u[1], &u[D - 1], &change[0], &change[1], &change[D - 1]}); }
  std::size_t bytes() const { return 2 * D * u[0].bytes(); }
};

/// Blocks of 10^D values that overlap by two cells: for each tile that holds particles what its particles add to the faces in and
/// around it (momentum and weight), or what they may read there (velocity and change), without a look at other tiles.
template <int D>
struct BlockView {
  const Real* data;
  int numbers;
  BRIM_FN const Real* at(int block) const { return data + std::size_t(block) * Padded<D>::nodes * numbers; }
};
template <int D>
class Blocks {
 public:
  static constexpr int nodes = Padded<D>::nodes;
  /// What blocks held before is lost.
  void resize(int blocks, int numbers) {
    numbers_ = numbers;
    const std::size_t n = std::size_t(blocks) * nodes * numbers;
    if (n * sizeof(Real) > data_.bytes()) data_ = {}, data_.resize(n + n / 8);
    data_.resize(n);
  }
  Real* at(int block) { return data_.data() + std::size_t(block) * nodes * numbers_; }
  const Real* at(int block) const { return data_.data() + std::size_t(block) * nodes * numbers_; }
  BlockView<D> view() const { return {data_.data(), numbers_}; }
  std::size_t bytes() const { return data_.bytes(); }

 private:
  int numbers_ = 0;
  Array<Real> data_;
};

}  // namespace brim::inline BRIM_FLAVOUR
