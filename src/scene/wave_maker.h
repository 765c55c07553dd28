// Wave makers by linear theory (Dean & Dalrymple 1991, Ch. 6): how far they must move for waves of a height.
#pragma once
#include "brim/scene.h"

namespace brim {

/// k [1/m] of waves of angular frequency omega [rad/s] on water of that depth [m]: omega^2 = g k tanh(k depth).
double waveNumber(double omega, double depth, double g);

/// Height of the waves over the stroke at the still water level, far from the wave maker.
///   piston  2 (cosh 2kh - 1)/(sinh 2kh + 2kh)
///   flap    4 (sinh kh/kh) (kh sinh kh - cosh kh + 1)/(sinh 2kh + 2kh)
double heightOverStroke(const std::string& kind, double kh);

/// The motion of the wave maker under gravity g [m/s^2]: one oscillation for regular waves, `components` for a spectrum.
std::vector<Oscillation> oscillationsOf(const WaveMaker&, double g);

}  // namespace brim
