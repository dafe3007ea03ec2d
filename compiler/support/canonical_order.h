// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of additions. Contract.
//
// A float32 sum has as many results as it has orders. normc fixes one, a function of the number of terms alone, so that every target, back end, thread count and
// batch size gives the same bits. The reference folds with the functions below; back ends take the constants and the shape of the trees from here.
//
//   sum of t[0 .. hidden), along a row:
//     segment s holds columns [512 s, 512 s + 512); within it, column i belongs to lane i mod 64
//     a lane adds its terms in order (at most eight)
//     the lanes of a segment fold by halves: a[l] = a[l] + a[l + w] for w = 32, 16, 8, 4, 2, 1
//     the segments fold in a balanced tree, neighbours first: p[s] = p[s] + p[s + k] for k = 1, 2, 4, ... and s a multiple of 2 k
//     the root adds +0
//   sum of t[0 .. rows), along a column:
//     chunk k adds rows [32 k, 32 k + 32) in order; the chunks fold in the same balanced tree; the root adds +0
//   a maximum: the same trees, without the +0
//
// An absent term (past the end of the row, a lane that a narrow row does not fill, a segment that is not there) is skipped. For sums it may as well be a zero of
// either sign: inside the tree that changes at most the sign of a zero, and the root's +0 makes every zero positive. For maxima it is always skipped.
// docs/numerics.md says why this order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#ifdef __FAST_MATH__
#error "normc's bits depend on the order of additions: compile without -ffast-math"
#endif

namespace normc::order {

/// Lanes of a segment: column i belongs to lane i mod kLanes.
inline constexpr int64_t kLanes = 64;
/// Columns of a segment; each lane adds kSegment / kLanes = 8 terms.
inline constexpr int64_t kSegment = 512;
/// Rows of a chunk of a column fold.
inline constexpr int64_t kChunkRows = 32;
/// The largest number of columns.
inline constexpr int64_t kMaxHidden = int64_t{1} << 24;
/// A row of unknown width may be folded on fixed scratch: groups of kGroupSegments segments (each a whole subtree of the balanced tree), then at most kMaxGroups
/// groups.
inline constexpr int64_t kGroupSegments = 64;
inline constexpr int64_t kMaxGroups = 512;
static_assert(kSegment * kGroupSegments * kMaxGroups == kMaxHidden);

/// Segments of a row of `hidden` columns.
constexpr int64_t segmentCount(int64_t hidden) { return (hidden + kSegment - 1) / kSegment; }
/// Lanes that hold a term in a segment of `columns` columns: the first ones.
constexpr int64_t laneCount(int64_t columns) { return columns < kLanes ? columns : kLanes; }
/// Chunks of a column of `rows` rows.
constexpr int64_t chunkCount(int64_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }
/// Levels of the balanced tree over `parts` parts: ceil(log2(parts)).
constexpr int treeLevels(int64_t parts) {
  int levels = 0;
  while ((int64_t{1} << levels) < parts)
    ++levels;
  return levels;
}
/// Additions that a term passes through on its way to the root, at most: 7 in its lane, 6 between lanes, then the tree. The error bound of a sum rests on it.
constexpr int64_t rowFoldDepth(int64_t hidden) {
  const int64_t inLane = hidden < kSegment ? (hidden + kLanes - 1) / kLanes : kSegment / kLanes;
  return (inLane > 0 ? inLane - 1 : 0) + treeLevels(laneCount(hidden)) + treeLevels(segmentCount(hidden));
}
/// Likewise for a column of `rows` rows.
constexpr int64_t columnFoldDepth(int64_t rows) {
  const int64_t inChunk = rows < kChunkRows ? rows : kChunkRows;
  return (inChunk > 0 ? inChunk - 1 : 0) + treeLevels(chunkCount(rows));
}

/// Folds the first `count` (at least 1) lanes of a segment by halves and returns the result. Overwrites `lanes`.
/// `combine(a, b)` gets the earlier operand first. V may be any value, an expression of a back end for instance.
template <class V, class F> V foldLanes(V *lanes, int64_t count, F combine) {
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t lane = 0; lane < width && lane + width < count; ++lane)
      lanes[lane] = combine(lanes[lane], lanes[lane + width]);
  return lanes[0];
}

/// Folds `count` (at least 1) parts in the balanced tree, neighbours first, and returns the result. Overwrites `parts`.
template <class V, class F> V foldTree(V *parts, int64_t count, F combine) {
  for (int64_t step = 1; step < count; step *= 2)
    for (int64_t part = 0; part + step < count; part += 2 * step)
      parts[part] = combine(parts[part], parts[part + step]);
  return parts[0];
}

template <class V, class F> V foldLanes(std::vector<V> lanes, F combine) {
  return foldLanes(lanes.data(), static_cast<int64_t>(lanes.size()), std::move(combine));
}

template <class V, class F> V foldTree(std::vector<V> parts, F combine) {
  return foldTree(parts.data(), static_cast<int64_t>(parts.size()), std::move(combine));
}

/// The balanced tree over parts that arrive one after another, in memory logarithmic in their number: a binary counter of finished subtrees.
template <class V> class StreamingTree {
public:
  /// Adds the next part. `combine(V &left, const V &right)` folds right into left.
  template <class F> void push(V part, F combine) {
    for (uint64_t bits = count_; bits & 1; bits >>= 1) {
      combine(subtrees_.back(), part);
      part = std::move(subtrees_.back());
      subtrees_.pop_back();
    }
    subtrees_.push_back(std::move(part));
    ++count_;
  }

  bool empty() const { return count_ == 0; }

  /// The root (not yet + 0): the subtrees that are left fold from the right. Needs at least one part; leaves the tree empty.
  template <class F> V finish(F combine) {
    V right = std::move(subtrees_.back());
    subtrees_.pop_back();
    while (!subtrees_.empty()) {
      combine(subtrees_.back(), right);
      right = std::move(subtrees_.back());
      subtrees_.pop_back();
    }
    count_ = 0;
    return right;
  }

private:
  std::vector<V> subtrees_;
  uint64_t count_ = 0;
};

/// What the root of a sum does to it: -0 becomes +0, nothing else changes.
template <class T> T root(T sum) { return sum + T(0); }

/// The operator Max of the stage language: a NaN operand gives NaN, and of two zeros the second is taken.
template <class T> T maximum(T a, T b) { return a > b || a != a ? a : b; }

/// One segment of a row fold: `columns` (1 .. kSegment) terms at `terms`.
template <class T, class F> T foldSegment(const T *terms, int64_t columns, F combine) {
  T lanes[kLanes];
  const int64_t lanesUsed = laneCount(columns);
  for (int64_t lane = 0; lane < lanesUsed; ++lane)
    lanes[lane] = terms[lane];
  int64_t start = kLanes;
  for (; start + kLanes <= columns; start += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = combine(lanes[lane], terms[start + lane]);
  for (int64_t lane = 0; start + lane < columns; ++lane)
    lanes[lane] = combine(lanes[lane], terms[start + lane]);
  return foldLanes(lanes, lanesUsed, combine);
}

/// A whole row: `term(i)` for i in [0, hidden), hidden at least 1; `scratch` has room for segmentCount(hidden) values. Without the root's +0.
template <class T, class Term, class F> T foldRow(int64_t hidden, Term term, T *scratch, F combine) {
  T terms[kSegment];
  const int64_t segments = segmentCount(hidden);
  for (int64_t segment = 0; segment < segments; ++segment) {
    const int64_t first = segment * kSegment;
    const int64_t columns = hidden - first < kSegment ? hidden - first : kSegment;
    for (int64_t i = 0; i < columns; ++i)
      terms[i] = term(first + i);
    scratch[segment] = foldSegment(terms, columns, combine);
  }
  return foldTree(scratch, segments, combine);
}

/// The sum of term(i) for i in [0, hidden) in the order above; 0 for no terms. T is the type of every intermediate.
template <class T, class Term> T canonicalSum(int64_t hidden, Term term, T *scratch) {
  return hidden == 0 ? T(0) : root(foldRow(hidden, term, scratch, [](T a, T b) -> T { return a + b; }));
}

/// The maximum of term(i) for i in [0, hidden), at least 1.
template <class T, class Term> T canonicalMax(int64_t hidden, Term term, T *scratch) { return foldRow(hidden, term, scratch, maximum<T>); }

/// The sum of term(r) for r in [0, rows) in the order of column folds; 0 for no terms. `scratch` has room for chunkCount(rows) values.
template <class T, class Term> T canonicalColumnSum(int64_t rows, Term term, T *scratch) {
  if (rows == 0)
    return T(0);
  const int64_t chunks = chunkCount(rows);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const int64_t end = (chunk + 1) * kChunkRows < rows ? (chunk + 1) * kChunkRows : rows;
    T sum = term(chunk * kChunkRows);
    for (int64_t row = chunk * kChunkRows + 1; row < end; ++row)
      sum = sum + term(row);
    scratch[chunk] = sum;
  }
  return root(foldTree(scratch, chunks, [](T a, T b) -> T { return a + b; }));
}

} // namespace normc::order
