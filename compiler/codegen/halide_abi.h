// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of halide_buffer_t and halide_dimension_t on x86-64, which Halide's functions take. halide_abi_check.cpp holds it against HalideRuntime.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normc::codegen {

/// struct halide_buffer_t, by element number.
struct HalideBufferLayout {
  enum Field : unsigned { Device, DeviceInterface, Host, Flags, TypeCode, TypeBits, TypeLanes, Dimensions, Dim, Padding };
  static constexpr size_t kHostOffset = 16;
  static constexpr size_t kFlagsOffset = 24;
  static constexpr size_t kTypeOffset = 32;
  static constexpr size_t kDimensionsOffset = 36;
  static constexpr size_t kDimOffset = 40;
  static constexpr size_t kBytes = 56;
};

/// struct halide_dimension_t, by element number.
struct HalideDimensionLayout {
  enum Field : unsigned { Min, Extent, Stride, Flags };
  static constexpr size_t kExtentOffset = 4;
  static constexpr size_t kStrideOffset = 8;
  static constexpr size_t kBytes = 16;
};

/// halide_type_code_t.
enum HalideTypeCode : uint8_t { kHalideInt = 0, kHalideUInt = 1, kHalideFloat = 2 };

} // namespace normc::codegen
