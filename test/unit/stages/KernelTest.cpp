// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/stages/kernel.h"

#include "test/support/worked_kernels.h"
#include "test/unit/support/ThrowsCode.h"

#include <gtest/gtest.h>

namespace normc {
namespace {

using namespace ex;

template <class Action> testing::AssertionResult isBug(Action action, const std::string &message) { return throwsCode(action, DiagCode::InternalError, message); }

TEST(Index, EvaluatesAndPrints) {
  const Index channel = Index::row() % 4 * 3 + Index::column() / 225;
  EXPECT_EQ(channel.evaluate(5, 450), 5);
  EXPECT_EQ(channel.text(), "row mod 4 * 3 + col / 225");
  EXPECT_EQ(((Index::row() + Index::constant(1)) * 2).text(), "(row + 1) * 2");
  EXPECT_TRUE(channel.dependsOn(Index::Kind::Row));
  EXPECT_FALSE((Index::row() / 2).dependsOn(Index::Kind::Column));
  EXPECT_TRUE(channel == Index::row() % 4 * 3 + Index::column() / 225);
  EXPECT_FALSE(channel == Index::row() % 4 * 3 + Index::column() / 224);
}

TEST(Index, DivisionAndRemainderRoundDown) {
  const Index shifted = Index::column() + Index::constant(-3);
  EXPECT_EQ((shifted / 2).evaluate(0, 0), -2);
  EXPECT_EQ((shifted % 2).evaluate(0, 0), 1);
  EXPECT_TRUE(isBug([] { Index::row() / 0; }, "divides by 0"));
  EXPECT_TRUE(isBug([] { Index::row() % -2; }, "remainder by -2"));
}

TEST(Expressions, WrongOperandsAreRefused) {
  EXPECT_TRUE(isBug([] { add(f(1), u(1)); }, "wrong type"));
  EXPECT_TRUE(isBug([] { logicalNot(f(1)); }, "booleans or bits"));
  EXPECT_TRUE(isBug([] { select(f(1), f(2), f(3)); }, "select"));
  EXPECT_TRUE(isBug([] { select(lt(f(1), f(2)), f(2), u(3)); }, "select"));
  EXPECT_TRUE(isBug([] { shiftLeft(u(1), 32); }, "32 bits"));
  EXPECT_TRUE(isBug([] { roundTo(DType::F64, f(1)); }, "f64"));
}

TEST(Expressions, NodesAreVisitedOnceOperandsFirst) {
  Expr a = f(2), b = add(a, a), c = mul(b, b);
  std::vector<Operator> order;
  forEachNode(c, [&](const ExprNode &node) { order.push_back(node.op); });
  EXPECT_EQ(order, (std::vector{Operator::ConstF, Operator::Add, Operator::Mul}));
}

TEST(Kernels, WhatDoesNotFitIsRefused) {
  Kernel k("k");
  const int x = k.input("x", DType::F32, 2);
  EXPECT_TRUE(isBug([&] { k.input("x", DType::F32, 1); }, "declared twice"));
  EXPECT_TRUE(isBug([&] { k.input("z", DType::F32, 3); }, "rank 3"));
  EXPECT_TRUE(isBug([&] { k.load(x, {Index::row()}); }, "1 indices, expected 2"));
  EXPECT_TRUE(isBug([&] { k.map("narrow", Domain::Row, k.load(x)); }, "domain row reads values of domain element"));
  EXPECT_TRUE(isBug([&] { k.map("bits", Domain::Element, bitsOf(k.load(x))); }, "not of type f32"));
  EXPECT_TRUE(isBug([&] { k.sum("everything", Domain::Element, k.load(x)); }, "domain element"));
  k.sum("s", Domain::Row, k.load(x));
  EXPECT_TRUE(isBug([&] { k.sum("s", Domain::Row, k.load(x)); }, "defined twice"));
}

TEST(Kernels, section2_FoldsShareASweepWhereNeitherNeedsTheOther) {
  const auto names = [](const Kernel &kernel) {
    std::vector<std::vector<std::string>> result;
    for (const std::vector<int> &group : sweeps(kernel)) {
      result.emplace_back();
      for (int stage : group)
        result.back().push_back(kernel.stages()[stage].name);
    }
    return result;
  };
  using Groups = std::vector<std::vector<std::string>>;
  EXPECT_EQ(names(test::layerNorm(1, 8).kernel), (Groups{{"total"}, {"sum_d", "sum_d2"}}));
  EXPECT_EQ(names(test::rmsNorm(1, 8).kernel), (Groups{{"sum_v2"}}));
  EXPECT_EQ(names(test::int8RmsNorm(1, 8).kernel), (Groups{{"sum_x2"}, {"peak"}}));
  // Folds of different domains never share one.
  for (const std::vector<int> &group : sweeps(test::layerNormBackward(1, 8).kernel))
    for (int stage : group)
      EXPECT_EQ(test::layerNormBackward(1, 8).kernel.stages()[stage].domain, test::layerNormBackward(1, 8).kernel.stages()[group[0]].domain);
}

TEST(Kernels, DependenciesGoThroughOtherStages) {
  const Kernel kernel = test::rmsNorm(1, 8).kernel;
  const auto number = [&](const std::string &name) {
    for (size_t s = 0; s < kernel.stages().size(); ++s)
      if (kernel.stages()[s].name == name)
        return static_cast<int>(s);
    return -1;
  };
  EXPECT_TRUE(dependsOn(kernel, number("y"), number("sum_v2")));
  EXPECT_FALSE(dependsOn(kernel, number("sum_v2"), number("y")));
}

TEST(Kernels, section2_EveryWorkedKernelHasItsText) {
  for (const test::WorkedKernel &worked : test::workedKernels()) {
    const std::string text = worked.kernel.text();
    EXPECT_NE(text.find(worked.kernel.name()), std::string::npos);
    for (const Stage &stage : worked.kernel.stages())
      EXPECT_NE(text.find(stage.name), std::string::npos) << text;
  }
  EXPECT_NE(test::groupNorm(1, 4, 2, 3).kernel.text().find("weight[row mod 2 * 2 + col / 3]"), std::string::npos);
}

TEST(UsesRowNumbers, OnlyWhereARowsNumberEntersAValue) {
  Kernel plain("plain");
  plain.map("v", Domain::Element, plain.load(plain.input("x", DType::F32, 2)));
  EXPECT_FALSE(usesRowNumbers(plain));

  Kernel grouped("grouped");
  grouped.map("v", Domain::Element, grouped.load(grouped.input("p", DType::F32, 2), {Index::row() / 4, Index::column()}));
  EXPECT_TRUE(usesRowNumbers(grouped));

  Kernel counted("counted");
  counted.map("v", Domain::Element, ex::div(counted.load(counted.input("x", DType::F32, 2)), ex::rows()));
  EXPECT_TRUE(usesRowNumbers(counted));
}

} // namespace
} // namespace normc
