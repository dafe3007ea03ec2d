// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Halide pipeline of a user's own, compiled ahead of time into a static library with Halide's runtime: writes FOLDER/user_pipeline.a and .h.
// It takes what of the runtime could get into the way of another: threads, heap memory, the error handler.
#include <Halide.h>

#include <iostream>
#include <string>

int main(int count, char **values) {
  if (count != 2) {
    std::cerr << "usage: normc_user_pipeline FOLDER\n";
    return 2;
  }
  Halide::ImageParam input(Halide::Float(32), 2, "input");
  Halide::Var x("x"), y("y");
  Halide::Func clamped = Halide::BoundaryConditions::repeat_edge(input), blurred("blurred"), output("user_pipeline");
  blurred(x, y) = clamped(x - 1, y) + 2.0f * clamped(x, y) + clamped(x + 1, y);
  output(x, y) = (blurred(x, y - 1) + 2.0f * blurred(x, y) + blurred(x, y + 1)) / 16.0f;
  blurred.compute_root().vectorize(x, 8).parallel(y);
  output.vectorize(x, 8, Halide::TailStrategy::GuardWithIf).parallel(y, 4);
  output.compile_to_static_library(std::string(values[1]) + "/user_pipeline", {input}, "user_pipeline", Halide::get_host_target());
  return 0;
}
