// Exchanges of medoids with rows (FasterPAM: Schubert and Rousseeuw, Information Systems 101, 2021), from a symmetric matrix of
// distances that is read row by row. One reading of the row of a candidate gives what each of the K medoids would gain by leaving for
// it. Rows are kept in the order of their medoids meanwhile, so that the K sums are sums of stretches. Candidates come in blocks of a
// fixed size, whose best exchange is made: threads share a block, and change no bit.
#pragma once
#include <limits>
#include <type_traits>

#include "clusters/cluster_table.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class F>
void visit_values(const Matrix& x, F&& f) {
  x.is_float32 ? f(static_cast<const float*>(x.data)) : f(static_cast<const double*>(x.data));
}

// sum_o w_o max(0, nearest_o - d(c, o)) for some rows c; without `nearest` minus the sum of the distances.
static void medoid_gains(const Matrix& distances, const double* weight, const double* nearest, const i64* rows, i64 count, double* gain) {
  const i64 n = distances.rows, per_chunk = most<i64>(1, (i64(1) << 16) / most<i64>(n, 1)), chunks = ceil_div(count, per_chunk);
  visit_values(distances, [&](const auto* d) {
    for_chunks(chunks, threads_for(n * count, chunks), [&](i64 chunk, int) {
      constexpr i64 L = lanes<double>;
      for (i64 c = chunk * per_chunk; c < least(count, (chunk + 1) * per_chunk); ++c) {
        const auto* row = d + rows[c] * n;
        const auto term = [&](i64 o) {
          const double x = double(row[o]), less = nearest ? (nearest[o] > x ? nearest[o] - x : 0.0) : -x;
          return weight ? weight[o] * less : less;
        };
        Vec<double> sum = fill(0.0);
        const Vec<double> zero = fill(0.0);
        i64 o = 0;
        for (; o + L <= n; o += L) {
          const Vec<double> x = load_double(row + o);
          Vec<double> less = nearest ? zero - smaller<double>(x - load(nearest + o), zero) : zero - x;
          if (weight) less = less * load(weight + o);
          sum += less;
        }
        double total = lane_sum(sum);
        for (; o < n; ++o) total += term(o);
        gain[c] = total;
      }
    });
  });
}

template <class T>
struct MedoidRows {
  const MedoidState& state;
  const T* distances;

  // The two nearest medoids of a row, the first of several.
  void settle(i64 o) const {
    double first = std::numeric_limits<double>::infinity(), second = first;
    i64 near = -1, next = -1;
    for (i64 k = 0; k < state.groups; ++k) {
      const double d = double(distances[state.medoids[k] * state.n + o]);
      if (d < first || near < 0) {
        second = first;
        next = near;
        first = d;
        near = k;
      } else if (d < second || next < 0) {
        second = d;
        next = k;
      }
    }
    state.near[o] = std::int32_t(near);
    state.second[o] = std::int32_t(next);
    state.first_distance[o] = first;
    state.second_distance[o] = second;
  }

  // After medoid k has been exchanged.
  void update(i64 k) const {
    const T* row = distances + state.medoids[k] * state.n;
    for (i64 o = 0; o < state.n; ++o) {
      const double d = double(row[o]);
      if (state.near[o] == k || state.second[o] == k) {
        settle(o);
      } else if (d < state.first_distance[o]) {
        state.second[o] = state.near[o];
        state.second_distance[o] = state.first_distance[o];
        state.near[o] = std::int32_t(k);
        state.first_distance[o] = d;
      } else if (d < state.second_distance[o]) {
        state.second[o] = std::int32_t(k);
        state.second_distance[o] = d;
      }
    }
  }
};

static void medoid_assign(const MedoidState& state) {
  visit_values(state.distances, [&](const auto* d) {
    const MedoidRows<std::remove_cv_t<std::remove_pointer_t<decltype(d)>>> rows{state, d};
    for (i64 o = 0; o < state.n; ++o) rows.settle(o);
  });
}

// Rows in the order of their medoids: where each one stands, and what the sums need of it.
class Stretches {
 public:
  explicit Stretches(const MedoidState& state)
      : state_(state), start_(state.groups + 1), next_(state.groups), place_(state.n), first_(state.n), second_(state.n), weight_(state.n) {}

  void arrange() {
    const i64 K = state_.groups;
    for (i64 k = 0; k <= K; ++k) start_[k] = 0;
    for (i64 o = 0; o < state_.n; ++o) ++start_[state_.near[o] + 1];
    for (i64 k = 0; k < K; ++k) start_[k + 1] += start_[k];
    for (i64 k = 0; k < K; ++k) next_[k] = start_[k];
    for (i64 o = 0; o < state_.n; ++o) {
      const i64 at = next_[state_.near[o]]++;
      place_[o] = std::int32_t(at);
      first_[at] = state_.first_distance[o];
      second_[at] = state_.second_distance[o];
      weight_[at] = state_.weight ? state_.weight[o] : 1.0;
    }
  }

  // The largest gain of an exchange of a medoid with the row whose distances are given, and that medoid.
  template <class T>
  double gain(const T* row, double* room, i64& medoid) const {
    for (i64 o = 0; o < state_.n; ++o) room[place_[o]] = double(row[o]);
    constexpr i64 L = lanes<double>;
    double joined = 0.0, best = -std::numeric_limits<double>::infinity();  // of rows that come nearer; of a medoid that leaves
    medoid = 0;
    for (i64 k = 0; k < state_.groups; ++k) {
      Vec<double> nearer = fill(0.0), left = fill(0.0);
      i64 t = start_[k];
      const i64 end = start_[k + 1];
      for (; t + L <= end; t += L) {
        const Vec<double> d = load(room + t), first = load(first_.data() + t), u = smaller<double>(d, first), w = load(weight_.data() + t);
        nearer += w * (first - u);
        left += w * (u - smaller<double>(d, load(second_.data() + t)));
      }
      double more = lane_sum(nearer), lost = lane_sum(left);
      for (; t < end; ++t) {
        const double d = room[t], u = least(d, first_[t]);
        more += weight_[t] * (first_[t] - u);
        lost += weight_[t] * (u - least(d, second_[t]));
      }
      joined += more;
      if (lost > best) {
        best = lost;
        medoid = k;
      }
    }
    return joined + best;
  }

 private:
  const MedoidState& state_;
  Buffer<i64> start_, next_;
  Buffer<std::int32_t> place_;
  Buffer<double> first_, second_, weight_;
};

constexpr i64 medoid_block = 32;

template <class T>
static void exchange(const MedoidState& state, const T* distances, MedoidSearch& search, double least_gain, i64 candidates) {
  const i64 n = state.n;
  const int threads = threads_for(medoid_block * n * 16, medoid_block);
  Stretches stretches(state);
  stretches.arrange();
  Buffer<double> rooms(i64(threads) * n);
  double gain[medoid_block];
  i64 medoid[medoid_block];
  for (i64 seen = 0; seen < candidates && search.unchanged < n;) {
    const i64 count = least<i64>(medoid_block, n - search.unchanged), begin = search.position;
    for_chunks(count, threads, [&](i64 c, int thread) {
      const i64 row = (begin + c) % n;
      gain[c] = stretches.gain(distances + row * n, rooms.data() + i64(thread) * n, medoid[c]);
      for (i64 k = 0; k < state.groups; ++k)
        if (state.medoids[k] == row) gain[c] = 0.0;
    });
    i64 best = 0;
    for (i64 c = 1; c < count; ++c)
      if (gain[c] > gain[best]) best = c;
    search.position = (begin + count) % n;
    seen += count;
    if (gain[best] > least_gain) {
      const i64 k = medoid[best];
      state.medoids[k] = (begin + best) % n;
      MedoidRows<T>{state, distances}.update(k);
      stretches.arrange();
      ++search.exchanges;
      search.unchanged = 0;
      search.best = 0.0;
    } else {
      search.unchanged += count;
      search.best = most(search.best, gain[best]);
    }
  }
}

static void medoid_exchange(const MedoidState& state, MedoidSearch& search, double least_gain, i64 candidates) {
  visit_values(state.distances, [&](const auto* d) { exchange(state, d, search, least_gain, candidates); });
}

}  // namespace empirisk::EMPIRISK_ISA
