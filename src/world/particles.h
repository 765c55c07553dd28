// The fluid's particles: named columns that are sorted, grown, shrunk and saved together, never by hand.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "exec/scratch.h"

namespace brim::inline BRIM_FLAVOUR {

#if BRIM_CUDA
/// Moves elements of all columns at once, and gives the padding behind them its value: a launch for each takes longer than the
/// moves where particles are few.
struct MoveColumns {
  static constexpr int most = 10;
  struct Column {
    const void* from;
    void* to;
    bool wide;  // 16 bytes an element, else 4
    uint4 padding;
  } column[most];
  int columns, n;
  View<const int> order;
  __device__ void operator()(int k) const {
    const int at = k < n ? order[k] : 0;
    for (int c = 0; c < columns; ++c)
      if (column[c].wide)
        static_cast<uint4*>(column[c].to)[k] = k < n ? static_cast<const uint4*>(column[c].from)[at] : column[c].padding;
      else
        static_cast<unsigned*>(column[c].to)[k] = k < n ? static_cast<const unsigned*>(column[c].from)[at] : column[c].padding.x;
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
  /// A column. Elements past the particles (padding of the last slice, periodic ghosts, the padding entry of lists) exist
  /// wherever lists may point.
  template <class T>
  struct Field {
    std::string name;
    T fresh;    // what a new particle has
    T padding;  // what padding has
    Array<T> data;
    View<T> view() { return data.view(); }
    View<const T> read() const { return data.read(); }
  };

  Particles()
      : p(add<PositionMass<D>>("position", {}, paddingRecord())),
        v(add<VelocityDensity<D>>("velocity", {}, {})),
        id(add<int>("id", -1, -1)),
        pressure(real("pressure")) {}

  /// Another column, sorted, grown and saved with the others. Asking for it again gives the same one.
  Field<Real>& real(std::string_view name) { return add<Real>(name, 0, 0); }
  Field<Record<D>>& record(std::string_view name) { return add<Record<D>>(name, {}, {}); }

  int size() const { return n_; }
  int periodicGhosts() const { return periodicGhosts_; }
  int firstPeriodicGhost() const { return wholeSlices(n_); }
  int padding() const { return firstPeriodicGhost() + periodicGhosts_; }
  int capacity() const { return padding() + 1 + lanes; }
  /// Grows whenever particles come, go or change places: whoever holds indices of particles compares it with the one they are
  /// from.
  std::int64_t arrangement() const { return arrangement_; }

  /// Adds m more particles, with fresh values; returns the index of the first.
  int grow(int m) {
    const int first = n_;
    n_ += m;
    ++arrangement_;
    each([&](auto& f) {
      f.data.resize(capacity());
      fill(f.data, first, n_, f.fresh);
    });
    return first;
  }
  /// Particle k becomes the one that was order[k]; `n` of them stay.
  void reorder(const Array<int>& order, int n, Scratch<D>& scratch) {
    n_ = n;
    periodicGhosts_ = 0;
    ++arrangement_;
#if BRIM_CUDA
    if (records_.size() + reals_.size() + numbers_.size() <= MoveColumns::most) {
      moveAll(order, scratch);
      return;
    }
#endif
    each([&](auto& f) {
      auto sorted = scratch.pool(f.data.data()).lease(capacity(), "columns in their new order");
      permute(*sorted, f.data, order, n);
      f.data.swap(*sorted);
    });
    pad();
  }
  /// Only `n` particles stay, and n + last[k] comes to the place holes[k] of one that does not, for k in [0, m).
  void fillHoles(const Array<int>& holes, const Array<int>& last, int m, int n) {
    n_ = n;
    periodicGhosts_ = 0;
    ++arrangement_;
    const auto move = [&](auto& f, auto value) {
      forEach(m, MoveTo<decltype(value)>{f.data.view(), holes.read(), last.read(), n});
    };
    each([&](auto& f) { move(f, f.fresh); });
    pad();
  }
  /// Capacity for m periodic ghosts past the particles; call pad() once they are written.
  void setPeriodicGhosts(int m) {
    periodicGhosts_ = m;
    each([&](auto& f) { f.data.resize(capacity()); });
  }
  /// Gives the padding its values.
  void pad() {
    each([&](auto& f) {
      f.data.resize(capacity());
      padWith(f.data, f.padding);
    });
  }
  /// The same for a buffer that stands in for a column.
  template <class T>
  void padWith(Array<T>& data, const T& padding) {
    data.resize(capacity());
    fill(data, n_, firstPeriodicGhost(), padding);
    fill(data, this->padding(), capacity(), padding);
  }
  BRIM_FN static Record<D> paddingRecord() {
    Record<D> g{};
    for (int k = 0; k < D; ++k) g.x[k] = farAway;
    return g;
  }

  template <class F>
  void each(F body) {
    for (auto& f : records_) body(f);
    for (auto& f : reals_) body(f);
    for (auto& f : numbers_) body(f);
  }
  std::size_t bytes() {
    std::size_t b = 0;
    each([&](auto& f) { b += f.data.bytes(); });
    return b;
  }

 private:
#if BRIM_CUDA
  void moveAll(const Array<int>& order, Scratch<D>& scratch) {
    MoveColumns move{};
    move.n = n_;
    move.order = order.read();
    std::deque<Array<Record<D>>> wide;
    std::deque<Array<Real>> narrow;
    std::deque<Array<int>> whole;
    auto records = scratch.pool(static_cast<const Record<D>*>(nullptr)).lease(0, "columns in their new order");
    auto reals = scratch.pool(static_cast<const Real*>(nullptr)).lease(0, "columns in their new order");
    auto ints = scratch.pool(static_cast<const int*>(nullptr)).lease(0, "columns in their new order");
    const auto to = [&](auto& f, auto& made, auto& spare) {
      static_assert(sizeof(f.padding) == 16 || sizeof(f.padding) == 4);
      const bool first = made.empty();
      auto& target = made.emplace_back();
      if (first) target.swap(*spare);
      target.resize(capacity());
      auto& c = move.column[move.columns++];
      c.from = f.data.data(), c.to = target.data(), c.wide = sizeof(f.padding) == 16;
      std::memcpy(&c.padding, &f.padding, sizeof f.padding);
    };
    for (auto& f : records_) to(f, wide, records);
    for (auto& f : reals_) to(f, narrow, reals);
    for (auto& f : numbers_) to(f, whole, ints);
    forEach(capacity(), move);
    const auto take = [&](auto& fields, auto& made, auto& spare) {
      for (std::size_t k = 0; k < fields.size(); ++k) fields[k].data.swap(made[k]);
      if (!made.empty()) spare->swap(made.back());
    };
    take(records_, wide, records), take(reals_, narrow, reals), take(numbers_, whole, ints);
  }
#endif
  template <class T>
  Field<T>& add(std::string_view name, T fresh, T padding) {
    auto& columns = all(static_cast<T*>(nullptr));
    for (auto& f : columns)
      if (f.name == name) return f;
    auto& f = columns.emplace_back(Field<T>{std::string(name), fresh, padding, {}});
    f.data.resize(capacity());
    fill(f.data, 0, n_, fresh);
    fill(f.data, n_, capacity(), padding);
    return f;
  }
  auto& all(Record<D>*) { return records_; }
  auto& all(Real*) { return reals_; }
  auto& all(int*) { return numbers_; }

  int n_ = 0, periodicGhosts_ = 0;
  std::int64_t arrangement_ = 0;
  std::deque<Field<Record<D>>> records_;  // deques, so that references to columns stay valid
  std::deque<Field<Real>> reals_;
  std::deque<Field<int>> numbers_;

 public:
  Field<PositionMass<D>>& p;     // {x, m}    position from the domain's corner [m], mass [kg]
  Field<VelocityDensity<D>>& v;  // {v, rho}  velocity [m/s], density [kg/m^3]
  Field<int>& id;
  Field<Real>& pressure;  // [Pa] as users see it
};

}  // namespace brim::inline BRIM_FLAVOUR
