// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/fold.h"

#include "compiler/support/canonical_order.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace normc {
namespace {

using Halide::Func;
using Halide::LoopLevel;
using Halide::RDom;
using Halide::Var;
using HExpr = Halide::Expr;

constexpr int kLanes = static_cast<int>(order::kLanes);
constexpr int kSegment = static_cast<int>(order::kSegment);
constexpr int kLaneRows = kSegment / kLanes;
constexpr int kGroup = static_cast<int>(order::kGroupSegments);

void define(Func func, const std::vector<HExpr> &arguments, const Terms &values) {
  if (values.size() == 1)
    func(arguments) = values[0];
  else
    func(arguments) = Halide::Tuple(values);
}

std::vector<HExpr> operator+(std::vector<HExpr> first, const std::vector<HExpr> &rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// Where Funcs are computed: in the loop over rows, or in a loop inside it. (Halide cannot compare levels that are not set yet.)
struct Place {
  LoopLevel level;
  bool inner = true;
};

std::vector<HExpr> exprs(const std::vector<Var> &vars) { return {vars.begin(), vars.end()}; }

class SweepLowering {
public:
  SweepLowering(const SweepTerms &terms, const RowLoop &loop)
      : t_(terms), loop_(loop), n_(loop.row), rowLevel_{loop.level, false}, vectorLanes_(loop.plan->vectorLanes),
        straightSegments_(loop.plan->straightSegments),
        groupLanes_(terms.kinds.size() > 1 ? loop.plan->laneGroupShared : loop.plan->laneGroup) {}

  Func lower() {
    Func total(t_.name);
    Terms sums = loop_.plan->fold == FoldForm::Narrow ? narrow() : loop_.plan->fold == FoldForm::Static ? staticTotal() : dynamicTotal();
    for (size_t k = 0; k < sums.size(); ++k)
      if (t_.kinds[k] == StageKind::SumFold)
        sums[k] = sums[k] + Halide::Internal::make_const(Halide::Float(32), 0.0);
    define(total, {n_}, sums);
    keepOnStack(total, rowLevel_, {n_});
    return total;
  }

private:
  // ---- values of a sweep

  Terms read(const Func &func, const std::vector<HExpr> &arguments) const {
    Terms values;
    for (size_t k = 0; k < t_.kinds.size(); ++k)
      values.push_back(readValue(func, arguments, k, t_.kinds.size()));
    return values;
  }

  HExpr identityOf(size_t k) const {
    // -inf on the right of Max gives back the left operand, whatever it is, so it stands for an absent term.
    return t_.kinds[k] == StageKind::SumFold ? Halide::Internal::make_const(Halide::Float(32), 0.0)
                                             : Halide::reinterpret<float>(Halide::cast<uint32_t>(HExpr(0xff800000u)));
  }

  Terms identity() const {
    Terms values;
    for (size_t k = 0; k < t_.kinds.size(); ++k)
      values.push_back(identityOf(k));
    return values;
  }

  Terms combine(const Terms &a, const Terms &b) const {
    Terms values;
    for (size_t k = 0; k < a.size(); ++k)
      values.push_back(t_.kinds[k] == StageKind::SumFold ? a[k] + b[k] : maximum(a[k], b[k]));
    return values;
  }

  /// The values where `condition` holds, absent elsewhere.
  Terms where(const HExpr &condition, const Terms &values) const {
    HExpr mask = maskOf(condition);
    Terms kept;
    for (size_t k = 0; k < values.size(); ++k)
      kept.push_back(t_.kinds[k] == StageKind::SumFold ? keep(values[k], mask) : normc::choose(mask, values[k], identityOf(k)));
    return kept;
  }

  auto combiner() const {
    return [this](const Terms &a, const Terms &b) { return combine(a, b); };
  }

  // ---- scheduling

  /// Every extent is bounded: Halide turns a stack allocation whose extent it cannot fold to a constant into one on the heap, without a word.
  void keepOnStack(Func func, const Place &place, const std::vector<Var> &ones) const {
    func.compute_at(place.level).store_in(Halide::MemoryType::Stack);
    for (const Var &var : ones)
      func.bound_storage(var, 1);
  }

  /// A level of a fold: `width` values along `a`.
  void scheduleLevel(Func func, const Var &a, int width, const Place &place, const std::vector<Var> &outer) const {
    keepOnStack(func, place, outer);
    func.bound_extent(a, width);
    func.bound_storage(a, width);
    // Slots of other sizes that share one stack address keep LLVM from promoting them to registers; overlapping lives prevent the sharing.
    if (place.inner)
      func.hoist_storage(rowLevel_.level);
    if (width > vectorLanes_) {
      Var outerA, innerA;
      func.split(a, outerA, innerA, vectorLanes_).vectorize(innerA).unroll(outerA);
    } else if (width > 1) {
      func.vectorize(a, width);
    }
  }

  // ---- one segment

  struct Segment {
    std::function<Terms(const HExpr &lane, const HExpr &laneRow)> term; ///< the term of a lane in a lane row
    HExpr laneRows;       ///< how many lane rows are full
    bool startAtFirst = false; ///< laneRows is at least 1: start at the first term rather than at the identity
    bool hasTail = false; ///< add the tail
    HExpr tailCondition;  ///< where defined: only if it holds
  };

  /// The fold of one segment, to be read at {0} + outer.
  Func segment(const std::string &name, const Segment &s, const std::vector<Var> &outer, const Place &place) const {
    const int group = groupLanes_, groups = kLanes / group;
    Var a("a"), q("q");
    const std::vector<HExpr> rest = exprs(outer), point = std::vector<HExpr>{a, q} + rest;
    HExpr lane = a + group * q;
    const HExpr row = n_;

    Func part(name + "_lanes");
    auto tailAt = [&](const HExpr &laneIndex) { return where(laneIndex < tailColumns(loop_), t_.tail(row, laneIndex)); };
    bool tailStarts = !s.startAtFirst && s.hasTail && !s.tailCondition.defined();
    define(part, point, s.startAtFirst ? s.term(lane, 0) : tailStarts ? tailAt(lane) : identity());
    int updates = 0;
    if (!Halide::Internal::is_const_zero(s.laneRows) && !(s.startAtFirst && Halide::Internal::is_const_one(s.laneRows))) {
      int start = s.startAtFirst ? 1 : 0;
      RDom r(start, Halide::Internal::simplify(s.laneRows - start), "r");
      define(part, point, combine(read(part, point), s.term(lane, r)));
      scheduleUpdate(part, updates++, a, q, &r.x);
    }
    if (s.hasTail && !tailStarts) {
      RDom c(0, 1, "tail");
      if (s.tailCondition.defined())
        c.where(s.tailCondition);
      define(part, point, combine(read(part, point), tailAt(lane + c.x)));
      scheduleUpdate(part, updates++, a, q, &c.x);
    }

    Func folded(name + "_fold" + std::to_string(group));
    std::vector<Terms> groupTerms;
    for (int g = 0; g < groups; ++g)
      groupTerms.push_back(read(part, std::vector<HExpr>{a, g} + rest));
    for (int width = groups / 2; width > 0; width /= 2)
      for (int g = 0; g < width; ++g)
        groupTerms[g] = combine(groupTerms[g], groupTerms[g + width]);
    define(folded, std::vector<HExpr>{a} + rest, groupTerms[0]);

    keepOnStack(folded, place, outer);
    folded.bound_extent(a, group).bound_storage(a, group);
    if (place.inner)
      folded.hoist_storage(rowLevel_.level);
    part.store_in(Halide::MemoryType::Stack).bound_extent(q, groups).bound_storage(q, groups).vectorize(a, vectorLanes_).unroll(q);
    for (const Var &var : outer)
      part.bound_storage(var, 1);
    if (group > vectorLanes_) {
      Var sweep("sweep"), inner("inner");
      folded.split(a, sweep, inner, vectorLanes_).vectorize(inner);
      part.compute_at(folded, sweep).bound_storage(a, vectorLanes_);
      if (loop_.plan->unrollGroups || updates == 0)
        folded.unroll(sweep);
    } else {
      folded.vectorize(a);
      part.compute_at(place.level).bound_storage(a, group);
    }

    Func previous = folded;
    for (int width = group / 2; width > 0; width /= 2) {
      Func half(name + "_fold" + std::to_string(width));
      define(half, std::vector<HExpr>{a} + rest, combine(read(previous, std::vector<HExpr>{a} + rest), read(previous, std::vector<HExpr>{a + width} + rest)));
      scheduleLevel(half, a, width, place, outer);
      previous = half;
    }
    return previous;
  }

  void scheduleUpdate(Func part, int index, const Var &a, const Var &q, const Halide::RVar *r) const {
    auto stage = part.update(index);
    stage.vectorize(a, vectorLanes_).reorder({a, q, *r}).unroll(q);
    if (loop_.plan->unrollGroups && index == 0)
      stage.unroll(*r);
  }

  /// A full segment, number `index`.
  Segment fullSegment(const HExpr &index) const {
    const HExpr row = n_;
    Segment full;
    full.term = [this, index, row](const HExpr &lane, const HExpr &laneRow) { return t_.at(row, kSegment * index + kLanes * laneRow + lane); };
    full.laneRows = kLaneRows;
    full.startAtFirst = true;
    return full;
  }

  // ---- forms

  /// The last segment holds 1 to 512 columns, so that it is always there; it starts at this column.
  HExpr lastStart() const { return ((loop_.columns - 1) / kSegment) * kSegment; }
  HExpr fullSegments() const { return (loop_.columns - 1) / kSegment; }

  Terms lastSegment() const {
    const HExpr start = Halide::Internal::simplify(lastStart()), row = n_;
    Segment last;
    last.term = [this, start, row](const HExpr &lane, const HExpr &laneRow) { return t_.at(row, start + kLanes * laneRow + lane); };
    if (loop_.hidden > 0) {
      int64_t columns = loop_.hidden - (loop_.hidden - 1) / kSegment * kSegment;
      last.laneRows = static_cast<int>(columns / kLanes);
      last.startAtFirst = columns >= kLanes;
      last.hasTail = columns % kLanes != 0;
    } else {
      last.laneRows = (loop_.columns - start) / kLanes;
      last.startAtFirst = false;
      last.hasTail = true;
      last.tailCondition = tailColumns(loop_) > 0;
    }
    return read(segment(t_.name + "_last", last, {n_}, rowLevel_), {0, n_});
  }

  /// Fewer columns than lanes: one element a lane, and the fold starts at the first power of two that holds them all.
  Terms narrow() const {
    const int columns = static_cast<int>(loop_.hidden), width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(columns)));
    const HExpr row = n_;
    Var a("a");
    Func lanes(t_.name + "_lanes");
    define(lanes, {a, n_}, columns == width ? t_.at(row, a) : where(a < columns, t_.tail(row, a)));
    scheduleLevel(lanes, a, width, rowLevel_, {n_});
    return read(foldLevels(lanes, t_.name + "_fold", width, rowLevel_, {n_}, /*neighbours=*/false), {0, n_});
  }

  /// Halves `from` until one value is left: lane l with lane l + w, or (in the tree over segments) neighbours.
  Func foldLevels(Func from, const std::string &name, int width, const Place &place, const std::vector<Var> &outer, bool neighbours) const {
    Var a("a");
    const std::vector<HExpr> rest = exprs(outer);
    for (int w = width / 2; w > 0; w /= 2) {
      Func next(name + std::to_string(w));
      std::vector<HExpr> left = std::vector<HExpr>{neighbours ? 2 * a : HExpr(a)} + rest, right = std::vector<HExpr>{neighbours ? 2 * a + 1 : a + w} + rest;
      define(next, std::vector<HExpr>{a} + rest, combine(read(from, left), read(from, right)));
      scheduleLevel(next, a, w, place, outer);
      from = next;
    }
    return from;
  }

  Terms straight(const std::string &name, int full, const Terms &last, const Place &place) const {
    std::vector<Terms> parts;
    for (int i = 0; i < full; ++i)
      parts.push_back(read(segment(name + std::to_string(i), fullSegment(i), {n_}, place), {0, n_}));
    parts.push_back(last);
    return order::foldTree(parts, combiner());
  }

  Terms staticTotal() const {
    const int64_t segments = order::segmentCount(loop_.hidden);
    const int full = static_cast<int>(segments) - 1;
    const bool lastIsFull = loop_.hidden % kSegment == 0;
    if (segments <= straightSegments_)
      return lastIsFull ? straight(t_.name + "_segment", full, read(segment(t_.name + "_last", fullSegment(full), {n_}, rowLevel_), {0, n_}), rowLevel_)
                        : straight(t_.name + "_segment", full, lastSegment(), rowLevel_);
    // A full last segment goes through the loop with the others.
    const int looped = lastIsFull ? full + 1 : full;
    Terms last = lastIsFull ? Terms{} : lastSegment();
    if (segments <= kGroup) {
      const int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(segments)));
      Func parts = segmentArray(t_.name + "_segments", looped, width, last, rowLevel_);
      return read(foldLevels(parts, t_.name + "_tree", width, rowLevel_, {n_}, /*neighbours=*/true), {0, n_});
    }
    return groups(looped, last, rowLevel_);
  }

  /// The sums of `full` segments, then `last`, then absent ones, in an array of `width`.
  Func segmentArray(const std::string &name, int full, int width, const Terms &last, const Place &place) const {
    Var s("s");
    Func parts(name);
    define(parts, {s, n_}, last.empty() ? identity() : where(s == full, last));
    RDom rs(0, full, "rs");
    Place inLoop;
    Func one = segment(name + "_one", fullSegment(s), {s, n_}, inLoop);
    define(parts, {rs.x, n_}, read(one, {0, rs.x, n_}));
    parts.update(0).unscheduled();
    inLoop.level.set(LoopLevel(parts, rs.x));
    keepOnStack(parts, place, {n_});
    parts.bound_extent(s, width).bound_storage(s, width).vectorize(s, std::min(width, vectorLanes_));
    return parts;
  }

  /// Any number of segments, on fixed scratch: groups of 64, each a whole subtree, then at most 512 groups. `last` may be empty.
  Terms groups(const HExpr &full, const Terms &last, const Place &place) const {
    const HExpr count = last.empty() ? (full + kGroup - 1) / kGroup : full / kGroup + 1;
    Var s("s"), g("g");
    Place inSegments, inGroups;

    Func parts(t_.name + "_segments");
    HExpr index = kGroup * g + s;
    define(parts, {s, g, n_}, last.empty() ? identity() : where(index == full, last));
    RDom rs(0, kGroup, "rs");
    rs.where(kGroup * g + rs.x < full);
    Func one = segment(t_.name + "_one", fullSegment(index), {s, g, n_}, inSegments);
    define(parts, {rs.x, g, n_}, read(one, {0, rs.x, g, n_}));
    parts.update(0).unscheduled();
    inSegments.level.set(LoopLevel(parts, rs.x));
    keepOnStack(parts, inGroups, {g, n_});
    parts.bound_extent(s, kGroup).bound_storage(s, kGroup).vectorize(s, vectorLanes_);
    Func subtree = foldLevels(parts, t_.name + "_tree", kGroup, inGroups, {g, n_}, /*neighbours=*/true);

    const int width = loop_.hidden > 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>((order::segmentCount(loop_.hidden) + kGroup - 1) / kGroup)))
                                       : static_cast<int>(order::kMaxGroups);
    Func sums(t_.name + "_groups");
    define(sums, {g, n_}, identity());
    RDom rg(0, count, "rg");
    define(sums, {rg.x, n_}, read(subtree, {0, rg.x, n_}));
    sums.update(0).unscheduled();
    inGroups.level.set(LoopLevel(sums, rg.x));
    keepOnStack(sums, place, {n_});
    sums.bound_extent(g, width).bound_storage(g, width).vectorize(g, std::min(width, vectorLanes_));
    return read(foldLevels(sums, t_.name + "_top", width, place, {n_}, /*neighbours=*/true), {0, n_});
  }

  /// Any width: tiers by number of segments, each under one condition. An update over a domain of one point is Halide's `if`.
  Terms dynamicTotal() const {
    const HExpr full = fullSegments();
    Func lastSum(t_.name + "_last");
    define(lastSum, {n_}, lastSegment());
    keepOnStack(lastSum, rowLevel_, {n_});
    const Terms last = read(lastSum, {n_});

    Func tiers(t_.name + "_tiers");
    define(tiers, {n_}, last);
    {
      RDom c(0, 1, "few");
      c.where(full > 0 && full < straightSegments_);
      Place inTier;
      std::vector<Terms> parts;
      Func first = segment(t_.name + "_few0", fullSegment(0), {n_}, inTier);
      parts.push_back(read(first, {0, n_ + c.x}));
      for (int i = 1; i < straightSegments_ - 1; ++i)
        parts.push_back(read(conditionalSegment(t_.name + "_few" + std::to_string(i), i, full, last, inTier), {n_ + c.x}));
      Func end(t_.name + "_few" + std::to_string(straightSegments_ - 1));
      define(end, {n_}, where(full == straightSegments_ - 1, last));
      keepOnStack(end, inTier, {n_});
      parts.push_back(read(end, {n_ + c.x}));
      define(tiers, {n_}, order::foldTree(parts, combiner()));
      inTier.level.set(LoopLevel(tiers, c.x));
    }
    {
      RDom c(0, 1, "many");
      c.where(full >= straightSegments_);
      Place inTier;
      Func many(t_.name + "_many");
      define(many, {n_}, groups(full, last, inTier));
      keepOnStack(many, inTier, {n_});
      define(tiers, {n_}, read(many, {n_ + c.x}));
      inTier.level.set(LoopLevel(tiers, c.x));
    }
    keepOnStack(tiers, rowLevel_, {n_});
    return read(tiers, {n_});
  }

  /// Segment i of a row that may have fewer: full, or the last one, or absent.
  Func conditionalSegment(const std::string &name, int i, const HExpr &full, const Terms &last, const Place &place) const {
    Func part(name);
    define(part, {n_}, where(full == i, last));
    RDom c(0, 1, "there");
    c.where(full > i);
    Place inside;
    Func one = segment(name + "_one", fullSegment(i), {n_}, inside);
    define(part, {n_}, read(one, {0, n_ + c.x}));
    inside.level.set(LoopLevel(part, c.x));
    keepOnStack(part, place, {n_});
    return part;
  }

  const SweepTerms &t_;
  const RowLoop &loop_;
  Var n_;
  Place rowLevel_;
  int vectorLanes_, straightSegments_, groupLanes_;
};

} // namespace

HExpr tailColumns(const RowLoop &loop) { return loop.hidden > 0 ? HExpr(static_cast<int>(loop.hidden % kLanes)) : loop.columns % kLanes; }

HExpr readValue(const Func &func, const std::vector<HExpr> &arguments, size_t index, size_t count) {
  return count == 1 ? HExpr(func(arguments)) : HExpr(func(arguments)[static_cast<int>(index)]);
}

Func lowerSweep(const SweepTerms &terms, const RowLoop &loop) { return SweepLowering(terms, loop).lower(); }

} // namespace normc
