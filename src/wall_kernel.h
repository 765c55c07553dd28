// The smoothing kernel of a scene in this flavour's numbers, as the samples of walls are made for it.
#pragma once
#include <functional>
#include <string>

#include "math/kernels.h"
#include "scene/declare.h"

namespace brim::inline BRIM_FLAVOUR {

/// W(r) [1/m^D], r in m.
template <int D>
std::function<double(double)> kernelOf(const Scene& s) {
  const std::string name = kernelName(s);
  const double support = supportOf(s) * s.resolution.spacing;
  return [=](double r) {
    double value = 0;
    withKernel<D>(name, support, [&](auto W) {
      Vec<D> x{};
      x[0] = Real(r);
      value = r < support ? double(W(x)) : 0.0;
    });
    return value;
  };
}

}  // namespace brim::inline BRIM_FLAVOUR
