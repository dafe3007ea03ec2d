// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose bodies record what they are given and touch no array, and machines to run them on.
#pragma once

#include "runtime/cpu.h"
#include "runtime/state.h"

#include <cstring>
#include <mutex>
#include <normc/normc.h>
#include <string>
#include <vector>
#include <xmmintrin.h>

namespace normc::runtime::test {

/// One call of a body.
struct BodyCall {
  uint32_t isa;
  uint32_t affine;
  bool streaming;
  normc_slice_t slice;
  uint32_t mxcsr;
};

inline std::mutex bodyCallsLock;
inline std::vector<BodyCall> bodyCalls;

template <uint32_t Isa, uint32_t Affine, bool Streaming> void recordingBody(const normc_slice_t *slice) {
  std::lock_guard<std::mutex> guard(bodyCallsLock);
  bodyCalls.push_back({Isa, Affine, Streaming, *slice, _mm_getcsr()});
}

/// A kernel of all three variants that accepts every role and needs x and y. Tests change its fields to what they need.
class FakeKernel {
public:
  explicit FakeKernel(int64_t hidden = 0) {
    variants[0] = variant<NORMC_ISA_X86_64_V4>("fake__x86_64_v4");
    variants[1] = variant<NORMC_ISA_X86_64_V3>("fake__x86_64_v3");
    variants[2] = variant<NORMC_ISA_X86_64_V2>("fake__x86_64_v2");
    kernel = {};
    kernel.struct_size = sizeof(normc_kernel_t);
    kernel.abi_version = NORMC_ABI_VERSION;
    kernel.name = "fake";
    kernel.op = "layer_norm";
    kernel.spec = "layer_norm";
    kernel.spec_hash = "0";
    kernel.producer = "test";
    kernel.accepts = 0xFF;
    kernel.required = NORMC_ROLE_X | NORMC_ROLE_Y;
    kernel.x_dtype = kernel.y_dtype = kernel.param_dtype = NORMC_DTYPE_F32;
    kernel.variant_count = 3;
    kernel.hidden = hidden;
    kernel.variants = variants;
    bodyCalls.clear();
  }
  FakeKernel(const FakeKernel &) = delete;
  FakeKernel &operator=(const FakeKernel &) = delete;

  normc_variant_t variants[3];
  normc_kernel_t kernel;

private:
  template <uint32_t Isa> static normc_variant_t variant(const char *symbol) {
    normc_variant_t made = {};
    made.isa = Isa;
    made.stream_alignment = 64;
    made.symbol = symbol;
    made.plan = "none";
    fill<Isa, 0>(made), fill<Isa, 1>(made), fill<Isa, 2>(made), fill<Isa, 3>(made);
    return made;
  }
  template <uint32_t Isa, uint32_t Affine> static void fill(normc_variant_t &made) {
    made.body[Affine] = recordingBody<Isa, Affine, false>;
    made.streaming[Affine] = recordingBody<Isa, Affine, true>;
  }
};

/// All features of the levels up to `isa`.
inline uint32_t featuresUpTo(uint32_t isa) {
  uint32_t features = 0;
  for (uint32_t level = NORMC_ISA_X86_64_V2; level <= isa; ++level)
    features |= levelFeatures(level);
  return features;
}

/// Makes the runtime believe that it runs on such a machine, with no limit, until the object goes.
class Machine {
public:
  explicit Machine(uint32_t isa, uint64_t cacheBytes = uint64_t(32) << 20) : before(stateWord.load()) { setFeatures(featuresUpTo(isa), cacheBytes); }
  ~Machine() { stateWord.store(before); }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  void setFeatures(uint32_t features, uint64_t cacheBytes) { stateWord.store(State(features, cacheBytes, NORMC_ISA_ANY, NORMC_LIMIT_NONE, false).raw()); }

private:
  uint64_t before;
};

/// Arguments, how to run, and where the message goes.
class Call {
public:
  Call() {
    args.struct_size = sizeof args;
    args.eps = 1e-5f;
    exec.diag = &diag;
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  normc_status_t run(const FakeKernel &fake) {
    bodyCalls.clear();
    return normc_run_forward(&fake.kernel, &args, &exec);
  }

  normc_forward_args_t args = {};
  normc_exec_t exec = {};
  normc_diag_t diag = {};
};

/// An address that no body touches. Far from any other at the distances that tests use.
inline void *fakeAddress(uint64_t index, uint64_t offset = 0) { return reinterpret_cast<void *>((index << 36) + offset); }

} // namespace normc::runtime::test
