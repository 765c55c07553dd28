// Enclosed components: connected fluid cells that no air touches, where pressure is free by a constant.
#pragma once
#include "grid/pressure/multigrid.h"

namespace brim::inline BRIM_FLAVOUR {

/// Cells as bits, 64 to a word: bit 8 y + x of word z of each tile.
template <int D>
class EnclosedComponents {
 public:
  static constexpr int words = power(8, D) / 64;

  /// Resizes the bits for these tiles. `unit`: cells that touch are linked.
  void fit(const Tiles<D>& tiles, bool unit = true) {
    unit_ = unit;
    if (!unit)
      for (auto& bits : linked_) {
        bits.resize(std::size_t(tiles.count() + 1) * words);
        fill(bits, tiles.count() * words, (tiles.count() + 1) * words, std::uint64_t(0));
      }
    unknown_.resize(std::size_t(tiles.count()) * words);
    open_.resize(std::size_t(tiles.count() + 1) * words);
  }
  /// To be filled per tile: which cells are unknowns, and which of these have air beside them.
  std::uint64_t* unknown(int t) { return unknown_.data() + t * words; }
  std::uint64_t* open(int t) { return open_.data() + t * words; }
  /// And unless all that touch are, which are linked to the cell below along axis k.
  std::uint64_t* linked(int k) { return linked_[k].data(); }
  /// Finds the components. A GPU begins before, with what the host need not wait for.
  void begin(Level<D>&);
  void find(Level<D>&);
  int count() const { return int(first_.size()) - 1; }
  /// Takes the mean over each component out of a field, and returns what that takes from its product with another.
  template <class T>
  double removeMeans(Array<T>& field, const Array<T>& other) const {
    double product = 0;
    for (int b = 0; b < count(); ++b) {
      const int* const cell = cells_.data() + first_[b];
      const int n = first_[b + 1] - first_[b];
      T* const f = field.data();
      const T* const o = other.data();
      const T mean = T(sumOf(n, [=] BRIM_KERNEL(int i) { return f[cell[i]]; }) / n);
      product += double(mean) * sumOf(n, [=] BRIM_KERNEL(int i) { return o[cell[i]]; });
      forEach(n, [=] BRIM_KERNEL(int i) { f[cell[i]] -= mean; });
    }
    return product;
  }
  /// Sets the bits of the cells of all components; source[t] is the tile of the bits that tile t is.
  void mark(const Array<int>& source, Array<std::uint64_t>& bits) const {
    const int* const cell = cells_.data();
    const auto from = source.read();
    auto* const words = reinterpret_cast<std::uint32_t*>(bits.data());
    forEach(first_.back(), [=] BRIM_KERNEL(int i) {
      const int c = cell[i], at = from[c / Tiles<D>::cells] * Tiles<D>::cells + c % Tiles<D>::cells;
      setBits(words[at >> 5], 1u << (at & 31));
    });
  }
  std::size_t bytes() const {
    return unknown_.bytes() + open_.bytes() + cells_.bytes() + root_.bytes() + reached_.bytes() + first_.capacity() * sizeof(int);
  }

 private:
  bool grow(const Level<D>&, int t);
#if !BRIM_CUDA
  /// The cells of a slice that are linked to those below along axis k, if these are unknowns.
  std::uint64_t links(int k, int t, int s) const { return unit_ ? ~std::uint64_t(0) : linked_[k][std::size_t(t) * words + s]; }
#endif

  bool unit_ = true;
  Array<std::uint64_t> linked_[D];
  Array<std::uint64_t> unknown_, open_;
  Array<int> cells_;              // of the enclosed components, as elements of a field
  std::vector<int> first_ = {0};  // of each component in cells_, and one more for the end
  Array<int> root_;               // GPU, per cell: a cell of its component with a lower number, or itself
  Array<std::uint8_t> reached_;   // GPU, per such root: air touches its component
#if BRIM_CUDA
  struct Readback {  // how many components are enclosed, when the event has passed
    int* enclosed = nullptr;
    cudaEvent_t passed = nullptr;
    ~Readback() {
      if (enclosed) cudaFreeHost(enclosed), cudaEventDestroy(passed);
    }
  } readback_;
#endif
};

}  // namespace brim::inline BRIM_FLAVOUR
