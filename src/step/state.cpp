#include "step/state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "brim/error.h"
#include "step/emission.h"
#include "world/boundary.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
constexpr char magic[8] = {'b', 'r', 'i', 'm', 's', 't', '0', '5'};

class Writer {
 public:
  template <class T>
  void value(const T& v) {
    bytes(&v, sizeof v);
  }
  void text(const std::string& s) {
    value(std::uint64_t(s.size()));
    bytes(s.data(), s.size());
  }
  void bytes(const void* p, std::size_t n) {
    out.insert(out.end(), static_cast<const char*>(p), static_cast<const char*>(p) + n);
  }
  /// The same state has the same bytes, whatever stood in the padding of records.
  template <class T>
  void elements(const T* p, std::size_t n) {
    bytes(p, n * sizeof(T));
    char* const end = out.data() + out.size();
    for (std::size_t i = 0; used(p) < sizeof(T) && i < n; ++i)
      std::fill(end - (n - i) * sizeof(T) + used(p), end - (n - i - 1) * sizeof(T), '\0');
  }
  std::vector<char> out;

 private:
  template <class T>
  static constexpr std::size_t used(const T*) {
    return sizeof(T);
  }
  template <int D, class R>
  static constexpr std::size_t used(const Record<D, R>*) {
    return (D + 1) * sizeof(R);
  }
};

class Reader {
 public:
  explicit Reader(const std::vector<char>& in) : in_(in) {}
  template <class T>
  T value() {
    T v;
    bytes(&v, sizeof v);
    return v;
  }
  std::string text() {
    std::string s(size(), ' ');
    bytes(s.data(), s.size());
    return s;
  }
  std::size_t size() {
    const auto n = value<std::uint64_t>();
    if (n > in_.size() - at_) throw Failure("the checkpoint's state is damaged: it ends too early");
    return n;
  }
  bool truth() { return value<unsigned char>() != 0; }  // a bool of another byte is none
  void bytes(void* p, std::size_t n) {
    if (n > in_.size() - at_) throw Failure("the checkpoint's state is damaged: it ends too early");
    if (n) std::memcpy(p, in_.data() + at_, n);
    at_ += n;
  }
  void skip(std::size_t n) {
    if (n > in_.size() - at_) throw Failure("the checkpoint's state is damaged: it ends too early");
    at_ += n;
  }

 private:
  const std::vector<char>& in_;
  std::size_t at_ = 0;
};

void require(bool good, const char* what) {
  if (!good) throw Failure(std::string("the checkpoint's state is damaged: ") + what);
}
bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
}

// What a column must be before it is used: numbers finite, ids below nextId and no two the same.
template <int D>
void check(const std::vector<Record<D>>& column, std::int64_t) {
  for (const Record<D>& r : column)
    for (int k = 0; k <= D; ++k) require(std::isfinite(double(k < D ? r.x[k] : r.a)), "a column is not finite");
}
template <int D>
void check(const std::vector<Real>& column, std::int64_t) {
  for (const Real x : column) require(std::isfinite(double(x)), "a column is not finite");
}
template <int D>
void check(std::vector<int> ids, std::int64_t nextId) {
  std::sort(ids.begin(), ids.end());
  require(ids.empty() || (ids.front() >= 0 && ids.back() < nextId), "a particle's id is out of range");
  require(std::adjacent_find(ids.begin(), ids.end()) == ids.end(), "two particles have the same id");
}
}  // namespace

template <int D>
std::vector<char> saveState(World<D>& w, SolverState<D>& solver, double maxSpeed) {
  Writer o;
  o.bytes(magic, sizeof magic);
  o.value(D);
  o.value(int(sizeof(Real)));
  o.text(w.scene().solver.name);
  const double times[] = {w.time, w.dt, maxSpeed};  // named: nvcc 13 loses a braced list in a range-for of a template
  for (double d : times) o.value(d);
  const std::int64_t counters[] = {w.step, w.emitted, w.sunk, w.lost, w.nextId};
  for (std::int64_t k : counters) o.value(k);
  o.value(std::uint64_t(solver.flags().size()));
  for (const auto& f : solver.flags()) o.text(f.name), o.value(*f.value);
  o.value(w.averagesEnded);
  o.value(std::uint64_t(w.emitters.size()));
  for (const EmitterState& e : w.emitters) o.value(e.layers), o.value(e.particles);
  const std::vector<double> bodies = w.bodies ? w.bodies->save() : std::vector<double>(), gauges = w.gauges.save();
  const std::vector<double>* const lists[] = {&bodies, &gauges, &w.solids.volumeFraction()};
  for (const std::vector<double>* numbers : lists) {
    o.value(std::uint64_t(numbers->size() * sizeof(double)));
    o.bytes(numbers->data(), numbers->size() * sizeof(double));
  }
  const int n = w.fluid.size();
  o.value(n);
  std::uint64_t columns = 0;
  w.fluid.each([&](auto&) { ++columns; });
  o.value(columns);
  w.fluid.each([&](auto& f) {
    o.text(f.name);
    o.value(std::uint64_t(n * sizeof f.fresh));
    o.elements(onHost(f.data, n).data(), std::size_t(n));
  });
  if (w.soft.any()) {
    o.value(w.soft.nodes);
    for (const auto* a : {&w.soft.x, &w.soft.v}) o.elements(onHost(*a, w.soft.nodes).data(), std::size_t(w.soft.nodes));
  }
  return std::move(o.out);
}

template <int D>
double restoreState(World<D>& w, SolverState<D>& solver, Scratch<D>& scratch, const std::vector<char>& blob) {
  Reader in(blob);
  char head[sizeof magic];
  in.bytes(head, sizeof head);
  if (std::memcmp(head, magic, sizeof magic) != 0)
    throw Failure("the checkpoint's state was not written by this version of brim");
  if (in.value<int>() != D) throw Failure("the checkpoint is of a scene with another dimension");
  if (const int bytes = in.value<int>(); bytes != sizeof(Real))
    throw Failure(std::string("the checkpoint is in ") + (bytes == 4 ? "single" : "double") + " precision; use --precision " +
                  (bytes == 4 ? "single" : "double"));
  const bool sameSolver = in.text() == w.scene().solver.name;
  w.time = in.value<double>();
  w.dt = in.value<double>();
  const double maxSpeed = in.value<double>();
  const double times[] = {w.time, w.dt, maxSpeed};  // named: nvcc 13 loses a braced list in a range-for of a template
  for (double x : times) require(x >= 0 && x < 1e15, "a time or a speed is none");
  for (std::int64_t* k : {&w.step, &w.emitted, &w.sunk, &w.lost, &w.nextId}) {
    *k = in.value<std::int64_t>();
    require(*k >= 0 && *k <= std::int64_t(1) << 53, "a count is none");
  }
  require(w.nextId <= std::numeric_limits<int>::max(), "it counts more particles than can be");
  for (const auto& f : solver.flags()) *f.value = f.initial;
  for (auto flags = in.value<std::uint64_t>(); flags > 0; --flags) {
    const std::string name = in.text();
    const bool value = in.truth();
    for (const auto& f : solver.flags())
      if (sameSolver && f.name == name) *f.value = value;
  }
  w.averagesEnded = in.truth();
  const auto emitters = in.value<std::uint64_t>();
  for (std::uint64_t e = 0; e < emitters; ++e) {
    const EmitterState state{in.value<std::int64_t>(), in.value<std::int64_t>()};
    require(state.layers >= 0 && state.particles >= 0, "a count is none");
    if (e < w.emitters.size()) w.emitters[e] = state;
  }
  // An emitter that the state knows nothing of begins now.
  for (std::size_t e = emitters; e < w.emitters.size(); ++e)
    w.emitters[e] = {std::max(std::int64_t(0), layersDue(w.scene().fluid.emitters[e], w.time, w.spacing) - 1), 0};
  const auto numbers = [&] {
    std::vector<double> all(in.size() / sizeof(double));
    in.bytes(all.data(), all.size() * sizeof(double));
    return all;
  };
  // A branch into a scene with other bodies or gauges starts with its own.
  const std::vector<double> bodies = numbers(), gauges = numbers(), fraction = numbers();
  require(finite(bodies) && finite(gauges) && finite(fraction), "a body, a gauge or a solid is not finite");
  if (w.bodies && w.bodies->restore(bodies)) placeBodies(w);
  w.gauges.restore(gauges);
  if (fraction.size() == w.solids.volumeFraction().size()) w.solids.setVolumeFraction(fraction);
  const int n = in.value<int>();
  require(n >= 0 && n <= w.nextId, "it counts more particles than there were");
  require(std::size_t(n) <= blob.size() / sizeof(Record<D>), "it ends too early");
  Array<int> none;
  w.fluid.reorder(none, 0, scratch);
  w.fluid.grow(n);
  const auto columns = in.value<std::uint64_t>();
  std::vector<std::string> got;
  for (std::uint64_t c = 0; c < columns; ++c) {
    const std::string name = in.text();
    const std::size_t size = in.size();
    if (name != "position" && name != "velocity" && name != "id" && !sameSolver) {
      in.skip(size);
      continue;
    }
    bool taken = false;
    w.fluid.each([&](auto& f) {
      if (f.name != name || taken || size != n * sizeof f.fresh) return;
      require(std::find(got.begin(), got.end(), name) == got.end(), "a column is there twice");
      std::vector<std::decay_t<decltype(f.fresh)>> column(n);
      in.bytes(column.data(), size);
      check<D>(column, w.nextId);
      got.push_back(name);
      copyIn(f.data, column.data(), n);
      taken = true;
    });
    if (!taken) in.skip(size);
  }
  const char* const needed[] = {"position", "velocity", "id"};
  for (const char* name : needed)
    require(std::find(got.begin(), got.end(), name) != got.end(), "positions, velocities or ids are not there");
  w.fluid.pad();
  if (w.soft.any()) {
    if (in.value<int>() != w.soft.nodes) throw Failure("the checkpoint is of a scene with other cloth or soft bodies");
    std::vector<Record<D>> column(w.soft.nodes);
    for (auto* a : {&w.soft.x, &w.soft.v}) {
      in.bytes(column.data(), column.size() * sizeof(Record<D>));
      check<D>(column, 0);
      copyIn(*a, column.data(), column.size());
    }
    placeDeformables(w);
  }
  w.solids.moveTo(w.time);
  return maxSpeed;
}

template std::vector<char> saveState<2>(World<2>&, SolverState<2>&, double);
template std::vector<char> saveState<3>(World<3>&, SolverState<3>&, double);
template double restoreState<2>(World<2>&, SolverState<2>&, Scratch<2>&, const std::vector<char>&);
template double restoreState<3>(World<3>&, SolverState<3>&, Scratch<3>&, const std::vector<char>&);

}  // namespace brim::inline BRIM_FLAVOUR
