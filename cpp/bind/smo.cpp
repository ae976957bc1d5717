// Smo: sequential minimal optimisation over a compiled kernel, a matrix, or blocks that Python makes.
#include <memory>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/kernel_arg.hpp"
#include "kernels/smo.hpp"

namespace empirisk {

namespace {

using Rows = std::vector<i64>;
using Writable = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows of a compiled kernel: the columns in use are packed once.
class KernelSource : public RowSource {
 public:
  KernelSource(const KernelSpec& kernel, MatrixArg x, ArrayArg center) : kernel_(kernel), x_(std::move(x)), center_(std::move(center)) {
    if (kernel_.form == KernelForm::gaussian) round_rows();
    if (rounded_.empty()) {
      small_ = x_.view;
      small_center_ = center_.data;
    }
    keep(nullptr);
  }
  ~KernelSource() override { release(); }
  i64 size() const override { return x_.view.rows; }

  void fill(const Rows& rows, const std::vector<float*>& places) override {
    kernel_loops().packed_block(kernel_, {small_, rows.data(), i64(rows.size())}, packed_, small_center_, places.data());
  }

  void keep(const Rows* columns) override {
    release();
    const KernelRows kept{small_, columns ? columns->data() : nullptr, columns ? i64(columns->size()) : small_.rows};
    packed_ = kernel_loops().pack(kernel_, kept, small_center_);
  }

  std::vector<double> diagonal() override {
    std::vector<double> out(static_cast<std::size_t>(size()));
    for (i64 i = 0; i < size(); ++i)
      kernel_loops().block(kernel_, {x_.view, &i, 1}, {x_.view, &i, 1}, center_.data, true, false, &out[std::size_t(i)], 1);
    return out;
  }

  void product(const Rows& rows, const Rows& columns, const std::vector<double>& weights, double* out) override {
    kernel_loops().product(kernel_, {x_.view, rows.data(), i64(rows.size())}, {x_.view, columns.data(), i64(columns.size())},
                           center_.data, weights.data(), 1, out);
  }

 private:
  void release() {
    if (packed_) kernel_loops().release(packed_, small_.is_float32);
    packed_ = nullptr;
  }

  // Rows in float32, centred before they are rounded: the cache holds float32 anyway. The rounding moves the exponent of a
  // Gaussian by about gamma ||x||^2 / 2^24; rows for which that is above 1e-5 stay as they are.
  void round_rows() {
    const Matrix& x = x_.view;
    constexpr double largest = 100.0;
    if (x.is_float32 || x.cols == 0) return;
    const double* values = static_cast<const double*>(x.data);
    double longest = 0.0;
    if (x.storage == Storage::dense) {
      rounded_.resize(std::size_t(x.rows * x.cols));
      for (i64 i = 0; i < x.rows; ++i) {
        double square = 0.0;
        for (i64 d = 0; d < x.cols; ++d) {
          const double v = values[i * x.row_stride + d * x.col_stride] - (center_.data ? center_.data[d] : 0.0);
          rounded_[std::size_t(i * x.cols + d)] = float(v);
          square += v * v;
        }
        longest = std::max(longest, square);
      }
    } else {
      const i64 cells = x.is_index64 ? static_cast<const i64*>(x.indptr)[x.rows] : i64(static_cast<const std::int32_t*>(x.indptr)[x.rows]);
      rounded_.assign(values, values + cells);
      for (i64 i = 0; i < x.rows; ++i) {
        const i64 begin = x.is_index64 ? static_cast<const i64*>(x.indptr)[i] : i64(static_cast<const std::int32_t*>(x.indptr)[i]);
        const i64 end = x.is_index64 ? static_cast<const i64*>(x.indptr)[i + 1] : i64(static_cast<const std::int32_t*>(x.indptr)[i + 1]);
        double square = 0.0;
        for (i64 k = begin; k < end; ++k) square += values[k] * values[k];
        longest = std::max(longest, square);
      }
    }
    // Squares of numbers beyond these leave the range of float32.
    if (!(kernel_.numbers[0] * longest <= largest) || !(longest < 1e30) || (longest > 0.0 && longest < 1e-20)) {
      rounded_.clear();
      rounded_.shrink_to_fit();
      return;
    }
    small_ = x;
    small_.is_float32 = true;
    small_.data = rounded_.data();
    if (x.storage == Storage::dense) {
      small_.row_stride = x.cols;
      small_.col_stride = 1;
    }
  }
  KernelSpec kernel_;
  MatrixArg x_;
  ArrayArg center_;
  std::vector<float> rounded_;
  Matrix small_;
  const double* small_center_ = nullptr;
  void* packed_ = nullptr;
};

// Rows that a function of Python makes: block(rows, columns) gives float64, (len(rows), len(columns)).
class CallSource : public RowSource {
 public:
  CallSource(i64 n, nb::callable block, Numbers diagonal)
      : n_(n), block_(std::move(block)), diagonal_(diagonal.data(), diagonal.data() + diagonal.shape(0)) {
    keep(nullptr);
  }
  i64 size() const override { return n_; }
  std::vector<double> diagonal() override { return diagonal_; }

  void keep(const Rows* columns) override {
    columns_.resize(std::size_t(columns ? columns->size() : n_));
    if (columns) columns_ = *columns;
    else std::iota(columns_.begin(), columns_.end(), i64(0));
  }

  void fill(const Rows& rows, const std::vector<float*>& places) override {
    visit(rows, columns_, [&](i64 k, const double* line) {
      for (std::size_t j = 0; j < columns_.size(); ++j) places[std::size_t(k)][j] = float(line[j]);
    });
  }

  void product(const Rows& rows, const Rows& columns, const std::vector<double>& weights, double* out) override {
    visit(rows, columns, [&](i64 k, const double* line) {
      double sum = 0.0;
      for (std::size_t j = 0; j < columns.size(); ++j) sum += line[j] * weights[j];
      out[k] = sum;
    });
  }

 private:
  template <class Use>
  void visit(const Rows& rows, const Rows& columns, const Use& use) {
    constexpr std::size_t at_once = 256;
    const nb::gil_scoped_acquire acquire;
    for (std::size_t start = 0; start < rows.size(); start += at_once) {
      const Rows some(rows.begin() + i64(start), rows.begin() + i64(std::min(rows.size(), start + at_once)));
      const nb::object made = block_(numbers(some), numbers(columns));
      const ArrayArg values = array_arg(made, "the block of the kernel", {i64(some.size()), i64(columns.size())});
      for (std::size_t k = 0; k < some.size(); ++k) use(i64(start + k), values.data + k * columns.size());
    }
  }

  static nb::object numbers(const Rows& values) {
    const nb::object out = nb::module_::import_("numpy").attr("empty")(nb::int_(values.size()), "int64");
    std::copy(values.begin(), values.end(), static_cast<i64*>(nb::cast<nb::ndarray<nb::device::cpu>>(out).data()));
    return out;
  }

  i64 n_;
  nb::callable block_;
  std::vector<double> diagonal_;
  Rows columns_;
};

class SmoObject {
 public:
  SmoObject(std::unique_ptr<RowSource> source, double cache_bytes) : source_(std::move(source)), smo_(*source_, cache_bytes) {}

  nb::dict run(Writable value, Writable f, Integers row, Numbers low, Numbers high, Numbers linear, double tolerance, i64 most_outer) {
    const i64 n = i64(value.shape(0));
    if (i64(f.shape(0)) != source_->size()) refuse("f must have one entry for each row of the kernel");
    for (const i64 length : {i64(row.shape(0)), i64(low.shape(0)), i64(high.shape(0)), i64(linear.shape(0))})
      if (length != n) refuse("row, low, high and linear must be as long as value");
    for (i64 v = 0; v < n; ++v)
      if (row.data()[v] < 0 || row.data()[v] >= source_->size()) refuse("row names a row that the kernel does not have");
    const SmoState state{n, row.data(), low.data(), high.data(), linear.data(), value.data(), f.data()};
    SmoReport report;
    {
      const nb::gil_scoped_release release;
      report = smo_.run(state, tolerance, most_outer, [] {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
    }
    nb::dict out;
    out["outer"] = report.outer;
    out["inner"] = report.inner;
    out["violation"] = report.violation;
    out["rows"] = smo_.rows_computed();
    out["witness"] = report.witness[0] < 0 ? nb::object(nb::none()) : nb::object(nb::make_tuple(report.witness[0], report.witness[1]));
    return out;
  }

 private:
  std::unique_ptr<RowSource> source_;
  Smo smo_;
};

}  // namespace

void bind_smo(nb::module_& m) {
  nb::class_<SmoObject>(m, "Smo")
      .def_static(
          "of_kernel",
          [](const std::string& form, nb::handle numbers, nb::handle x, nb::handle center, double cache_bytes) {
            const PairArg pair(x, nb::none(), center);
            return new SmoObject(std::make_unique<KernelSource>(spec_of(form, numbers), pair.a, pair.center), cache_bytes);
          },
          nb::arg("form"), nb::arg("numbers"), nb::arg("X"), nb::arg("center").none(), nb::arg("cache_bytes"), nb::rv_policy::take_ownership)
      .def_static(
          "of_blocks",
          [](i64 n, nb::callable block, Numbers diagonal, double cache_bytes) {
            if (i64(diagonal.shape(0)) != n) refuse("diagonal must have n entries");
            return new SmoObject(std::make_unique<CallSource>(n, std::move(block), diagonal), cache_bytes);
          },
          nb::arg("n"), nb::arg("block"), nb::arg("diagonal"), nb::arg("cache_bytes"), nb::rv_policy::take_ownership)
      .def("run", &SmoObject::run, nb::arg("value"), nb::arg("f"), nb::arg("row"), nb::arg("low"), nb::arg("high"), nb::arg("linear"),
           nb::arg("tolerance"), nb::arg("most_outer"));
}

}  // namespace empirisk
