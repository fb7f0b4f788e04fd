// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints percentiles and throughput.

#include "timing/LatencyReport.h"
#include "Support/TextTable.h"
#include "timing/NumberText.h"

namespace convoy::timing {
namespace {

constexpr ColumnKind kNumber = ColumnKind::Number;

/// Formats inferences per second with at least three significant digits.
std::string rateText(double perSecond) {
  return fixedText(perSecond, perSecond < 10 ? 2 : perSecond < 100 ? 1 : 0);
}

} // namespace

void printLatencies(llvm::raw_ostream &os,
                    llvm::ArrayRef<std::pair<RowName, Percentiles>> latencies) {
  os << "time of single inferences in ms\n";
  TextTable table({{"model"},
                   {"threads", kNumber},
                   {"runs", kNumber},
                   {"min", kNumber},
                   {"p50", kNumber},
                   {"p90", kNumber},
                   {"p95", kNumber},
                   {"p99", kNumber},
                   {"max", kNumber}});
  for (const auto &[name, ms] : latencies) {
    table.add({name.model, std::to_string(name.threads), std::to_string(ms.count), msText(ms.min),
               msText(ms.p50), msText(ms.p90), msText(ms.p95), msText(ms.p99), msText(ms.max)});
  }
  table.print(os);
}

void printStreams(llvm::raw_ostream &os, llvm::ArrayRef<std::pair<RowName, StreamReport>> streams) {
  os << "throughput of parallel streams\n";
  TextTable table({{"model"},
                   {"threads", kNumber},
                   {"streams", kNumber},
                   {"inferences/s", kNumber},
                   {"of one stream", kNumber},
                   {"scaling", kNumber},
                   {"95 % interval", kNumber},
                   {"p50 ms", kNumber},
                   {"p99 ms", kNumber}});
  for (const auto &[name, report] : streams) {
    table.add({name.model, std::to_string(name.threads), std::to_string(report.streams),
               rateText(report.perSecond), rateText(report.onePerSecond),
               fixedText(report.scaling.value, 3), intervalText(report.scaling),
               msText(report.latencyMs.p50), msText(report.latencyMs.p99)});
  }
  table.print(os);
}

llvm::json::Object toJson(const Percentiles &latencyMs) {
  return llvm::json::Object{{"runs", static_cast<int64_t>(latencyMs.count)},
                            {"min_ms", latencyMs.min},
                            {"mean_ms", latencyMs.mean},
                            {"p50_ms", latencyMs.p50},
                            {"p90_ms", latencyMs.p90},
                            {"p95_ms", latencyMs.p95},
                            {"p99_ms", latencyMs.p99},
                            {"max_ms", latencyMs.max}};
}

llvm::json::Object toJson(const StreamReport &report) {
  return llvm::json::Object{{"streams", report.streams},
                            {"inferences_per_second", report.perSecond},
                            {"one_stream_per_second", report.onePerSecond},
                            {"scaling", report.scaling.value},
                            {"scaling_low", report.scaling.low},
                            {"scaling_high", report.scaling.high},
                            {"latency", toJson(report.latencyMs)}};
}

} // namespace convoy::timing
