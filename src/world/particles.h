// The fluid's particles: named columns that are sorted, grown, shrunk and saved together, never by hand.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "exec/exec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Buffers that a reorder writes to and solvers may use between two of them; one for each type of column.
template <int D>
struct Spares {
  Array<Sample<D>> sample;
  Array<Real> real;
  Array<int> number;
  Array<Sample<D>>& of(Sample<D>*) { return sample; }
  Array<Real>& of(Real*) { return real; }
  Array<int>& of(int*) { return number; }
};

#if BRIM_CUDA
/// Moves elements of all columns at once, and gives what follows them the ghosts' values: a launch for each takes longer than the
/// moves where particles are few.
struct MoveColumns {
  static constexpr int most = 10;
  struct Column {
    const void* from;
    void* to;
    bool wide;  // 16 bytes an element, else 4
    uint4 ghost;
  } column[most];
  int columns, n;
  View<const int> order;
  __device__ void operator()(int k) const {
    const int at = k < n ? order[k] : 0;
    for (int c = 0; c < columns; ++c)
      if (column[c].wide)
        static_cast<uint4*>(column[c].to)[k] = k < n ? static_cast<const uint4*>(column[c].from)[at] : column[c].ghost;
      else
        static_cast<unsigned*>(column[c].to)[k] = k < n ? static_cast<const unsigned*>(column[c].from)[at] : column[c].ghost.x;
  }
};
#endif

/// Elements from[k] of those from `first` on come to to[k].
template <class T>
struct MoveTo {
  View<T> data;
  View<const int> to, from;
  int first;
  BRIM_DEVICE_FN void operator()(int k) const { data[to[k]] = data[first + from[k]]; }
};

template <int D>
class Particles {
 public:
  /// A column. Elements past the particles (padding of the last slice, images, the ghost) exist wherever lists may point.
  template <class T>
  struct Field {
    std::string name;
    T fresh;  // what a new particle has
    T ghost;  // what padding and the ghost have
    Array<T> data;
    View<T> view() { return data.view(); }
    View<const T> read() const { return data.read(); }
  };

  Particles()
      : p(add<Sample<D>>("position", {}, ghostSample())), v(add<Sample<D>>("velocity", {}, {})), id(add<int>("id", -1, -1)) {}

  /// A column of the solver's own. Asking for it again gives the same one.
  Field<Real>& real(std::string_view name) { return add<Real>(name, 0, 0); }
  /// The same without making it; null if nobody has asked for it yet.
  const Field<Real>* findReal(std::string_view name) const {
    for (const Field<Real>& f : reals_)
      if (f.name == name) return &f;
    return nullptr;
  }
  Field<Sample<D>>& sample(std::string_view name) { return add<Sample<D>>(name, {}, {}); }

  int size() const { return n_; }
  int images() const { return images_; }
  int firstImage() const { return wholeSlices(n_); }
  int ghost() const { return firstImage() + images_; }
  int room() const { return ghost() + 1 + lanes; }

  /// Makes room for m more particles, with fresh values; returns the index of the first.
  int grow(int m) {
    const int first = n_;
    n_ += m;
    each([&](auto& f) {
      f.data.resize(room());
      fill(f.data, first, n_, f.fresh);
    });
    return first;
  }
  /// Particle k becomes the one that was order[k]; `n` of them stay.
  void reorder(const Array<int>& order, int n) {
    n_ = n;
    images_ = 0;
#if BRIM_CUDA
    if (samples_.size() + reals_.size() + numbers_.size() <= MoveColumns::most) {
      moveAll(order);
      return;
    }
#endif
    each([&](auto& f) {
      auto& spare = spares.of(f.data.data());
      spare.resize(room());
      permute(spare, f.data, order, n);
      f.data.swap(spare);
    });
    pad();
  }
  /// Only `n` particles stay, and n + last[k] comes to the place holes[k] of one that does not, for k in [0, m).
  void fillHoles(const Array<int>& holes, const Array<int>& last, int m, int n) {
    n_ = n;
    images_ = 0;
    const auto move = [&](auto& f, auto value) {
      forEach(m, MoveTo<decltype(value)>{f.data.view(), holes.read(), last.read(), n});
    };
    each([&](auto& f) { move(f, f.fresh); });
    pad();
  }
  /// Room for m images past the particles; call pad() once they are written.
  void setImages(int m) {
    images_ = m;
    each([&](auto& f) { f.data.resize(room()); });
  }
  /// Gives the padding and the ghost their values.
  void pad() {
    each([&](auto& f) {
      f.data.resize(room());
      padWith(f.data, f.ghost);
    });
  }
  /// The same for a buffer that stands in for a column.
  template <class T>
  void padWith(Array<T>& data, const T& ghost) {
    data.resize(room());
    fill(data, n_, firstImage(), ghost);
    fill(data, this->ghost(), room(), ghost);
  }
  BRIM_FN static Sample<D> ghostSample() {
    Sample<D> g{};
    for (int k = 0; k < D; ++k) g.x[k] = farAway;
    return g;
  }

  template <class F>
  void each(F body) {
    for (auto& f : samples_) body(f);
    for (auto& f : reals_) body(f);
    for (auto& f : numbers_) body(f);
  }
  std::size_t bytes() {
    std::size_t b = spares.sample.bytes() + spares.real.bytes() + spares.number.bytes();
    each([&](auto& f) { b += f.data.bytes(); });
    return b;
  }

  Spares<D> spares;

 private:
#if BRIM_CUDA
  void moveAll(const Array<int>& order) {
    MoveColumns move{};
    move.n = n_;
    move.order = order.read();
    std::deque<Array<Sample<D>>> wide;
    std::deque<Array<Real>> narrow;
    std::deque<Array<int>> whole;
    const auto to = [&](auto& f, auto& made) {
      static_assert(sizeof(f.ghost) == 16 || sizeof(f.ghost) == 4);
      auto& target =
          made.size() == 0 ? (made.emplace_back(), made.back().swap(spares.of(f.data.data())), made.back()) : made.emplace_back();
      target.resize(room());
      auto& c = move.column[move.columns++];
      c.from = f.data.data(), c.to = target.data(), c.wide = sizeof(f.ghost) == 16;
      std::memcpy(&c.ghost, &f.ghost, sizeof f.ghost);
    };
    for (auto& f : samples_) to(f, wide);
    for (auto& f : reals_) to(f, narrow);
    for (auto& f : numbers_) to(f, whole);
    forEach(room(), move);
    const auto take = [&](auto& fields, auto& made) {
      for (std::size_t k = 0; k < fields.size(); ++k) fields[k].data.swap(made[k]);
      if (!made.empty()) spares.of(made.back().data()).swap(made.back());
    };
    take(samples_, wide), take(reals_, narrow), take(numbers_, whole);
  }
#endif
  template <class T>
  Field<T>& add(std::string_view name, T fresh, T ghost) {
    auto& columns = all(static_cast<T*>(nullptr));
    for (auto& f : columns)
      if (f.name == name) return f;
    auto& f = columns.emplace_back(Field<T>{std::string(name), fresh, ghost, {}});
    f.data.resize(room());
    fill(f.data, 0, n_, fresh);
    fill(f.data, n_, room(), ghost);
    return f;
  }
  auto& all(Sample<D>*) { return samples_; }
  auto& all(Real*) { return reals_; }
  auto& all(int*) { return numbers_; }

  int n_ = 0, images_ = 0;
  std::deque<Field<Sample<D>>> samples_;  // deques, so that references to columns stay valid
  std::deque<Field<Real>> reals_;
  std::deque<Field<int>> numbers_;

 public:
  Field<Sample<D>>& p;  // {x, m}    position from the domain's corner [m], mass [kg]
  Field<Sample<D>>& v;  // {v, rho}  velocity [m/s], density [kg/m^3]
  Field<int>& id;
};

}  // namespace brim::inline BRIM_FLAVOUR
