// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/values.h"

#include "compiler/support/error.h"

#include <limits>

namespace normc {
namespace {

using HExpr = Halide::Expr;

HExpr bits(const HExpr &value) { return Halide::reinterpret<uint32_t>(value); }
HExpr fromBits(const HExpr &value) { return Halide::reinterpret<float>(value); }
HExpr word(uint32_t value) { return Halide::cast<uint32_t>(HExpr(value)); }

HExpr isNaN(const HExpr &value) { return maskOf((bits(value) & word(0x7fffffffu)) > word(0x7f800000u)); }

/// Equality of float values without a float comparison: the same bits and not NaN, or two zeros.
HExpr equal(const HExpr &a, const HExpr &b) {
  HExpr same = maskOf(bits(a) == bits(b)) & ~isNaN(a);
  HExpr zeros = maskOf(((bits(a) | bits(b)) & word(0x7fffffffu)) == word(0u));
  return same | zeros;
}

/// binary16 to binary32 in integers and one exact subtraction: the exponent is rebiased, and a subnormal is normalized by taking 2^-14 away again.
HExpr widenF16(const HExpr &half) {
  HExpr h = Halide::cast<uint32_t>(half);
  HExpr magnitude = (h & word(0x7fffu)) << 13;
  HExpr exponent = magnitude & word(0x0f800000u);
  HExpr rebiased = magnitude + word((127u - 15u) << 23);
  HExpr special = rebiased + word((128u - 16u) << 23);
  HExpr subnormal = bits(fromBits(rebiased + word(1u << 23)) - Halide::Internal::make_const(Halide::Float(32), 0x1p-14));
  HExpr isSpecial = maskOf(exponent == word(0x0f800000u)), isSubnormal = maskOf(exponent == word(0u));
  HExpr value = (special & isSpecial) | (subnormal & isSubnormal) | (rebiased & ~(isSpecial | isSubnormal));
  return fromBits(value | ((h & word(0x8000u)) << 16));
}

/// binary32 to binary16, nearest even. Below 2^-14 the addition of 0.5, whose last bit is 2^-24, rounds at the right place.
HExpr narrowF16(const HExpr &value) {
  HExpr x = bits(value);
  HExpr magnitude = x & word(0x7fffffffu);
  HExpr isLarge = maskOf(magnitude >= word(0x47800000u)), isSmall = maskOf(magnitude < word(0x38800000u));
  HExpr large = word(0x7c00u) | (maskOf(magnitude > word(0x7f800000u)) & word(0x0200u));
  HExpr small = bits(fromBits(magnitude) + Halide::Internal::make_const(Halide::Float(32), 0.5)) - word(0x3f000000u);
  HExpr rounded = (magnitude + word(0xc8000fffu) + ((magnitude >> 13) & word(1u))) >> 13;
  HExpr result = (large & isLarge) | (small & isSmall) | (rounded & ~(isLarge | isSmall));
  return Halide::cast<uint16_t>(result | ((x >> 16) & word(0x8000u)));
}

/// The upper half, nearest even; a NaN keeps its upper bits and becomes quiet instead of being rounded, which could make it infinite or a zero.
HExpr narrowBF16(const HExpr &value) {
  HExpr x = bits(value), nan = isNaN(value);
  HExpr rounding = (word(0x7fffu) + ((x >> 16) & word(1u))) & ~nan;
  return Halide::cast<uint16_t>(((x + rounding) | (nan & word(0x00400000u))) >> 16);
}

HExpr narrowInteger(const HExpr &value, int low, int high, Halide::Type type) {
  HExpr rounded = Halide::round(value);
  HExpr lower = Halide::Internal::make_const(Halide::Float(32), low), upper = Halide::Internal::make_const(Halide::Float(32), high);
  HExpr clamped = choose(maskOf(rounded < lower), lower, rounded);
  clamped = choose(maskOf(upper < clamped), upper, clamped);
  return Halide::cast(type, Halide::cast<int32_t>(keep(clamped, ~isNaN(value))));
}

} // namespace

Halide::Type storageType(DType dtype) {
  switch (dtype) {
  case DType::F32: return Halide::Float(32);
  case DType::F16:
  case DType::BF16: return Halide::UInt(16);
  case DType::S8: return Halide::Int(8);
  case DType::U8: return Halide::UInt(8);
  case DType::F64: break;
  }
  throw Error(DiagCode::ImpossibleCombination, "the Halide back end has no f64, expected f32, f16 or bf16", {"use '--backend reference' for f64"});
}

HExpr widen(DType dtype, HExpr element, bool hardwareF16) {
  switch (dtype) {
  case DType::F32: return element;
  case DType::F16: return hardwareF16 ? Halide::cast<float>(Halide::reinterpret(Halide::Float(16), element)) : widenF16(element);
  case DType::BF16: return fromBits(Halide::cast<uint32_t>(element) << 16);
  default: return Halide::cast<float>(element);
  }
}

HExpr narrow(DType dtype, HExpr value, bool hardwareF16) {
  switch (dtype) {
  case DType::F32: return value;
  case DType::F16: return hardwareF16 ? Halide::reinterpret(Halide::UInt(16), Halide::cast(Halide::Float(16), value)) : narrowF16(value);
  case DType::BF16: return narrowBF16(value);
  case DType::S8: return narrowInteger(value, -128, 127, Halide::Int(8));
  case DType::U8: return narrowInteger(value, 0, 255, Halide::UInt(8));
  case DType::F64: break;
  }
  reportBug("a value cannot be narrowed to f64");
}

HExpr maskOf(const HExpr &condition) { return word(0u) - Halide::cast<uint32_t>(condition); }

HExpr keep(const HExpr &value, const HExpr &mask) { return fromBits(bits(value) & mask); }

HExpr choose(const HExpr &mask, const HExpr &ifSet, const HExpr &otherwise) {
  return fromBits((bits(ifSet) & mask) | (bits(otherwise) & ~mask));
}

HExpr maximum(const HExpr &a, const HExpr &b) { return choose(maskOf(b < a) | isNaN(a), a, b); }

HExpr lowerIndex(const Index &index, const Position &at) {
  auto operand = [&](size_t i) { return lowerIndex(index.operands()[i], at); };
  HExpr constant = Halide::cast<int32_t>(HExpr(static_cast<int32_t>(index.value())));
  switch (index.kind()) {
  case Index::Kind::Row: return at.row;
  case Index::Kind::Column: return at.column;
  case Index::Kind::Constant: return constant;
  case Index::Kind::Add: return operand(0) + operand(1);
  case Index::Kind::Mul: return operand(0) * constant;
  case Index::Kind::Div: return operand(0) / constant;
  case Index::Kind::Mod: return operand(0) % constant;
  }
  reportBug("unknown index kind");
}

/// One walk over an expression; nodes that are shared stay shared.
class Values::Lowering {
public:
  Lowering(const Values &values, const Position &position, const Loader &loader) : v_(values), position_(position), loader_(loader) {}

  HExpr value(const Expr &expr) {
    auto [entry, isNew] = done_.try_emplace(expr.get());
    if (isNew) {
      HExpr result = lower(*expr);
      done_[expr.get()] = result; // `entry` may have moved
      return result;
    }
    return entry->second;
  }

private:
  HExpr lower(const ExprNode &node) {
    auto operand = [&](size_t i) { return value(node.operands[i]); };
    switch (node.op) {
    case Operator::ConstF: return constant(node.f);
    case Operator::ConstU: return word(node.u);
    case Operator::Hidden: return v_.hidden_;
    case Operator::Rows: return v_.rows_;
    case Operator::Scalar: return v_.scalars_(node.id);
    case Operator::Load: return widen(v_.kernel_.inputs()[node.id].dtype, loader_(node, position_), v_.hardwareF16_);
    case Operator::StageRef: {
      HExpr read = v_.stages_(node.id, position_);
      return read.defined() ? read : value(v_.kernel_.stages()[node.id].expr);
    }
    case Operator::Add: return operand(0) + operand(1);
    case Operator::Sub: return operand(0) - operand(1);
    case Operator::Mul: return operand(0) * operand(1);
    case Operator::Div: return operand(0) / operand(1);
    case Operator::Sqrt: return Halide::sqrt(operand(0));
    case Operator::Neg: return fromBits(bits(operand(0)) ^ word(0x80000000u));
    case Operator::Abs: return fromBits(bits(operand(0)) & word(0x7fffffffu));
    case Operator::Max: return maximum(operand(0), operand(1));
    case Operator::Min: {
      HExpr a = operand(0), b = operand(1);
      return normc::choose(maskOf(a < b) | isNaN(a), a, b);
    }
    case Operator::RoundEven: return Halide::round(operand(0));
    case Operator::RoundTo: return widen(node.dtype, narrow(node.dtype, operand(0), v_.hardwareF16_), v_.hardwareF16_);
    case Operator::Lt: return maskOf(operand(0) < operand(1));
    case Operator::Le: {
      HExpr a = operand(0), b = operand(1);
      return maskOf(a < b) | equal(a, b);
    }
    case Operator::Eq: return equal(operand(0), operand(1));
    case Operator::And: return operand(0) & operand(1);
    case Operator::Or: return operand(0) | operand(1);
    case Operator::Not: return ~operand(0);
    case Operator::Select: {
      HExpr mask = operand(0), a = operand(1), b = operand(2);
      return node.type == Type::F32 ? normc::choose(mask, a, b) : (a & mask) | (b & ~mask);
    }
    case Operator::BitsOf: return bits(operand(0));
    case Operator::FromBits: return fromBits(operand(0));
    case Operator::ShiftLeft: return operand(0) << operand(1);
    case Operator::ShiftRight: return operand(0) >> operand(1);
    case Operator::AddU: return operand(0) + operand(1);
    case Operator::Call:
      throw Error(DiagCode::ImpossibleCombination,
                  "the Halide back end does not support the function '" + node.name + "' yet, in kernel '" + v_.kernel_.name() + "'");
    }
    reportBug("unknown operator");
  }

  /// NaN and infinity go through their bits: Halide's own constants pass through double and its printer.
  static HExpr constant(float value) {
    if (value - value == 0)
      return Halide::Internal::make_const(Halide::Float(32), value);
    uint32_t pattern;
    static_assert(sizeof pattern == sizeof value);
    __builtin_memcpy(&pattern, &value, sizeof pattern);
    return fromBits(word(pattern));
  }

  const Values &v_;
  const Position &position_;
  const Loader &loader_;
  std::map<const ExprNode *, HExpr> done_;
};

HExpr Values::at(const Expr &expr, const Position &position, const Loader &loader) const { return Lowering(*this, position, loader).value(expr); }

} // namespace normc
