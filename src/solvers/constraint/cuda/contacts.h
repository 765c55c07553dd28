// Contacts of particles with surfaces on a GPU (Eq. 26-29). Those of a particle follow each other; particles that touch no body
// have nothing in common and go side by side, and of the others one comes after the other, which is the same as the host's order.
#pragma once
#include "solvers/constraint/cuda/bodies.h"
#include "solvers/constraint/particle_contact.h"

namespace brim::inline BRIM_FLAVOUR {

/// G u of one body; 0 where there is none.
__device__ inline double rateOf(const DeviceBody* bodies, const BodyBlock& block) {
  return block.body >= 0 ? bodies[block.body].rate(block) : 0;
}

/// All contacts of one particle.
template <int D>
struct ContactSweep {
  ParticleContact<D>* contacts;
  const int* first;  // of each particle
  DeviceBody* bodies;
  Record<D>* v;
  double perM;
  __device__ void operator()(int i) const {
    for (int k = first[i]; k < first[i + 1]; ++k) {
      ParticleContact<D>& c = contacts[k];
      const double next = c.next(v[i].x, rateOf(bodies, c.block)), change = next - c.lambda;
      v[i].x += Real(change * perM) * c.n;
      if (c.block.body >= 0)
        for (int lane = 0; lane < 12; ++lane) bodies[c.block.body].push(c.block, lane, change);
      c.lambda = next;
    }
  }
};
template <int D>
__global__ void oneByOneKernel(ContactSweep<D> sweep, const int* which, int n) {
  for (int k = 0; k < n; ++k) sweep(which[k]);
}

template <int D>
class ParticleContacts {
 public:
  int size() const { return size_; }
  void clear() { size_ = 0; }

  void gather(const World<D>& w, const Spook spook, const ContactReach<D> reach, const DeviceBody* bodies) {
    const int n = w.fluid.size();
    const Surfaces<D> surfaces(w);
    const auto p = w.fluid.p.read(), v = w.fluid.v.read();
    const double perM = 1 / w.mass;
    first_.resize(std::size_t(n) + 1), serial_.resize(std::size_t(n) + 1), which_.resize(n);
    const auto first = first_.view(), serial = serial_.view(), which = which_.view();
    forEach(n + 1, [=] BRIM_KERNEL(int i) {
      int count = 0, bound = 0;
      if (i < n)
        surfaces.each(p[i].x, reach.of(v[i].x), [&](Real distance, const Vec<D>&, const Vec<D>&, int shape) {
          if (!reach.takes(distance)) return;
          ++count;
          bound |= shape >= surfaces.firstFree;
        });
      first[i] = count, serial[i] = bound;
    });
    scan(first_, n + 1), scan(serial_, n + 1);
    size_ = elementOf(first_, n), serials_ = elementOf(serial_, n);
    contacts_.resize(size_);
    const auto contact = contacts_.view();
    const auto start = first_.read(), number = serial_.read();
    forEach(n, [=] BRIM_KERNEL(int i) {
      if (number[i + 1] > number[i]) which[number[i]] = i;
      int k = start[i];
      if (k == start[i + 1]) return;
      surfaces.each(p[i].x, reach.of(v[i].x), [&](Real distance, const Vec<D>& normal, const Vec<D>& velocity, int shape) {
        if (!reach.takes(distance)) return;
        const int body = shape < surfaces.firstFree ? -1 : shape - surfaces.firstFree;
        auto c = ParticleContact<D>::of(i, reach.gap(distance), normal, velocity, body, spook);
        double d = perM;
        if (body >= 0) {
          bodies[body].addTo(c.block, p[i].x, normal);
          d += bodies[body].inverseMass(c.block);
        }
        c.perD = 1 / d;
        contact[k++] = c;
      });
    });
  }

  void sweep(World<D>& w, DeviceBody* bodies) {
    if (size_ == 0) return;
    const ContactSweep<D> sweep{contacts_.data(), first_.data(), bodies, w.fluid.v.data.data(), 1 / w.mass};
    const auto number = serial_.read();
    forEach(w.fluid.size(), [=] BRIM_KERNEL(int i) {
      if (number[i + 1] == number[i]) sweep(i);
    });
    if (serials_ == 0) return;
    oneByOneKernel<<<1, 1>>>(sweep, which_.data(), serials_);
    check(cudaGetLastError(), "start a kernel");
  }

  /// The sum of r^2/D [J], of contacts at their bound only what they may still change.
  double energy(const World<D>& w, const DeviceBody* bodies) const {
    const auto contact = contacts_.read();
    const auto v = w.fluid.v.read();
    return sumOf(size_, [=] BRIM_KERNEL(int k) {
      const ParticleContact<D>& c = contact[k];
      const double change = c.next(v[c.i].x, rateOf(bodies, c.block)) - c.lambda;
      return change * change / c.perD;
    });
  }

 private:
  Array<ParticleContact<D>> contacts_;
  Array<int> first_;           // of each particle
  Array<int> serial_, which_;  // particles before each that touch bodies; those
  int size_ = 0, serials_ = 0;
};

}  // namespace brim::inline BRIM_FLAVOUR
