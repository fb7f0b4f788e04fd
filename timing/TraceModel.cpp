// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the recorded marks to tracks: one for the inference and one for each core. The events of
// a core are its kernels and waits, and the time between them that is long enough to see.

#include "timing/TraceModel.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/ResolveTarget.h"
#include "Support/OutputFile.h"
#include "Support/TemporaryFolder.h"
#include "timing/MeasuredLibrary.h"
#include "timing/NumberText.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using convoy::report::TraceEvent;
using convoy::report::TraceTrack;

namespace convoy::timing {
namespace {

// Shorter gaps and waits are mostly the time of the probes and would only hide the kernels, unless
// the whole inference is short.
constexpr int64_t kLeastNs = 50, kLeastShare = 200;

double microseconds(double ns) { return std::round(ns) / 1000; }

int64_t integer(const llvm::json::Value &value) { return value.getAsInteger().value_or(0); }

/// A recorded kernel or wait.
struct Mark {
  int64_t id = 0, beginNs = 0, endNs = 0;

  bool isKernel() const { return id >= 0; }
  /// The worker that a wait is for.
  int64_t worker() const { return -1 - id; }
};

std::vector<Mark> readMarks(const llvm::json::Object &thread) {
  std::vector<Mark> marks;
  if (const llvm::json::Array *list = thread.getArray("events")) {
    for (const llvm::json::Value &entry : *list) {
      const llvm::json::Array &mark = *entry.getAsArray();
      marks.push_back({integer(mark[0]), integer(mark[1]), integer(mark[2])});
    }
  }
  return marks;
}

/// Builds the tracks of the cores.
class TrackBuilder {
public:
  TrackBuilder(llvm::ArrayRef<KernelReport> layers, int64_t runNs)
      : layers(layers), runNs(runNs), leastNs(std::min(kLeastNs, runNs / kLeastShare)),
        totals(layers.size()) {}

  void count(llvm::ArrayRef<Mark> marks) {
    for (const Mark &mark : marks) {
      if (isKnownKernel(mark)) {
        totals[mark.id].ns += mark.endNs - mark.beginNs;
        ++totals[mark.id].calls;
      }
    }
  }

  std::vector<TraceEvent> eventsOf(llvm::ArrayRef<Mark> marks, size_t thread,
                                   size_t threads) const {
    std::vector<TraceEvent> events;
    int64_t ns = 0;
    bool isCaller = thread == 0;
    for (const Mark &mark : marks) {
      bool isShown = isKnownKernel(mark) || mark.endNs - mark.beginNs >= leastNs;
      if (!isShown) {
        continue;
      }
      bool isFirst = events.empty();
      if (isFirst && !isCaller) {
        events.push_back({"idle", "idle", ns, mark.beginNs});
      } else if (isFirst || mark.beginNs - ns >= leastNs) {
        events.push_back({isFirst ? "start" : "between kernels", "runtime", ns, mark.beginNs});
      }
      events.push_back(isKnownKernel(mark) ? kernelEvent(mark) : waitEvent(mark));
      ns = mark.endNs;
    }
    if (ns < runNs) {
      events.push_back(!isCaller      ? TraceEvent{"idle", "idle", ns, runNs}
                       : threads == 1 ? TraceEvent{"end", "runtime", ns, runNs}
                                      : TraceEvent{"wait for the other cores", "wait", ns, runNs});
    }
    return events;
  }

private:
  struct Total {
    int64_t ns = 0, calls = 0;
  };

  bool isKnownKernel(const Mark &mark) const {
    return mark.isKernel() && static_cast<size_t>(mark.id) < layers.size();
  }

  TraceEvent kernelEvent(const Mark &mark) const {
    const KernelReport &layer = layers[mark.id];
    const Total &total = totals[mark.id];
    llvm::json::Object facts{{"kernel", llvm::json::fixUTF8(layer.kernel)},
                             {"nodes", llvm::json::fixUTF8(layer.nodes)},
                             {"template", layer.templateId},
                             {"measured_us", microseconds(static_cast<double>(total.ns))},
                             {"predicted_us", microseconds(layer.predictedNs)},
                             {"calls", total.calls},
                             {"mflop", layer.flops / 1e6},
                             {"kb", layer.bytes / 1e3}};
    return {layer.nodes.empty() ? layer.kernel : layer.nodes, "kernel", mark.beginNs, mark.endNs,
            std::move(facts)};
  }

  static TraceEvent waitEvent(const Mark &mark) {
    return {"wait for core " + std::to_string(mark.worker()), "wait", mark.beginNs, mark.endNs};
  }

  llvm::ArrayRef<KernelReport> layers;
  int64_t runNs;
  int64_t leastNs;           // events of the runtime and waits below this time are left out
  std::vector<Total> totals; // by layer, of all cores
};

TraceTrack inferenceTrack(const llvm::json::Object &result, const ModelTrace &trace) {
  std::vector<double> runs = numbers(result, "runsNs");
  Percentiles all = percentiles(runs);
  llvm::json::Object facts{
      {"shown", "the median of " + std::to_string(runs.size()) + " inferences"},
      {"measured_us", trace.runUs},
      {"min_us", microseconds(all.min)},
      {"max_us", microseconds(all.max)}};
  if (trace.overhead.value > 0) {
    double plainUs = median(numbers(result, "plainMs")) * 1000;
    facts["without_trace_us"] = microseconds(plainUs * 1000);
    facts["overhead"] = trace.overhead.value - 1;
    facts["overhead_low"] = trace.overhead.low - 1;
    facts["overhead_high"] = trace.overhead.high - 1;
  }
  int64_t runNs = integer(*result.get("runNs"));
  std::string name = "inference, median of " + std::to_string(runs.size());
  return {"inference", {{name, "inference", 0, runNs, std::move(facts)}}};
}

std::string coreName(size_t index, int64_t cpu) {
  std::string name = "core " + std::to_string(index);
  return cpu < 0 ? name : name + " (CPU " + std::to_string(cpu) + ")";
}

} // namespace

llvm::Error checkTraced(const TargetRequest &target) {
  llvm::Expected<driver::ResolvedTarget> found =
      driver::resolveTarget(target, /*isForMemory=*/true);
  if (!found) {
    return found.takeError();
  }
  std::string reason = found->backend->whyNotNative(*found);
  return reason.empty() ? llvm::Error::success()
                        : createUnsupported("not supported: --trace with --target " + target.name +
                                            ": " + reason +
                                            "; a trace measures code that this CPU runs, for "
                                            "example --target host");
}

std::string traceSummary(llvm::StringRef file, const ModelTrace &trace) {
  std::string text = "wrote " + file.str() + ": " + trace.process.name + ", inference of " +
                     msText(trace.runUs / 1000) + " ms, the median of " +
                     std::to_string(trace.recorded);
  if (trace.overhead.value > 0) {
    text += "; tracing costs " + fixedText((trace.overhead.value - 1) * 100, 1) + " %";
  }
  return text + "\n";
}

ModelTrace toModelTrace(const llvm::json::Object &result, llvm::ArrayRef<KernelReport> layers) {
  ModelTrace trace;
  int64_t runNs = integer(*result.get("runNs"));
  trace.runUs = microseconds(static_cast<double>(runNs));
  trace.overhead = ratioOfMedians(numbers(result, "tracedMs"), numbers(result, "plainMs"));
  trace.recorded = static_cast<int64_t>(numbers(result, "runsNs").size());
  trace.process.tracks.push_back(inferenceTrack(result, trace));
  TrackBuilder builder(layers, runNs);
  const llvm::json::Array &threads = *result.getArray("threads");
  std::vector<std::vector<Mark>> marks;
  for (const llvm::json::Value &thread : threads) {
    marks.push_back(readMarks(*thread.getAsObject()));
    builder.count(marks.back());
  }
  for (auto [index, thread] : llvm::enumerate(threads)) {
    int64_t cpu = thread.getAsObject()->getInteger("cpu").value_or(-1);
    trace.process.tracks.push_back(
        {coreName(index, cpu), builder.eventsOf(marks[index], index, threads.size())});
  }
  return trace;
}

Result<ModelTrace> traceModel(const Model &model, const TraceRequest &request,
                              const MeasureProgram &program, const std::string &folder) {
  CompileRequest compile = request.compile;
  compile.output.emit = Emit::Library;
  compile.output.folder = inFolder(folder, "traced");
  compile.schedule.report.clear();
  compile.debugging.probes = Probes::KernelsAndWaits;
  driver::CompileHooks hooks;
  hooks.observer = request.observer;
  Result<Artifact> built = driver::compileModel(model, compile, hooks);
  if (!built) {
    return built.problems();
  }
  Problems problems;
  if (llvm::Error error = writeInputs(built->report, request.inputs, folder)) {
    addError(problems, std::move(error));
    return problems;
  }
  llvm::json::Object spec = specification(*built, "trace", folder);
  spec["threads"] = built->report.threads;
  spec["samples"] = request.samples;
  if (request.plain) {
    spec["plain"] = libraryToJson(*request.plain);
  }
  llvm::Expected<llvm::json::Object> result = program.measure(std::move(spec));
  if (!result) {
    addError(problems, result.takeError());
    return problems;
  }
  ModelTrace trace = toModelTrace(*result, built->report.kernels);
  int64_t threads = built->report.threads;
  trace.process.name = model.name() + " on " + built->report.target + ", " +
                       std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return trace;
}

} // namespace convoy::timing
