// How a motion carries what it moves.
#pragma once
#include "brim/scene.h"
#include "scene/mistakes.h"
#include "scene/primitive.h"

namespace brim {

/// Where a motion has carried a body at time t [s], and how it moves then: the exact derivative of the path, from the right.
/// x(t) = pivot + s(t) + Q(t) (x0 - pivot). s: velocity (t - start), displacements and the amplitudes of oscillations. Q: a turn
/// about the axis by rate (t - start) and the angles of oscillations, after the turn by the angles of keyframes. Before `start`
/// and after `stop` the body rests. `file` and `waves` count as they were resolved.
Pose<double> poseAt(const Motion&, const Pose<double>& initial, double t);

/// Reads the files of motions and of gravity, and works out the strokes of wave makers. What is wrong in a file is told with its
/// line and column there.
void resolveMotions(Scene&, Mistakes&);

/// What is wrong with the motions of solids and of the tank.
void checkMotions(const Scene&, Mistakes&);

}  // namespace brim
