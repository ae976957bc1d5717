// Linker, ConnectedLinker, merge_tree, cut_tree.
#include <memory>
#include <queue>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "linkage/linkage_table.hpp"

namespace empirisk {

Linker::~Linker() = default;  // here, so that no instruction set has its own

namespace {

Link link_of(const std::string& name) {
  const char* names[] = {"single", "complete", "average", "weighted", "ward", "centroid", "median"};
  for (int i = 0; i < 7; ++i)
    if (name == names[i]) return Link(i);
  refuse("no loop for the linkage " + name);
}

RowMetric metric_of(const std::string& name) {
  const char* names[] = {"euclidean", "manhattan", "cosine"};
  for (int i = 0; i < 3; ++i)
    if (name == names[i]) return RowMetric(i);
  refuse("no loop for the metric " + name);
}

nb::object new_integers(i64 n, i64*& data) {
  const nb::object out = nb::module_::import_("numpy").attr("empty")(n, "int64");
  data = static_cast<i64*>(nb::cast<nb::ndarray<nb::device::cpu>>(out).data());
  return out;
}

using Integers = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// One tree that grows; the arrays stay alive with it.
class GrowingTree {
 public:
  bool step(i64 work) {
    const bool more = grown(work);
    if (tree_->lost) refuse("a cluster has no nearest one: its distances are NaN or infinite, or its rows have no weight");
    return more;
  }
  double wants() const { return tree_->wants(); }
  i64 merges() const { return tree_->merges; }
  i64 constrained() const { return tree_->constrained(); }
  nb::tuple result() const { return nb::make_tuple(first_, second_, height_.array); }

 protected:
  void grow(LinkageProblem problem) {
    first_ = new_integers(problem.rows - 1, problem.first);
    second_ = new_integers(problem.rows - 1, problem.second);
    height_ = new_result({problem.rows - 1});
    problem.height = height_.data;
    tree_.reset(linkage_loops().make_linker(problem));
  }

  ArrayArg rows_, weight_;

 private:
  bool grown(i64 work) {
    const nb::gil_scoped_release release;
    return !tree_->lost && tree_->step(work);
  }

  nb::object first_, second_;
  Result height_;
  std::unique_ptr<Linker> tree_;
};

class LinkerArg : public GrowingTree {
 public:
  LinkerArg(nb::handle x, const std::string& link, const std::string& metric, nb::handle weight, int boxes) {
    const AnyArray given = any_array(x, "X");
    if (given.ndim() != 2) refuse("X must have two dimensions");
    const i64 n = i64(given.shape(0)), p = i64(given.shape(1));
    if (n < 2) refuse("X must have two rows or more");
    rows_ = array_arg(x, "X", {n, p});
    weight_ = array_arg(weight, "weight", {n});
    LinkageProblem problem;
    problem.rows = n;
    problem.cols = p;
    problem.x = rows_.data;
    problem.weight = weight_.data;
    problem.link = link_of(link);
    problem.boxes = boxes;
    problem.precomputed = metric == "precomputed";
    if (problem.precomputed && n != p) refuse("the matrix of distances must be square");
    if (!problem.precomputed) problem.metric = metric_of(metric);
    if (!problem.precomputed && problem.link >= Link::ward && problem.metric != RowMetric::euclidean)
      refuse("linkages of centroids take Euclidean rows");
    grow(problem);
  }
};

// A tree whose merges follow the edges of a graph; a matrix of distances is changed in its place.
class ConnectedLinkerArg : public GrowingTree {
 public:
  using Square = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  ConnectedLinkerArg(nb::handle x, const std::string& link, bool given, nb::handle weight, Integers starts, Integers ends)
      : starts_(starts), ends_(ends) {
    LinkageProblem problem;
    if (given) {
      if (!nb::try_cast(x, square_, false)) refuse("X must be a matrix of float64 in C order that may be written to");
      problem.rows = i64(square_.shape(0));
      problem.cols = i64(square_.shape(1));
      if (problem.rows != problem.cols) refuse("the matrix of distances must be square");
      problem.distances = square_.data();
    } else {
      const AnyArray rows = any_array(x, "X");
      if (rows.ndim() != 2) refuse("X must have two dimensions");
      problem.rows = i64(rows.shape(0));
      problem.cols = i64(rows.shape(1));
      rows_ = array_arg(x, "X", {problem.rows, problem.cols});
      problem.x = rows_.data;
    }
    const i64 n = problem.rows;
    if (n < 2) refuse("X must have two rows or more");
    problem.link = link_of(link);
    if (!given && problem.link < Link::ward) refuse("rows are taken by linkages of centroids alone");
    weight_ = array_arg(weight, "weight", {n});
    problem.weight = weight_.data;
    check_edges(n);
    problem.starts = starts_.data();
    problem.ends = ends_.data();
    grow(problem);
  }

 private:
  void check_edges(i64 n) const {
    if (i64(starts_.shape(0)) != n + 1 || starts_(0) != 0 || starts_(n) != i64(ends_.shape(0))) refuse("starts and ends are no lists of edges");
    for (i64 i = 0; i < n; ++i)
      if (starts_(i) > starts_(i + 1)) refuse("starts must not fall");
    for (i64 e = 0; e < starts_(n); ++e)
      if (ends_(e) < 0 || ends_(e) >= n) refuse("ends must be numbers of rows");
  }

  Integers starts_, ends_;
  Square square_;
};

i64 root_of(std::vector<i64>& up, i64 i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// An order of the merges by height and then by the numbers of their clusters, with those inside a cluster before those with it.
std::vector<i64> merge_order(const Integers& a, const Integers& b, const double* height, i64 n) {
  const i64 merges = n - 1;
  std::vector<i64> up(n), last(n, -1), waits(merges, 0), then(merges, -1);
  for (i64 i = 0; i < n; ++i) up[i] = i;
  for (i64 k = 0; k < merges; ++k) {
    const i64 x = root_of(up, a(k)), y = root_of(up, b(k));
    for (const i64 side : {x, y})
      if (last[side] >= 0) {
        then[last[side]] = k;
        ++waits[k];
      }
    up[x] = y;
    last[y] = k;
  }
  const auto later = [&](i64 i, i64 j) {
    if (height[i] != height[j]) return height[i] > height[j];
    const i64 low_i = std::min(a(i), b(i)), low_j = std::min(a(j), b(j));
    return low_i != low_j ? low_i > low_j : std::max(a(i), b(i)) > std::max(a(j), b(j));
  };
  std::priority_queue<i64, std::vector<i64>, decltype(later)> ready(later);
  for (i64 k = 0; k < merges; ++k)
    if (waits[k] == 0) ready.push(k);
  std::vector<i64> order;
  while (!ready.empty()) {
    const i64 k = ready.top();
    ready.pop();
    order.push_back(k);
    if (then[k] >= 0 && --waits[then[k]] == 0) ready.push(then[k]);
  }
  return order;
}

nb::object merge_tree(const Integers& a, const Integers& b, nb::handle height, const std::string& order) {
  const i64 merges = i64(a.shape(0)), n = merges + 1;
  if (i64(b.shape(0)) != merges) refuse("first and second must have the same length");
  const ArrayArg heights = array_arg(height, "height", {merges});
  for (i64 k = 0; k < merges; ++k)
    if (a(k) < 0 || a(k) >= n || b(k) < 0 || b(k) >= n) refuse("first and second must be numbers of rows");
  std::vector<i64> sequence(merges);
  for (i64 k = 0; k < merges; ++k) sequence[k] = k;
  if (order == "nested") sequence = merge_order(a, b, heights.data, n);
  else if (order != "given") refuse("order must be 'nested' or 'given'");
  if (i64(sequence.size()) != merges) refuse("the merges are no tree");
  const Result out = new_result({merges, 4});
  std::vector<i64> up(n), name(n), size(n, 1);
  for (i64 i = 0; i < n; ++i) up[i] = name[i] = i;
  for (i64 k = 0; k < merges; ++k) {
    const i64 m = sequence[k], x = root_of(up, a(m)), y = root_of(up, b(m));
    if (x == y) refuse("the merges are no tree");
    double* row = out.data + 4 * k;
    row[0] = double(std::min(name[x], name[y]));
    row[1] = double(std::max(name[x], name[y]));
    row[2] = heights.data[m];
    row[3] = double(size[x] + size[y]);
    up[x] = y;
    name[y] = n + k;
    size[y] += size[x];
  }
  return out.array;
}

nb::object cut_tree(nb::handle matrix, const nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>& kept) {
  const i64 merges = i64(kept.shape(0)), n = merges + 1;
  const ArrayArg tree = array_arg(matrix, "matrix", {merges, 4});
  // From the top: what a merge that is kept joins belongs to the cluster that the merge belongs to.
  std::vector<i64> cluster(n + merges), name(n + merges, -1);
  for (i64 i = 0; i < n + merges; ++i) cluster[i] = i;
  for (i64 k = merges - 1; k >= 0; --k)
    for (int side = 0; side < 2; ++side) {
      const double child = tree.data[4 * k + side];
      if (!(child >= 0.0 && child < double(n + k))) refuse("merge k must join two of the numbers below n + k");
      if (kept(k)) cluster[i64(child)] = cluster[n + k];
    }
  i64 found = 0, *label = nullptr;
  const nb::object out = new_integers(n, label);
  for (i64 i = 0; i < n; ++i) {
    i64& known = name[cluster[i]];
    if (known < 0) known = found++;
    label[i] = known;
  }
  return out;
}

}  // namespace

void bind_linkage(nb::module_& m) {
  nb::class_<ConnectedLinkerArg>(m, "ConnectedLinker")
      .def(nb::init<nb::handle, const std::string&, bool, nb::handle, Integers, Integers>(), nb::arg("X"), nb::arg("linkage"), nb::arg("given"),
           nb::arg("weight"), nb::arg("starts"), nb::arg("ends"))
      .def("step", &ConnectedLinkerArg::step, nb::arg("work"))
      .def("result", &ConnectedLinkerArg::result)
      .def_prop_ro("constrained", &ConnectedLinkerArg::constrained);
  nb::class_<LinkerArg>(m, "Linker")
      .def(nb::init<nb::handle, const std::string&, const std::string&, nb::handle, int>(), nb::arg("X"), nb::arg("linkage"), nb::arg("metric"),
           nb::arg("weight"), nb::arg("boxes") = -1)
      .def("step", &LinkerArg::step, nb::arg("work"))
      .def("result", &LinkerArg::result)
      .def_prop_ro("wants", &LinkerArg::wants)
      .def_prop_ro("merges", &LinkerArg::merges);
  m.def("cut_tree", &cut_tree, nb::arg("matrix"), nb::arg("kept"));
  m.def("merge_tree", &merge_tree, nb::arg("first"), nb::arg("second"), nb::arg("height"), nb::arg("order"));
}

}  // namespace empirisk
