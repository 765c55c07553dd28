#include "bodies/body.h"

namespace brim {

using namespace vectors;

BodyState::BodyState(const SolidShape& shape, const MassProperties& m, bool held)
    : centre(m.centre), flat(shape.primitive().dimension == 2) {
  if (!held) {
    perMass = 1 / m.mass;
    perInertia = flat ? Matrix{0, 0, 0, 0, 0, 0, 0, 0, 1 / m.inertia[8]} : inverse(m.inertia);
  }
  shape.pose().toWorld(centre.data(), x.data());
  q = quaternionOf(shape.pose().rotation);
  refresh();
}

void BodyState::refresh() {
  rotation = matrixOf(q);
  perInertiaHere = rotation * (perInertia * transposed(rotation));
}

void BodyState::move(double dt) {
  x = x + dt * u.v;
  if (u.w == Vector{0, 0, 0}) return;
  if (flat || perMass == 0) {
    q = normalised(product(turnBy(dt * u.w), q));
    return refresh();
  }
  const Vector L = inverse(perInertiaHere) * u.w;
  const Quaternion start = q;
  q = normalised(product(turnBy(dt / 2 * u.w), start));
  refresh();
  q = normalised(product(turnBy(dt * (perInertiaHere * L)), start));
  refresh();
  u.w = perInertiaHere * L;
}

Pose<double> BodyState::pose() const {
  Pose<double> p;
  const Vector arm = -(rotation * centre), v = u.v + cross(u.w, arm);
  for (int i = 0; i < 9; ++i) p.rotation[i] = rotation[i];
  for (int i = 0; i < 3; ++i) p.position[i] = x[i] + arm[i], p.velocity[i] = v[i], p.spin[i] = u.w[i];
  return p;
}

}  // namespace brim
