// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel against memcpy of as many bytes. How time is taken is in timing.cpp.
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/json_table.h"
#include "tools/normc/loaded_kernel.h"
#include "tools/normc/terminal.h"
#include "tools/normc/test_rows.h"
#include "tools/normc/thread_pool.h"
#include "tools/normc/timing.h"

#include "compiler/library/outline.h"
#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>

#include <unistd.h>

namespace normc {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 31;
constexpr int64_t kCacheBytes = int64_t{1} << 20;  ///< that all arrays of a call take where they are to stay in a cache
constexpr int64_t kMemoryBytes = int64_t{1} << 27; ///< and where they are not to fit one
constexpr double kSecondsPerSize = 2;
constexpr double kNoise = 0.05;

struct BenchOptions {
  std::vector<int64_t> rows;    ///< empty: few and many
  std::vector<int64_t> columns; ///< of calls of dynamic kernels
  std::vector<Target> targets;
  std::string cacheDir;
  int threads = 1, jobs = 1;
  uint64_t seed = 1;
};

/// What one contestant took for one size.
struct Result {
  std::string kernel, variant;
  int64_t rows = 0, hidden = 0, bytes = 0;
  Timing timing;
  double ratio = 0; ///< of its median to memcpy's
};

std::string formatted(const char *format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Memory from the beginning of a page on.
class Pages {
public:
  explicit Pages(int64_t bytes) : memory_(static_cast<std::byte *>(std::aligned_alloc(kPage, (static_cast<size_t>(bytes) + kPage) / kPage * kPage))) {
    if (!memory_)
      throw std::bad_alloc();
    std::memset(memory_.get(), 1, static_cast<size_t>(bytes));
  }

  std::byte *data() { return memory_.get(); }

private:
  static constexpr size_t kPage = 4096;
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

/// One call of a kernel with every array that it takes, and the memory that a copy of as many bytes needs.
class BenchCall {
public:
  BenchCall(const KernelSpec &spec, int64_t rows, int64_t hidden, uint64_t seed) {
    call.rows = rows;
    call.hidden = hidden;
    call.eps = spec.eps;
    auto input = [&](const char *role, DType type, int64_t elements, float mean) {
      call.inputs[role] = filled(add(type, elements), type, elements, mean, seed++);
    };
    auto output = [&](const char *role, DType type, int64_t elements) { call.outputs[role] = add(type, elements); };
    input("x", spec.dtype, rows * hidden, 0);
    if (spec.residual)
      input("residual", spec.dtype, rows * hidden, 0);
    if (spec.weight != Presence::Off)
      input("weight", spec.paramDtype, hidden, 1);
    if (spec.bias != Presence::Off)
      input("bias", spec.paramDtype, hidden, 0);
    output("y", spec.yDtype, rows * hidden);
    if (spec.sum)
      output("sum", spec.dtype, rows * hidden);
    if (spec.mean)
      output("mean", DType::F32, rows);
    if (spec.rstd)
      output("rstd", DType::F32, rows);
    copyBytes = (bytes + 1) / 2;
    copyFrom = add(copyBytes);
    copyTo = add(copyBytes);
  }

  KernelCall call;
  int64_t bytes = 0;     ///< that the call reads and writes
  int64_t copyBytes = 0; ///< half of them: what a copy reads, it writes too
  std::byte *copyFrom, *copyTo;

private:
  std::byte *add(int64_t size) { return arrays_.emplace_back(size).data(); }
  std::byte *add(DType type, int64_t elements) {
    bytes += elements * dtypeBytes(type);
    return add(elements * dtypeBytes(type));
  }

  /// Ordinary values: none whose arithmetic is slower than that of others. They repeat where that does not matter.
  static std::byte *filled(std::byte *array, DType type, int64_t elements, float mean, uint64_t seed) {
    const std::vector<std::byte> values = testParameters(type, std::min<int64_t>(elements, 65521), mean, seed);
    const size_t size = static_cast<size_t>(elements * dtypeBytes(type));
    for (size_t at = 0; at < size; at += values.size())
      std::memcpy(array + at, values.data(), std::min(values.size(), size - at));
    return array;
  }

  std::vector<Pages> arrays_;
};

/// memcpy on the threads of a pool, each a piece.
class Copy {
public:
  Copy(BenchCall &call, ThreadPool &pool) : call_(call), pool_(pool) {}

  void operator()() {
    if (pool_.threads() == 1)
      copy_(call_.copyTo, call_.copyFrom, static_cast<size_t>(call_.copyBytes));
    else
      pool_.run(
          pool_.threads(), [](void *self, int64_t index) { static_cast<Copy *>(self)->piece(index); }, this);
  }

private:
  void piece(int64_t index) {
    const int64_t begin = call_.copyBytes * index / pool_.threads(), end = call_.copyBytes * (index + 1) / pool_.threads();
    copy_(call_.copyTo + begin, call_.copyFrom + begin, static_cast<size_t>(end - begin));
  }

  BenchCall &call_;
  ThreadPool &pool_;
  /// Volatile, or a compiler that sees nobody read the copy leaves it out.
  void *(*volatile copy_)(void *, const void *, size_t) = std::memcpy;
};

/// Throws OutOfMemory before the system has to look for a process to end.
void requireMemory(double bytes) {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > memory)
    throw Error(DiagCode::OutOfMemory,
                "the arrays take " + formatted("%.1f", bytes * 1e-9) + " GB, but this machine has " + formatted("%.1f", memory * 1e-9) + " GB",
                {"give fewer --rows"});
}

/// Bytes that a call reads and writes per row.
int64_t rowBytes(const KernelSpec &spec, int64_t hidden) {
  return hidden * (dtypeBytes(spec.dtype) * (1 + spec.residual + spec.sum) + dtypeBytes(spec.yDtype)) + 4 * (spec.mean + spec.rstd);
}

std::vector<int64_t> rowsOf(const KernelSpec &spec, int64_t hidden, const BenchOptions &options) {
  if (!options.rows.empty())
    return options.rows;
  const int64_t few = std::max<int64_t>(kCacheBytes / rowBytes(spec, hidden), 1), many = std::max<int64_t>(kMemoryBytes / rowBytes(spec, hidden), 1);
  return few == many ? std::vector<int64_t>{few} : std::vector<int64_t>{few, many};
}

void benchSize(const KernelSpec &spec, const LoadedKernel &kernel, int64_t rows, int64_t hidden, const BenchOptions &options, ThreadPool &pool,
               std::vector<Result> &results) {
  requireMemory(2.0 * static_cast<double>(rows) * static_cast<double>(rowBytes(spec, hidden)));
  BenchCall arrays(spec, rows, hidden, options.seed);
  std::vector<std::string> names;
  std::vector<PreparedCall> prepared;
  for (Target target : options.targets) {
    names.emplace_back(targetName(target));
    prepared.push_back(kernel.prepare(arrays.call, {&pool, library::isaOf(target)}));
  }
  Copy copy(arrays, pool);
  std::vector<std::function<void()>> calls;
  for (PreparedCall &call : prepared)
    calls.emplace_back([&call] { call.run(); });
  for (const char *name : {"memcpy", "memcpy again"}) {
    names.emplace_back(name);
    calls.emplace_back([&copy] { copy(); });
  }
  const std::vector<Timing> timings = timeInterleaved(calls, options.seed, kSecondsPerSize);
  const double reference = timings[options.targets.size()].median;
  for (size_t i = 0; i < names.size(); ++i)
    results.push_back({spec.name, names[i], rows, hidden, arrays.bytes, timings[i], timings[i].median / reference});
}

double gigabytesPerSecond(const Result &result) { return static_cast<double>(result.bytes) / result.timing.median * 1e-9; }

std::string timeText(double seconds) {
  return seconds < 1e-6 ? formatted("%.1f ns", seconds * 1e9) : seconds < 1e-3 ? formatted("%.2f us", seconds * 1e6) : formatted("%.3f ms", seconds * 1e3);
}

std::vector<std::vector<std::string>> tableRows(const std::vector<Result> &results) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "rows", "hidden", "variant", "time", "GB/s", "of memcpy", "spread"}};
  for (const Result &one : results)
    rows.push_back({one.kernel, std::to_string(one.rows), std::to_string(one.hidden), one.variant, timeText(one.timing.median),
                    formatted("%.2f", gigabytesPerSecond(one)), formatted("%.3f", one.ratio), formatted("%.1f %%", 100 * one.timing.spread())});
  return rows;
}

std::string jsonText(const std::vector<Result> &results, int threads) {
  std::vector<std::vector<std::string>> rows = {
      {"kernel", "rows", "hidden", "threads", "variant", "bytes", "seconds", "gigabytes_per_second", "time_over_memcpy", "spread", "samples"}};
  for (const Result &one : results)
    rows.push_back({one.kernel, std::to_string(one.rows), std::to_string(one.hidden), std::to_string(threads), one.variant, std::to_string(one.bytes),
                    formatted("%.6e", one.timing.median), formatted("%.4f", gigabytesPerSecond(one)), formatted("%.4f", one.ratio),
                    formatted("%.4f", one.timing.spread()), std::to_string(one.timing.samples)});
  return jsonTable(rows, {"rows", "hidden", "threads", "bytes", "seconds", "gigabytes_per_second", "time_over_memcpy", "spread", "samples"});
}

/// Says where the control shows that the machine was not quiet.
void warnOfNoise(const std::vector<Result> &results) {
  double worst = 0;
  for (const Result &one : results)
    if (one.variant == "memcpy again")
      worst = std::max(worst, std::fabs(one.ratio - 1));
  if (worst > kNoise)
    std::cerr << "note: memcpy differs from itself by up to " << formatted("%.0f", 100 * worst) << " %: differences of that size mean nothing in this run\n";
}

std::vector<int64_t> parseCounts(const std::string &flag, const std::string &text, int64_t most) {
  std::vector<int64_t> counts;
  for (const std::string &part : splitList(text))
    counts.push_back(parseWhole(flag, part, 1, most));
  return counts;
}

} // namespace

int benchCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  BenchOptions options;
  options.jobs = defaultJobs();
  bool json = false;
  Command command;
  command.name = "bench";
  command.summary = "Times a kernel against memcpy of as many bytes.";
  command.example = "normc bench layer_norm --hidden 768 --dtype f32,bf16";
  command.usage = "OP --hidden N [what] [where] [--rows N[,N...]]";
  command.positional = "OP";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { setField(request, kernelField("op"), text); };
  command.options = fieldOptions(request, FieldGroup::What, {"name"});
  for (Option &option : fieldOptions(request, FieldGroup::Where)) {
    if (option.flag == "target")
      option.help = "x86-64-v2, x86-64-v3, x86-64-v4, host (default: host)";
    if (option.flag == "backend")
      option.help = "auto or halide (default: auto)";
    command.options.push_back(std::move(option));
  }
  const std::string where = "where to run", how = "sizes and output";
  command.options.push_back({"threads", "N", "threads of each call, and of memcpy (default: 1)", where,
                             [&](const std::string &text) { options.threads = static_cast<int>(parseWhole("threads", text, 1, 1024)); }});
  command.options.push_back({"cache-dir", "DIR", "where built kernels are kept (default: ~/.cache/normc)", where,
                             [&](const std::string &text) { options.cacheDir = text; }, false, false, false});
  command.options.push_back({"j", "N", "processes at once while building", where,
                             [&](const std::string &text) { options.jobs = static_cast<int>(parseWhole("j", text, 1, 4096)); }, false, false, false});
  command.options.push_back({"rows", "N[,N...]", "of a call (default: for arrays of 1 MiB and 128 MiB)", how,
                             [&](const std::string &text) { options.rows = parseCounts("rows", text, kMostRows); }});
  command.options.push_back({"columns", "N[,N...]", "of a call of a dynamic kernel (default: 768)", how,
                             [&](const std::string &text) { options.columns = parseCounts("columns", text, kMaxHidden); }});
  command.options.push_back({"seed", "N", "of the order and the values (default: 1)", how,
                             [&](const std::string &text) { options.seed = static_cast<uint64_t>(parseWhole("seed", text, 0, INT64_MAX)); }, false, false,
                             false});
  command.options.push_back({"json", "", "a JSON list instead of a table", how, [&](const std::string &) { json = true; }, false, false, false});
  command.notes = {"Medians of interleaved samples; 'spread' is where the middle half lies. GB/s counts every array once. 'of memcpy' is time over memcpy's; "
                   "'memcpy again' is the control."};
  command.run = [&] {
    std::vector<KernelSpec> specs = expand(request);
    for (KernelSpec &spec : specs)
      spec.name = defaultName(spec);
    requireBackend(request.backend);
    if (!options.columns.empty() && std::none_of(specs.begin(), specs.end(), [](const KernelSpec &spec) { return spec.dynamic(); }))
      throw Error(DiagCode::BadUsage, "'--columns' is for dynamic kernels, but --hidden is " + hiddenText(specs[0].hidden),
                  {"leave it out, or add --hidden dynamic"});
    if (options.columns.empty())
      options.columns = {768};
    options.targets = runnableTargets(request.targets.empty() ? std::vector<std::string>{"host"} : request.targets);
    if (options.cacheDir.empty())
      options.cacheDir = defaultCacheDir();
    SignalGuard guard;
    ThreadPool pool(options.threads);
    Progress progress(specs.size(), json);
    std::vector<Result> results;
    for (const KernelSpec &spec : specs) {
      const LoadedKernel kernel(spec, options.targets, options.cacheDir, options.jobs);
      for (int64_t hidden : spec.dynamic() ? options.columns : std::vector<int64_t>{spec.hidden})
        for (int64_t rows : rowsOf(spec, hidden, options))
          benchSize(spec, kernel, rows, hidden, options, pool, results);
      progress.step(spec.name);
      progress.finished("timed " + spec.name);
    }
    std::cout << (json ? jsonText(results, options.threads) : tableText(tableRows(results)));
    warnOfNoise(results);
    std::string repeat = "normc";
    for (const std::string &word : recordedCommand(command, arguments))
      repeat += " " + quotedForShell(word);
    std::cerr << "to repeat it: " << repeat << (request.targets.empty() ? " --target " + std::string(targetName(options.targets[0])) : "") << " --seed "
              << options.seed << "\n";
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
