#include "solvers/constraint/wall_field.h"

#include <cmath>
#include <numbers>

namespace brim::inline BRIM_FLAVOUR {

WallField::WallField(int dimension, double d, double h, double calibration, const std::function<double(double)>& W) {
  // Integral of W over the plane (2D: the line) at distance z.
  const auto plane = [&](double z) {
    const int steps = 400;
    const double far = dimension == 3 ? h : std::sqrt(std::max(0.0, h * h - z * z)), from = dimension == 3 ? z : 0;
    double sum = 0;
    for (int i = 0; i < steps && far > from; ++i) {
      const double s = from + (i + 0.5) * (far - from) / steps, ds = (far - from) / steps;
      sum += ds * (dimension == 3 ? 2 * std::numbers::pi * s * W(s) : 2 * W(std::sqrt(z * z + s * s)));
    }
    return sum;
  };
  const int nodes = 1025;
  std::vector<double> tabulated(nodes);
  for (int i = 0; i < nodes; ++i) tabulated[i] = plane(h * i / (nodes - 1));
  const auto at = [&](double z) {
    const double s = std::abs(z) / h * (nodes - 1);
    const int k = int(s);
    return k >= nodes - 1 ? 0.0 : tabulated[k] + (s - k) * (tabulated[k + 1] - tabulated[k]);
  };
  const auto phi = [&](double r) {
    double sum = 0;
    for (int k = 0; r + (k + 0.5) * d < h; ++k) sum += at(r + (k + 0.5) * d);
    return calibration * d * sum;
  };
  const int last = 1024;
  low_ = Real(-h);
  perStep_ = Real(last / (2 * h));
  std::vector<Real> table;
  for (int i = 0; i <= last; ++i) {
    const double r = -h + 2 * h * i / last, eps = h / 200;
    table.push_back(Real(phi(r)));
    table.push_back(Real((phi(r + eps) - phi(r - eps)) / (2 * eps)));
  }
  copyIn(table_, table.data(), table.size());
}

}  // namespace brim::inline BRIM_FLAVOUR
