// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/json_table.h"
#include "tools/normc/loaded_kernel.h"
#include "tools/normc/terminal.h"
#include "tools/normc/test_rows.h"

#include "compiler/library/outline.h"
#include "compiler/support/error.h"
#include "compiler/support/float_formats.h"
#include "compiler/support/process.h"

#include <normc/abi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>

namespace normc {
namespace {

/// Inputs of one width, and what the reference makes of them for one combination of parameters.
struct Trial {
  KernelCall call; ///< inputs only
  std::map<std::string, Array> bits, exact;
};

struct Inputs {
  std::map<std::string, std::vector<std::byte>> arrays;
  std::vector<bool> inRange; ///< by row: whether full accuracy is promised for it
};

/// What was found for one kernel, target and width.
struct Finding {
  std::string kernel, target;
  int64_t rows = 0, hidden = 0, elements = 0, differing = 0;
  double worst = 0; ///< |y - exact y| over the largest |exact y| of the row, largest over all rows
  std::string first; ///< where the first difference is
  int64_t tasks = 0;      ///< the most tasks that the runtime cut a call into; 0: none was cut
  bool streaming = false; ///< whether streaming bodies ran too
};

/// The widths on which a kernel is tried: a dynamic one at the borders of the order of additions.
std::vector<int64_t> widthsOf(const KernelSpec &spec) {
  if (!spec.dynamic())
    return {spec.hidden};
  return {1, 2, 7, 63, 64, 65, 100, 511, 512, 513, 768, 1023, 2049, 4099, 33000};
}

std::set<std::string> outputsOf(const KernelSpec &spec) {
  std::set<std::string> outputs = {"y"};
  for (auto [role, has] : {std::pair{"mean", spec.mean}, {"rstd", spec.rstd}, {"sum", spec.sum}})
    if (has)
      outputs.insert(role);
  return outputs;
}

DType typeOf(const KernelSpec &spec, const std::string &output) { return output == "y" ? spec.yDtype : output == "sum" ? spec.dtype : DType::F32; }

std::vector<double> widened(DType type, const std::vector<std::byte> &bytes) {
  std::vector<double> values(bytes.size() / static_cast<size_t>(dtypeBytes(type)));
  widen(type, bytes.data(), 1, static_cast<int64_t>(values.size()), values.data());
  return values;
}

/// docs/numerics.md promises full accuracy while no |x| is beyond 2^51: larger squares overflow in float32, by the formula.
std::vector<bool> rowsInRange(const KernelSpec &spec, const Inputs &inputs, int64_t hidden) {
  std::vector<double> x = widened(spec.dtype, inputs.arrays.at("x"));
  if (spec.residual) {
    const std::vector<double> residual = widened(spec.dtype, inputs.arrays.at("residual"));
    std::transform(x.begin(), x.end(), residual.begin(), x.begin(), std::plus<>());
  }
  std::vector<bool> inRange;
  for (auto row = x.begin(); row != x.end(); row += hidden)
    inRange.push_back(std::all_of(row, row + hidden, [](double value) { return std::fabs(value) <= 0x1p51; }));
  return inRange;
}

Inputs makeInputs(const KernelSpec &spec, int64_t rows, int64_t hidden, uint64_t seed) {
  Inputs inputs;
  inputs.arrays["x"] = testRows(spec.dtype, rows, hidden, seed);
  if (spec.residual)
    inputs.arrays["residual"] = testRows(spec.dtype, rows, hidden, seed + 1);
  inputs.arrays["weight"] = testParameters(spec.paramDtype, hidden, spec.weightOffset ? 0.0f : 1.0f, seed + 2);
  inputs.arrays["bias"] = testParameters(spec.paramDtype, hidden, 0.0f, seed + 3);
  inputs.inRange = rowsInRange(spec, inputs, hidden);
  return inputs;
}

Trial makeTrial(const KernelSpec &spec, const Inputs &inputs, int64_t rows, int64_t hidden, unsigned affine) {
  Trial trial;
  trial.call.rows = rows;
  trial.call.hidden = hidden;
  trial.call.eps = spec.eps;
  for (const auto &[role, bytes] : inputs.arrays)
    if ((role != "weight" || (affine & NORMC_AFFINE_WEIGHT)) && (role != "bias" || (affine & NORMC_AFFINE_BIAS)))
      trial.call.inputs[role] = bytes.data();
  trial.bits = interpretCall(spec, trial.call, outputsOf(spec), Precision::Float32);
  trial.exact = interpretCall(spec, trial.call, {"y"}, Precision::Double);
  return trial;
}

std::string affineText(unsigned affine) {
  return affine == 0 ? "no parameters" : affine == NORMC_AFFINE_WEIGHT ? "weight" : affine == NORMC_AFFINE_BIAS ? "bias" : "weight and bias";
}

/// Adds the elements of one output that differ in bits; NaNs are all alike. Widening is exact, so comparing values and signs compares bits.
void compareBits(Finding &finding, const std::string &role, unsigned affine, const std::vector<double> &got, const std::vector<double> &expected,
                 int64_t perRow) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ++finding.elements;
    const double a = got[i], b = expected[i];
    if ((a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b)))
      continue;
    if (finding.differing++ > 0)
      continue;
    char text[160];
    std::snprintf(text, sizeof text, "[%lld,%lld] with %s is %.9g, the reference gives %.9g", static_cast<long long>(static_cast<int64_t>(i) / perRow),
                  static_cast<long long>(static_cast<int64_t>(i) % perRow), affineText(affine).c_str(), a, b);
    finding.first = role + text;
  }
}

/// The error of y against double, relative to the largest |y| of its row; the largest of all rows for which full accuracy is promised and whose y has not lost
/// digits to the smallness of its type.
double worstError(const KernelSpec &spec, const Inputs &inputs, const std::vector<double> &got, const std::vector<double> &exact) {
  const double least = spec.yDtype == DType::F16 ? 0x1p-10 : 0x1p-100;
  const size_t hidden = exact.size() / inputs.inRange.size();
  double worst = 0;
  for (size_t row = 0; row < inputs.inRange.size(); ++row) {
    double scale = 0, error = 0;
    for (size_t i = row * hidden; i < (row + 1) * hidden; ++i) {
      scale = std::max(scale, std::fabs(exact[i]));
      error = std::max(error, std::fabs(got[i] - exact[i]));
    }
    if (inputs.inRange[row] && std::isfinite(error) && scale >= least)
      worst = std::max(worst, error / scale);
  }
  return worst;
}

void judge(Finding &finding, const KernelSpec &spec, const Inputs &inputs, const Trial &trial, unsigned affine,
           const std::map<std::string, std::vector<std::byte>> &results) {
  for (const auto &[role, bytes] : results) {
    const std::vector<double> got = widened(typeOf(spec, role), bytes);
    const std::vector<double> expected = widened(typeOf(spec, role), trial.bits.at(role).bytes);
    compareBits(finding, role, affine, got, expected, role == "y" || role == "sum" ? finding.hidden : 1);
    if (role == "y")
      finding.worst = std::max(finding.worst, worstError(spec, inputs, got, trial.exact.at("y").values()));
  }
}

using Outputs = std::map<std::string, std::vector<std::byte>>;

/// Memory for the outputs of a call; `run` fills it. Empty where `run` says that it made no call.
template <class Run> Outputs outputsFrom(const KernelSpec &spec, const Trial &trial, Run run) {
  constexpr size_t kAlignment = 64; // what streaming bodies need
  Outputs results;
  KernelCall call = trial.call;
  std::map<std::string, size_t> sizes;
  for (const std::string &role : outputsOf(spec)) {
    const int64_t elements = role == "y" || role == "sum" ? call.rows * call.hidden : call.rows;
    std::vector<std::byte> &bytes = results[role];
    sizes[role] = static_cast<size_t>(elements * dtypeBytes(typeOf(spec, role)));
    // A pattern that no result has, so that an element which is not written shows.
    bytes.assign(sizes[role] + kAlignment, std::byte{0x5a});
    call.outputs[role] = bytes.data() + (kAlignment - reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment);
  }
  if (!run(call))
    return {};
  for (auto &[role, bytes] : results) {
    const auto begin = bytes.begin() + (static_cast<std::byte *>(call.outputs[role]) - bytes.data());
    bytes = std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(sizes[role]));
  }
  return results;
}

/// Rows for one width: enough that the runtime cuts a call on several threads (it makes no task of less than 128 KiB), into four at most.
int64_t rowsFor(const KernelSpec &spec, int64_t hidden, int threads) {
  const int64_t rowBytes = hidden * (dtypeBytes(spec.dtype) * (1 + spec.residual + spec.sum) + dtypeBytes(spec.yDtype));
  const int64_t tasks = threads > 1 ? std::min(threads, 4) : 0;
  return std::max({testRowCount(hidden), (tasks * (int64_t{128} << 10) + rowBytes - 1) / rowBytes, tasks});
}

struct VerifyOptions {
  std::vector<Target> targets; ///< that this machine runs; empty: the reference alone
  std::string cacheDir;
  int threads = 1, jobs = 1;
  uint64_t seed = 1;
};

/// One kernel at all widths, on all targets.
void verifyKernel(const KernelSpec &spec, const VerifyOptions &options, std::vector<Finding> &findings) {
  ThreadPool pool(options.threads);
  std::optional<LoadedKernel> kernel;
  if (!options.targets.empty())
    kernel.emplace(spec, options.targets, options.cacheDir, options.jobs);
  // NORMC_MAX_ISA would have narrower variants stand in for the wider ones.
  if (kernel)
    kernel->liftLimits();
  for (Target target : options.targets)
    kernel->variant(library::isaOf(target));
  for (int64_t hidden : widthsOf(spec)) {
    const int64_t rows = rowsFor(spec, hidden, options.threads);
    const Inputs inputs = makeInputs(spec, rows, hidden, options.seed);
    std::vector<Finding> found;
    for (Target target : options.targets)
      found.push_back({spec.name, std::string(targetName(target)), rows, hidden, 0, 0, 0, "", 0, false});
    if (!kernel)
      found.push_back({spec.name, "reference", rows, hidden, 0, 0, 0, "", 0, false});
    for (unsigned affine : affineCombinations(spec)) {
      checkInterrupted();
      const Trial trial = makeTrial(spec, inputs, rows, hidden, affine);
      for (size_t i = 0; i < options.targets.size(); ++i) {
        const uint32_t isa = library::isaOf(options.targets[i]);
        const int64_t before = pool.tasksSoFar();
        judge(found[i], spec, inputs, trial, affine, outputsFrom(spec, trial, [&](const KernelCall &call) {
                kernel->prepare(call, {&pool, isa}).run();
                return true;
              }));
        found[i].tasks = std::max(found[i].tasks, pool.tasksSoFar() - before);
        const Outputs streamed = outputsFrom(spec, trial, [&](const KernelCall &call) { return kernel->stream(call, isa); });
        judge(found[i], spec, inputs, trial, affine, streamed);
        found[i].streaming |= !streamed.empty();
      }
      if (!kernel)
        found[0].worst = std::max(found[0].worst, worstError(spec, inputs, trial.bits.at("y").values(), trial.exact.at("y").values()));
    }
    findings.insert(findings.end(), found.begin(), found.end());
  }
}

std::string worstText(double worst) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", worst);
  return text;
}

/// How the kernel was called: "entry in 2 tasks, streaming bodies".
std::string ranText(const Finding &finding) {
  if (finding.target == "reference")
    return "reference";
  return "entry" + (finding.tasks > 0 ? " in " + std::to_string(finding.tasks) + " tasks" : "") + (finding.streaming ? ", streaming bodies" : "");
}

std::vector<std::vector<std::string>> jsonRows(const std::vector<Finding> &findings) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "target", "rows", "hidden", "elements", "differing", "worst_error", "ran"}};
  for (const Finding &finding : findings)
    rows.push_back({finding.kernel, finding.target, std::to_string(finding.rows), std::to_string(finding.hidden), std::to_string(finding.elements),
                    finding.target == "reference" ? "" : std::to_string(finding.differing), worstText(finding.worst), ranText(finding)});
  return rows;
}

/// For people: one line for all widths of a kernel on one target.
std::vector<std::vector<std::string>> tableRows(const std::vector<Finding> &findings) {
  struct Line {
    Finding all;
    int64_t widths = 0, narrowest = 0, widest = 0;
  };
  std::vector<Line> lines;
  for (const Finding &finding : findings) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line &one) { return one.all.kernel == finding.kernel && one.all.target == finding.target; });
    if (line == lines.end()) {
      lines.push_back({finding, 1, finding.hidden, finding.hidden});
      continue;
    }
    ++line->widths;
    line->narrowest = std::min(line->narrowest, finding.hidden);
    line->widest = std::max(line->widest, finding.hidden);
    line->all.rows += finding.rows;
    line->all.elements += finding.elements;
    line->all.differing += finding.differing;
    line->all.worst = std::max(line->all.worst, finding.worst);
    line->all.tasks = std::max(line->all.tasks, finding.tasks);
    line->all.streaming |= finding.streaming;
  }
  std::vector<std::vector<std::string>> rows = {{"kernel", "target", "rows", "hidden", "elements", "differing", "worst error", "ran"}};
  for (const Line &line : lines) {
    const std::string hidden = line.widths == 1
                                   ? std::to_string(line.widest)
                                   : std::to_string(line.widths) + " widths, " + std::to_string(line.narrowest) + " to " + std::to_string(line.widest);
    rows.push_back({line.all.kernel, line.all.target, std::to_string(line.all.rows), hidden, std::to_string(line.all.elements),
                    line.all.target == "reference" ? "-" : std::to_string(line.all.differing), worstText(line.all.worst), ranText(line.all)});
  }
  return rows;
}

/// Throws VerifyFailed for the first kernel that differs.
void failOnDifference(const std::vector<Finding> &findings, const std::vector<KernelSpec> &specs, const VerifyOptions &options) {
  const auto bad = std::find_if(findings.begin(), findings.end(), [](const Finding &finding) { return finding.differing > 0; });
  if (bad == findings.end())
    return;
  const auto spec = std::find_if(specs.begin(), specs.end(), [&](const KernelSpec &one) { return one.name == bad->kernel; });
  throw Error(DiagCode::VerifyFailed,
              std::to_string(bad->differing) + " of " + std::to_string(bad->elements) + " elements of '" + bad->kernel + "' for " + bad->target + " at " +
                  std::to_string(bad->rows) + " x " + std::to_string(bad->hidden) + " differ from the reference",
              {"the first: " + bad->first, "to repeat it: normc verify " + canonicalSpelling(*spec) + " --target " + bad->target + " --seed " +
                                               std::to_string(options.seed) + " --threads " + std::to_string(options.threads)});
}

} // namespace

int verifyCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  VerifyOptions options;
  options.jobs = defaultJobs();
  bool json = false;
  std::optional<Target> maxIsa;
  Command command;
  command.name = "verify";
  command.summary = "Compares a kernel with the reference, bit for bit, and with double.";
  command.example = "normc verify layer_norm --hidden 768 --dtype f32,bf16";
  command.usage = "OP --hidden N [what] [where]";
  command.positional = "OP";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { setField(request, kernelField("op"), text); };
  command.options = fieldOptions(request, FieldGroup::What, {"name"});
  for (Option &option : fieldOptions(request, FieldGroup::Where))
    command.options.push_back(std::move(option));
  const std::string where = "where to run", how = "output";
  command.options.push_back({"threads", "N", "threads of each call (default: 1)", where,
                             [&](const std::string &text) { options.threads = static_cast<int>(parseWhole("threads", text, 1, 1024)); }});
  command.options.push_back({"max-isa", "T", "leave out wider targets than this", where, [&](const std::string &text) { maxIsa = parseTarget(text); }});
  command.options.push_back({"cache-dir", "DIR", "where built kernels are kept (default: ~/.cache/normc)", where,
                             [&](const std::string &text) { options.cacheDir = text; }});
  command.options.push_back(
      {"j", "N", "processes at once while building", where, [&](const std::string &text) { options.jobs = static_cast<int>(parseWhole("j", text, 1, 4096)); }});
  command.options.push_back({"seed", "N", "of the random rows (default: 1)", how,
                             [&](const std::string &text) { options.seed = static_cast<uint64_t>(parseWhole("seed", text, 0, INT64_MAX)); }});
  command.options.push_back({"json", "", "a JSON list instead of a table", how, [&](const std::string &) { json = true; }});
  command.notes = {"'differing' counts elements of all outputs whose bits are not the reference's; 'worst error' is that of y against double, relative to the "
                   "largest |y| of its row; 'ran' says how kernels were called. NORMC_MAX_ISA is ignored."};
  command.run = [&] {
    std::vector<KernelSpec> specs = expand(request);
    for (KernelSpec &spec : specs)
      spec.name = defaultName(spec);
    if (request.backend != "reference") {
      requireBackend(request.backend);
      options.targets = runnableTargets(request.targets);
      std::erase_if(options.targets, [&](Target target) { return maxIsa && target > *maxIsa; });
      if (options.targets.empty())
        throw Error(DiagCode::ImpossibleCombination, "--max-isa leaves none of the targets", {"name one in --target that is no wider"});
      if (options.cacheDir.empty())
        options.cacheDir = defaultCacheDir();
    }
    SignalGuard guard;
    Progress progress(specs.size(), json);
    std::vector<Finding> findings;
    for (const KernelSpec &spec : specs) {
      verifyKernel(spec, options, findings);
      progress.step(spec.name);
      progress.finished("verified " + spec.name);
    }
    std::cout << (json ? jsonTable(jsonRows(findings), {"rows", "hidden", "elements", "differing", "worst_error"}) : tableText(tableRows(findings)));
    failOnDifference(findings, specs, options);
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
