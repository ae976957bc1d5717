// The no-U-turn sampler: a path is doubled forth or back until its ends turn towards each other, and a point of it is drawn with
// its weight exp(-H) (Hoffman and Gelman, Journal of Machine Learning Research 15, 2014; multinomial draws and the criterion by
// the sum of the momenta as in Betancourt, A conceptual introduction to Hamiltonian Monte Carlo, 2017, appendix A.4).
#pragma once
#include "samplers/hamiltonian.hpp"

namespace empirisk {

using Numbers = std::vector<double>;

inline double log_add(double a, double b) {
  const double high = a > b ? a : b;
  return std::isinf(high) ? high : high + std::log1p(std::exp((a > b ? b : a) - high));
}

// Whether the two ends of a path still move apart: both velocities have a positive product with the sum of the momenta.
inline bool apart(const Numbers& velocity_first, const Numbers& velocity_last, const Numbers& sum) {
  double a = 0.0, b = 0.0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    a += velocity_first[i] * sum[i];
    b += velocity_last[i] * sum[i];
  }
  return a > 0.0 && b > 0.0;
}

inline Numbers plus(const Numbers& a, const Numbers& b) {
  Numbers out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + b[i];
  return out;
}

// A path, or a part of it: its ends in the direction of travel, the sum of its momenta, and the point drawn from it.
struct Path {
  Place drawn;
  Numbers p_first, p_last, velocity_first, velocity_last, sum;
  double log_weight = -std::numeric_limits<double>::infinity();
  double energy = 0.0;  // H of the point that is drawn

  explicit Path(std::int64_t d) : drawn(d) {}
};

class NoUTurn {
 public:
  NoUTurn(Potential& target, const Proposal& how, Philox& rng) : target_(target), how_(how), rng_(rng) {}

  Told move(Place& at) {
    const std::int64_t d = target_.size;
    Phase first(d);
    first.place = at;
    how_.metric.momentum(rng_, first.p.data());
    first.set_velocity(how_.metric);
    start_ = first.energy();
    Phase last = first;
    Path all(d);
    all.drawn = at;
    all.p_first = all.p_last = all.sum = first.p;
    all.velocity_first = all.velocity_last = first.velocity;
    all.log_weight = 0.0;
    all.energy = start_;
    std::int64_t depth = 0;
    while (depth < how_.most_steps) {
      const bool forth = rng_.uniform() < 0.5;
      Path part(d);
      const bool whole = build(forth ? last : first, forth ? 1.0 : -1.0, depth, part);
      ++depth;
      if (!whole) break;
      // The new half is preferred, which moves farther and keeps the law (biased progressive sampling).
      if (rng_.uniform() < std::exp(part.log_weight - all.log_weight)) {
        all.drawn = part.drawn;
        all.energy = part.energy;
      }
      if (!join(all, part, forth)) break;
    }
    at = std::move(all.drawn);
    return {gradients_ > 0.0 ? chances_ / gradients_ : 0.0, gradients_, double(depth), divergent_, -1.0, all.energy};
  }

 private:
  // Takes 2^depth steps from `z`, which is left at the far end; false where the part turns within or diverges.
  bool build(Phase& z, double sign, std::int64_t depth, Path& out) {
    if (depth == 0) return leaf(z, sign, out);
    Path near(target_.size), far(target_.size);
    if (!build(z, sign, depth - 1, near) || !build(z, sign, depth - 1, far)) return false;
    const double total = log_add(near.log_weight, far.log_weight);
    const bool from_far = rng_.uniform() < std::exp(far.log_weight - total);
    out.drawn = from_far ? std::move(far.drawn) : std::move(near.drawn);
    out.energy = from_far ? far.energy : near.energy;
    const bool good = grows(near, far);
    out.sum = plus(near.sum, far.sum);
    out.log_weight = total;
    out.p_first = std::move(near.p_first);
    out.velocity_first = std::move(near.velocity_first);
    out.p_last = std::move(far.p_last);
    out.velocity_last = std::move(far.velocity_last);
    return good;
  }

  bool leaf(Phase& z, double sign, Path& out) {
    z.leap(target_, how_.metric, sign * how_.step);
    const double change = z.energy() - start_;
    gradients_ += 1.0;
    chances_ += at_most_one(-change);
    if (!(change <= most_energy)) {
      divergent_ = true;
      return false;
    }
    out.drawn = z.place;
    out.p_first = out.p_last = out.sum = z.p;
    out.velocity_first = out.velocity_last = z.velocity;
    out.log_weight = -change;
    out.energy = start_ + change;
    return true;
  }

  // The criterion over both parts together, and over each with the nearest point of the other: a path whose halves are in step
  // with a period of the target would pass the first alone.
  static bool grows(const Path& a, const Path& b) {
    return apart(a.velocity_first, b.velocity_last, plus(a.sum, b.sum)) &&
           apart(a.velocity_first, b.velocity_first, plus(a.sum, b.p_first)) && apart(a.velocity_last, b.velocity_last, plus(b.sum, a.p_last));
  }

  // Appends a part in the direction in which it was built; false where the whole turns.
  static bool join(Path& all, Path& part, bool forth) {
    if (!forth) {
      std::swap(part.p_first, part.p_last);
      std::swap(part.velocity_first, part.velocity_last);
    }
    Path &a = forth ? all : part, &b = forth ? part : all;
    const bool good = grows(a, b);
    all.sum = plus(all.sum, part.sum);
    all.log_weight = log_add(all.log_weight, part.log_weight);
    if (forth) {
      all.p_last = std::move(part.p_last);
      all.velocity_last = std::move(part.velocity_last);
    } else {
      all.p_first = std::move(part.p_first);
      all.velocity_first = std::move(part.velocity_first);
    }
    return good;
  }

  Potential& target_;
  const Proposal& how_;
  Philox& rng_;
  double start_ = 0.0, chances_ = 0.0, gradients_ = 0.0;
  bool divergent_ = false;
};

}  // namespace empirisk
