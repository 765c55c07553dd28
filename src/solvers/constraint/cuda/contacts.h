// Contacts of particles with surfaces on a GPU (Eq. 26-29). Those of a particle follow each other; particles that touch no body
// have nothing in common and go side by side, and of the others one comes after the other, which is the same as the host's order.
#pragma once
#include "bodies/row.h"
#include "solvers/constraint/cuda/bodies.h"
#include "solvers/constraint/surfaces.h"

namespace brim::inline BRIM_FLAVOUR {

/// n . (v_i - v_wall) >= c: a particle no nearer than half a support to a surface.
template <int D>
struct ContactHere {
  Vec<D> n;
  int i;
  double c, perD, lambda;
  PartHere part;  // body -1: a wall

  __device__ double residual(const Vec<D>& v, const BodyHere* bodies) const {
    return double(dot(n, v)) + (part.body >= 0 ? part.rate(bodies[part.body]) : 0) - c;
  }
  __device__ double change(const Vec<D>& v, const BodyHere* bodies) const {
    const double next = lambda - perD * residual(v, bodies);
    return (next > 0 ? next : 0) - lambda;
  }
};

/// All contacts of one particle.
template <int D>
struct ContactSweep {
  ContactHere<D>* contacts;
  const int* first;  // of each particle
  BodyHere* bodies;
  Sample<D>* v;
  double perM;
  __device__ void operator()(int i) const {
    for (int k = first[i]; k < first[i + 1]; ++k) {
      ContactHere<D>& c = contacts[k];
      const double change = c.change(v[i].x, bodies);
      v[i].x += Real(change * perM) * c.n;
      if (c.part.body >= 0)
        for (int lane = 0; lane < 12; ++lane) c.part.push(bodies[c.part.body], lane, change);
      c.lambda += change;
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

  void gather(const World<D>& w, const Spook& spook, const BodyHere* bodies) {
    const int n = w.fluid.size();
    const Surfaces<D> surfaces(w);
    const auto p = w.fluid.p.read();
    const Real half = Real(w.support / 2);
    // Spook::oneSided, which is linear on both sides of 0.
    const double perM = 1 / w.mass, left = spook.oneSided(1), violated = -spook.oneSided(-1);
    first_.resize(std::size_t(n) + 1), serial_.resize(std::size_t(n) + 1), which_.resize(n);
    const auto first = first_.view(), serial = serial_.view(), which = which_.view();
    forEach(n + 1, [=] BRIM_KERNEL(int i) {
      int count = 0, bound = 0;
      if (i < n)
        surfaces.each(p[i].x, 2 * half, [&](Real, const Vec<D>&, const Vec<D>&, int shape) {
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
      surfaces.each(p[i].x, 2 * half, [&](Real distance, const Vec<D>& normal, const Vec<D>& velocity, int shape) {
        const double g = double(distance) - half;
        ContactHere<D> c{normal, i, (g > 0 ? left : violated) * g, 0, 0, {-1, {0, 0, 0}, {0, 0, 0}}};
        double d = perM;
        if (shape >= surfaces.firstFree) {
          c.part.body = shape - surfaces.firstFree;
          c.part.add(bodies[c.part.body], p[i].x, normal);
          d += c.part.inverseMass(bodies[c.part.body]);
        } else {
          c.c += double(dot(normal, velocity));
        }
        c.perD = 1 / d;
        contact[k++] = c;
      });
    });
  }

  void sweep(World<D>& w, BodyHere* bodies) {
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
  double energy(const World<D>& w, const BodyHere* bodies) const {
    const auto contact = contacts_.read();
    const auto v = w.fluid.v.read();
    return sumOf(size_, [=] BRIM_KERNEL(int k) {
      const double change = contact[k].change(v[contact[k].i].x, bodies);
      return change * change / contact[k].perD;
    });
  }

 private:
  Array<ContactHere<D>> contacts_;
  Array<int> first_;           // of each particle
  Array<int> serial_, which_;  // particles before each that touch bodies; those
  int size_ = 0, serials_ = 0;
};

}  // namespace brim::inline BRIM_FLAVOUR
