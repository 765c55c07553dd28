// When threads of a GPU share a particle: a number that what decides about batches needs too.
#pragma once

namespace brim {

/// Up to so many particles do not fill a GPU, and two threads share each in loops over neighbours. It decides the order of sums,
/// and so their last bits.
constexpr int sharedUpTo = 80000;

}  // namespace brim
