// Langevin chains whose gradients are estimated from few rows.
#include "bind/bind.hpp"
#include "bind/samplers.hpp"
#include "samplers/stochastic_langevin.hpp"
#include "support/threads.hpp"

namespace empirisk {

static Anchor anchor_of(nb::handle given, i64 d, i64 rows, std::vector<ArrayArg>& keep) {
  if (given.is_none()) return {};
  const nb::tuple t = nb::cast<nb::tuple>(given);
  if (nb::len(t) != 3) refuse("an anchor has three entries: place, gradient, slopes");
  keep.push_back(required(t[0], "the place of the anchor", {d}));
  keep.push_back(required(t[1], "the gradient of the anchor", {d}));
  keep.push_back(required(t[2], "the slopes of the anchor", {rows}));
  return {keep[keep.size() - 3].data, keep[keep.size() - 2].data, keep.back().data};
}

using StochasticLoop = void (*)(const LinearTarget&, const Anchor&, const StochasticRun&);

static StochasticLoop loop_for(const Matrix& x) {
  if (x.storage == Storage::csc) refuse("rows cannot be drawn from a matrix that is compressed by columns; take CSR");
  if (x.is_index64) return x.is_float32 ? run_stochastic<float, i64> : run_stochastic<double, i64>;
  return x.is_float32 ? run_stochastic<float, std::int32_t> : run_stochastic<double, std::int32_t>;
}

static nb::tuple run_minibatches(const nb::tuple& target, nb::handle anchor, const Changed& w, nb::handle scale, nb::handle factor,
                                 std::uint64_t seed, std::uint64_t first, nb::handle sizes, i64 thin, i64 size, bool replace) {
  if (w.ndim() != 2) refuse("w must have one row for each chain");
  const i64 chains = i64(w.shape(0)), d = i64(w.shape(1));
  const LinearTargetArg linear = linear_target(target);
  const i64 rows = linear.target.x.rows;
  if (linear.target.x.cols + (linear.target.intercept ? 1 : 0) != d) refuse("w has another number of columns than the target has parameters");
  if (size < 1 || size > rows || rows >= (i64(1) << 32)) refuse("size must lie between 1 and the number of rows, which is below 2^32");
  const AnyArray steps = any_array(sizes, "sizes");
  const i64 count = i64(steps.size());
  if (count < 1 || thin < 1 || count % thin) refuse("the number of sizes must be a multiple of thin, and both at least 1");
  std::vector<ArrayArg> keep = {required(sizes, "sizes", {count}), required(scale, "scale", {chains, d}),
                                array_arg(factor, "factor", {chains, d, d})};
  keep.reserve(6);
  const Anchor at = anchor_of(anchor, d, rows, keep);
  const StochasticLoop loop = loop_for(linear.target.x);
  double* places = changed(w, "w", {chains, d});
  const i64 kept = count / thin;
  const Result draws = new_result({chains * kept, d}), lost = new_result({chains * kept});
  {
    const nb::gil_scoped_release release;
#pragma omp parallel for schedule(dynamic, 1) num_threads(int(std::min<i64>(most_threads(), chains))) if (chains > 1)
    for (i64 c = 0; c < chains; ++c) {
      StochasticRun run;
      run.seed = seed;
      run.chain = std::uint32_t(c);
      run.first = first;
      run.count = count;
      run.thin = thin;
      run.size = size;
      run.replace = replace;
      run.metric = {d, keep[1].data + c * d, keep[2].data ? keep[2].data + c * d * d : nullptr};
      run.sizes = keep[0].data;
      run.w = places + c * d;
      run.draws = draws.data + c * kept * d;
      run.lost = lost.data + c * kept;
      loop(linear.target, at, run);
    }
  }
  return nb::make_tuple(draws.array, lost.array);
}

void bind_stochastic_samplers(nb::module_& m) {
  m.def("run_minibatches", &run_minibatches, nb::arg("target"), nb::arg("anchor").none(), nb::arg("w"), nb::arg("scale"),
        nb::arg("factor").none(), nb::arg("seed"), nb::arg("first"), nb::arg("sizes"), nb::arg("thin"), nb::arg("size"),
        nb::arg("replace"));
}

}  // namespace empirisk
