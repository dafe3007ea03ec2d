// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/stages/expr.h"

#include "compiler/support/error.h"

#include <unordered_set>
#include <utility>

namespace normc {

// ---------------------------------------------------------------- index maps

Index Index::operator/(int64_t divisor) const {
  if (divisor <= 0)
    reportBug("index map divides by " + std::to_string(divisor) + ", expected a positive constant");
  return Index(Kind::Div, divisor, {*this});
}

Index Index::operator%(int64_t divisor) const {
  if (divisor <= 0)
    reportBug("index map takes the remainder by " + std::to_string(divisor) + ", expected a positive constant");
  return Index(Kind::Mod, divisor, {*this});
}

namespace {

/// Rounds down, as Halide and MLIR's affine maps do.
int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

} // namespace

int64_t Index::evaluate(int64_t row, int64_t column) const {
  switch (kind_) {
  case Kind::Row: return row;
  case Kind::Column: return column;
  case Kind::Constant: return value_;
  case Kind::Add: return operands_[0].evaluate(row, column) + operands_[1].evaluate(row, column);
  case Kind::Mul: return operands_[0].evaluate(row, column) * value_;
  case Kind::Div: return floorDiv(operands_[0].evaluate(row, column), value_);
  case Kind::Mod: {
    int64_t a = operands_[0].evaluate(row, column);
    return a - floorDiv(a, value_) * value_;
  }
  }
  reportBug("unknown index kind");
}

bool Index::dependsOn(Kind position) const {
  if (kind_ == position)
    return true;
  for (const Index &operand : operands_)
    if (operand.dependsOn(position))
      return true;
  return false;
}

bool Index::operator==(const Index &other) const { return kind_ == other.kind_ && value_ == other.value_ && operands_ == other.operands_; }

std::string Index::text() const {
  auto inner = [](const Index &index) { return index.kind_ == Kind::Add ? "(" + index.text() + ")" : index.text(); };
  switch (kind_) {
  case Kind::Row: return "row";
  case Kind::Column: return "col";
  case Kind::Constant: return std::to_string(value_);
  case Kind::Add: return operands_[0].text() + " + " + operands_[1].text();
  case Kind::Mul: return inner(operands_[0]) + " * " + std::to_string(value_);
  case Kind::Div: return inner(operands_[0]) + " / " + std::to_string(value_);
  case Kind::Mod: return inner(operands_[0]) + " mod " + std::to_string(value_);
  }
  reportBug("unknown index kind");
}

// ---------------------------------------------------------------- builders

namespace ex {
namespace {

Expr node(Operator op, Type type, std::vector<Expr> operands) {
  auto result = std::make_shared<ExprNode>();
  result->op = op;
  result->type = type;
  result->operands = std::move(operands);
  return result;
}

/// An operator whose operands all have type `operand`.
Expr uniform(Operator op, Type result, Type operand, std::vector<Expr> operands) {
  for (const Expr &e : operands)
    if (!e || e->type != operand)
      reportBug("stage expression: an operand has the wrong type");
  return node(op, result, std::move(operands));
}

Expr logical(Operator op, std::vector<Expr> operands) {
  Type type = operands[0]->type;
  if (type == Type::F32)
    reportBug("stage expression: and, or, not want booleans or bits");
  return uniform(op, type, type, std::move(operands));
}

Expr shift(Operator op, Expr a, uint32_t bits) {
  if (bits >= 32)
    reportBug("stage expression: shift by " + std::to_string(bits) + " bits, expected less than 32");
  return uniform(op, Type::U32, Type::U32, {std::move(a), u(bits)});
}

} // namespace

Expr f(float value) {
  auto result = std::make_shared<ExprNode>();
  result->op = Operator::ConstF;
  result->type = Type::F32;
  result->f = value;
  return result;
}

Expr u(uint32_t value) {
  auto result = std::make_shared<ExprNode>();
  result->op = Operator::ConstU;
  result->type = Type::U32;
  result->u = value;
  return result;
}

Expr hidden() { return node(Operator::Hidden, Type::F32, {}); }
Expr rows() { return node(Operator::Rows, Type::F32, {}); }
Expr add(Expr a, Expr b) { return uniform(Operator::Add, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr sub(Expr a, Expr b) { return uniform(Operator::Sub, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr mul(Expr a, Expr b) { return uniform(Operator::Mul, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr div(Expr a, Expr b) { return uniform(Operator::Div, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr sqrt(Expr a) { return uniform(Operator::Sqrt, Type::F32, Type::F32, {std::move(a)}); }
Expr neg(Expr a) { return uniform(Operator::Neg, Type::F32, Type::F32, {std::move(a)}); }
Expr abs(Expr a) { return uniform(Operator::Abs, Type::F32, Type::F32, {std::move(a)}); }
Expr max(Expr a, Expr b) { return uniform(Operator::Max, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr min(Expr a, Expr b) { return uniform(Operator::Min, Type::F32, Type::F32, {std::move(a), std::move(b)}); }
Expr roundEven(Expr a) { return uniform(Operator::RoundEven, Type::F32, Type::F32, {std::move(a)}); }

Expr roundTo(DType dtype, Expr a) {
  if (dtype == DType::F64)
    reportBug("stage expression: there is no rounding to f64 inside a kernel");
  Expr result = uniform(Operator::RoundTo, Type::F32, Type::F32, {std::move(a)});
  std::const_pointer_cast<ExprNode>(result)->dtype = dtype;
  return result;
}

Expr lt(Expr a, Expr b) { return uniform(Operator::Lt, Type::Bool, Type::F32, {std::move(a), std::move(b)}); }
Expr le(Expr a, Expr b) { return uniform(Operator::Le, Type::Bool, Type::F32, {std::move(a), std::move(b)}); }
Expr eq(Expr a, Expr b) { return uniform(Operator::Eq, Type::Bool, Type::F32, {std::move(a), std::move(b)}); }
Expr logicalAnd(Expr a, Expr b) { return logical(Operator::And, {std::move(a), std::move(b)}); }
Expr logicalOr(Expr a, Expr b) { return logical(Operator::Or, {std::move(a), std::move(b)}); }
Expr logicalNot(Expr a) { return logical(Operator::Not, {std::move(a)}); }

Expr select(Expr condition, Expr ifTrue, Expr ifFalse) {
  if (condition->type != Type::Bool || ifTrue->type != ifFalse->type)
    reportBug("stage expression: select wants a boolean and two values of one type");
  Type type = ifTrue->type;
  return node(Operator::Select, type, {std::move(condition), std::move(ifTrue), std::move(ifFalse)});
}

Expr bitsOf(Expr a) { return uniform(Operator::BitsOf, Type::U32, Type::F32, {std::move(a)}); }
Expr fromBits(Expr a) { return uniform(Operator::FromBits, Type::F32, Type::U32, {std::move(a)}); }
Expr shiftLeft(Expr a, uint32_t bits) { return shift(Operator::ShiftLeft, std::move(a), bits); }
Expr shiftRight(Expr a, uint32_t bits) { return shift(Operator::ShiftRight, std::move(a), bits); }
Expr addU(Expr a, Expr b) { return uniform(Operator::AddU, Type::U32, Type::U32, {std::move(a), std::move(b)}); }

Expr call(std::string name, std::vector<Expr> arguments, Expr expansion) {
  Expr result = uniform(Operator::Call, Type::F32, Type::F32, std::move(arguments));
  ExprNode &writable = *std::const_pointer_cast<ExprNode>(result);
  writable.name = std::move(name);
  writable.expansion = std::move(expansion);
  return result;
}

Expr leaf(Operator op, int id, std::vector<Index> indices) {
  auto result = std::make_shared<ExprNode>();
  result->op = op;
  result->type = Type::F32;
  result->id = id;
  result->indices = std::move(indices);
  return result;
}

} // namespace ex

namespace {

void visitOnce(const Expr &expr, std::unordered_set<const ExprNode *> &seen, const std::function<void(const ExprNode &)> &visit) {
  if (!expr || !seen.insert(expr.get()).second)
    return;
  for (const Expr &operand : expr->operands)
    visitOnce(operand, seen, visit);
  visitOnce(expr->expansion, seen, visit);
  visit(*expr);
}

} // namespace

void forEachNode(const Expr &root, const std::function<void(const ExprNode &)> &visit) {
  std::unordered_set<const ExprNode *> seen;
  visitOnce(root, seen, visit);
}

} // namespace normc
