// Density rows that touch rigid bodies, and contacts of particles with surfaces. Rows that share no body and no particle are
// solved at once.
#pragma once
#include <bit>
#include <numeric>
#include <optional>

#include "solvers/constraint/body_blocks.h"
#include "solvers/constraint/particle_contact.h"
#include "solvers/constraint/stars.h"
#if BRIM_CUDA
#include "solvers/constraint/cuda/bound_rows.h"
#else

namespace brim::inline BRIM_FLAVOUR {

/// A density row whose particle feels rigid bodies, or periodic ghosts. The same row as in density_rows.h, kept as numbers.
template <int D>
struct BoundRow {
  int i;
  std::size_t pairs, pairsEnd, blocks, blocksEnd;  // in BoundRows
  double perD;
};

template <int D>
class BoundRows {
 public:
  struct Pair {
    int j;
    Vec<D> g;  // m/rho0 grad W
  };
  std::vector<BoundRow<D> > rows;
  std::vector<ParticleContact<D> > contacts;
  std::vector<Pair> pairs;
  std::vector<BodyBlock> blocks;

  std::vector<char> apart;  // per particle: its row is here and not in the colours

  /// Rows that leave the colours: those that feel bodies, by samples or the field (null: none), or see periodic ghosts.
  template <class K>
  void gather(const StepContext<D>& c, K W, DensityRows<D>& density, const WallField* field) {
    const World<D>& w = c.world;
    rows.clear(), contacts.clear(), pairs.clear(), blocks.clear();
    const int n = w.fluid.size();
    apart.assign(n, 0);
    const SampledBodies<D, K> sampled(c, W, density);
    std::optional<FieldBodies<D> > byField;
    if (field) byField.emplace(w, *field, density);
    for (int i = 0; i < n; ++i) {
      const std::size_t from = blocks.size();
      if (w.bodies && density.samples && density.bodySamples[i] > 0) {
        sampled.each(
            i, [&](int b, const Vec<D>& at, const Vec<D>& g) { addReaction(blockOf(from, b), leverOf(w, b, at).data(), g); });
      } else if (w.bodies && field) {
        byField->each(i, [&](int b, const Vec<D>& at, const Vec<D>& g, const Vec<D>& velocity) {
          addReaction(blockOf(from, b), leverOf(w, b, at).data(), g);
          density.c[i] -= density.xi * dot(g, velocity);  // the body's share of xi G v_old
        });
      }
      bool here = blocks.size() > from;
      if (w.hasPeriodic() && !here)
        eachNeighbour(c.nb().fluid, i, w.fluid.padding(), [&](int j) { here = here || j >= w.fluid.firstPeriodicGhost(); });
      apart[i] = here;
      if (here) add(c, W, density, i, from);
    }
    arrange(n, w.bodies ? w.bodies->size() : 0);
  }

  /// Geometric-stiffness rows of the same particles: with each other, and with bodies by samples.
  template <class K>
  void gatherStars(StepContext<D>& c, K W, const DensityRows<D>& density, const Stiffness<D>& stiffness) {
    World<D>& w = c.world;
    const int* const source = w.hasPeriodic() ? c.neighbourhood().ghosts().source().data() : nullptr;
    stars_.build(c, W, stiffness, rows.data(), int(rows.size()),
                 PairOwner<char>{{apart.data()}, w.fluid.firstPeriodicGhost(), source});
    held_.assign(blocks.size(), HeldByBody<D>{});
    if (!w.bodies || !density.samples) return;
    const SampleStiffness<D, K> samples(c, W, density, stiffness);
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    forEachOnHost(int(rows.size()), [&](int of) {
      const BoundRow<D>& row = rows[of];
      for (std::size_t k = row.blocks; k < row.blocksEnd; ++k) {
        HeldByBody<D>& held = held_[k];
        held.gather(samples, row.i, blocks[k].body);
        if (!held.any) continue;
        const BodyState& body = w.bodies->body(blocks[k].body);
        const Vector r = leverOf(w, blocks[k].body, p[row.i].x);
        for (int a = 0; a < 3; ++a) held.r[a] = r[a];
        held.begin(v[row.i].x + density.gravity, held.velocity(body.u.v.data(), body.u.w.data()), stiffness.eta);
        held.solveFor(stiffness.perM, body.perMass, body.perInertiaHere.data());
      }
    });
  }
  void sweepStars(World<D>& w, Stiffness<D>& stiffness) {
    Record<D>* const v = w.fluid.v.data.data();
    forEachInColours([&](std::size_t k) {
      solveStar(stars_.rows[k], stars_.pairs.data(), v, stiffness.walls.data(), stiffness.perM);
      for (std::size_t q = rows[k].blocks; q < rows[k].blocksEnd; ++q) {
        HeldByBody<D>& held = held_[q];
        if (!held.any) continue;
        const BodyVelocity& u = w.bodies->velocity(blocks[q].body);
        const Vec<D, double> change = held.change(v[rows[k].i].x, held.velocity(u.v.data(), u.w.data()));
        held.L += change;
        double force[3] = {0, 0, 0};
        for (int a = 0; a < D; ++a) v[rows[k].i].x[a] += Real(stiffness.perM * change[a]), force[a] = -change[a];
        BodyBlock reaction{blocks[q].body};
        reaction.add(held.r, force);
        push(*w.bodies, reaction, 1);
      }
    });
  }

  /// Contacts of particles with all surfaces (Eq. 26-29).
  void gatherContacts(const World<D>& w, const Spook& spook, const ContactReach<D>& reach) {
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    const Surfaces<D> surfaces(w);
    std::vector<char> near(w.fluid.size());  // few are
    forEachOnHost(w.fluid.size(), [&](int i) {
      surfaces.each(p[i].x, reach.of(v[i].x), [&](Real, const Vec<D>&, const Vec<D>&, int) { near[i] = 1; });
    });
    for (int i = 0; i < w.fluid.size(); ++i) {
      if (!near[i]) continue;
      surfaces.each(p[i].x, reach.of(v[i].x), [&](Real distance, const Vec<D>& normal, const Vec<D>& velocity, int shape) {
        if (!reach.takes(distance)) return;
        const int body = shape < surfaces.firstFree ? -1 : shape - surfaces.firstFree;
        auto c = ParticleContact<D>::of(i, reach.gap(distance), normal, velocity, body, spook);
        double d = 1 / w.mass;
        if (body >= 0) {
          addReaction(c.block, leverOf(w, body, p[i].x).data(), normal);
          d += inverseMass(*w.bodies, c.block);
        }
        c.perD = 1 / d;
        contacts.push_back(c);
      });
    }
  }

  /// G M^-1 G^T of one body.
  static double inverseMass(const BodySystem& bodies, const BodyBlock& block) {
    const BodyState& b = bodies.body(block.body);
    return block.inverseMass(b.perMass, b.perInertiaHere.data());
  }
  /// G u of one body; 0 where there is none.
  static double rateOf(const World<D>& w, const BodyBlock& block) {
    if (block.body < 0) return 0;
    const BodyVelocity& u = w.bodies->velocity(block.body);
    return block.rate(u.v.data(), u.w.data());
  }
  static void push(BodySystem& bodies, const BodyBlock& block, double lambda) {
    const double *const l = block.linear, *const a = block.arm;
    bodies.pushNow(block.body, {lambda * l[0], lambda * l[1], lambda * l[2]}, {lambda * a[0], lambda * a[1], lambda * a[2]});
  }

  double residual(const World<D>& w, const DensityRows<D>& density, double lambda, const BoundRow<D>& row) const {
    const auto v = w.fluid.v.read();
    double r = double(dot(density.G[row.i].x, v[row.i].x)) + density.sigma * lambda - density.c[row.i];
    for (std::size_t k = row.pairs; k < row.pairsEnd; ++k) r -= double(dot(pairs[k].g, v[pairs[k].j].x));
    for (std::size_t k = row.blocks; k < row.blocksEnd; ++k) r += rateOf(w, blocks[k]);
    return r;
  }

  /// The same of all rows, into density.r.
  void residuals(const World<D>& w, DensityRows<D>& density, const Array<Real>& lambda) const {
    for (const BoundRow<D>& row : rows) density.r[row.i] = Real(residual(w, density, lambda[row.i], row));
  }
  /// Pushes the bodies by `times` these multipliers.
  void pushBodies(World<D>& w, const Array<Real>& multiplier, double times) const {
    for (const BoundRow<D>& row : rows)
      for (std::size_t k = row.blocks; k < row.blocksEnd; ++k) push(*w.bodies, blocks[k], times * multiplier[row.i]);
  }

  /// r of a contact at present.
  static double residual(const World<D>& w, const ParticleContact<D>& c) {
    return c.residual(w.fluid.v.read()[c.i].x, rateOf(w, c.block));
  }
  /// The sum of r^2/D over the contacts [J], of those at their bound only what they may still change.
  double contactEnergy(const World<D>& w) const {
    const auto v = w.fluid.v.read();
    double sum = 0;
    for (const ParticleContact<D>& c : contacts) {
      const double change = c.next(v[c.i].x, rateOf(w, c.block)) - c.lambda;
      sum += change * change / c.perD;
    }
    return sum;
  }

  /// One Gauss-Seidel pass: rows in colours, then contacts.
  void sweep(World<D>& w, const DensityRows<D>& density, Array<Real>& lambda) {
    const auto v = w.fluid.v.view();
    const double perM = 1 / double(density.mass);
    const Bounds<double> bounds{density.bounds().low, density.bounds().high};
    forEachInColours([&](std::size_t of) {
      const BoundRow<D>& row = rows[of];
      const double last = lambda[row.i], r = residual(w, density, last, row);
      const double next = relaxed(last, r, row.perD, bounds, double(density.omega)), change = next - last;
      const Real kick = Real(change * perM);
      for (std::size_t k = row.pairs; k < row.pairsEnd; ++k) v[pairs[k].j].x -= kick * pairs[k].g;
      v[row.i].x += kick * density.G[row.i].x;
      for (std::size_t k = row.blocks; k < row.blocksEnd; ++k) push(*w.bodies, blocks[k], change);
      lambda[row.i] = Real(next);
    });
    for (ParticleContact<D>& c : contacts) {
      const double next = c.next(v[c.i].x, rateOf(w, c.block)), change = next - c.lambda;
      v[c.i].x += Real(change * perM) * c.n;
      if (c.block.body >= 0) push(*w.bodies, c.block, change);
      c.lambda = next;
    }
  }

 private:
  struct Cluster {
    std::size_t first, last;  // in rows
  };
  std::vector<Cluster> clusters_;
  std::vector<std::pair<int, int> > colours_;  // first and last of the clusters of each colour

  template <class F>
  void forEachInColours(F f) const {
    for (const auto& [first, last] : colours_)
      tbb::parallel_for(first, last, [&](int c) {
        for (std::size_t k = clusters_[c].first; k < clusters_[c].last; ++k) f(k);
      });
  }

  /// Puts the rows into clusters, those that have the same first body, and the clusters into colours: greedily, each takes the
  /// first colour that no other cluster with one of its bodies or particles has. What finds none of 63 has a colour of its own.
  /// Rows in a cluster stay in the order of the sort, and nothing depends on threads.
  void arrange(int particles, int bodies) {
    constexpr int most = 63, together = 64;  // colours; rows without a body that make a cluster
    const int n = int(rows.size());
    std::vector<int> key(n), order(n);
    for (int k = 0; k < n; ++k) key[k] = rows[k].blocks < rows[k].blocksEnd ? blocks[rows[k].blocks].body : bodies + k / together;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
    struct Coloured {
      int colour, first, last;  // in order
    };
    std::vector<Coloured> all;
    std::vector<std::uint64_t> ofParticle(particles), ofBody(bodies);
    for (int first = 0, last = 0; first < n; first = last) {
      while (last < n && key[order[last]] == key[order[first]]) ++last;
      const auto each = [&](auto f) {
        for (int k = first; k < last; ++k) {
          const BoundRow<D>& row = rows[order[k]];
          for (std::size_t p = row.pairs; p < row.pairsEnd; ++p) f(ofParticle[pairs[p].j]);
          for (std::size_t b = row.blocks; b < row.blocksEnd; ++b) f(ofBody[blocks[b].body]);
        }
      };
      std::uint64_t taken = 0;
      each([&](std::uint64_t& colours) { taken |= colours; });
      const int colour = std::countr_one(taken);
      if (colour < most) each([&](std::uint64_t& colours) { colours |= std::uint64_t(1) << colour; });
      all.push_back({colour < most ? colour : most + int(all.size()), first, last});
    }
    std::stable_sort(all.begin(), all.end(), [](const Coloured& a, const Coloured& b) { return a.colour < b.colour; });
    clusters_.clear(), colours_.clear();
    std::vector<BoundRow<D> > arranged;
    arranged.reserve(rows.size());
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (c == 0 || all[c].colour != all[c - 1].colour) colours_.emplace_back(int(c), int(c));
      ++colours_.back().second;
      clusters_.push_back({arranged.size(), arranged.size() + std::size_t(all[c].last - all[c].first)});
      for (int k = all[c].first; k < all[c].last; ++k) arranged.push_back(rows[order[k]]);
    }
    rows = std::move(arranged);
  }

  Stars<D> stars_;                    // of `rows`
  std::vector<HeldByBody<D> > held_;  // of `blocks`

  BodyBlock& blockOf(std::size_t from, int body) {
    for (std::size_t k = from; k < blocks.size(); ++k)
      if (blocks[k].body == body) return blocks[k];
    return blocks.emplace_back(BodyBlock{body});
  }
  /// From the body's centre of mass to a point, given from the domain's corner.
  static Vector leverOf(const World<D>& w, int body, const Vec<D>& at) {
    using namespace vectors;
    Vector x = {0, 0, 0};
    for (int k = 0; k < D; ++k) x[k] = at[k];
    return x + w.origin - w.bodies->body(body).x;
  }

  /// Row i with the blocks of bodies appended to `blocks` since `firstBlock`.
  template <class K>
  void add(const StepContext<D>& c, K W, DensityRows<D>& density, int i, std::size_t firstBlock) {
    const World<D>& w = c.world;
    const auto p = w.fluid.p.read();
    const int padding = w.fluid.padding(), firstPeriodicGhost = w.fluid.firstPeriodicGhost();
    BoundRow<D> row{i, pairs.size(), 0, firstBlock, blocks.size(), 0};
    const double m = density.mass;
    double d = density.sigma + double(dot(density.G[i].x, density.G[i].x)) / m;
    eachNeighbour(c.nb().fluid, i, padding, [&](int j) {
      const Vec<D> g = (Real(density.v0 * density.mass) * W.grad(p[i].x - p[j].x)).vec();
      d += double(dot(g, g)) / m;
      pairs.push_back({j < firstPeriodicGhost ? j : c.neighbourhood().ghosts().source()[j - firstPeriodicGhost], g});
    });
    for (std::size_t k = row.blocks; k < row.blocksEnd; ++k) d += inverseMass(*w.bodies, blocks[k]);
    row.pairsEnd = pairs.size();
    row.perD = inverseDiagonal(d, 1e-30);
    density.G[i].a = Real(row.perD);
    rows.push_back(row);
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
#endif
