// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator of the stage language on special values, in vectors (an element stage) and alone (a row stage).
#include "test/support/arrays.h"
#include "test/unit/halide/expect_bits.h"
#include "test/unit/require_target.h"

#include <limits>
#include <set>

namespace normc::test {
namespace {

using namespace ex;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

const std::vector<float> &specialValues() {
  static const std::vector<float> values = {0.0f,          -0.0f,          1.0f,        -1.0f,         0.5f,
                                            -0.5f,         1.5f,           2.5f,        -2.5f,         3.0f,
                                            1e-3f,         -127.5f,        128.5f,      254.5f,        255.5f,
                                            8388607.5f,    8388609.f,      16777216.0f, 2147483648.0f, -3e9f,
                                            0x1p-126f,     -0x1p-126f,     0x1p-149f,   -0x1p-149f,    0x1.fffffcp-127f,
                                            3.4028235e38f, -3.4028235e38f, 1e20f,       -1e20f,        0.1f,
                                            1.0000001f,    0.99999994f,    kInfinity,   -kInfinity,    kNaN,
                                            -kNaN};
  return values;
}

/// A stage to test: its value from two operands.
struct Case {
  std::string name;
  std::function<Expr(Kernel &kernel, const Expr &a, const Expr &b)> make;
};

/// A boolean as a float.
Expr shown(Expr condition) { return select(std::move(condition), f(3), f(5)); }

/// All bits of a word as floats that are no NaN: each half in a case of its own.
Expr lowHalf(Expr word) { return fromBits(logicalOr(logicalAnd(std::move(word), u(0xffff)), u(0x3f800000))); }
Expr highHalf(Expr word) { return fromBits(logicalOr(shiftRight(std::move(word), 16), u(0x3f800000))); }

void addWord(std::vector<Case> &cases, const std::string &name, std::function<Expr(const Expr &, const Expr &)> word) {
  cases.push_back({name + "_low", [word](Kernel &, const Expr &a, const Expr &b) { return lowHalf(word(bitsOf(a), bitsOf(b))); }});
  cases.push_back({name + "_high", [word](Kernel &, const Expr &a, const Expr &b) { return highHalf(word(bitsOf(a), bitsOf(b))); }});
}

std::vector<Case> makeCases() {
  std::vector<Case> cases;
  auto add = [&](std::string name, std::function<Expr(const Expr &, const Expr &)> make) {
    cases.push_back({std::move(name), [make](Kernel &, const Expr &a, const Expr &b) { return make(a, b); }});
  };
  auto leafCase = [&](std::string name, std::function<Expr(Kernel &, const Expr &)> make) {
    cases.push_back({std::move(name), [make](Kernel &kernel, const Expr &a, const Expr &) { return make(kernel, a); }});
  };
  add("add", [](auto a, auto b) { return ex::add(a, b); });
  add("sub", [](auto a, auto b) { return sub(a, b); });
  add("mul", [](auto a, auto b) { return mul(a, b); });
  add("div", [](auto a, auto b) { return div(a, b); });
  add("sqrt", [](auto a, auto) { return ex::sqrt(a); });
  add("neg", [](auto a, auto) { return neg(a); });
  add("abs", [](auto a, auto) { return ex::abs(a); });
  add("max", [](auto a, auto b) { return ex::max(a, b); });
  add("min", [](auto a, auto b) { return ex::min(a, b); });
  add("round_even", [](auto a, auto) { return roundEven(a); });
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::S8, DType::U8})
    add("round_to_" + std::string(dtypeName(dtype)), [dtype](auto a, auto b) { return roundTo(dtype, ex::mul(a, b)); });
  add("lt", [](auto a, auto b) { return shown(lt(a, b)); });
  add("le", [](auto a, auto b) { return shown(le(a, b)); });
  add("eq", [](auto a, auto b) { return shown(eq(a, b)); });
  add("bool_and", [](auto a, auto b) { return shown(logicalAnd(lt(a, b), le(f(-1), a))); });
  add("bool_or", [](auto a, auto b) { return shown(logicalOr(eq(a, b), lt(b, f(0)))); });
  add("bool_not", [](auto a, auto b) { return shown(logicalNot(le(a, b))); });
  add("select", [](auto a, auto b) { return select(lt(a, b), a, b); });
  add("select_of_selects", [](auto a, auto b) { return select(eq(a, b), select(le(a, f(0)), neg(a), b), select(lt(b, f(1)), a, ex::abs(b))); });
  add("select_bool", [](auto a, auto b) { return shown(select(lt(a, f(0)), le(a, b), eq(a, b))); });
  // Rewrites that hold for real numbers only.
  add("a_minus_a", [](auto a, auto) { return sub(a, a); });
  add("a_over_a", [](auto a, auto) { return div(a, a); });
  add("a_plus_zero", [](auto a, auto) { return ex::add(a, f(0)); });
  add("a_plus_minus_zero", [](auto a, auto) { return ex::add(a, f(-0.0f)); });
  add("zero_minus_a", [](auto a, auto) { return sub(f(0), a); });
  add("a_times_zero", [](auto a, auto) { return mul(a, f(0)); });
  add("a_times_one", [](auto a, auto) { return mul(a, f(1)); });
  add("a_times_two_over_two", [](auto a, auto) { return div(mul(a, f(2)), f(2)); });
  add("a_over_three", [](auto a, auto) { return div(a, f(3)); });
  add("product_plus", [](auto a, auto b) { return ex::add(mul(a, b), a); });
  add("product_minus", [](auto a, auto b) { return sub(a, mul(a, b)); });
  add("distributed", [](auto a, auto b) { return ex::add(mul(a, b), mul(a, f(0.1f))); });
  add("sum_minus_b", [](auto a, auto b) { return sub(ex::add(a, b), b); });
  add("one_over_sqrt", [](auto a, auto) { return div(f(1), ex::sqrt(a)); });
  add("sqrt_of_square", [](auto a, auto) { return ex::sqrt(mul(a, a)); });
  add("not_le_is_not_gt", [](auto a, auto b) { return shown(logicalOr(logicalNot(le(a, b)), logicalNot(lt(b, a)))); });
  add("max_of_min", [](auto a, auto b) { return ex::max(ex::min(a, b), f(-0.0f)); });
  addWord(cases, "bits", [](auto a, auto) { return a; });
  addWord(cases, "word_and", [](auto a, auto b) { return logicalAnd(a, b); });
  addWord(cases, "word_or", [](auto a, auto b) { return logicalOr(a, b); });
  addWord(cases, "word_not", [](auto a, auto) { return logicalNot(a); });
  addWord(cases, "word_add", [](auto a, auto b) { return addU(a, b); });
  addWord(cases, "shift_left", [](auto a, auto) { return shiftLeft(a, 13); });
  addWord(cases, "shift_right", [](auto a, auto) { return shiftRight(a, 7); });
  addWord(cases, "shift_by_0_and_31", [](auto a, auto b) { return addU(shiftRight(a, 31), shiftLeft(b, 0)); });
  addWord(cases, "select_word", [](auto a, auto b) { return select(lt(fromBits(a), fromBits(b)), a, u(0xdeadbeef)); });
  leafCase("hidden", [](Kernel &, const Expr &a) { return ex::add(a, hidden()); });
  leafCase("rows", [](Kernel &, const Expr &a) { return ex::add(a, rows()); });
  leafCase("scalar", [](Kernel &kernel, const Expr &a) { return mul(a, kernel.scalar("s")); });
  for (float constant : {-0.0f, 0x1p-149f, 0.1f, kInfinity, -kInfinity, kNaN, 3.4028235e38f})
    leafCase("constant_" + std::to_string(cases.size()), [constant](Kernel &, const Expr &a) { return select(lt(a, f(0.7f)), f(constant), a); });
  return cases;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = makeCases();
  return all;
}

/// The case as an element stage `y` of x[row, col] and v[row], and as a row stage `r` of u[row] and v[row].
Kernel kernelOf(const Case &c, bool inRow) {
  Kernel kernel(c.name);
  Expr x = kernel.load(kernel.input("x", DType::F32, 2));
  Expr v = kernel.load(kernel.input("v", DType::F32, 1), {Index::row()});
  if (!inRow) {
    kernel.map("y", Domain::Element, c.make(kernel, x, v), Store{"y", DType::F32});
    return kernel;
  }
  Expr w = kernel.load(kernel.input("w", DType::F32, 1), {Index::row()});
  Expr r = kernel.map("r", Domain::Row, c.make(kernel, w, v), Store{"r", DType::F32});
  kernel.map("y", Domain::Element, sub(x, r), Store{"y", DType::F32});
  return kernel;
}

class OperatorsTest : public testing::TestWithParam<Target> {
protected:
  void SetUp() override { NORMC_REQUIRE_TARGET(targetName(GetParam())); }
};

TEST_P(OperatorsTest, InVectors_2) {
  const std::vector<float> &values = specialValues();
  const int64_t count = static_cast<int64_t>(values.size());
  std::vector<float> x;
  for (int64_t row = 0; row < count; ++row)
    x.insert(x.end(), values.begin(), values.end());
  Arrays inputs = {{"x", makeArray(DType::F32, {count, count}, x)}, {"v", makeArray(DType::F32, {count}, values)}};
  for (const Case &c : cases())
    EXPECT_TRUE(givesReferenceBits(kernelOf(c, false), GetParam(), /*dynamic=*/false, count, count, inputs, {{"s", 0.1}}));
}

TEST_P(OperatorsTest, Alone_2) {
  const std::vector<float> &values = specialValues();
  std::vector<float> w, v;
  for (float a : values)
    for (float b : values) {
      w.push_back(a);
      v.push_back(b);
    }
  const int64_t count = static_cast<int64_t>(w.size());
  Arrays inputs = {{"x", makeArray(DType::F32, {count, 1}, std::vector<float>(w.size(), 1))},
                   {"w", makeArray(DType::F32, {count}, w)},
                   {"v", makeArray(DType::F32, {count}, v)}};
  for (const Case &c : cases())
    EXPECT_TRUE(givesReferenceBits(kernelOf(c, true), GetParam(), /*dynamic=*/false, count, 1, inputs, {{"s", 0.1}}));
}

INSTANTIATE_TEST_SUITE_P(Targets, OperatorsTest, testing::ValuesIn(allTargets()), targetTestName);

TEST(OperatorsListTest, EveryOperatorIsInACase) {
  std::set<Operator> seen;
  for (const Case &c : cases())
    for (const Kernel &kernel : {kernelOf(c, true), kernelOf(c, false)})
      for (const Stage &stage : kernel.stages())
        forEachNode(stage.expr, [&](const ExprNode &node) { seen.insert(node.op); });
  // Call is last: functions are not for this back end yet, which WorkedKernelsTest holds it to.
  for (int op = 0; op < static_cast<int>(Operator::Call); ++op)
    EXPECT_TRUE(seen.count(static_cast<Operator>(op))) << "operator number " << op;
}

} // namespace
} // namespace normc::test
