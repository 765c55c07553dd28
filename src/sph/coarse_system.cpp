#include "sph/coarse_system.h"

#include <map>

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void CoarseSystem<D>::resize(int unknowns) {
  n_ = unknowns;
  link.resize(std::size_t(2 * D) * n_);
  for (Array<double>* a : {&diagonal, &filled, &inverse_}) a->resize(n_);
  for (Array<int>* a : {&held, &parent_, &holds_, &breathes_}) a->resize(n_);
  for (Array<Pair>* a : {&rhs, &x, &p_, &q_}) a->resize(n_);
}

BRIM_DEVICE_FN int rootOf(View<int> parent, int i) {
  for (int next = readShared(parent[i]); next != i; next = readShared(parent[i])) i = next;
  return i;
}

// Roots are hooked under smaller ones only, so each body's is its smallest unknown, whichever thread came first.
BRIM_DEVICE_FN void unite(View<int> parent, int a, int b) {
  a = rootOf(parent, a), b = rootOf(parent, b);
  while (a != b) {
    const int low = a < b ? a : b, high = a < b ? b : a;
    const int found = swapIf(parent[high], high, low);
    if (found == high) return;
    a = rootOf(parent, found), b = low;
  }
}

// The largest that `held` becomes.
template <int D>
static int findBodies(int n, View<const Link> link, View<int> parent, View<int> holds, View<int> breathes, View<int> held) {
  forEach(n, [=] BRIM_KERNEL(int i) { parent[i] = i, holds[i] = breathes[i] = 0; });
  forEach(n, [=] BRIM_KERNEL(int i) {
    for (int k = 0; k < D; ++k)
      if (const int above = link[2 * D * i + 2 * k + 1].to; above >= 0) unite(parent, i, above);
  });
  forEach(n, [=] BRIM_KERNEL(int i) {
    bool wall = false, air = false;
    for (int l = 0; l < 2 * D; ++l) {
      const Link beyond = link[2 * D * i + l];
      wall = wall || beyond.perDrop == 0;
      air = air || (beyond.to < 0 && beyond.weight != 0);
    }
    if (wall) swapIf(holds[rootOf(parent, i)], 0, 1);
    if (air) swapIf(breathes[rootOf(parent, i)], 0, 1);
  });
  return int(maxOf(n, [=] BRIM_KERNEL(int i) {
    const int root = rootOf(parent, i);
    return double(held[i] = holds[root] ? 2 - breathes[root] : 0);
  }));
}

BRIM_DEVICE_FN Pair ratio(const Pair& a, const Pair& b) {
  return {b.now > 0 ? a.now / b.now : 0, b.before > 0 ? a.before / b.before : 0};
}
// Where the products of an iteration are kept: r z of this and of the last iteration take turns in the first two places.
constexpr int curvature = 2, initial = 3, products = 4;
BRIM_FN bool isSolved(const Pair& left, const Pair& first) {
  return left.now <= 1e-3 * first.now && left.before <= 1e-3 * first.before;
}

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

struct AddPair {
  BRIM_DEVICE_FN void operator()(Pair& s, const Pair& t) const { s.now += t.now, s.before += t.before; }
};

static void start(int n, double softness, View<const double> filled, View<double> diagonal, View<double> inverse,
                  View<const Pair> r, View<Pair> x, View<Pair> p, Array<Pair>& product) {
  reduceTo(
      product, 0, n, Pair{},
      [=] BRIM_KERNEL(int i) {
        diagonal[i] += softness * filled[i];
        const double d = inverse[i] = 1 / diagonal[i];
        x[i] = p[i] = {};
        return Pair{r[i].now * r[i].now * d, r[i].before * r[i].before * d};
      },
      AddPair{});
}

template <int D>
static void iterate(int n, int turn, bool first, View<const Link> link, View<const double> diagonal, View<const double> inverse,
                    View<Pair> r, View<Pair> x, View<Pair> p, View<Pair> q, Array<Pair>& product) {
  const Quotient beta{product.read(), turn, 1 - turn};
  forEach(n, [=] BRIM_KERNEL(int i) {
    const Pair keep = first ? Pair{} : beta();
    const double d = inverse[i];
    p[i] = {r[i].now * d + keep.now * p[i].now, r[i].before * d + keep.before * p[i].before};
  });
  reduceTo(
      product, curvature, n, Pair{},
      [=] BRIM_KERNEL(int i) {
        Pair s = {diagonal[i] * p[i].now, diagonal[i] * p[i].before};
        for (int k = 0; k < 2 * D; ++k) {
          const Link l = link[2 * D * i + k];
          if (l.to >= 0) s.now -= l.weight * p[l.to].now, s.before -= l.weight * p[l.to].before;
        }
        q[i] = s;
        return Pair{p[i].now * s.now, p[i].before * s.before};
      },
      AddPair{});
  const Quotient alpha{product.read(), turn, curvature};
  reduceTo(
      product, 1 - turn, n, Pair{},
      [=] BRIM_KERNEL(int i) {
        const Pair far = alpha();
        const double d = inverse[i];
        x[i] = {x[i].now + far.now * p[i].now, x[i].before + far.before * p[i].before};
        const Pair left = {r[i].now - far.now * q[i].now, r[i].before - far.before * q[i].before};
        r[i] = left;
        return Pair{left.now * left.now * d, left.before * left.before * d};
      },
      AddPair{});
}

static void clampToPush(int n, View<Pair> x) {
  forEach(n, [=] BRIM_KERNEL(int i) { x[i] = {x[i].now > 0 ? x[i].now : 0, x[i].before > 0 ? x[i].before : 0}; });
}

template <int D>
bool CoarseSystem<D>::findHeld() {
  const int largest = findBodies<D>(n_, link.read(), parent_.view(), holds_.view(), breathes_.view(), held.view());
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
  constexpr int most = 200, look = lookEvery;
  const auto eachShutIn = [&](auto body, View<Pair> values) {
    for (std::size_t b = 0; b + 1 < shutFirst_.size(); ++b)
      body(shutFirst_[b + 1] - shutFirst_[b], View<const int>{shutIn_.data() + shutFirst_[b]}, values);
  };
  eachShutIn(leaveOutMean, rhs.view());
  products_.resize(products);
  start(n_, softness, filled.read(), diagonal.view(), inverse_.view(), rhs.read(), x.view(), p_.view(), products_);
  keepInitial(products_);
  for (int it = 0; it < most; ++it) {
    const int turn = it % 2;
    if (it % look == 0) {
      const auto all = onHost(products_, products);
      if (isSolved(all[turn], all[initial])) break;
    }
    iterate<D>(n_, turn, it == 0, link.read(), diagonal.read(), inverse_.read(), rhs.view(), x.view(), p_.view(), q_.view(),
               products_);
  }
  eachShutIn(startFromZero, x.view());
  clampToPush(n_, x.view());
}

template class CoarseSystem<2>;
template class CoarseSystem<3>;

}  // namespace brim::inline BRIM_FLAVOUR
