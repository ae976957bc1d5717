// The quadratics of descent.hpp: a Gram matrix, dense columns with any strides, and CSC columns.
#pragma once
#include "loops/coordinate.hpp"
#include "support/simd.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

// state = correlations q; they stay exact because q is affine in w.
class GramModel {
 public:
  GramModel(const double* g, i64 ld, i64 k, double r_square, double* q, const double* w)
      : g_(g), ld_(ld), k_(k), q_(q), c_(k) {
    for (i64 j = 0; j < k; ++j) c_[j] = q[j];
    for (i64 i = 0; i < k; ++i)
      if (w[i] != 0.0)
        for (i64 j = 0; j < k; ++j) c_[j] += w[i] * g[i * ld + j];
    constant_ = r_square - 2.0 * half_square(w);
  }
  double correlation(i64 j) const { return q_[j]; }
  double curvature(i64 j) const { return g_[j * ld_ + j]; }
  void move(i64 j, double delta) {
    const double* EMPIRISK_RESTRICT row = g_ + j * ld_;
    double* EMPIRISK_RESTRICT q = q_;
    for (i64 i = 0; i < k_; ++i) q[i] -= delta * row[i];
  }
  void correlations(double* out) const {
    for (i64 j = 0; j < k_; ++j) out[j] = q_[j];
  }
  // r^2/2 up to constant()/2: with c the correlations at w = 0, (r^2 - y^2)/2 = -w.(c + q)/2
  double half_square(const double* w) const {
    double sum = 0.0;
    for (i64 j = 0; j < k_; ++j) sum += w[j] * (c_[j] + q_[j]);
    return -0.5 * sum;
  }
  double constant() const { return constant_; }
  double* state() const { return q_; }
  i64 state_size() const { return k_; }

 private:
  const double* g_;
  i64 ld_, k_;
  double* q_;
  Buffer<double> c_;
  double constant_;
};

// state = u, one number per row. The rows of u sum to zero when the columns are centred (that is how an intercept enters).
template <class T>
class DenseColumns {
 public:
  DenseColumns(const ColumnSet& set, const double* curvature, double* u)
      : x_(dense_view<T>(*set.x)), set_(set), curvature_(curvature), u_(u) {}
  double curvature(i64 j) const { return curvature_[j]; }
  double correlation(i64 j) const {
    const T* x = column(j);
    if (x_.row_stride != 1) return strided_dot(x, mean(j));
    constexpr i64 L = lanes<double>;
    const Vec<double> m = fill(mean(j));
    Vec<double> a = fill(0.0), b = a, c = a, d = a;
    i64 i = 0;
    for (; i + 4 * L <= x_.rows; i += 4 * L) {
      a += (load_double(x + i) - m) * load(u_ + i);
      b += (load_double(x + i + L) - m) * load(u_ + i + L);
      c += (load_double(x + i + 2 * L) - m) * load(u_ + i + 2 * L);
      d += (load_double(x + i + 3 * L) - m) * load(u_ + i + 3 * L);
    }
    double sum = lane_sum((a + b) + (c + d));
    for (; i < x_.rows; ++i) sum += (double(x[i]) - mean(j)) * u_[i];
    return sum;
  }
  void move(i64 j, double delta) {
    const T* EMPIRISK_RESTRICT x = column(j);
    const double* EMPIRISK_RESTRICT h = set_.h;
    double* EMPIRISK_RESTRICT u = u_;
    const double m = mean(j);
    if (x_.row_stride == 1)
      for (i64 i = 0; i < x_.rows; ++i) u[i] -= delta * h[i] * (double(x[i]) - m);
    else
      for (i64 i = 0; i < x_.rows; ++i) u[i] -= delta * h[i] * (double(x[i * x_.row_stride]) - m);
  }
  void correlations(double* out) const {
    for (i64 j = 0; j < set_.k; ++j) out[j] = correlation(j);
  }
  double half_square(const double*) const {
    double sum = 0.0;
    for (i64 i = 0; i < x_.rows; ++i)
      if (set_.h[i] > 0.0) sum += u_[i] * u_[i] / set_.h[i];
    return 0.5 * sum;
  }
  double constant() const { return 0.0; }
  double* state() const { return u_; }
  i64 state_size() const { return x_.rows; }
  i64 rows() const { return x_.rows; }
  DenseColumns at(double* u) const {
    DenseColumns other = *this;
    other.u_ = u;
    return other;
  }

 private:
  const T* column(i64 j) const { return x_.data + set_.index[j] * x_.col_stride; }
  double mean(i64 j) const { return set_.mean ? set_.mean[j] : 0.0; }
  double strided_dot(const T* x, double m) const {
    double sum = 0.0;
    for (i64 i = 0; i < x_.rows; ++i) sum += (double(x[i * x_.row_stride]) - m) * u_[i];
    return sum;
  }

  DenseView<T> x_;
  const ColumnSet& set_;
  const double* curvature_;
  double* u_;
};

// state = u and, in its last place, a shift c: the true vector is u + c h. A centred sparse column moves only its own rows and c.
template <class T, class I>
class CscColumns {
 public:
  CscColumns(const CompressedView<T, I>& x, const ColumnSet& set, const double* curvature, double* u)
      : x_(x), set_(set), curvature_(curvature), u_(u) {}
  double curvature(i64 j) const { return curvature_[j]; }
  double correlation(i64 j) const {
    const i64 f = set_.index[j], end = i64(x_.indptr[f + 1]);
    double a = 0.0, b = 0.0;
    i64 t = i64(x_.indptr[f]);
    for (; t + 2 <= end; t += 2) {
      a += double(x_.data[t]) * u_[x_.indices[t]];
      b += double(x_.data[t + 1]) * u_[x_.indices[t + 1]];
    }
    if (t < end) a += double(x_.data[t]) * u_[x_.indices[t]];
    // sum_i x_i c h_i = c h_total mean
    return set_.mean ? a + b + shift() * set_.h_total * set_.mean[j] : a + b;
  }
  void move(i64 j, double delta) {
    const i64 f = set_.index[j], end = i64(x_.indptr[f + 1]);
    for (i64 t = i64(x_.indptr[f]); t < end; ++t) {
      const i64 i = i64(x_.indices[t]);
      u_[i] -= delta * set_.h[i] * double(x_.data[t]);
    }
    if (set_.mean) shift() += delta * set_.mean[j];
  }
  void correlations(double* out) const {
    for (i64 j = 0; j < set_.k; ++j) out[j] = correlation(j);
  }
  double half_square(const double*) const {
    double sum = 0.0;
    for (i64 i = 0; i < x_.minor; ++i) {
      const double v = u_[i] + shift() * set_.h[i];
      if (set_.h[i] > 0.0) sum += v * v / set_.h[i];
    }
    return 0.5 * sum;
  }
  double constant() const { return 0.0; }
  double* state() const { return u_; }
  i64 state_size() const { return x_.minor + 1; }
  i64 rows() const { return x_.minor; }
  CscColumns at(double* u) const {
    CscColumns other = *this;
    other.u_ = u;
    return other;
  }

 private:
  double& shift() const { return u_[x_.minor]; }

  const CompressedView<T, I>& x_;
  const ColumnSet& set_;
  const double* curvature_;
  double* u_;
};

}  // namespace empirisk::EMPIRISK_ISA
