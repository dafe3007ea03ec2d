/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: the second stride. In a packed tensor [tokens, 3, heads, 64] the q heads of a token lie side by side and the tokens 3 * heads * 64 elements apart:
 * two strides say that, and q is normalized in place while k and v stay as they are. */
#include "qk_norm.h"

#include <stdio.h>

enum { TOKENS = 3, HEADS = 2, WIDTH = 64, TOKEN = 3 * HEADS * WIDTH };

int main(void) {
  static float qkv[TOKENS * TOKEN];
  for (int i = 0; i < TOKENS * TOKEN; ++i)
    qkv[i] = 3.0f;

  qk_norm_args args = QK_NORM_ARGS_INIT;
  args.rows = TOKENS * HEADS;
  args.inner_rows = HEADS;                         /* rows that one stride describes */
  args.x = args.y = qkv;                           /* q */
  args.x_stride = args.y_stride = WIDTH;           /* from head to head */
  args.x_outer_stride = args.y_outer_stride = TOKEN; /* from token to token */
  if (qk_norm(&args, NULL) != NORMC_STATUS_SUCCESS)
    return 1;

  for (int t = 0; t < TOKENS; ++t)
    printf("token %d: q %.4f %.4f  k %g  v %g\n", t, qkv[t * TOKEN], qkv[t * TOKEN + HEADS * WIDTH - 1], qkv[t * TOKEN + HEADS * WIDTH],
           qkv[t * TOKEN + 2 * HEADS * WIDTH]);
  return 0;
}
