# Keywords of normc_add_library and the flags of `normc build` that they stand for. Follows compiler/spec/fields.cpp; unit.SpecTest compares the two.
set(NORMC_FIELDS
  "OP op Positional"
  "HIDDEN hidden NumberList"
  "DTYPE dtype WordList"
  "PARAM_DTYPE param-dtype Word"
  "Y_DTYPE y-dtype Word"
  "WEIGHT weight Word"
  "BIAS bias Word"
  "RESIDUAL residual Switch"
  "RESIDUAL_ROUNDING residual-rounding Word"
  "OUTPUTS outputs WordList"
  "EPS eps Number"
  "WEIGHT_OFFSET weight-offset Number"
  "NAME name Word"
  "TARGETS target WordList"
  "BACKEND backend Word"
)
