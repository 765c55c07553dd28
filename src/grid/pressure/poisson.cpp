// The pressure solver: which cells are unknowns, and conjugate gradients over them.
#include "grid/pressure/poisson.h"

#include <limits>

#include "grid/pressure/poisson_kernels.h"

namespace brim::inline BRIM_FLAVOUR {

namespace {
/// The residual in this flavour's precision: the finest level's in single, a separate array in double.
[[maybe_unused]] float* residual(Array<float>& finest, Array<float>&) { return finest.data(); }
[[maybe_unused]] double* residual(Array<float>&, Array<double>& own) { return own.data(); }
}  // namespace

template <int D>
void Poisson<D>::prepare(const Tiles<D>& tiles, const Array<std::uint8_t>& state, const Array<Real>* distance,
                         const OpenFaces<D>& open) {
  unit_ = !open.any();
  bodies_ = nullptr;
  tiles_ = tiles.count();
  findWet(state);
  const int n = elementOf(wet_, tiles_);
  source_.resize(n);
  const auto source = source_.view();
  const auto wet = wet_.read();
  forEach(tiles_, [=] BRIM_KERNEL(int t) {
    if (wet[t + 1] > wet[t]) source[wet[t]] = t;
  });
  Level<D>& top = grid_.finest();
  top.tiles.choose(tiles, source_, n);
  top.fit();
  if (!unit_) top.tiles.fit({&top.w[0], &top.w[1], &top.w[D - 1]});
  enclosed_.fit(top.tiles, unit_);
#if BRIM_CUDA
  top.tiles.fit({&top.diag, &top.inverse, &top.r, &top.z, &top.t, &top.y, &b_, &x_, &p_, &q_, &turned_});
#else
  top.tiles.fit({&top.diag, &top.inverse, &top.r, &top.z, &top.t, &top.y});
  top.tiles.fit({&b_, &x_, &p_, &q_});
#endif
  if (!single) top.tiles.fit(r_, Real(0));
  for (Array<double>* a : {&part_, &mostR_, &mostX_}) a->resize(n);
  scalars_.resize(1);
  findStates(tiles, state, distance, open);
  top.findLines();
  enclosed_.begin(top);
  grid_.coarsen(unit_);
  enclosed_.find(top);
}

template <int D>
void Poisson<D>::findWet(const Array<std::uint8_t>& state) {
  wet_.resize(tiles_ + 1);
  fill(wet_, tiles_, tiles_ + 1, 0);
  eachTile<D>(tiles_, IsWet<D>{state.data(), wet_.data()});
  scan(wet_, tiles_ + 1);
}

template <int D>
void Poisson<D>::findStates(const Tiles<D>& tiles, const Array<std::uint8_t>& state, const Array<Real>* distance,
                            const OpenFaces<D>& open) {
  Level<D>& top = grid_.finest();
  if (!unit_) {
    FindCutStates<D> cut{tiles.view(),
                         state.data(),
                         {},
                         distance ? distance->data() : nullptr,
                         source_.data(),
                         {},
                         top.diag.data(),
                         top.inverse.data(),
                         enclosed_.unknown(0),
                         enclosed_.open(0),
                         {}};
    for (int k = 0; k < D; ++k) cut.face[k] = open.of[k]->data(), cut.w[k] = top.w[k].data(), cut.linked[k] = enclosed_.linked(k);
#if BRIM_CUDA
    eachCellOfTiles<D>(top.tiles.count(), cut);
#else
    eachTile<D>(top.tiles.count(), cut);
#endif
    return;
  }
  const FindStates<D> find{tiles.view(),         state.data(),     distance ? distance->data() : nullptr,
                           source_.data(),       top.diag.data(),  top.inverse.data(),
                           enclosed_.unknown(0), enclosed_.open(0)};
#if BRIM_CUDA
  eachCellOfTiles<D>(top.tiles.count(), find);
#else
  eachTile<D>(top.tiles.count(), find);
#endif
}

template <int D>
void Poisson<D>::take(const Array<Real>& from, Array<Real>& to) {
  const Level<D>& top = grid_.finest();
  eachTile<D>(top.tiles.count(), Take<D>{top.inverse.data(), source_.data(), from.data(), to.data()});
}

template <int D>
template <class T>
void Poisson<D>::give(const Array<T>& from, Array<Real>& to) {
  eachTile<D>(tiles_ + 1, Give<D, T>{grid_.finest().lines.data(), wet_.data(), tiles_, from.data(), to.data()});
}

template <int D>
ConvergenceControl Poisson<D>::control(ConvergenceControl::Kind kind, const Array<double>& parts) {
  ConvergenceControl d;
  d.kind = kind;
  d.limits = limits_;
  d.s = scalars_.data();
  d.part = parts.data(), d.mostX = mostX_.data();
  d.tiles = grid_.finest().tiles.count();
  return d;
}

template <int D>
void Poisson<D>::findResidual(ConvergenceControl::Kind kind) {
  Level<D>& top = grid_.finest();
  multiply(x_, ConvergenceControl::nothing);
  eachTileThen<D>(
      top.tiles.count(),
      Rest<D>{{top.view(), b_.data(), x_.data(), p_.data(), q_.data(), residual(top.r, r_), mostR_.data(), mostX_.data()},
              kind == ConvergenceControl::again ? scalars_.data() : nullptr},
      control(kind, mostR_));
}

template <int D>
void Poisson<D>::advance() {
  Level<D>& top = grid_.finest();
  eachTileThen<D>(
      top.tiles.count(),
      Advance<D>{{top.view(), b_.data(), x_.data(), p_.data(), q_.data(), residual(top.r, r_), mostR_.data(), mostX_.data()},
                 scalars_.data()},
      control(ConvergenceControl::iteration, mostR_));
}

template <int D>
void Poisson<D>::turn() {
  Level<D>& top = grid_.finest();
#if BRIM_CUDA
  const ConvergenceControl then = control(ConvergenceControl::stride, part_), now = bodies_ ? ConvergenceControl{} : then;
  const TurnAndMultiply<D, true> unit{top.view(), p_.data(), turned_.data(), q_.data(), part_.data(), scalars_.data()};
  const TurnAndMultiply<D, false> cut{top.view(), p_.data(), turned_.data(), q_.data(), part_.data(), scalars_.data()};
  if (unit_)
    eachTileThen<D>(top.tiles.count(), unit, now);
  else
    eachTileThen<D>(top.tiles.count(), cut, now);
  p_.swap(turned_);
  if (bodies_) addBodies(p_, then);
#else
  eachTile<D>(top.tiles.count(), Turn<D>{top.view(), p_.data(), scalars_.data()});
  multiply(p_, ConvergenceControl::stride);
#endif
}

template <int D>
void Poisson<D>::multiply(const Array<Real>& p, ConvergenceControl::Kind kind) {
  Level<D>& top = grid_.finest();
  const ConvergenceControl then = control(kind, part_), now = bodies_ ? ConvergenceControl{} : then;
  if (unit_)
    eachTileThen<D>(top.tiles.count(), Multiply<D, true>{top.view(), p.data(), q_.data(), part_.data()}, now);
  else
    eachTileThen<D>(top.tiles.count(), Multiply<D, false>{top.view(), p.data(), q_.data(), part_.data()}, now);
  if (bodies_) addBodies(p, then);
}

template <int D>
void Poisson<D>::addBodies(const Array<Real>& p, ConvergenceControl then) {
  then.more = bodies_->add(p, q_, wet_, grid_.finest().diag);
  runThen(then);
}

template <int D>
void Poisson<D>::start(const Array<Real>& rhs, const Array<Real>& p, bool warm) {
  take(rhs, b_);
  enclosed_.removeMeans(b_, b_);
  if (onDevice)
    grid_.finest().tiles.clear({&p_, &x_, &turned_});
  else
    grid_.finest().tiles.clear({&p_, &x_});
  if (warm) take(p, x_);
}

template <int D>
void Poisson<D>::iterate() {
  Level<D>& top = grid_.finest();
  if (enclosed_.count() == 0) {
    grid_.cycle(control(ConvergenceControl::direction, grid_.parts()));
  } else {
    // In an enclosed component a constant in r is rounding, which A cannot take away and M magnifies.
    grid_.cycle({});
    ConvergenceControl then = control(ConvergenceControl::direction, grid_.parts());
    then.less = enclosed_.removeMeans(top.z, top.r);
    runThen(then);
  }
  turn();
  advance();
}

template <int D>
PoissonReport Poisson<D>::solve(const Array<Real>& rhs, Array<Real>& p, double tolerance, int iterations, bool warm) {
  const int tiles = grid_.finest().tiles.count();
  start(rhs, p, warm);
  // x is rounded to half a digit, and A x to 2 D of these: a smaller residual is rounding.
  limits_ = {tolerance, 2 * D * double(std::numeric_limits<Real>::epsilon()), iterations};
  SolveScalars s{};
  s.done = tiles == 0;
  fill(scalars_, 0, 1, s);
  findResidual(ConvergenceControl::first);
  const auto isDone = [&] { return s = elementOf(scalars_, 0), s.done; };
  // The host does not ask a GPU whether it is done before as many iterations as this equation took last time, since asking means
  // waiting. Where an iteration takes longer than a wait, one iteration less.
  constexpr int many = 4000;  // tiles
  const int sure = !onDevice ? 0 : tiles > many ? last_[0] - 1 : last_[0];
  if (sure > 0 || !isDone())
    for (int queued = 1;; ++queued) {
      iterate();
      if (queued < sure || (!onDevice && !isDone())) continue;
      // The residual of x from scratch, without the rounding of the recursion. Before the solve is done this changes nothing.
      findResidual(ConvergenceControl::again);
      if (isDone()) break;
    }
  std::swap(last_[0], last_[1]);
  last_[1] = s.iterations;
  enclosed_.removeMeans(x_, x_);
  give(x_, p);
  return {s.iterations, s.r};
}

template <int D>
void Poisson<D>::apply(const Array<Real>& p, Array<Real>& q) {
  take(p, p_);
  multiply(p_, ConvergenceControl::nothing);
  give(q_, q);
}

template <int D>
void Poisson<D>::precondition(const Array<Real>& r, Array<Real>& z) {
  take(r, b_);
  grid_.finest().tiles.clear({&p_, &x_});
  findResidual(ConvergenceControl::nothing);
  grid_.cycle({});
  give(grid_.finest().z, z);
}

template <int D>
std::size_t Poisson<D>::bytes() const {
  std::size_t n = grid_.bytes() + enclosed_.bytes() + wet_.bytes() + source_.bytes() + 3 * part_.bytes();
  for (const Array<Real>* field : {&b_, &x_, &p_, &q_, &r_, &turned_}) n += field->bytes();
  return n;
}

template class Poisson<2>;
template class Poisson<3>;

}  // namespace brim::inline BRIM_FLAVOUR
