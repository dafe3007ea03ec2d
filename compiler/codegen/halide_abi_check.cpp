// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled where Halide's headers are there: the layout that normc builds is the one that Halide reads.
#include "compiler/codegen/halide_abi.h"

#include <HalideRuntime.h>

namespace normc::codegen {

static_assert(offsetof(halide_buffer_t, device) == 0 && offsetof(halide_buffer_t, device_interface) == 8);
static_assert(offsetof(halide_buffer_t, host) == HalideBufferLayout::kHostOffset);
static_assert(offsetof(halide_buffer_t, flags) == HalideBufferLayout::kFlagsOffset);
static_assert(offsetof(halide_buffer_t, type) == HalideBufferLayout::kTypeOffset && sizeof(halide_type_t) == 4);
static_assert(offsetof(halide_type_t, bits) == 1 && offsetof(halide_type_t, lanes) == 2);
static_assert(offsetof(halide_buffer_t, dimensions) == HalideBufferLayout::kDimensionsOffset);
static_assert(offsetof(halide_buffer_t, dim) == HalideBufferLayout::kDimOffset);
static_assert(sizeof(halide_buffer_t) == HalideBufferLayout::kBytes);
static_assert(offsetof(halide_dimension_t, min) == 0);
static_assert(offsetof(halide_dimension_t, extent) == HalideDimensionLayout::kExtentOffset);
static_assert(offsetof(halide_dimension_t, stride) == HalideDimensionLayout::kStrideOffset);
static_assert(sizeof(halide_dimension_t) == HalideDimensionLayout::kBytes);
static_assert(uint8_t{halide_type_int} == kHalideInt && uint8_t{halide_type_uint} == kHalideUInt && uint8_t{halide_type_float} == kHalideFloat);

} // namespace normc::codegen
