// Singular values of the small matrices of strain, in double, because the method squares the matrix.
#pragma once
#include "math/vec.h"

namespace brim::inline BRIM_FLAVOUR {

/// Eigenvectors v[.][k] of a symmetric matrix by cyclic Jacobi rotations; eigenvalues on the diagonal of `a`, in no order.
template <int R>
BRIM_FN void eigenvectors(double (&a)[R][R], double (&v)[R][R]) {
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < R; ++j) v[i][j] = i == j;
  for (int sweep = 0; sweep < (R == 2 ? 1 : 8); ++sweep)
    for (int p = 0; p < R; ++p)
      for (int q = p + 1; q < R; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / ((theta < 0 ? -theta : theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < R; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < R; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
        }
        for (int k = 0; k < R; ++k) {
          const double kp = v[k][p], kq = v[k][q];
          v[k][p] = c * kp - s * kq, v[k][q] = s * kp + c * kq;
        }
      }
}

/// F = sum_k sigma_k u_k v_k^T for the matrix whose columns are f[0] .. f[R - 1]. A square F keeps its sign: U and V turn the
/// same way, and the smallest sigma of an inverted element is negative.
template <int D, int R>
struct Svd {
  double sigma[R], u[R][D], v[R][R];  // u[k], v[k]: the k-th singular vectors; sigma falls

  BRIM_FN explicit Svd(const Vec<D>* f) {
    double a[R][R], w[R][R];
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < R; ++j) {
        a[i][j] = 0;
        for (int k = 0; k < D; ++k) a[i][j] += double(f[i][k]) * double(f[j][k]);
      }
    eigenvectors(a, w);
    int order[R];
    for (int k = 0; k < R; ++k) order[k] = k;
    for (int i = 0; i < R; ++i)
      for (int j = i + 1; j < R; ++j)
        if (a[order[j]][order[j]] > a[order[i]][order[i]]) {
          const int t = order[i];
          order[i] = order[j], order[j] = t;
        }
    for (int k = 0; k < R; ++k)
      for (int i = 0; i < R; ++i) v[k][i] = w[i][order[k]];
    if (R == 3) {  // makes V a rotation
      double c[R];
      third(v[0], v[1], c);
      for (int i = 0; i < R; ++i) v[R - 1][i] = c[i];
    } else {
      v[1][0] = -v[0][1], v[1][1] = v[0][0];
    }
    for (int k = 0; k < R; ++k) {
      for (int i = 0; i < D; ++i) {
        u[k][i] = 0;
        for (int j = 0; j < R; ++j) u[k][i] += double(f[j][i]) * v[k][j];
      }
      if (k == R - 1 && D == R) {  // the direction that is left over, also where F is singular
        double last[D];
        for (int i = 0; i < D; ++i) last[i] = u[k][i];
        if (D == 3)
          third(u[0], u[1], u[k]);
        else
          u[k][0] = -u[0][1], u[k][1] = u[0][0];
        sigma[k] = 0;
        for (int i = 0; i < D; ++i) sigma[k] += last[i] * u[k][i];
        break;
      }
      double size = 0;
      for (int i = 0; i < D; ++i) size += u[k][i] * u[k][i];
      sigma[k] = std::sqrt(size);
      if (sigma[k] > 1e-12 * (k ? sigma[0] : 1) && sigma[k] > 1e-30)
        for (int i = 0; i < D; ++i) u[k][i] /= sigma[k];
      else
        across(k);
    }
  }
  /// Column j of sum_k s_k u_k v_k^T.
  BRIM_FN Vec<D> column(const double (&s)[R], int j) const {
    Vec<D> c;
    for (int i = 0; i < D; ++i) {
      double sum = 0;
      for (int k = 0; k < R; ++k) sum += s[k] * u[k][i] * v[k][j];
      c[i] = Real(sum);
    }
    return c;
  }

 private:
  BRIM_FN static void third(const double* a, const double* b, double* c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
  }
  // Any unit vector orthogonal to u[0] .. u[k - 1]: a flattened element has to open in some direction.
  BRIM_FN void across(int k) {
    for (int axis = 0; axis < D; ++axis) {
      double e[D], size = 0;
      for (int i = 0; i < D; ++i) e[i] = i == axis;
      for (int l = 0; l < k; ++l) {
        const double part = u[l][axis];
        for (int i = 0; i < D; ++i) e[i] -= part * u[l][i];
      }
      for (int i = 0; i < D; ++i) size += e[i] * e[i];
      if (size < 0.3) continue;
      for (int i = 0; i < D; ++i) u[k][i] = e[i] / std::sqrt(size);
      return;
    }
  }
};

}  // namespace brim::inline BRIM_FLAVOUR
