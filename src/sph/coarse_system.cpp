#include "sph/coarse_system.h"

#include <map>

#include "sph/coarse_terms.h"
#if BRIM_CUDA
#include "sph/cuda/small_system.h"
#endif

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void CoarseSystem<D>::resize(int unknowns) {
  n_ = unknowns;
  link.resize(std::size_t(2 * D) * n_);
  for (Array<double>* a : {&diagonal, &filled, &inverse_}) a->resize(n_);
  for (Array<int>* a : {&held, &parent_, &holds_, &breathes_}) a->resize(n_);
  for (Array<Pair>* a : {&rhs, &x, &p_, &q_}) a->resize(n_);
}

// The largest that `held` becomes.
template <int D>
static int findBodies(int n, const BodySearch<D> search) {
#if BRIM_CUDA
  if (fitsOneBlock(n)) return findSmallBodies(n, search);
#endif
  forEach(n, [=] BRIM_KERNEL(int i) { search.begin(i); });
  forEach(n, [=] BRIM_KERNEL(int i) { search.join(i); });
  forEach(n, [=] BRIM_KERNEL(int i) { search.mark(i); });
  return int(maxOf(n, [=] BRIM_KERNEL(int i) { return double(search.close(i)); }));
}

// Where the products of an iteration are kept: r z of this and of the last iteration take turns in the first two places.
constexpr int curvature = 2, initial = 3, products = 4;

// A quotient of two products. The host knows them when it starts a loop; a device finds them when it comes to it, and goes no
// step further once all is solved: how far it gets does not depend on when somebody looks.
#if BRIM_CUDA
struct Quotient {
  View<const Pair> product;
  int a, b;
  __device__ Pair operator()() const {
    if (b == curvature && isSolved(product[a], product[initial])) return {};
    return ratio(product[a], product[b]);
  }
};
static void keepInitial(Array<Pair>& products) {
  const auto product = products.view();
  forEach(1, [=] BRIM_KERNEL(int) { product[initial] = product[0]; });
}
#else
struct Quotient {
  Pair value;
  Quotient(View<const Pair> product, int a, int b) : value(ratio(product[a], product[b])) {}
  const Pair& operator()() const { return value; }
};
static void keepInitial(Array<Pair>& product) { product[initial] = product[0]; }
#endif

template <int D>
static void iterate(int n, int turn, bool first, const Gradients<D> g, Array<Pair>& product) {
  const Quotient beta{product.read(), turn, 1 - turn};
  forEach(n, [=] BRIM_KERNEL(int i) { g.turn(i, first ? Pair{} : beta()); });
  reduceTo(
      product, curvature, n, Pair{}, [=] BRIM_KERNEL(int i) { return g.image(i); }, AddPair{});
  const Quotient alpha{product.read(), turn, curvature};
  reduceTo(
      product, 1 - turn, n, Pair{}, [=] BRIM_KERNEL(int i) { return g.go(i, alpha()); }, AddPair{});
}

template <int D>
static void iterateUntilSolved(int n, int most, const Gradients<D> g, Array<Pair>& product) {
#if BRIM_CUDA
  if (fitsOneBlock(n)) return solveSmall(n, most, g);
#endif
  product.resize(products);
  reduceTo(
      product, 0, n, Pair{}, [=] BRIM_KERNEL(int i) { return g.begin(i); }, AddPair{});
  keepInitial(product);
  for (int it = 0; it < most; ++it) {
    const int turn = it % 2;
    if (it % lookEvery == 0) {
      const auto all = onHost(product, products);
      if (isSolved(all[turn], all[initial])) break;
    }
    iterate(n, turn, it == 0, g, product);
  }
}

static void clampToPush(int n, View<Pair> x) {
  forEach(n, [=] BRIM_KERNEL(int i) { x[i] = {x[i].now > 0 ? x[i].now : 0, x[i].before > 0 ? x[i].before : 0}; });
}

template <int D>
bool CoarseSystem<D>::findHeld() {
  const int largest = findBodies<D>(n_, {links(), parent_.view(), holds_.view(), breathes_.view(), held.view()});
  shutFirst_.assign(1, 0);
  if (largest == 2) listShutIn();
  return largest > 0;
}

// On the host: few scenes have any, and coarse cells are few.
template <int D>
void CoarseSystem<D>::listShutIn() {
  const auto parent = onHost(parent_, n_), state = onHost(held, n_);
  std::map<int, std::vector<int>> bodies;
  for (int i = 0; i < n_; ++i) {
    if (state[i] != 2) continue;
    int root = i;
    while (parent[root] != root) root = parent[root];
    bodies[root].push_back(i);
  }
  std::vector<int> all;
  for (const auto& [root, cells] : bodies) {
    all.insert(all.end(), cells.begin(), cells.end());
    shutFirst_.push_back(int(all.size()));
  }
  copyIn(shutIn_, all.data(), all.size());
}

// So that what is left has a solution.
static void leaveOutMean(int n, View<const int> cell, View<Pair> r) {
  const double now = sumOf(n, [=] BRIM_KERNEL(int k) { return r[cell[k]].now; }) / n;
  const double before = sumOf(n, [=] BRIM_KERNEL(int k) { return r[cell[k]].before; }) / n;
  forEach(n, [=] BRIM_KERNEL(int k) { r[cell[k]] = {r[cell[k]].now - now, r[cell[k]].before - before}; });
}

// Conjugate gradients leave some pressure below zero in such a body, as they began with none.
static void startFromZero(int n, View<const int> cell, View<Pair> x) {
  const double now = maxOf(n, [=] BRIM_KERNEL(int k) { return -x[cell[k]].now; });
  const double before = maxOf(n, [=] BRIM_KERNEL(int k) { return -x[cell[k]].before; });
  forEach(n, [=] BRIM_KERNEL(int k) { x[cell[k]] = {x[cell[k]].now + now, x[cell[k]].before + before}; });
}

template <int D>
void CoarseSystem<D>::solve(double softness) {
  constexpr int most = 200;  // iterations
  const auto eachShutIn = [&](auto body, View<Pair> values) {
    for (std::size_t b = 0; b + 1 < shutFirst_.size(); ++b)
      body(shutFirst_[b + 1] - shutFirst_[b], View<const int>{shutIn_.data() + shutFirst_[b]}, values);
  };
  eachShutIn(leaveOutMean, rhs.view());
  const Gradients<D> g{links(),    filled.read(), softness,  diagonal.view(), inverse_.view(),
                       rhs.view(), x.view(),      p_.view(), q_.view()};
  iterateUntilSolved(n_, most, g, products_);
  eachShutIn(startFromZero, x.view());
  clampToPush(n_, x.view());
}

template class CoarseSystem<2>;
template class CoarseSystem<3>;

}  // namespace brim::inline BRIM_FLAVOUR
