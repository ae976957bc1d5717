// Scores of sums over rows: minus the total cost of a node, up to terms that cancel in
// gain = score(left) + score(right) - score(parent). The Python twins are in src/empirisk/trees/criteria.
#pragma once
#include <cmath>

namespace empirisk::EMPIRISK_ISA {

inline double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

// -- two moments: a = sum w y (or -sum w g, or the weight of class 1), b = sum w (or sum w h) --

struct SquaredErrorScore {
  double operator()(double a, double b) const { return b > 0.0 ? a * a / b : 0.0; }
};

struct NewtonScore {
  double l2 = 0.0;
  double operator()(double a, double b) const {
    const double h = b + l2;
    return h > 0.0 ? a * a / h : 0.0;
  }
};

struct PoissonScore {
  double operator()(double a, double b) const { return a > 0.0 ? 2.0 * a * std::log(a / b) : 0.0; }
};

struct TwoClassGiniScore {  // -2 a (b - a) / b
  double operator()(double a, double b) const { return b > 0.0 ? -2.0 * a * (b - a) / b : 0.0; }
};

struct TwoClassEntropyScore {
  double operator()(double a, double b) const { return x_log_x(a) + x_log_x(b - a) - x_log_x(b); }
};

struct TwoClassErrorScore {
  double operator()(double a, double b) const { return -std::fmin(a, b - a); }
};

// -- the weights of K classes --

struct GiniScore {
  double operator()(const double* s, int k) const {
    double total = 0.0, square = 0.0;
    for (int c = 0; c < k; ++c) total += s[c], square += s[c] * s[c];
    return total > 0.0 ? square / total - total : 0.0;
  }
};

struct EntropyScore {
  double operator()(const double* s, int k) const {
    double total = 0.0, sum = 0.0;
    for (int c = 0; c < k; ++c) total += s[c], sum += x_log_x(s[c]);
    return sum - x_log_x(total);
  }
};

struct ErrorScore {
  double operator()(const double* s, int k) const {
    double total = 0.0, best = 0.0;
    for (int c = 0; c < k; ++c) total += s[c], best = std::fmax(best, s[c]);
    return best - total;
  }
};

}  // namespace empirisk::EMPIRISK_ISA
