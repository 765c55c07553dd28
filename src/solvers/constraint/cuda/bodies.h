// Rigid bodies for rows on a GPU. They are the host's; they come over for each pass, and what the pass did to them goes back as
// impulses.
#pragma once
#include "solvers/constraint/body_blocks.h"

namespace brim::inline BRIM_FLAVOUR {

/// A body for the time of a pass.
struct DeviceBody {
  double x[3];                    // [m] centre of mass, from the domain's corner
  double v[3], w[3];              // [m/s], [rad/s]
  double perMass, perInertia[9];  // [1/kg], [1/(kg m^2)]
  double impulse[3], moment[3];   // [N s], [N m s] that it was given

  /// Adds to a block: -g at a point given from the domain's corner.
  template <int D>
  __device__ void addTo(BodyBlock& block, const Vec<D>& at, const Vec<D>& g) const {
    double r[3] = {0, 0, 0};
    for (int k = 0; k < D; ++k) r[k] = double(at[k]);
    for (int k = 0; k < 3; ++k) r[k] -= x[k];
    addReaction(block, r, g);
  }
  __device__ double inverseMass(const BodyBlock& block) const { return block.inverseMass(perMass, perInertia); }
  __device__ double rate(const BodyBlock& block) const { return block.rate(v, w); }
  /// Pushes the body by a changed multiplier: thread `lane` of the first twelve of a warp changes one number.
  __device__ void push(const BodyBlock& block, int lane, double lambda) {
    const int k = lane % 3;
    if (lane < 3)
      v[k] += perMass * (lambda * block.linear[k]);
    else if (lane < 6)
      w[k] += lambda * dot3(perInertia + 3 * k, block.arm);
    else if (lane < 9)
      impulse[k] += lambda * block.linear[k];
    else if (lane < 12)
      moment[k] += lambda * block.arm[k];
  }
};

class DeviceBodies {
 public:
  DeviceBody* data() { return there_.data(); }
  /// The bodies as they are now.
  template <int D>
  void bring(const World<D>& w) {
    if (!w.bodies) return;
    host_.resize(w.bodies->size());
    for (int b = 0; b < w.bodies->size(); ++b) {
      const BodyState& from = w.bodies->body(b);
      DeviceBody& to = host_[b] = {};
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
      const DeviceBody& h = host_[b];
      w.bodies->pushNow(b, {h.impulse[0], h.impulse[1], h.impulse[2]}, {h.moment[0], h.moment[1], h.moment[2]});
    }
  }

 private:
  Array<DeviceBody> there_;
  std::vector<DeviceBody> host_;
};

}  // namespace brim::inline BRIM_FLAVOUR
