// Bodies for rows on a GPU. They are the host's; they come over for each pass, and what the pass did to them goes back as
// impulses.
#pragma once
#include "solvers/constraint/density_rows.h"

namespace brim::inline BRIM_FLAVOUR {

/// A body for the time of a pass.
struct BodyHere {
  double x[3];                    // [m] centre of mass, from the domain's corner
  double v[3], w[3];              // [m/s], [rad/s]
  double perMass, perInertia[9];  // [1/kg], [1/(kg m^2)]
  double impulse[3], moment[3];   // [N s], [N m s] that it was given
};

/// What a row has of one body: [linear, arm] of G over its velocities.
struct PartHere {
  int body;  // -1: none
  double linear[3], arm[3];

  /// The row gets -g at that point [m] of the body.
  template <int D>
  __device__ void add(const BodyHere& b, const Vec<D>& at, const Vec<D>& g) {
    double force[3] = {0, 0, 0}, r[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) force[k] = -double(g[k]), r[k] = double(at[k]);
    for (int k = 0; k < 3; ++k) r[k] -= b.x[k];
    for (int k = 0; k < 3; ++k) {
      const int m = (k + 1) % 3, n = (k + 2) % 3;
      linear[k] += force[k];
      arm[k] += r[m] * force[n] - r[n] * force[m];
    }
  }
  /// G M^-1 G^T.
  __device__ double inverseMass(const BodyHere& b) const {
    double d = 0;
    for (int k = 0; k < 3; ++k) {
      d += b.perMass * linear[k] * linear[k];
      for (int m = 0; m < 3; ++m) d += arm[k] * b.perInertia[3 * k + m] * arm[m];
    }
    return d;
  }
  __device__ double rate(const BodyHere& b) const {
    double r = 0;
    for (int k = 0; k < 3; ++k) r += linear[k] * b.v[k] + arm[k] * b.w[k];
    return r;
  }
  /// By the first twelve threads of a warp, each a number of the body's.
  __device__ void push(BodyHere& b, int lane, double lambda) const {
    const int k = lane % 3;
    if (lane < 3) {
      b.v[k] += b.perMass * lambda * linear[k];
    } else if (lane < 6) {
      double turn = 0;
      for (int m = 0; m < 3; ++m) turn += b.perInertia[3 * k + m] * arm[m];
      b.w[k] += lambda * turn;
    } else if (lane < 9) {
      b.impulse[k] += lambda * linear[k];
    } else if (lane < 12) {
      b.moment[k] += lambda * arm[k];
    }
  }
};

class BodiesHere {
 public:
  BodyHere* data() { return there_.data(); }
  /// The bodies as they are now.
  template <int D>
  void bring(const World<D>& w) {
    if (!w.bodies) return;
    host_.resize(w.bodies->size());
    for (int b = 0; b < w.bodies->size(); ++b) {
      const BodyState& from = w.bodies->body(b);
      BodyHere& to = host_[b] = {};
      for (int k = 0; k < 3; ++k) to.x[k] = from.x[k] - w.origin[k], to.v[k] = from.u.v[k], to.w[k] = from.u.w[k];
      to.perMass = from.perMass;
      for (int k = 0; k < 9; ++k) to.perInertia[k] = from.perInertiaHere[k];
    }
    copyIn(there_, host_.data(), host_.size());
  }
  /// The host's get the impulses.
  template <int D>
  void giveBack(World<D>& w) {
    if (!w.bodies) return;
    copyOut(there_, host_.data(), host_.size());
    for (int b = 0; b < w.bodies->size(); ++b) {
      const BodyHere& h = host_[b];
      w.bodies->pushNow(b, {h.impulse[0], h.impulse[1], h.impulse[2]}, {h.moment[0], h.moment[1], h.moment[2]});
    }
  }

 private:
  Array<BodyHere> there_;
  std::vector<BodyHere> host_;
};

}  // namespace brim::inline BRIM_FLAVOUR
