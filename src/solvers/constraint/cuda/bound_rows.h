// Density rows that touch rigid bodies, or periodic ghosts, on a GPU: one warp goes through them in the order of the sort.
#pragma once
#include "solvers/constraint/cuda/contacts.h"
#include "solvers/constraint/cuda/sweep.h"

namespace brim::inline BRIM_FLAVOUR {

/// Bodies beside the particles of rows. A row has at most `room` of them.
struct Bodied {
  using Sum = double;
  DeviceBody* bodies;
  const BodyBlock* blocks;
  int room, rows;
  __device__ double rate(int k, int lane) const {
    if (const int far = k + 8; lane < room && far < rows)
      asm volatile("prefetch.global.L1 [%0];" ::"l"(blocks + std::int64_t(far) * room + lane));
    double r = 0;
    for (int p = 0; p < room; ++p) {
      const BodyBlock& block = blocks[std::int64_t(k) * room + p];
      if (block.body >= 0) r += bodies[block.body].rate(block);
    }
    return r;
  }
  __device__ void push(int k, int lane, double change) const {
    for (int p = 0; p < room; ++p) {
      const BodyBlock& block = blocks[std::int64_t(k) * room + p];
      if (block.body >= 0) bodies[block.body].push(block, lane, change);
    }
  }
};

/// Writes the blocks of bodies in rows.
template <int D>
struct BlockWriter {
  const DeviceBody* bodies;
  BodyBlock* blocks;
  int room;
  int* most;  // blocks of a row

  __device__ BodyBlock* begin(int row) const {
    BodyBlock* const mine = blocks + std::int64_t(row) * room;
    for (int p = 0; p < room; ++p) mine[p].body = -1;
    return mine;
  }
  /// Adds -g at that point to the body's block. `used`: blocks of the row, with those that found no room.
  __device__ void add(BodyBlock* mine, int& used, int body, const Vec<D>& at, const Vec<D>& g) const {
    int p = 0;
    while (p < used && p < room && mine[p].body != body) ++p;
    if (p == used) {
      ++used;
      if (p < room) mine[p] = {body, {0, 0, 0}, {0, 0, 0}};
    }
    if (p >= room) {  // more bodies than room
      used = used > room ? used : room + 1;
      return;
    }
    bodies[body].addTo(mine[p], at, g);
  }
  __device__ void end(int used) const {
    if (used > room) atomicMax(most, used);
  }
};

/// All rows in one warp. Bodies, and the velocities of the `reach` particles of all rows, are held in the processor's memory;
/// where these have no room in it (`which` is null), pairs have the particles' own numbers.
template <int D>
__global__ void __launch_bounds__(warp)
    sweepBoundKernel(RowSweep<D, Bodied> sweep, int rows, int bodies, const int* which, int reach, Record<D>* v) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ RowsAhead<D> ring;
  const int lane = int(threadIdx.x);
  Record<D>* const own = reinterpret_cast<Record<D>*>(memory);
  DeviceBody* const near = reinterpret_cast<DeviceBody*>(own + (which ? reach : 0));
  DeviceBody* const far = sweep.coupled.bodies;
  for (int b = lane; b < bodies; b += warp) near[b] = far[b];
  if (which)
    for (int m = lane; m < reach; m += warp) __pipeline_memcpy_async(own + m, v + which[m], sizeof(Record<D>));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  if (bodies > 0) sweep.coupled.bodies = near;
  if (which)
    sweep(0, rows, own, ring);
  else
    sweep(0, rows, v, ring);
  __syncwarp();
  for (int b = lane; b < bodies; b += warp) far[b] = near[b];
  if (which)
    for (int m = lane; m < reach; m += warp) v[which[m]] = own[m];
}

/// r of a row, by a warp.
template <int D>
struct RowResidual {
  RowLists<D>::Row const* rows;
  const RowPair<D>* pairs;
  const Record<D>* v;
  const int* which;  // see sweepBoundKernel
  const Real* lambda;
  Real* r;
  Real sigma;
  Bodied bodied;
  __device__ void operator()(int k) const {
    const int lane = int(threadIdx.x) % warp;
    const auto row = rows[k];
    double sum = 0;
    for (int m = lane; m < row.length; m += warp) {
      const RowPair<D> pair = pairs[row.first + m];
      sum += dot(pair.g, v[which ? which[pair.j] : pair.j].x);
    }
    sum = sumOfWarp(sum) + bodied.rate(k, lane);
    if (lane == 0) r[row.i] = Real(sum + double(sigma) * lambda[row.i] - row.c);
  }
};
template <int D>
__global__ void __launch_bounds__(warp) residualKernel(RowResidual<D> residual) {
  residual(int(blockIdx.x));
}

/// What multipliers give to the body blockIdx.x.
template <int D>
__global__ void __launch_bounds__(warp)
    pushKernel(const typename RowLists<D>::Row* rows, Bodied b, const Real* multiplier, double times) {
  const int lane = int(threadIdx.x), body = int(blockIdx.x);
  double sum[6] = {0, 0, 0, 0, 0, 0};
  for (std::int64_t q = lane; q < std::int64_t(b.rows) * b.room; q += warp) {
    const BodyBlock& block = b.blocks[q];
    if (block.body != body) continue;
    const double lambda = times * multiplier[rows[q / b.room].i];
    for (int k = 0; k < 3; ++k) sum[k] += lambda * block.linear[k], sum[3 + k] += lambda * block.arm[k];
  }
  for (int k = 0; k < 6; ++k) {
    sum[k] = sumOfWarp(sum[k]);
    if (lane == 0) (k < 3 ? b.bodies[body].impulse : b.bodies[body].moment)[k % 3] = sum[k];
  }
}

/// Geometric-stiffness rows of all bound rows' particles, one after the other.
template <int D>
struct BoundStars {
  StarSweep<D> sweep;
  HeldByBody<D>* held;
  Bodied bodied;
  __device__ void operator()(int lane) const {
    for (int k = 0; k < bodied.rows; ++k) {
      if (k + 2 < bodied.rows) sweep.ask(k + 2, lane);
      sweep(k, lane);
      if (lane == 0) bodies(k);
      __syncwarp();
    }
  }
  __device__ void bodies(int k) const {
    const int i = sweep.stars[k].i;
    for (int p = 0; p < bodied.room; ++p) {
      const std::int64_t q = std::int64_t(k) * bodied.room + p;
      const int b = bodied.blocks[q].body;
      if (b < 0 || !held[q].any) continue;
      DeviceBody& body = bodied.bodies[b];
      const Vec<D, double> change = held[q].change(sweep.v[i].x, held[q].velocity(body.v, body.w));
      held[q].L += change;
      BodyBlock reaction{b, {0, 0, 0}, {0, 0, 0}};
      double force[3] = {0, 0, 0};
      for (int a = 0; a < D; ++a) sweep.v[i].x[a] += Real(sweep.perM * change[a]), force[a] = -change[a];
      reaction.add(held[q].r, force);
      for (int part = 0; part < 12; ++part) body.push(reaction, part, 1);
    }
  }
};
template <int D>
__global__ void __launch_bounds__(warp) boundStarsKernel(BoundStars<D> stars) {
  stars(int(threadIdx.x));
}

template <int D>
class BoundRows {
 public:
  Apart apart;  // rows that are here and not in the colours

  /// Rows that leave the colours: those that feel bodies, by samples or the field (null: none), or see periodic ghosts.
  template <class K>
  void gather(StepContext<D>& c, K W, DensityRows<D>& density, const WallField* field) {
    World<D>& w = c.world;
    lists_.size = apart.count = 0;
    contacts_.clear();
    if (!w.bodies && !w.hasPeriodic()) return;
    const int n = w.fluid.size();
    apart.mark.resize(std::size_t(n) + 1), number_.resize(std::size_t(n) + 1), of_.resize(n);
    mark(c, density, field);
    scan(number_, n + 1);
    const int rows = apart.count = elementOf(number_, n);
    const auto marked = apart.mark.read(), number = number_.read();
    const auto of = of_.view();
    forEach(n, [=] BRIM_KERNEL(int i) {
      if (marked[i]) of[number[i]] = i;
    });
    lists_.layOut(c, of_.read(), rows);
    if (rows == 0) return;
    if (w.bodies) findBlocks(c, W, density, field);
    storeRows(c, W, density, lists_);
    numberReach(w);
  }

  /// Geometric-stiffness rows of the same particles: with each other, and with bodies by samples.
  template <class K>
  void gatherStars(StepContext<D>& c, K W, const DensityRows<D>& density, const Stiffness<D>& stiffness) {
    World<D>& w = c.world;
    const PairOwner<int> owner{{apart.count > 0 ? apart.mark.data() : nullptr},
                               w.fluid.firstPeriodicGhost(),
                               c.neighbourhood().ghosts().source().data()};
    stars_.build(c, W, stiffness, lists_.rows.data(), lists_.size, owner);
    const Bodied b = bodied();
    const int blocks = lists_.size * b.room;
    if (blocks == 0) return;
    heldByBodies_.resize(blocks);
    bodies_.bring(w);
    const SampleStiffness<D, K> samples(c, W, density, stiffness);
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    const auto row = lists_.rows.read();
    const auto held = heldByBodies_.view();
    const Vec<D> gravity = density.gravity;
    const Real eta = stiffness.eta, perM = stiffness.perM;
    const bool bySamples = density.samples;
    forEach(blocks, [=] BRIM_KERNEL(int q) {
      HeldByBody<D>& h = held[q];
      h.any = false;
      const int of = b.blocks[q].body, i = row[q / b.room].i;
      if (of < 0 || !bySamples) return;
      const DeviceBody& body = b.bodies[of];
      for (int a = 0; a < 3; ++a) h.r[a] = -body.x[a];
      for (int a = 0; a < D; ++a) h.r[a] += double(p[i].x[a]);
      h.gather(samples, i, of);
      if (!h.any) return;
      h.begin(v[i].x + gravity, h.velocity(body.v, body.w), eta);
      h.solveFor(perM, body.perMass, body.perInertia);
    });
  }
  void sweepStars(World<D>& w, Stiffness<D>& stiffness) {
    if (lists_.size == 0) return;
    bodies_.bring(w);
    boundStarsKernel<<<1, warp>>>(BoundStars<D>{starSweep(w, stars_, stiffness), heldByBodies_.data(), bodied()});
    check(cudaGetLastError(), "start a kernel");
    bodies_.giveBack(w);
  }

  /// Contacts of particles with all surfaces (Eq. 26-29).
  void gatherContacts(World<D>& w, const Spook& spook, const ContactReach<D>& reach) {
    bodies_.bring(w);
    contacts_.gather(w, spook, reach, bodies_.data());
  }

  /// One Gauss-Seidel pass, rows in the order of the sort, then contacts.
  void sweep(World<D>& w, const DensityRows<D>& density, Array<Real>& lambda) {
    if (lists_.size == 0 && contacts_.size() == 0) return;
    bodies_.bring(w);
    if (lists_.size > 0) {
      sweepBoundKernel<<<1, warp, memory()>>>(rowSweep(lists_, density, lambda, bodied()), lists_.size, held_, which(), reach_,
                                              w.fluid.v.data.data());
      check(cudaGetLastError(), "start a kernel");
    }
    contacts_.sweep(w, bodies_.data());
    bodies_.giveBack(w);
  }

  /// Eq. 33 of all rows, into density.r.
  void residuals(const World<D>& w, DensityRows<D>& density, const Array<Real>& lambda) {
    if (lists_.size == 0) return;
    bodies_.bring(w);
    residualKernel<<<lists_.size, warp>>>(RowResidual<D>{lists_.rows.data(), lists_.pairs.data(), w.fluid.v.data.data(), which(),
                                                         lambda.data(), density.r.data(), density.sigma, bodied()});
    check(cudaGetLastError(), "start a kernel");
  }

  /// Pushes the bodies by `times` these multipliers.
  void pushBodies(World<D>& w, const Array<Real>& multiplier, double times) {
    if (lists_.size == 0 || !w.bodies) return;
    bodies_.bring(w);
    pushKernel<D><<<w.bodies->size(), warp>>>(lists_.rows.data(), bodied(), multiplier.data(), times);
    check(cudaGetLastError(), "start a kernel");
    bodies_.giveBack(w);
  }
  double contactEnergy(const World<D>& w) {
    if (contacts_.size() == 0) return 0;
    bodies_.bring(w);
    return contacts_.energy(w, bodies_.data());
  }

  /// Gives the particles of all rows numbers of their own, if their velocities and the bodies fit into a processor's memory.
  void numberReach(const World<D>& w) {
    const int n = w.fluid.size(), pairs = int(lists_.pairs.size());
    fill(number_, 0, n + 1, 0);
    const auto number = number_.view();
    const auto pair = lists_.pairs.view();
    forEach(pairs, [=] BRIM_KERNEL(int k) { setOne(number[pair[k].j]); });
    scan(number_, n + 1);
    reach_ = elementOf(number_, n);
    constexpr std::size_t ours = 200 * 1024,
                          ring = sizeof(RowsAhead<D>) + 256;  // of a processor's memory; what the kernel has beside it
    const std::size_t most = std::min(ours, largestBlockMemory() - ring);
    held_ = w.bodies ? w.bodies->size() : 0;
    if (held_ * sizeof(DeviceBody) > most) held_ = 0;
    const bool fits = memory() <= most;
    if (!fits) reach_ = 0;
    allowBlockMemory(sweepBoundKernel<D>, memory(), "the sweep over rows of bodies");
    if (!fits) return;
    which_.resize(reach_);
    const auto which = which_.view();
    forEach(n, [=] BRIM_KERNEL(int i) {
      if (number[i + 1] > number[i]) which[number[i]] = i;
    });
    forEach(pairs, [=] BRIM_KERNEL(int k) { pair[k].j = number[pair[k].j]; });
  }

  // Steps of gather(); public because nvcc wants kernels there.
  void mark(StepContext<D>& c, const DensityRows<D>& density, const WallField* field) {
    World<D>& w = c.world;
    const int n = w.fluid.size(), firstPeriodicGhost = w.fluid.firstPeriodicGhost(), padding = w.fluid.padding();
    const auto marked = apart.mark.view(), number = number_.view();
    const auto bodySamples = density.bodySamples.read();
    const auto p = w.fluid.p.read();
    const Lists lists = c.nb().fluid;
    const bool bodies = bool(w.bodies), samples = density.samples, periodic = w.hasPeriodic();
    if (bodies && field) {
      const FieldAround<D> around(w, *field);
      forEach(n + 1, [=] BRIM_KERNEL(int i) {
        int here = 0;
        if (i < n)
          around.at(p[i].x, [&](const Vec<D>&, const Vec<D>&, int shape) { here |= shape >= around.surfaces.firstFree; });
        marked[i] = number[i] = here;
      });
      return;
    }
    forEach(n + 1, [=] BRIM_KERNEL(int i) {
      int here = i < n && bodies && samples && bodySamples[i] > 0;
      if (i < n && periodic)
        for (const int j : lists[i]) here |= j >= firstPeriodicGhost && j != padding;
      marked[i] = number[i] = here;
    });
  }

  template <class K>
  void findBlocks(StepContext<D>& context, K W, DensityRows<D>& density, const WallField* field) {
    World<D>& w = context.world;
    const int rows = lists_.size;
    bodies_.bring(w);
    most_.resize(1), drift_.resize(rows);
    for (;;) {
      blocks_.resize(std::size_t(rows) * room_);
      fill(most_, 0, 1, 0);
      const BlockWriter<D> writer{bodies_.data(), blocks_.data(), room_, most_.data()};
      if (field)
        blocksOfField(w, density, *field, writer);
      else
        blocksOfSamples(context, W, density, writer);
      const int most = elementOf(most_, 0);
      if (most <= room_) break;
      room_ = most;
    }
    // D has the bodies too, and c their share of xi G v_old where it was left out.
    const auto of = of_.read();
    const auto G = density.G.view();
    const auto c = density.c.view();
    const auto drift = drift_.read();
    const Bodied b = bodied();
    const Real xi = density.xi;
    forEach(rows, [=] BRIM_KERNEL(int k) {
      const int i = of[k];
      double d = G[i].a > 0 ? 1 / double(G[i].a) : 0;
      for (int p = 0; p < b.room; ++p) {
        const BodyBlock& block = b.blocks[std::int64_t(k) * b.room + p];
        if (block.body >= 0) d += b.bodies[block.body].inverseMass(block);
      }
      G[i].a = Real(inverseDiagonal(d, 1e-30));
      c[i] -= xi * drift[k];
    });
  }
  template <class K>
  void blocksOfSamples(StepContext<D>& c, K W, const DensityRows<D>& density, const BlockWriter<D> writer) {
    const SampledBodies<D, K> bodies(c, W, density);
    const auto of = of_.read();
    const auto drift = drift_.view();
    forEach(lists_.size, [=] BRIM_KERNEL(int row) {
      BodyBlock* const mine = writer.begin(row);
      int used = 0;
      bodies.each(of[row], [&](int b, const Vec<D>& at, const Vec<D>& g) { writer.add(mine, used, b, at, g); });
      writer.end(used);
      drift[row] = 0;
    });
  }
  void blocksOfField(World<D>& w, const DensityRows<D>& density, const WallField& field, const BlockWriter<D> writer) {
    const FieldBodies<D> bodies(w, field, density);
    const auto of = of_.read();
    const auto drift = drift_.view();
    forEach(lists_.size, [=] BRIM_KERNEL(int row) {
      BodyBlock* const mine = writer.begin(row);
      int used = 0;
      Real sum = 0;
      bodies.each(of[row], [&](int b, const Vec<D>& at, const Vec<D>& g, const Vec<D>& velocity) {
        writer.add(mine, used, b, at, g);
        sum += dot(g, velocity);
      });
      writer.end(used);
      drift[row] = sum;
    });
  }

 private:
  std::size_t memory() const { return reach_ * sizeof(Record<D>) + held_ * sizeof(DeviceBody); }
  const int* which() const { return reach_ ? which_.data() : nullptr; }
  Bodied bodied() { return {bodies_.data(), blocks_.data(), blocks_.size() ? room_ : 0, lists_.size}; }

  RowLists<D> lists_;
  Array<int> number_, of_;
  Array<int> which_;  // particles of all rows, if they are few
  int reach_ = 0;     // how many; 0: too many
  int held_ = 0;      // bodies that passes hold in the processor's memory; 0: too many
  Array<int> most_;
  Array<BodyBlock> blocks_;
  Array<Real> drift_;
  int room_ = 2;  // blocks of a row
  DeviceBodies bodies_;
  ParticleContacts<D> contacts_;
  Stars<D> stars_;                     // of the rows
  Array<HeldByBody<D>> heldByBodies_;  // of blocks_
};

}  // namespace brim::inline BRIM_FLAVOUR
