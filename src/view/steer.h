// A solid that is moved by hand.
#pragma once
#include "brim/scene.h"

namespace brim::view {

/// The course of a solid that is dragged: its own motion, and on top of it an offset that goes from `from` at time `now` [s] to
/// `to` [m] at the speed [m/s]. Courses are linear between keyframes and so is the sum, which is therefore exact.
Motion steered(const Motion& own, const Vector& from, const Vector& to, double now, double speed);

/// The offset at time t on the way from `from` at `start` to `to`.
Vector offsetAt(const Vector& from, const Vector& to, double start, double speed, double t);

/// Whether a motion can be steered at time t: one that turns keeps its own beginning and end, and rests outside of them.
bool steerable(const Motion&, double t);

}  // namespace brim::view
