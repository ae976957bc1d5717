// The expectation step of a mixture of Gaussians and the sums that its maximisation step needs, in one pass over the rows.
// A chunk of rows has sums of its own; they are added in the order of the chunks, so that the bits do not depend on threads.
#pragma once
#include "mixtures/gaussian_tiles.hpp"
#include "mixtures/mixture_table.hpp"
#include "support/parallel.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 mixture_chunk = 8 * mixture_tile;  // rows whose sums are merged at once
constexpr double no_chance = 0x1p-100;           // what is added below this changes no sum of a row whose chances sum to 1
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// What one thread works on.
template <class T>
struct GaussianTile {
  Buffer<T> x, d, r;            // panels of rows and of differences, chances of their rows
  Buffer<double> density, top, total;  // (parts, tile): logarithms, then chances; largest of a row; sum of a row
  Buffer<i64> active;
  GaussianTile(i64 parts, i64 p)
      : x(mixture_tile * p), d(mixture_tile * p), r(mixture_tile), density(parts * mixture_tile), top(mixture_tile),
        total(mixture_tile), active(mixture_tile) {}
};

template <class T>
class GaussianWalk {
 public:
  explicit GaussianWalk(const GaussianPass& pass)
      : pass_(pass), p_(pass.x.cols), stride_(pass.full ? packed_triangle(p_) : p_), packed_(pass.factors * stride_) {
    for (i64 f = 0; f < pass.factors; ++f) {
      if (pass.full) pack_triangle(p_, pass.inverse + f * p_ * p_, packed_.data() + f * stride_);
      else for (i64 j = 0; j < p_; ++j) packed_[f * p_ + j] = T(pass.inverse[f * p_ + j]);
    }
  }

  i64 n_sums() const { return 1 + pass_.parts * (1 + p_ + (pass_.full ? p_ * p_ : p_)); }

  void tile(i64 begin, i64 end, GaussianTile<T>& work, double* sums) const {
    take(begin, end, work);
    if (pass_.given) copy_given(begin, end, work);
    else expect(begin, end, work, sums);
    if (pass_.chance)
      for (i64 i = begin; i < end; ++i)
        for (i64 k = 0; k < pass_.parts; ++k) pass_.chance[i * pass_.parts + k] = work.density[k * mixture_tile + i - begin];
    if (!sums) return;
    const i64 square = pass_.full ? p_ * p_ : p_;
    for (i64 k = 0; k < pass_.parts; ++k) {
      double* mass = sums + 1 + k;
      double* first = sums + 1 + pass_.parts + k * p_;
      double* second = sums + 1 + pass_.parts * (1 + p_) + k * square;
      const i64 panels = weigh(begin, end, k, work, mass);
      if (panels == 0) continue;
      add_columns(p_, panels, work.d.data(), work.r.data(), first, pass_.full ? nullptr : second);
      if (pass_.full) add_scatter(p_, panels, work.d.data(), work.r.data(), second);
    }
  }

 private:
  double weight(i64 i) const { return pass_.weight ? pass_.weight[i] : 1.0; }

  void take(i64 begin, i64 end, GaussianTile<T>& work) const {
    constexpr i64 width = panel_rows<T>;
    if (end - begin < mixture_tile) for (i64 c = 0; c < mixture_tile * p_; ++c) work.x[c] = T(0);
    const Matrix& m = pass_.x;
    const T* data = static_cast<const T*>(m.data);
    for (i64 i = begin; i < end; ++i) {
      const T* from = data + i * m.row_stride;
      T* to = work.x.data() + (i - begin) / width * width * p_ + (i - begin) % width;
      for (i64 j = 0; j < p_; ++j) to[j * width] = from[j * m.col_stride];
    }
  }

  // The first `panels` panels of differences from the mean of a part.
  void subtract(i64 panels, i64 k, GaussianTile<T>& work) const {
    constexpr i64 width = panel_rows<T>;
    for (i64 g = 0; g < panels; ++g)
      for (i64 j = 0; j < p_; ++j) {
        const double mean = pass_.mean[k * p_ + j];
        const T* EMPIRISK_RESTRICT from = work.x.data() + (g * p_ + j) * width;
        T* EMPIRISK_RESTRICT to = work.d.data() + (g * p_ + j) * width;
        for (i64 l = 0; l < width; ++l) to[l] = T(double(from[l]) - mean);
      }
  }

  void copy_given(i64 begin, i64 end, GaussianTile<T>& work) const {
    for (i64 k = 0; k < pass_.parts; ++k) {
      double* to = work.density.data() + k * mixture_tile;
      for (i64 i = begin; i < end; ++i) to[i - begin] = pass_.given[i * pass_.parts + k];
      for (i64 i = end - begin; i < mixture_tile; ++i) to[i] = 0.0;
    }
  }

  // Chances of the parts, row by row: exp(log f_k - largest), over their sum.
  void expect(i64 begin, i64 end, GaussianTile<T>& work, double* sums) const {
    constexpr i64 width = panel_rows<T>;
    const i64 panels = ceil_div(end - begin, width), count = panels * width;
    double* EMPIRISK_RESTRICT top = work.top.data();
    double* EMPIRISK_RESTRICT total = work.total.data();
    for (i64 i = 0; i < count; ++i) top[i] = minus_infinity, total[i] = 0.0;
    for (i64 k = 0; k < pass_.parts; ++k) {
      subtract(panels, k, work);
      double* EMPIRISK_RESTRICT log = work.density.data() + k * mixture_tile;
      const T* factor = packed_.data() + (pass_.factors == 1 ? 0 : k) * stride_;
      for (i64 g = 0; g < panels; ++g) {
        const T* d = work.d.data() + g * p_ * width;
        if (pass_.full) whiten_panel(p_, factor, d, log + g * width);
        else scale_panel(p_, factor, d, log + g * width);
      }
      const double scale = pass_.log_scale[k];
      for (i64 i = 0; i < count; ++i) {
        log[i] = scale - 0.5 * log[i];
        top[i] = log[i] > top[i] ? log[i] : top[i];
      }
    }
    for (i64 k = 0; k < pass_.parts; ++k) {
      double* EMPIRISK_RESTRICT log = work.density.data() + k * mixture_tile;
      for (i64 i = 0; i < count; ++i) {
        log[i] = exp_fast(log[i] - top[i]);
        total[i] += log[i];
      }
    }
    for (i64 k = 0; k < pass_.parts; ++k) {
      double* EMPIRISK_RESTRICT chance = work.density.data() + k * mixture_tile;
      for (i64 i = 0; i < count; ++i) chance[i] /= total[i];
    }
    for (i64 i = 0; i < count; ++i) top[i] += log1p_fast(total[i] - 1.0);
    for (i64 i = 0; i < end - begin; ++i)
      if (!(top[i] > minus_infinity)) {  // so far away that every square overflows: nothing tells the parts apart
        top[i] = minus_infinity;
        for (i64 k = 0; k < pass_.parts; ++k) work.density[k * mixture_tile + i] = 1.0 / double(pass_.parts);
      }
    if (pass_.log_density) for (i64 i = begin; i < end; ++i) pass_.log_density[i] = top[i - begin];
    if (sums) {
      for (i64 i = 0; i < end - begin; ++i) top[i] = weight(begin + i) > 0.0 ? top[i] * weight(begin + i) : 0.0;
      sums[0] += fixed_sum(top, end - begin);
    }
  }

  // Differences and weights of the rows that a part has a chance of; returns how many panels they fill.
  i64 weigh(i64 begin, i64 end, i64 k, GaussianTile<T>& work, double* mass) const {
    constexpr i64 width = panel_rows<T>;
    const double* chance = work.density.data() + k * mixture_tile;
    const i64 count = end - begin;
    i64 n = 0;
    double* share = work.total.data();
    for (i64 i = 0; i < count; ++i) {
      const double r = chance[i] * weight(begin + i);
      share[n] = r;
      work.active[n] = i;
      n += chance[i] > no_chance && r > 0.0 ? 1 : 0;
    }
    if (n == 0) return 0;
    *mass += fixed_sum(share, n);
    const i64 panels = ceil_div(n, width);
    if (n < count) gather(n, k, work);
    else subtract(panels, k, work);
    for (i64 m = 0; m < n; ++m) work.r[m] = T(share[m]);
    for (i64 m = n; m < panels * width; ++m) work.r[m] = T(0);
    return panels;
  }

  void gather(i64 n, i64 k, GaussianTile<T>& work) const {
    constexpr i64 width = panel_rows<T>;
    const double* mean = pass_.mean + k * p_;
    for (i64 m = 0; m < ceil_div(n, width) * width; ++m) {
      const i64 i = work.active[least(m, n - 1)];
      const T* from = work.x.data() + i / width * width * p_ + i % width;
      T* to = work.d.data() + m / width * width * p_ + m % width;
      for (i64 j = 0; j < p_; ++j) to[j * width] = T(double(from[j * width]) - mean[j]);
    }
  }

  const GaussianPass& pass_;
  i64 p_, stride_;
  Buffer<T> packed_;
};

template <class T>
void run_gaussian(const GaussianPass& pass) {
  const GaussianWalk<T> walk(pass);
  const i64 n = pass.x.rows, p = pass.x.cols, size = walk.n_sums(), chunks = ceil_div(n, mixture_chunk);
  const int threads = threads_for(n * pass.parts * (pass.full ? p * p : 4 * p), chunks);
  const i64 slots = pass.sums ? result_slots(chunks, threads, size) : 0;
  struct Works {
    Buffer<GaussianTile<T>*> each;
    int count = 0;
    explicit Works(int k) : each(k) {}
    ~Works() { for (int i = 0; i < count; ++i) delete each[i]; }
  } works(threads);
  for (; works.count < threads; ++works.count) works.each[works.count] = new GaussianTile<T>(pass.parts, p);
  const Buffer<double> part(slots * size);
  if (pass.sums) for (i64 c = 0; c < size; ++c) pass.sums[c] = 0.0;
  const auto body = [&](i64 c, int thread, double* sums) {
    if (sums) for (i64 s = 0; s < size; ++s) sums[s] = 0.0;
    const i64 end = least(n, (c + 1) * mixture_chunk);
    for (i64 i = c * mixture_chunk; i < end; i += mixture_tile) walk.tile(i, least(end, i + mixture_tile), *works.each[thread], sums);
  };
  if (!pass.sums) {
    for_chunks(chunks, threads, [&](i64 c, int thread) { body(c, thread, nullptr); });
    return;
  }
  for_chunks_merged(
      chunks, threads, slots, [&](i64 c, int thread, i64 slot) { body(c, thread, part.data() + slot * size); },
      [&](i64 slot) {
        for (i64 s = 0; s < size; ++s) pass.sums[s] += part[slot * size + s];
      });
}

inline void gaussian_pass(const GaussianPass& pass) {
  pass.x.is_float32 ? run_gaussian<float>(pass) : run_gaussian<double>(pass);
}

}  // namespace empirisk::EMPIRISK_ISA
