#include "brim/foam.h"

namespace brim {

void FoamOptions::visit(ParameterVisitor& v) {
  v("speed", speed,
    {"m/s", "The speed of fast liquid, which the limits below are parts of. 0: 99 of 100 particles of the run are slower.", 0,
     1e4});
  v("trapped_air_rate", trapped_air_rate,
    {"1/s", "Foam particles that one particle of liquid makes where it traps most air.", 0, 1e6});
  v("trapped_air_min", trapped_air_min,
    {"", "Liquid whose neighbours come towards it at a mean speed below this part of `speed` traps no air.", 0, 100});
  v("trapped_air_max", trapped_air_max,
    {"", "At this part of `speed` it traps most air. Smaller: more foam where water hits water.", 0, 100});
  v("crest_rate", crest_rate, {"1/s", "Foam particles that one particle of liquid makes at the sharpest crests.", 0, 1e6});
  v("crest_min", crest_min, {"", "Curvature of the surface below which there is no crest; 0: flat.", 0, 2});
  v("crest_max", crest_max, {"", "Curvature of the sharpest crests. Smaller: more foam along crests.", 0, 2});
  v("energy_min", energy_min, {"", "Liquid slower than this part of `speed` makes no foam.", 0, 100});
  v("energy_max", energy_max, {"", "Liquid faster than this part of `speed` makes most.", 0, 100});
  v("spray_below", spray_below, {"", "With fewer neighbours than this part of a full neighbourhood a particle is spray.", 0, 1});
  v("bubbles_above", bubbles_above,
    {"", "With more neighbours than this part of a full one it is a bubble; between them foam.", 0, 1});
  v("bubble_speed", bubble_speed, {"m/s", "Speed at which bubbles rise in liquid at rest.", 0, 100, true});
  v("bubble_buoyancy", bubble_buoyancy,
    {"", "Acceleration of a bubble that starts to rise, over gravity. 2: a sphere of air with the water that it moves.", 0, 100,
     true});
  v("lifetime", lifetime,
    {"s", "How long the foam lasts that most air made. 0: in which fast liquid crosses the domain five times, at most 10 s.", 0,
     1e6});
  v("lifetime_weakest", lifetime_weakest, {"", "How long foam of little air lasts, as a part of that.", 0, 1});
  v("most", most, {"", "Particles of foam at one time, at most. 0: four for every particle of liquid.", 0, 500000000});
  v("seed", seed, {"", "Another number makes other foam of the same kind.", 0, 1e9});
}

}  // namespace brim
