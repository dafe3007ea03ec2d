// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the stage language: what one element of a stage is computed from.
//
// Every operator has one meaning everywhere (docs/numerics.md): IEEE float32, round to nearest even, no fused multiply-add, no estimates. A back end that
// evaluates an expression must give these bits.
#pragma once

#include "compiler/support/dtype.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace normc {

/// Types of values inside a kernel.
enum class Type : uint8_t { F32, U32, Bool };

/// An index computed from the position (row, column): row, column, constants, and + * / mod of these by constants. Division and mod round down.
class Index {
public:
  enum class Kind : uint8_t { Row, Column, Constant, Add, Mul, Div, Mod };

  static Index row() { return Index(Kind::Row, 0, {}); }
  static Index column() { return Index(Kind::Column, 0, {}); }
  static Index constant(int64_t value) { return Index(Kind::Constant, value, {}); }

  Index operator+(const Index &other) const { return Index(Kind::Add, 0, {*this, other}); }
  Index operator*(int64_t factor) const { return Index(Kind::Mul, factor, {*this}); }
  /// Throws InternalError where the divisor is not positive; likewise mod.
  Index operator/(int64_t divisor) const;
  Index operator%(int64_t divisor) const;

  Kind kind() const { return kind_; }
  /// The value of a Constant; the constant operand of Mul, Div and Mod.
  int64_t value() const { return value_; }
  const std::vector<Index> &operands() const { return operands_; }

  int64_t evaluate(int64_t row, int64_t column) const;
  bool dependsOn(Kind position) const;
  bool operator==(const Index &other) const;
  /// "row / 4 * 768 + col"
  std::string text() const;

private:
  Index(Kind kind, int64_t value, std::vector<Index> operands) : kind_(kind), value_(value), operands_(std::move(operands)) {}

  Kind kind_;
  int64_t value_;
  std::vector<Index> operands_;
};

/// Operators. F: float32, U: uint32, B: bool, T: any of them.
enum class Operator : uint8_t {
  // leaves
  ConstF,     ///< F: a float32 constant
  ConstU,     ///< U
  Hidden,     ///< F: the number of columns, exact (at most 2^24)
  Rows,       ///< F: the number of rows, rounded to float32
  Scalar,     ///< F: a run-time scalar such as eps
  Load,       ///< F: an element of an input array, widened to float32 (exact)
  StageRef,   ///< F: the value of an earlier stage at this row and column
  // arithmetic
  Add, Sub, Mul, Div, ///< F,F -> F
  Sqrt, Neg, Abs,     ///< F -> F; Neg flips the sign bit, Abs clears it (NaN included)
  Max, Min,           ///< F,F -> F: select(a > b or a is NaN, a, b); select(a < b or a is NaN, a, b)
  RoundEven,          ///< F -> F: to an integral value, ties to even
  RoundTo,            ///< F -> F: to the nearest value of a storage type, ties to even, then widened; s8 and u8 saturate, NaN gives 0
  // comparison and choice
  Lt, Le, Eq,         ///< F,F -> B: false where an operand is NaN
  And, Or, Not,       ///< B,B -> B or U,U -> U
  Select,             ///< B,T,T -> T
  // bits
  BitsOf,             ///< F -> U
  FromBits,           ///< U -> F
  ShiftLeft, ShiftRight, ///< U,U -> U; logical; the right operand is a constant below 32
  AddU,               ///< U,U -> U modulo 2^32
  // functions written in the operators above, once
  Call,               ///< F.. -> F: operands are the arguments, `expansion` the definition
};

struct ExprNode;

/// An immutable expression, shared by reference.
using Expr = std::shared_ptr<const ExprNode>;

struct ExprNode {
  Operator op;
  Type type;
  std::vector<Expr> operands;
  float f = 0;                ///< ConstF
  uint32_t u = 0;             ///< ConstU
  int id = -1;                ///< Load: input number; StageRef: stage number; Scalar: scalar number
  std::vector<Index> indices; ///< Load: one per dimension of the input
  DType dtype = DType::F32;   ///< RoundTo
  std::string name;           ///< Call: the function's name
  Expr expansion;             ///< Call
};

// Builders. They check operand types and throw InternalError where these do not fit.
namespace ex {
Expr f(float value);
Expr u(uint32_t value);
Expr hidden();
Expr rows();
Expr add(Expr a, Expr b);
Expr sub(Expr a, Expr b);
Expr mul(Expr a, Expr b);
Expr div(Expr a, Expr b);
Expr sqrt(Expr a);
Expr neg(Expr a);
Expr abs(Expr a);
Expr max(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr roundEven(Expr a);
Expr roundTo(DType dtype, Expr a);
Expr lt(Expr a, Expr b);
Expr le(Expr a, Expr b);
Expr eq(Expr a, Expr b);
Expr logicalAnd(Expr a, Expr b);
Expr logicalOr(Expr a, Expr b);
Expr logicalNot(Expr a);
Expr select(Expr condition, Expr ifTrue, Expr ifFalse);
Expr bitsOf(Expr a);
Expr fromBits(Expr a);
Expr shiftLeft(Expr a, uint32_t bits);
Expr shiftRight(Expr a, uint32_t bits);
Expr addU(Expr a, Expr b);
Expr call(std::string name, std::vector<Expr> arguments, Expr expansion);
/// Used by Kernel; prefer its members `load`, `scalar` and `ref`.
Expr leaf(Operator op, int id, std::vector<Index> indices = {});
} // namespace ex

/// Calls `visit` once per distinct node of the expression, operands (and a call's expansion) first.
void forEachNode(const Expr &root, const std::function<void(const ExprNode &)> &visit);

} // namespace normc
