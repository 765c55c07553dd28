// How foam moves (Ihmsen et al. 2012, section 3.3), and what it is.
#pragma once
#include "brim/foam.h"
#include "surface/cloud.h"

namespace brim::foam {

/// The liquid around a place.
struct Around {
  double part;      // neighbours, over those of a full neighbourhood
  Vector velocity;  // [m/s] mean of theirs, weighted by W; 0 without any
};
/// `full`: neighbours of a full neighbourhood there.
Around around(const Cloud&, const Snapshot& liquid, const Vector& x, double full);

Foam::Kind kindOf(double part, const FoamOptions&);

/// One step h [s] of a particle in liquid that moves with u [m/s], under the gravity g [m/s^2]:
///   spray    dv/dt = g
///   foam     v = u
///   bubbles  dv/dt = -k_b g + (u - v)/tau
/// Each exact for what stays constant. Departs from the paper, whose drag k_d is a part of the velocity that a step takes away,
/// so that bubbles rise faster in longer steps: here tau follows from the speed at which they rise.
void advance(Vector& x, Vector& v, Foam::Kind, const Vector& u, const Vector& g, double h, const FoamOptions&);

/// Takes out those that do not stay, in their order.
void keep(Foam&, const std::vector<char>& stays);

}  // namespace brim::foam
