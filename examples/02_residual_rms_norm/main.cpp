/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: the full argument struct, from C++; x + residual normalized and stored in one pass, in place; a message for a refused call. */
#include "add_rms.h"

#include <cstdio>
#include <vector>

int main() {
  constexpr int64_t rows = 2, hidden = 8;
  std::vector<float> x(rows * hidden, 1.0f), residual(rows * hidden), weight(hidden, 2.0f), y(rows * hidden), rstd(rows);
  for (int64_t i = 0; i < rows * hidden; ++i)
    residual[i] = static_cast<float>(i);

  normc_diag_t diag{};
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.diag = &diag;

  add_rms_args args = ADD_RMS_ARGS_INIT;
  args.rows = rows;
  args.x = x.data();
  args.residual = residual.data();
  args.weight = weight.data();
  args.y = y.data();
  args.sum = residual.data(); // the sum takes the residual's place, as the next block of a transformer wants it
  args.rstd = rstd.data();
  if (add_rms(&args, &exec) != NORMC_STATUS_SUCCESS) {
    std::fprintf(stderr, "%s\n", diag.message);
    return 1;
  }
  std::printf("sum  %g .. %g\nrstd %.6f %.6f\ny    %.6f .. %.6f\n", residual[0], residual[15], rstd[0], rstd[1], y[0], y[15]);

  args.y = y.data() + 1; // overlaps x below, one element off
  args.x = y.data();
  if (add_rms(&args, &exec) == NORMC_STATUS_SUCCESS)
    return 1;
  std::printf("refused: %s\n", normc_status_name(static_cast<normc_status_t>(diag.code)));
  return 0;
}
