// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on memory that a RowBuffer cannot give: inputs that cannot be written, rows that are gigabytes apart; and plain calls, without exec, with the caller's
// floating-point state. Design sections 4.4 and 6.
#include "compiler/library/library.h"
#include "compiler/support/error.h"
#include "test/bits/call.h"
#include "test/bits/compare.h"
#include "test/bits/hostile_rows.h"

#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

namespace normc::bits {
namespace {

/// An array (rows, hidden) whose rows are `stride` elements apart in a range of addresses that is reserved; only the pages of rows can be touched.
class ReservedRows {
public:
  ReservedRows(DType dtype, int64_t rows, int64_t hidden, int64_t stride)
      : rows_(rows), rowBytes_(hidden * dtypeBytes(dtype)), strideBytes_(stride * dtypeBytes(dtype)), dtype_(dtype) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    pages_ = (rowBytes_ + page - 1) / page * page;
    bytes_ = static_cast<size_t>((rows - 1) * strideBytes_ + pages_);
    void *mapping = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
      reportBug("no addresses for rows far apart");
    base_ = static_cast<std::byte *>(mapping);
    for (int64_t row = 0; row < rows; ++row)
      protect(row, PROT_READ | PROT_WRITE);
  }
  ReservedRows(const ReservedRows &) = delete;
  ReservedRows &operator=(const ReservedRows &) = delete;
  ~ReservedRows() { munmap(base_, bytes_); }

  void *data() { return base_; }
  void put(const Array &array) {
    for (int64_t row = 0; row < rows_; ++row)
      std::memcpy(base_ + row * strideBytes_, array.bytes.data() + row * rowBytes_, static_cast<size_t>(rowBytes_));
  }
  void makeReadOnly() {
    for (int64_t row = 0; row < rows_; ++row)
      protect(row, PROT_READ);
  }
  Array take(std::vector<int64_t> shape) const {
    Array array{dtype_, std::move(shape), {}};
    for (int64_t row = 0; row < rows_; ++row)
      array.bytes.insert(array.bytes.end(), base_ + row * strideBytes_, base_ + row * strideBytes_ + rowBytes_);
    return array;
  }
  /// Whether the rest of the rows' pages is still zero.
  bool restIsZero() const {
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t at = rowBytes_; at < pages_; ++at)
        if (base_[row * strideBytes_ + at] != std::byte{0})
          return false;
    return true;
  }

private:
  void protect(int64_t row, int protection) {
    if (mprotect(base_ + row * strideBytes_, static_cast<size_t>(pages_), protection) != 0)
      reportBug("pages of a row cannot be protected");
  }

  int64_t rows_, rowBytes_, strideBytes_, pages_ = 0;
  size_t bytes_ = 0;
  DType dtype_;
  std::byte *base_ = nullptr;
};

KernelSpec fullSpec(DType dtype, int64_t hidden) {
  KernelSpec spec;
  spec.dtype = spec.yDtype = dtype;
  spec.hidden = hidden;
  spec.residual = spec.sum = true;
  spec.weight = spec.bias = Presence::Required;
  return spec;
}

KernelSpec plainSpec(DType dtype, int64_t hidden) {
  KernelSpec spec;
  spec.dtype = spec.yDtype = dtype;
  spec.hidden = hidden;
  return spec;
}

/// Runs the problem with rows of x, residual, y and sum `stride` elements apart and inputs that cannot be written; what differs from the reference.
std::string runReserved(const Product &product, size_t index, const Problem &problem, int64_t stride, const normc_exec_t *exec) {
  std::map<std::string, std::unique_ptr<ReservedRows>> arrays;
  auto add = [&](const std::string &role, const Array &array) -> ReservedRows & {
    const bool perColumn = role == "weight" || role == "bias", perRow = role == "mean" || role == "rstd";
    auto &rows = arrays[role];
    rows = perColumn || perRow ? std::make_unique<ReservedRows>(array.dtype, 1, array.shape[0], array.shape[0])
                               : std::make_unique<ReservedRows>(array.dtype, problem.rows, problem.hidden, stride);
    return *rows;
  };
  for (const auto &[role, array] : problem.inputs) {
    ReservedRows &rows = add(role, array);
    rows.put(array);
    rows.makeReadOnly();
  }
  for (const auto &[role, array] : problem.expected)
    add(role, array);
  auto pointer = [&](const char *role) { return arrays.count(role) ? arrays.at(role)->data() : nullptr; };
  normc_forward_args_t args = {};
  args.struct_size = sizeof args;
  args.rows = problem.rows;
  args.hidden = problem.spec.dynamic() ? problem.hidden : 0;
  args.eps = problem.eps;
  args.x = pointer("x"), args.residual = pointer("residual"), args.weight = pointer("weight"), args.bias = pointer("bias");
  args.y = pointer("y"), args.sum = pointer("sum");
  args.mean = static_cast<float *>(pointer("mean")), args.rstd = static_cast<float *>(pointer("rstd"));
  if (stride != problem.hidden)
    args.x_stride = args.residual_stride = args.y_stride = args.sum_stride = stride;
  if (const normc_status_t status = product.entry(index)(&args, exec); status != NORMC_STATUS_SUCCESS)
    return "the call failed: status " + std::to_string(status) + (exec && exec->diag ? std::string(": ") + exec->diag->message : "");
  std::string failure;
  for (const auto &[role, expected] : problem.expected)
    if (std::string text = difference(expected, arrays.at(role)->take(expected.shape)); !text.empty())
      failure += role + ": " + text + "\n";
  for (const auto &[role, rows] : arrays)
    if (!rows->restIsZero())
      failure += "bytes beside " + role + " were written\n";
  return failure;
}

/// The problem on every target.
void expectReserved(const Product &product, size_t index, const Problem &problem, int64_t stride) {
  for (Target target : runnableTargets()) {
    normc_diag_t diag = {};
    normc_exec_t exec = NORMC_EXEC_INIT;
    exec.max_isa = isaOf(target);
    exec.diag = &diag;
    EXPECT_EQ(runReserved(product, index, problem, stride, &exec), "") << targetName(target) << ", hidden " << problem.hidden << ", stride " << stride;
  }
}

std::vector<KernelSpec> kernels() {
  KernelSpec dynamic = plainSpec(DType::BF16, 0);
  dynamic.weight = dynamic.bias = Presence::Required; // one body, which compiles soon
  return {fullSpec(DType::F32, 1000), fullSpec(DType::F16, 768), plainSpec(DType::F32, 64), dynamic};
}

class PlacesTest : public testing::Test {
protected:
  static void SetUpTestSuite() { product = std::make_unique<Product>(kernels()); }
  static void TearDownTestSuite() { product.reset(); }

  static Problem problem(size_t index, int64_t rows) {
    const KernelSpec &spec = product->specs()[index];
    return makeProblem(spec, affineCombinations(spec).back(), rows, spec.dynamic() ? 333 : spec.hidden, static_cast<uint32_t>(index));
  }

  static std::unique_ptr<Product> product;
};
std::unique_ptr<Product> PlacesTest::product;

TEST_F(PlacesTest, InputsMayBeReadOnly_6) {
  for (size_t i = 0; i < kernels().size(); ++i)
    for (int64_t rows : {1, 5, 40}) {
      Problem p = problem(i, rows);
      // Rows begin at pages here, so the closest that they can be is a page.
      const int64_t page = sysconf(_SC_PAGESIZE) / dtypeBytes(p.spec.dtype);
      expectReserved(*product, i, p, rows == 1 ? p.hidden : (p.hidden + page - 1) / page * page);
    }
}

/// One slice of a body reaches less than 2^31 elements, so that such strides make several of every few rows.
TEST_F(PlacesTest, RowStrideOf2To30_6) {
  for (size_t i = 0; i < kernels().size(); ++i)
    expectReserved(*product, i, problem(i, 5), int64_t{1} << 30);
}

TEST_F(PlacesTest, LargestRowStride_6) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < kernels().size(); ++i)
    expectReserved(*product, i, problem(i, 3), (int64_t{1} << 31) - page);
}

/// Without exec, mean and rstd the runtime takes its shortest way. Subnormal inputs and results are among the rows.
TEST_F(PlacesTest, PlainCallsHaveTheSameBitsInEveryFloatingPointState_4_4) {
  const unsigned before = _mm_getcsr();
  for (size_t i : {2, 3})
    for (unsigned affine : affineCombinations(product->specs()[i])) {
      const KernelSpec &spec = product->specs()[i];
      const int64_t hidden = spec.dynamic() ? 333 : spec.hidden;
      const Problem p = makeProblem(spec, affine, hostileKinds(), hidden, 3);
      const Array &x = p.inputs.at("x"), &y = p.expected.at("y");
      normc_forward_args_t args = {};
      args.struct_size = sizeof args;
      args.hidden = spec.dynamic() ? hidden : 0;
      args.eps = p.eps;
      args.weight = p.inputs.count("weight") ? p.inputs.at("weight").bytes.data() : nullptr;
      args.bias = p.inputs.count("bias") ? p.inputs.at("bias").bytes.data() : nullptr;
      // Default; flush to zero, denormals are zero; rounding up, down, to zero; all of it; no exception masked.
      for (unsigned state : {0x1f80u, 0x9fc0u, 0x5f80u, 0x3f80u, 0x7f80u, 0xffc0u, 0x0000u})
        for (int64_t rows : {int64_t{1}, p.rows}) {
          Array got{y.dtype, y.shape, std::vector<std::byte>(y.bytes.size())};
          args.rows = rows;
          for (int64_t row = 0; row < p.rows; row += rows) {
            args.x = x.bytes.data() + row * hidden * dtypeBytes(x.dtype);
            args.y = got.bytes.data() + row * hidden * dtypeBytes(y.dtype);
            _mm_setcsr(state);
            const normc_status_t status = product->entry(i)(&args, nullptr);
            const unsigned after = _mm_getcsr();
            _mm_setcsr(before);
            ASSERT_EQ(status, NORMC_STATUS_SUCCESS);
            EXPECT_EQ(after & ~0x3fu, state);
          }
          EXPECT_EQ(difference(y, got), "") << "MXCSR " << std::hex << state << std::dec << ", calls of " << rows << " rows, parameters " << affine;
        }
    }
}

} // namespace
} // namespace normc::bits
