// Small dense symmetric systems.
#pragma once
#include <vector>

namespace brim::inline BRIM_FLAVOUR {

/// A = L D L^T for symmetric positive semidefinite A. A pivot that is no more than rounding counts as zero, which fixes its
/// unknown at zero: solve() then applies the inverse for the other unknowns, which is still symmetric and positive semidefinite.
class Ldl {
 public:
  /// The matrix for the caller to fill: row-major, the lower triangle.
  std::vector<double>& start(int n) { return n_ = n, a_.assign(std::size_t(n) * n, 0), a_; }

  void factor(double rounding) {
    for (int i = 0; i < n_; ++i) {
      double* const a = row(i);
      const double own = a[i];
      for (int j = 0; j < i; ++j) {
        const double* const b = row(j);
        for (int k = 0; k < j; ++k) a[j] -= a[k] * b[k];  // a is L_ij D_j until row i is done
      }
      for (int j = 0; j < i; ++j) {
        const double l = a[j] * row(j)[j];
        a[i] -= l * a[j];
        a[j] = l;
      }
      a[i] = a[i] > rounding * own ? 1 / a[i] : 0;  // 1/D_i
    }
  }

  void solve(std::vector<double>& x) const {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j) x[i] -= row(i)[j] * x[j];
    for (int i = 0; i < n_; ++i) x[i] *= row(i)[i];
    for (int i = n_ - 1; i >= 0; --i)
      for (int j = 0; j < i; ++j) x[j] -= row(i)[j] * x[i];
  }
  int size() const { return n_; }

 private:
  double* row(int i) { return a_.data() + std::size_t(i) * n_; }
  const double* row(int i) const { return a_.data() + std::size_t(i) * n_; }

  int n_ = 0;
  std::vector<double> a_;
};

}  // namespace brim::inline BRIM_FLAVOUR
