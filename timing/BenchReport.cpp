// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints benchmark results as tables and JSON.

#include "timing/BenchReport.h"
#include "Support/PercentText.h"
#include "Support/TextTable.h"
#include "report/Built.h"
#include "timing/NumberText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <numeric>
#include <set>

namespace convoy::timing {
namespace {

// Larger than the effect of the order of summation, far smaller than the effect of a wrong layer.
constexpr double kMaxRelativeError = 1e-3;
/// The effect of one step of an 8-bit range (1/256) over about fifty layers.
constexpr double kMaxQuantizedError = 0.1;
// If two programs are each as far from the exact result as the peer is from itself, their distance
// is at most twice as large.
constexpr double kSpreadFactor = 2;

// On an idle machine the time of a burst varies by a few per cent.
constexpr double kMaxPeakSpread = 0.25;

std::string threeDigits(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", value);
  return text;
}

std::vector<std::string> cells(const BenchRow &row) {
  auto both = [&](double ours, double Performance::*member) {
    return msText(ours) + (row.peer ? " / " + msText((*row.peer).*member) : "");
  };
  std::vector<std::string> result{row.model, std::to_string(row.threads), msText(row.convoy.ms)};
  if (row.peer) {
    result.push_back(msText(row.peer->ms));
    result.push_back(fixedText(row.ratio.value, 3));
    result.push_back(intervalText(row.ratio));
  }
  result.push_back(fixedText(row.gflops(), 1));
  result.push_back(shortPercentText(row.peakShare()));
  result.push_back(both(row.convoy.loadMs, &Performance::loadMs));
  result.push_back(both(row.convoy.firstMs, &Performance::firstMs));
  result.push_back(both(row.convoy.residentMb, &Performance::residentMb));
  std::string remark;
  if (row.convoyThreads < row.threads) {
    remark = "convoy ran on " + std::to_string(row.convoyThreads);
  }
  if (row.peerSpread && row.isRight()) {
    remark += std::string(remark.empty() ? "" : "; ") + "differs by " +
              threeDigits(row.peerSpread->plainError) + ", onnxruntime from itself by " +
              threeDigits(row.peerSpread->ownError);
  }
  if (!row.isRight()) {
    remark += std::string(remark.empty() ? "" : "; ") + "WRONG RESULT, does not count";
  }
  result.push_back(remark);
  return result;
}

void printMeans(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows) {
  std::set<int64_t> counts;
  for (const BenchRow &row : rows) {
    counts.insert(row.threads);
  }
  for (int64_t threads : counts) {
    std::vector<double> ratios;
    for (const BenchRow &row : rows) {
      if (row.threads == threads && row.peer && row.isRight()) {
        ratios.push_back(row.ratio.value);
      }
    }
    if (ratios.size() > 1) {
      os << "geometric mean of " << ratios.size() << " ratios, " << threads
         << (threads == 1 ? " thread: " : " threads: ") << fixedText(geometricMean(ratios), 3)
         << "\n";
    }
  }
}

llvm::json::Value orNull(bool isKnown, double value) {
  return isKnown && std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

llvm::json::Object rowToJson(const BenchRow &row) {
  bool hasPeer = row.peer.has_value();
  Performance peer = row.peer.value_or(Performance());
  PeerSpread spread = row.peerSpread.value_or(PeerSpread());
  return llvm::json::Object{
      {"model", llvm::json::fixUTF8(row.model)},
      {"threads", row.threads},
      {"convoy_threads", row.convoyThreads},
      {"built", report::builtToJson(row.built)},
      {"convoy_ms", row.convoy.ms},
      {"peer_ms", orNull(hasPeer, peer.ms)},
      {"ratio", orNull(hasPeer, row.ratio.value)},
      {"ratio_low", orNull(hasPeer, row.ratio.low)},
      {"ratio_high", orNull(hasPeer, row.ratio.high)},
      {"convoy_cpu_ms", orNull(row.hasCpuTime(), row.convoy.cpuMs)},
      {"peer_cpu_ms", orNull(hasPeer && row.hasCpuTime(), peer.cpuMs)},
      {"cpu_ratio", orNull(hasPeer && row.hasCpuTime(), row.cpuRatio.value)},
      {"cpu_ratio_low", orNull(hasPeer && row.hasCpuTime(), row.cpuRatio.low)},
      {"cpu_ratio_high", orNull(hasPeer && row.hasCpuTime(), row.cpuRatio.high)},
      {"gflop", row.gflop},
      {"gflops", row.gflops()},
      {"peak_gflops", row.peakGflops},
      {"peak_spread", row.peakSpread},
      {"peak_share", row.peakShare()},
      {"weights_mb", static_cast<double>(row.built.weightsBytes) / 1e6},
      {"read_gbs", row.readGbs},
      {"compute_limit_ms", row.computeLimitMs()},
      {"weights_limit_ms", row.weightsLimitMs()},
      {"load_ms", row.convoy.loadMs},
      {"peer_load_ms", orNull(hasPeer, peer.loadMs)},
      {"first_ms", row.convoy.firstMs},
      {"peer_first_ms", orNull(hasPeer, peer.firstMs)},
      {"rss_mb", row.convoy.residentMb},
      {"peer_rss_mb", orNull(hasPeer, peer.residentMb)},
      {"relative_error", orNull(hasPeer, row.relativeError)},
      {"plain_error", orNull(row.peerSpread.has_value(), spread.plainError)},
      {"peer_own_error", orNull(row.peerSpread.has_value(), spread.ownError)},
      {"right", row.isRight()},
      {"samples_ms", llvm::json::Array(row.samplesMs)},
      {"latency", toJson(row.latencyMs)},
      {"peer_latency",
       hasPeer ? llvm::json::Value(toJson(row.peerLatencyMs)) : llvm::json::Value(nullptr)},
      {"streams",
       row.streams ? llvm::json::Value(toJson(*row.streams)) : llvm::json::Value(nullptr)}};
}

std::string pretty(llvm::json::Array array) {
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(array))).str() + "\n";
}

/// Interpolates the bandwidth in GB/s at a size between the measured sizes, on a logarithmic
/// scale.
double speedAt(llvm::ArrayRef<ReadSpeed> speeds, double bytes) {
  if (speeds.empty()) {
    return 0;
  }
  for (size_t i = 0; i < speeds.size(); ++i) {
    if (bytes > speeds[i].bytes) {
      continue;
    }
    if (i == 0) {
      break;
    }
    const ReadSpeed &below = speeds[i - 1], &above = speeds[i];
    double t = std::log2(bytes / below.bytes) / std::log2(above.bytes / below.bytes);
    return below.gbs + t * (above.gbs - below.gbs);
  }
  return bytes <= speeds.front().bytes ? speeds.front().gbs : speeds.back().gbs;
}

double gflopsOf(const KernelReport &layer, double ms) {
  return ms > 0 ? layer.flops / (ms * 1e6) : 0;
}

/// Returns one row of the table of layers.
std::vector<std::string> layerCells(const LayerReport &report, const std::string &number,
                                    const KernelReport &layer, double ms, double limitMs) {
  double sum = 0;
  for (const LayerRow &row : report.rows) {
    sum += row.ms;
  }
  double gflops = gflopsOf(layer, ms);
  bool isMemory = report.memoryMs(layer) > report.computeMs(layer);
  return {number,
          fixedText(ms, 4),
          shortPercentText(ms, sum),
          fixedText(gflops, 1),
          fixedText(layer.bytes / 1e6, 2),
          shortPercentText(gflops, report.peakGflops),
          number.empty() ? ""
          : isMemory     ? "memory"
                         : "compute",
          shortPercentText(limitMs, ms),
          layer.templateId,
          layer.kernel,
          layer.nodes};
}

llvm::json::Object layerToJson(const LayerReport &report, size_t index) {
  const LayerRow &row = report.rows[index];
  double compute = report.computeMs(row.layer), memory = report.memoryMs(row.layer);
  double gflops = gflopsOf(row.layer, row.ms);
  return llvm::json::Object{
      {"model", llvm::json::fixUTF8(report.model)},
      {"threads", report.threads},
      {"layer", static_cast<int64_t>(index + 1)},
      {"kernel", llvm::json::fixUTF8(row.layer.kernel)},
      {"nodes", llvm::json::fixUTF8(row.layer.nodes)},
      {"template", row.layer.templateId},
      {"ms", row.ms},
      {"gflop", row.layer.flops / 1e9},
      {"gflops", gflops},
      {"mb", row.layer.bytes / 1e6},
      {"peak_share", report.peakGflops > 0 ? gflops / report.peakGflops : 0},
      {"limit", memory > compute ? "memory" : "compute"},
      {"limit_ms", std::max(compute, memory)},
      {"read_gbs", speedAt(report.readSpeeds, row.layer.bytes / row.layer.runs)},
      {"memory_gbs", report.readSpeeds.empty() ? 0.0 : report.readSpeeds.back().gbs}};
}

} // namespace

bool BenchRow::isClose() const {
  // The comparison is false for NaN, so NaN counts as wrong.
  return relativeError <= (isQuantized ? kMaxQuantizedError : kMaxRelativeError);
}

bool BenchRow::isRight() const {
  if (!peer || isClose()) {
    return true;
  }
  double own = peerSpread ? kSpreadFactor * peerSpread->ownError : 0;
  double limit = std::min(kMaxQuantizedError, std::max(kMaxRelativeError, own));
  return peerSpread && peerSpread->plainError <= limit;
}

std::string wrongResult(const BenchRow &row) {
  std::string text = "WRONG RESULT: outputs of " + row.model + " on " +
                     std::to_string(row.threads) + " threads differ from onnxruntime's by " +
                     threeDigits(row.relativeError) + " (relative L2)";
  if (row.peerSpread) {
    text += ", from those of its unoptimized graph by " + threeDigits(row.peerSpread->plainError) +
            ", and onnxruntime differs from itself by " + threeDigits(row.peerSpread->ownError);
  }
  return text + "; its ratio does not count. `convoy check` finds the wrong op";
}

Problems warningsOf(llvm::ArrayRef<BenchRow> rows) {
  Problems problems;
  for (const BenchRow &row : rows) {
    if (row.peakSpread > kMaxPeakSpread) {
      problems.add({ProblemKind::Warning,
                    row.model + " on " + std::to_string(row.threads) +
                        (row.threads == 1 ? " thread" : " threads") +
                        ": the machine was busy: its peak varied by " +
                        shortPercentText(row.peakSpread) +
                        "; measure again when it does nothing else",
                    {}});
    }
  }
  return problems;
}

void printTable(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows) {
  bool hasPeer = llvm::any_of(rows, [](const BenchRow &row) { return row.peer.has_value(); });
  constexpr ColumnKind kNumber = ColumnKind::Number;
  std::vector<Column> columns{{"model"}, {"threads", kNumber}, {"convoy ms", kNumber}};
  if (hasPeer) {
    columns.insert(columns.end(),
                   {{"onnxruntime ms", kNumber}, {"ratio", kNumber}, {"95 % interval", kNumber}});
  }
  columns.insert(columns.end(), {{"GFLOP/s", kNumber},
                                 {"of peak", kNumber},
                                 {"load ms", kNumber},
                                 {"first ms", kNumber},
                                 {"peak RSS MB", kNumber},
                                 {""}});
  TextTable table(std::move(columns));
  for (const BenchRow &row : rows) {
    table.add(cells(row));
  }
  table.print(os);
  printMeans(os, rows);
}

void printDistributions(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows) {
  std::vector<std::pair<RowName, Percentiles>> latencies;
  std::vector<std::pair<RowName, StreamReport>> streams;
  for (const BenchRow &row : rows) {
    latencies.push_back({{row.model, row.threads}, row.latencyMs});
    if (row.streams) {
      streams.push_back({{row.model, row.threads}, *row.streams});
    }
  }
  printLatencies(os, latencies);
  if (!streams.empty()) {
    printStreams(os, streams);
  }
}

std::string toJson(llvm::ArrayRef<BenchRow> rows) {
  llvm::json::Array array;
  for (const BenchRow &row : rows) {
    array.push_back(rowToJson(row));
  }
  return pretty(std::move(array));
}

double LayerReport::computeMs(const KernelReport &layer) const {
  return peakGflops > 0 ? layer.flops / (peakGflops * 1e6) : 0;
}

double LayerReport::memoryMs(const KernelReport &layer) const {
  double gbs = speedAt(readSpeeds, layer.bytes / layer.runs);
  return gbs > 0 ? layer.bytes / (gbs * 1e6) : 0;
}

/// Returns the indices of the rows by falling time. Equal times keep their order.
static std::vector<size_t> slowestFirst(const LayerReport &report) {
  std::vector<size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-report.rows[a].ms, a) < std::pair(-report.rows[b].ms, b);
  });
  return order;
}

void printLayers(llvm::raw_ostream &os, const LayerReport &report) {
  os << report.model << ", " << report.threads << (report.threads == 1 ? " thread" : " threads")
     << (report.isHot ? ", each kernel on hot data" : "") << ": peak "
     << fixedText(report.peakGflops, 1) << " GFLOP/s; reads";
  for (const ReadSpeed &speed : report.readSpeeds) {
    os << " " << fixedText(speed.gbs, 1) << " GB/s at " << fixedText(speed.bytes / (1 << 20), 2)
       << " MiB" << (&speed == &report.readSpeeds.back() ? "\n" : ",");
  }
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"#", kNumber},
                   {"ms", kNumber},
                   {"share", kNumber},
                   {"GFLOP/s", kNumber},
                   {"MB", kNumber},
                   {"of peak", kNumber},
                   {"limit"},
                   {"of limit", kNumber},
                   {"template"},
                   {"kernel"},
                   {"nodes"}});
  KernelReport all, products;
  all.kernel = "all kernels";
  products.kernel = "with multiply-adds";
  double allMs = 0, allLimitMs = 0, productMs = 0, productLimitMs = 0;
  for (size_t index : slowestFirst(report)) {
    const LayerRow &row = report.rows[index];
    double limitMs = std::max(report.computeMs(row.layer), report.memoryMs(row.layer));
    table.add(layerCells(report, std::to_string(index + 1), row.layer, row.ms, limitMs));
    all.flops += row.layer.flops;
    all.bytes += row.layer.bytes;
    allMs += row.ms;
    allLimitMs += limitMs;
    if (row.layer.flops > 0) {
      products.flops += row.layer.flops;
      products.bytes += row.layer.bytes;
      productMs += row.ms;
      productLimitMs += limitMs;
    }
  }
  table.add(layerCells(report, "", products, productMs, productLimitMs));
  table.add(layerCells(report, "", all, allMs, allLimitMs));
  table.print(os);
  if (!report.isHot) {
    os << "inference " << fixedText(report.totalMs, 4) << " ms, of which between kernels "
       << fixedText(report.totalMs - allMs, 4) << " ms\n";
  }
}

std::string toJson(llvm::ArrayRef<LayerReport> reports) {
  llvm::json::Array array;
  for (const LayerReport &report : reports) {
    for (size_t i = 0; i < report.rows.size(); ++i) {
      array.push_back(layerToJson(report, i));
    }
  }
  return pretty(std::move(array));
}

} // namespace convoy::timing
