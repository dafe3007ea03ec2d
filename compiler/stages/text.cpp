// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages as text.
#include "compiler/stages/kernel.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <charconv>

namespace normc {
namespace {

std::string number(float value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  (void)error;
  std::string text(buffer, end);
  bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return integral ? text + ".0" : text;
}

std::string hex(uint32_t value) {
  char buffer[16];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, 16);
  (void)error;
  return "0x" + std::string(buffer, end);
}

/// Binding strength, as in C: a looser expression inside a tighter one is put in parentheses.
int strength(Operator op) {
  switch (op) {
  case Operator::Lt:
  case Operator::Le:
  case Operator::Eq: return 1;
  case Operator::Add:
  case Operator::Sub: return 2;
  case Operator::Mul:
  case Operator::Div: return 3;
  default: return 4;
  }
}

std::string_view infix(Operator op) {
  switch (op) {
  case Operator::Lt: return " < ";
  case Operator::Le: return " <= ";
  case Operator::Eq: return " == ";
  case Operator::Add: return " + ";
  case Operator::Sub: return " - ";
  case Operator::Mul: return " * ";
  case Operator::Div: return " / ";
  default: return "";
  }
}

std::string functionName(const ExprNode &node) {
  switch (node.op) {
  case Operator::Sqrt: return "sqrt";
  case Operator::Neg: return "neg";
  case Operator::Abs: return "abs";
  case Operator::Max: return "max";
  case Operator::Min: return "min";
  case Operator::RoundEven: return "round_even";
  case Operator::RoundTo: return std::string("round_") + std::string(dtypeName(node.dtype));
  case Operator::And: return "and";
  case Operator::Or: return "or";
  case Operator::Not: return "not";
  case Operator::Select: return "select";
  case Operator::BitsOf: return "bits";
  case Operator::FromBits: return "from_bits";
  case Operator::ShiftLeft: return "shift_left";
  case Operator::ShiftRight: return "shift_right";
  case Operator::AddU: return "add_u32";
  case Operator::Call: return node.name;
  default: reportBug("operator without a function spelling");
  }
}

std::string loadText(const Kernel &kernel, const ExprNode &node) {
  std::string text = kernel.inputs()[node.id].name + "[";
  for (size_t i = 0; i < node.indices.size(); ++i)
    text += (i ? ", " : "") + node.indices[i].text();
  return text + "]";
}

} // namespace

std::string exprText(const Kernel &kernel, const Expr &expr) {
  const ExprNode &node = *expr;
  switch (node.op) {
  case Operator::ConstF: return number(node.f);
  case Operator::ConstU: return hex(node.u);
  case Operator::Hidden: return "hidden";
  case Operator::Rows: return "rows";
  case Operator::Scalar: return kernel.scalars()[node.id];
  case Operator::Load: return loadText(kernel, node);
  case Operator::StageRef: return kernel.stages()[node.id].name;
  default: break;
  }
  if (std::string_view symbol = infix(node.op); !symbol.empty()) {
    // The right operand of a left-associative operator of the same strength needs parentheses: the grouping is part of the meaning.
    auto side = [&](const Expr &operand, bool right) {
      std::string text = exprText(kernel, operand);
      int inner = strength(operand->op), outer = strength(node.op);
      return inner < outer || (right && inner == outer) ? "(" + text + ")" : text;
    };
    return side(node.operands[0], false) + std::string(symbol) + side(node.operands[1], true);
  }
  std::string text = functionName(node) + "(";
  for (size_t i = 0; i < node.operands.size(); ++i)
    text += (i ? ", " : "") + exprText(kernel, node.operands[i]);
  return text + ")";
}

std::string Kernel::text() const {
  std::string out = "kernel " + name_ + "(";
  const bool isF64 = std::any_of(inputs_.begin(), inputs_.end(), [](const Input &in) { return in.dtype == DType::F64; });
  const char *scalarType = isF64 ? "f64" : "f32"; // an f64 kernel takes its scalars in f64 too
  bool first = true;
  auto separate = [&] {
    out += first ? "" : ", ";
    first = false;
  };
  for (const Input &in : inputs_) {
    separate();
    out += in.name + ": " + std::string(dtypeName(in.dtype)) + (in.rank == 2 ? "[,]" : "[]");
  }
  for (const std::string &name : scalars_) {
    separate();
    out += name + ": " + scalarType;
  }
  out += ")\n";
  for (const Stage &stage : stages_) {
    std::string domain(domainName(stage.domain));
    out += "  " + domain + std::string(8 - domain.size(), ' ') + stage.name + " = ";
    const std::string expression = exprText(*this, stage.expr);
    out += stage.kind == StageKind::Map ? expression : (stage.kind == StageKind::SumFold ? "sum(" : "max(") + expression + ")";
    if (stage.store)
      out += " -> " + stage.store->output + ": " + std::string(dtypeName(stage.store->dtype));
    out += "\n";
  }
  return out;
}

} // namespace normc
