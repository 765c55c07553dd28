// Velocities between particles and grid: PIC, FLIP and APIC, and the way of the particles through the grid.
#pragma once
#include "grid/flags.h"

namespace brim::inline BRIM_FLAVOUR {

/// Face values, component k on the lower face along k of each cell: the velocity [m/s] and by how much the step changed it.
template <int D>
struct Faces {
  Array<Real> u[D], change[D];
  void fit(const Tiles<D>& tiles) { tiles.fit({&u[0], &u[1], &u[D - 1], &change[0], &change[1], &change[D - 1]}); }
  std::size_t bytes() const { return 2 * D * u[0].bytes(); }
};

/// Blocks of 10^D values that overlap by two cells: for each tile that holds particles what those add to the faces in and
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
  void resize(int blocks, int numbers) { numbers_ = numbers, data_.resize(std::size_t(blocks) * nodes * numbers); }
  Real* at(int block) { return data_.data() + std::size_t(block) * nodes * numbers_; }
  const Real* at(int block) const { return data_.data() + std::size_t(block) * nodes * numbers_; }
  BlockView<D> view() const { return {data_.data(), numbers_}; }
  std::size_t bytes() const { return data_.bytes(); }

 private:
  int numbers_ = 0;
  Array<Real> data_;
};

/// The affine matrices of APIC: column k of the particles' columns holds the gradient of velocity component k [1/s].
template <int D>
struct Affine {
  explicit Affine(Particles<D>& fluid) {
    const char* const names[] = {"affine_x", "affine_y", "affine_z"};
    for (int k = 0; k < D; ++k) c[k] = &fluid.sample(names[k]);
  }
  typename Particles<D>::template Field<Sample<D>>* c[D];
};

/// u_k = sum_p w_p (v_p + C_p (x - x_p))_k / sum_p w_p with the trilinear weights of the faces, 0 where there are none; and the
/// bits of the cells that hold particles. `affine` is null but for APIC.
template <int D>
void toGrid(const Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Affine<D>* affine, Blocks<D>& stage,
            Faces<D>&, Flags<D>&);

/// Face values of every tile with one cell around it.
template <int D>
void pad(const Tiles<D>&, const Array<Real> (&field)[D], Blocks<D>& padded);
/// The same for the tiles that hold particles, numbered as among those; on a GPU as among all.
template <int D>
void padActive(const Tiles<D>&, const Bins<D>&, const Array<Real> (&field)[D], Blocks<D>& padded);

/// The nodes around a place in a tile and their weights, for each component of a face field.
#if BRIM_CUDA
template <int D>
class Stencil {
 public:
  __device__ explicit Stencil(const InTile<D>& x) {
    for (int k = 0; k < D; ++k) face_[k] = atFaces(x, k), centre_[k] = atCentres(x, k);
  }
  /// Component k of the field whose padded block this is.
  __device__ Real operator()(const Real* block, int k) const {
    const Between x = k == 0 ? face_[0] : centre_[0], y = k == 1 ? face_[1] : centre_[1];
    const Real* const p = block + k * Padded<D>::nodes + x.at + y.at;
    if constexpr (D == 2) {
      return inPlane(p, x.f, y.f);
    } else {
      const Between z = k == 2 ? face_[2] : centre_[2];
      const Real low = inPlane(p + z.at, x.f, y.f), high = inPlane(p + z.at + 100, x.f, y.f);
      return low + z.f * (high - low);
    }
  }
  __device__ Vec<D> operator()(const Real* block) const {
    Vec<D> u;
    BRIM_UNROLL
    for (int k = 0; k < D; ++k) u[k] = (*this)(block, k);
    return u;
  }

 private:
  __device__ static Real inPlane(const Real* p, Real x, Real y) {
    const Real low = p[0] + x * (p[1] - p[0]), high = p[10] + x * (p[11] - p[10]);
    return low + y * (high - low);
  }
  Between face_[D], centre_[D];
};
#else
template <int D>
class Stencil {
 public:
  BRIM_FN explicit Stencil(const InTile<D>& x) {
    Between face[D], centre[D];
    for (int k = 0; k < D; ++k) face[k] = atFaces(x, k), centre[k] = atCentres(x, k);
    for (int k = 0; k < D; ++k) {
      const Between bx = k == 0 ? face[0] : centre[0], by = k == 1 ? face[1] : centre[1];
      at_[k] = k * Padded<D>::nodes + bx.at + by.at;
      w_[k] = (Four(typename Four::V{1, 0, 1, 0}) + Four(typename Four::V{-1, 1, -1, 1}) * Four(bx.f)) *
              (Four(typename Four::V{1, 1, 0, 0}) + Four(typename Four::V{-1, -1, 1, 1}) * Four(by.f));
      if constexpr (D == 3) {
        const Between bz = k == 2 ? face[2] : centre[2];
        at_[k] += bz.at, fz_[k] = bz.f;
      }
    }
  }
  /// Component k of the field whose padded block this is.
  BRIM_FN Real operator()(const Real* block, int k) const {
    const Real* const p = block + at_[k];
    Four v = rows(p);
    if constexpr (D == 3) v += Four(fz_[k]) * (rows(p + 100) - v);
    v *= w_[k];
    return (v[0] + v[1]) + (v[2] + v[3]);
  }
  BRIM_FN Vec<D> operator()(const Real* block) const {
    Vec<D> u;
    for (int k = 0; k < D; ++k) u[k] = (*this)(block, k);
    return u;
  }

 private:
  using Four = Pack<Real, 4>;
  BRIM_FN static Four rows(const Real* p) {
    typename VectorOf<Real, 2>::type low, high;
    __builtin_memcpy(&low, p, sizeof low);
    __builtin_memcpy(&high, p + 10, sizeof high);
    return Four(__builtin_shufflevector(low, high, 0, 1, 2, 3));
  }
  int at_[D];
  Real fz_[D];
  Four w_[D];
};
#endif

/// How particles take over the grid's velocity and move.
template <int D>
struct Ride {
  double dt;     // [s]
  double flip;   // part of FLIP, the rest is PIC; not for APIC
  Vec<D> g;      // [m/s^2] for particles outside the grid
  double scale;  // [Pa s] from phi to pressure
};
/// v_p = flip (v_p + change(x_p)) + (1 - flip) u(x_p), or u(x_p) and its gradient for APIC; then x_p by the midpoint rule
/// through u, or straight on where faces are not known. The particle's pressure is that of its cell.
template <int D>
void toParticles(Particles<D>&, const Frame<D>&, const Tiles<D>&, const Bins<D>&, const Blocks<D>& u, const Blocks<D>& change,
                 const Array<std::uint64_t> (&known)[D], const Array<Real>& phi, const Ride<D>&, const Affine<D>* affine);

/// A padded field at q (in cells); false where there is no tile.
template <int D>
BRIM_DEVICE_FN bool sample(const TileView<D>& tiles, const BlockView<D>& padded, const Vec<D>& q, Vec<D>& u) {
  Vec<D, int> place;
  for (int k = 0; k < D; ++k) place[k] = int(std::floor(q[k])) >> 3;
  const int t = tiles.at(place);
  if (t == tiles.count) return false;
  u = Stencil<D>(InTile<D>(q, place))(padded.at(t));
  return true;
}

}  // namespace brim::inline BRIM_FLAVOUR
