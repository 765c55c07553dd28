// A simulation on many ranks behind the face of one: rank 0 says what is done, and all do it.
#pragma once
#include <functional>
#include <memory>

#include "machine.h"

namespace brim {

class Mistakes;

/// Whatever ranks have not, with its place.
void checkRanks(const Scene&, const Options&, Mistakes&);

namespace ranks {

/// At rank 0: begins a simulation on all ranks, each of which makes a machine.
std::unique_ptr<Simulation::Machine> lead(const std::function<std::unique_ptr<Simulation::Machine>()>& make, const Options&);
/// At the others: the machine of these options.
std::unique_ptr<Simulation::Machine> follow(const Scene&, const Options&);

}  // namespace ranks
}  // namespace brim
