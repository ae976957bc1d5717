// Chains of samplers, over compiled potentials in parallel and over functions of Python one after the other.
#include "bind/bind.hpp"
#include "bind/samplers.hpp"
#include "samplers/chains.hpp"
#include "support/threads.hpp"

namespace empirisk {

// U and gradient by a function of Python, which returns (value, gradient).
class CalledPotential final : public Potential {
 public:
  CalledPotential(nb::object f, i64 d) : Potential(d), f_(std::move(f)) {}

  double value_grad(const double* w, double* grad) override {
    Result at = new_result({size});
    std::copy(w, w + size, at.data);
    const nb::object answer = f_(at.array);
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2) refuse("a potential must return a tuple (U, gradient)");
    const nb::tuple out = nb::borrow<nb::tuple>(answer);
    const ArrayArg g = required(out[1], "the gradient of the potential", {size});
    std::copy(g.data, g.data + size, grad);
    return nb::cast<double>(out[0]);
  }

 private:
  nb::object f_;
};

static Move move_of(const std::string& name) {
  for (int i = 0; i < 5; ++i)
    if (name == move_names[i]) return Move(i);
  refuse("move must be random_walk, ula, mala, hmc or nuts, not '" + name + "'");
}

// All chains of one call, with the arrays that they change.
struct ChainsArg {
  std::vector<ChainRun> runs;
  std::vector<ArrayArg> keep;
};

static ChainsArg chains_arg(const std::string& move, const Changed& w, const Changed& grad, const Changed& u, const Changed& step,
                            nb::handle scale, nb::handle factor, std::uint64_t seed, std::uint64_t first, i64 most_steps, double length) {
  if (w.ndim() != 2) refuse("w must have one row for each chain");
  const i64 chains = i64(w.shape(0)), d = i64(w.shape(1));
  ChainsArg out;
  out.keep = {required(scale, "scale", {chains, d}), array_arg(factor, "factor", {chains, d, d})};
  double *at = changed(w, "w", {chains, d}), *g = changed(grad, "grad", {chains, d}), *v = changed(u, "u", {chains}),
         *s = changed(step, "step", {chains, 5});
  for (i64 c = 0; c < chains; ++c) {
    ChainRun run;
    run.move = move_of(move);
    run.seed = seed;
    run.chain = std::uint32_t(c);
    run.first = first;
    run.how.metric = {d, out.keep[0].data + c * d, out.keep[1].data ? out.keep[1].data + c * d * d : nullptr};
    run.how.most_steps = most_steps;
    run.how.length = length;
    run.w = at + c * d;
    run.grad = g + c * d;
    run.u = v + c;
    run.step = s + 5 * c;
    out.runs.push_back(run);
  }
  return out;
}

// body(chain, potential) with a potential of its own for each chain.
template <class P, class Target, class Body>
static void in_parallel(const Target& target, i64 chains, i64 d, const Body& body) {
  if (P(target).size != d) refuse("w has another number of columns than the target has parameters");
  const nb::gil_scoped_release release;
#pragma omp parallel for schedule(dynamic, 1) num_threads(int(std::min<i64>(most_threads(), chains))) if (chains > 1)
  for (i64 c = 0; c < chains; ++c) {
    P potential(target);
    body(c, potential);
  }
}

// body(chain, potential): in parallel where the target is compiled.
template <class Body>
static void for_each_chain(nb::handle target, i64 chains, i64 d, const Body& body) {
  if (!nb::isinstance<nb::tuple>(target)) {
    CalledPotential called(nb::borrow<nb::object>(target), d);
    for (i64 c = 0; c < chains; ++c) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      body(c, called);
    }
    return;
  }
  const nb::tuple rows = nb::cast<nb::tuple>(target);
  if (nb::len(rows) == 9) {
    in_parallel<SoftmaxPotential>(softmax_target(rows).target, chains, d, body);
  } else {
    in_parallel<LinearPotential>(linear_target(rows).target, chains, d, body);
  }
}

static nb::tuple run_chains(nb::handle target, const std::string& move, const Changed& w, const Changed& grad, const Changed& u,
                            const Changed& step, nb::handle scale, nb::handle factor, std::uint64_t seed, std::uint64_t first, i64 count,
                            i64 thin, bool search, double wanted, i64 most_steps, double length) {
  if (count < 1 || thin < 1 || count % thin) refuse("count must be a multiple of thin, and both at least 1");
  ChainsArg arg = chains_arg(move, w, grad, u, step, scale, factor, seed, first, most_steps, length);
  const i64 chains = i64(arg.runs.size()), d = i64(w.shape(1)), rows = count / thin;
  const Result draws = new_result({chains * rows, d}), told = new_result({chains * rows, told_columns});
  for (i64 c = 0; c < chains; ++c) {
    ChainRun& run = arg.runs[c];
    run.count = count;
    run.thin = thin;
    run.search = search;
    run.wanted = wanted;
    run.draws = draws.data + c * rows * d;
    run.told = told.data + c * rows * told_columns;
  }
  for_each_chain(target, chains, d, [&](i64 c, Potential& potential) { run_chain(potential, arg.runs[c]); });
  return nb::make_tuple(draws.array, told.array);
}

// Starts the search for the step of each chain; `step` in and out.
static void start_steps(nb::handle target, const std::string& move, const Changed& w, const Changed& grad, const Changed& u,
                        const Changed& step, nb::handle scale, nb::handle factor, std::uint64_t seed, std::uint64_t first,
                        double guess, bool find) {
  ChainsArg arg = chains_arg(move, w, grad, u, step, scale, factor, seed, first, 1, 0.0);
  for_each_chain(target, i64(arg.runs.size()), i64(w.shape(1)), [&](i64 c, Potential& potential) {
    restart(*reinterpret_cast<StepSearch*>(arg.runs[c].step), find ? first_step(potential, arg.runs[c], guess) : guess);
  });
}

// U and gradient at the place of each chain.
static void ask_places(nb::handle target, const Changed& w, const Changed& grad, const Changed& u) {
  if (w.ndim() != 2) refuse("w must have one row for each chain");
  const i64 chains = i64(w.shape(0)), d = i64(w.shape(1));
  double *at = changed(w, "w", {chains, d}), *g = changed(grad, "grad", {chains, d}), *v = changed(u, "u", {chains});
  for_each_chain(target, chains, d, [&](i64 c, Potential& potential) { v[c] = potential.value_grad(at + c * d, g + c * d); });
}

// The first `count` normal numbers of the stream of a seed, a chain and a step.
static nb::object stream_normals(std::uint64_t seed, std::uint32_t chain, std::uint64_t step, i64 count) {
  const Result out = new_result({count});
  Philox rng(seed, chain, step);
  for (i64 i = 0; i < count; ++i) out.data[i] = rng.normal();
  return out.array;
}

void bind_samplers(nb::module_& m) {
  m.def("run_chains", &run_chains, nb::arg("target"), nb::arg("move"), nb::arg("w"), nb::arg("grad"), nb::arg("u"), nb::arg("step"),
        nb::arg("scale"), nb::arg("factor").none(), nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("thin") = 1,
        nb::arg("search") = false, nb::arg("wanted") = 0.8, nb::arg("most_steps") = 10, nb::arg("length") = 0.0);
  m.def("start_steps", &start_steps, nb::arg("target"), nb::arg("move"), nb::arg("w"), nb::arg("grad"), nb::arg("u"), nb::arg("step"),
        nb::arg("scale"), nb::arg("factor").none(), nb::arg("seed"), nb::arg("first"), nb::arg("guess"), nb::arg("find") = true);
  m.def("ask_places", &ask_places, nb::arg("target"), nb::arg("w"), nb::arg("grad"), nb::arg("u"));
  m.def("stream_normals", &stream_normals, nb::arg("seed"), nb::arg("chain"), nb::arg("step"), nb::arg("count"));
}

}  // namespace empirisk
