// Parameters that are one of several words.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "brim/parameter.h"

namespace brim::inline BRIM_FLAVOUR {

inline Doc oneOf(std::string text, std::vector<std::string> words) {
  return {"", std::move(text), -1e300, 1e300, false, std::move(words)};
}
/// The kernels of particle solvers (sph/kernels.h).
inline const std::vector<std::string> kernelWords = {"cubic", "slepian", "quintic", "wendland", "poly6"};

}  // namespace brim::inline BRIM_FLAVOUR
