// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the sections of the page. The charts are inline SVG.

#include "quantizer/report/Page.h"
#include "Support/ElementType.h"
#include "Support/Page.h"
#include "Support/PercentText.h"
#include "convoy/version.h"
#include "quantizer/report/Picture.h"
#include "quantizer/report/ResultText.h"
#include "quantizer/search/SortByKey.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace convoy::quantizer {
namespace {

constexpr int kChartWidth = 240, kChartHeight = 40;
constexpr size_t kBars = 120; // of a histogram
constexpr size_t kShownClasses = 20;
constexpr size_t kShownTensors = 200;

constexpr llvm::StringLiteral kStyle =
    "h2{margin-top:28px}.bar{fill:#3b6fb6}.range{fill:#f3d9b8}.limit{stroke:#c03030}"
    "figure{display:inline-block;margin:6px;vertical-align:top;width:120px}"
    "figcaption{font-size:12px}";

/// A table whose first column is text.
class Table {
public:
  explicit Table(const std::vector<std::string> &titles) { addCells(titles, "th"); }

  /// Adds a row. Cells are HTML.
  void add(const std::vector<std::string> &cells) { addCells(cells, "td"); }
  std::string text() const { return "<table>\n" + rows + "</table>\n"; }

private:
  void addCells(const std::vector<std::string> &cells, const char *tag) {
    rows += "<tr>";
    for (auto [i, cell] : llvm::enumerate(cells)) {
      rows += llvm::formatv("<{0}{1}>{2}</{0}>", tag, i == 0 ? " class='l'" : "", cell).str();
    }
    rows += "</tr>\n";
  }

  std::string rows;
};

std::string heading(llvm::StringRef title) { return ("<h2>" + title + "</h2>\n").str(); }
std::string paragraph(llvm::StringRef text) { return ("<p>" + text + "</p>\n").str(); }

/// Draws the drop and its bound on a line, with the limit.
std::string drawInterval(const Proof &proof, double maxDrop) {
  constexpr int kWidth = 520, kLeft = 20;
  double drop = proof.measurement.counts.drop();
  double low = std::min({0.0, drop}), high = std::max({proof.bound, maxDrop, drop}) * 1.1;
  auto x = [&](double value) {
    return kLeft + static_cast<int>((value - low) / std::max(high - low, 1e-12) * kWidth);
  };
  return llvm::formatv(
             "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='56' font-size='12' "
             "font-family='sans-serif'><line x1='{1}' x2='{2}' y1='24' y2='24' stroke='#3b6fb6' "
             "stroke-width='4'/><circle cx='{1}' cy='24' r='5' class='bar'/>"
             "<line x1='{3}' x2='{3}' y1='8' y2='40' class='limit'/>"
             "<text x='{1}' y='52' text-anchor='middle'>{4}</text>"
             "<text x='{2}' y='52' text-anchor='middle'>{5}</text>"
             "<text x='{3}' y='8' text-anchor='middle'>limit {6}</text></svg>\n",
             kWidth + 3 * kLeft, x(drop), x(proof.bound), x(maxDrop), pointsText(drop),
             pointsText(proof.bound), pointsText(maxDrop))
      .str();
}

std::string accuracySection(const QuantizeRequest &request, const QuantizeResult &result) {
  const Proof &proof = result.proof;
  std::string html =
      heading("Accuracy") + paragraph(htmlText(accuracyText(result)) + ".") +
      paragraph("<b>Accuracy bound</b>: " + htmlText(boundText(result, request.options.maxDrop)) +
                ".");
  if (proof.isDone) {
    html += drawInterval(proof, request.options.maxDrop);
    html += paragraph("The dot is the measured " + quantityText(result) +
                      " in points, the line ends at its upper bound, and the red line is the "
                      "limit. The proof samples were used for nothing else.");
  }
  Table table({"part", "samples", "float top-1", "quantized top-1", "lost", "gained", "disagree"});
  auto add = [&](const char *part, const Measurement &measured) {
    table.add({part, std::to_string(measured.counts.samples),
               result.hasLabels ? finePercentText(measured.floats.top1()) : "-",
               result.hasLabels ? finePercentText(measured.quantized.top1()) : "-",
               std::to_string(measured.counts.lost), std::to_string(measured.counts.gained),
               std::to_string(measured.disagreements)});
  };
  add("select", result.select);
  if (proof.isDone) {
    add("prove", proof.measurement);
  }
  return html + table.text();
}

std::string mistakesSection(const QuantizeResult &result) {
  if (result.mistakes.empty()) {
    return "";
  }
  Table table({"kind", "severity", "finding"});
  for (const Mistake &mistake : result.mistakes) {
    table.add({htmlText(nameOf(mistake.kind)),
               mistake.severity == Severity::Warning ? "warning" : "note", htmlText(mistake.text)});
  }
  return heading("Findings in the data") + table.text();
}

std::string costSection(const QuantizeRequest &request, const QuantizeResult &result) {
  Table table({"", "float", "quantized", "ratio"});
  auto add = [&](const char *title, double before, double after, const char *format) {
    std::string ratio = before > 0 ? llvm::formatv("{0:f2}", after / before).str() : "-";
    auto number = [&](double value) {
      return llvm::StringRef(format) == "ms" ? llvm::formatv("{0:f3} ms", value).str()
                                             : llvm::formatv("{0:f0}", value).str();
    };
    table.add({title, number(before), number(after), ratio});
  };
  const TargetCost &before = result.floatCost, &after = result.quantizedCost;
  add("predicted time, one core", before.nanoseconds / 1e6, after.nanoseconds / 1e6, "ms");
  auto bytes = [](int64_t value) { return static_cast<double>(value); };
  add("weights, bytes", bytes(before.weightsBytes), bytes(after.weightsBytes), "");
  add("workspace, bytes", bytes(before.workspaceBytes), bytes(after.workspaceBytes), "");
  add("model file, bytes", bytes(result.floatBytes), bytes(result.quantizedBytes), "");
  return heading("Size and time on " + htmlText(request.options.target.name)) + table.text();
}

std::string wideSection(const QuantizeResult &result) {
  std::vector<plan::ActivationPlan> wide = result.wideActivations();
  std::string html = heading("Wide activations");
  if (wide.empty()) {
    return html + paragraph("All activations have 8 bits.");
  }
  Table table({"tensor", "type", "reason"});
  for (const plan::ActivationPlan &activation : wide) {
    table.add(
        {htmlText(activation.tensor), name(activation.type).str(), htmlText(activation.reason)});
  }
  return html + table.text();
}

std::string searchSection(const QuantizeResult &result) {
  Table table({"candidate", "4-bit layers", "drop on select", "relative L2", "predicted bound"});
  for (const SearchStep &step : result.searchSteps) {
    table.add({std::to_string(step.wide) + " wide", std::to_string(step.narrow),
               finePercentText(step.measurement.counts.drop()),
               llvm::formatv("{0:f4}", step.measurement.meanRelativeL2).str(),
               finePercentText(step.projectedBound)});
  }
  return heading("Search") +
         paragraph("Plans that were measured on the select split. The last row is the result.") +
         table.text();
}

/// Draws the histogram of a tensor with logarithmic bars. The range that its type can store is
/// colored.
std::string drawHistogram(const TensorStatistics &statistics,
                          const plan::ActivationPlan &activation) {
  double low = statistics.range.low, high = statistics.range.high;
  if (statistics.histogram.empty() || !(high > low)) {
    return "";
  }
  std::vector<double> bars(kBars, 0);
  auto bins = static_cast<double>(statistics.histogram.size());
  double width = (statistics.histogramHigh - statistics.histogramLow) / bins;
  for (auto [i, count] : llvm::enumerate(statistics.histogram)) {
    double center = statistics.histogramLow + (static_cast<double>(i) + 0.5) * width;
    auto at = static_cast<int64_t>((center - low) / (high - low) * static_cast<double>(kBars));
    bars[std::clamp<int64_t>(at, 0, kBars - 1)] += static_cast<double>(count);
  }
  double most = std::log1p(*llvm::max_element(bars));
  auto place = [&](double value) {
    return std::clamp((value - low) / (high - low), 0.0, 1.0) * kChartWidth;
  };
  std::string svg =
      llvm::formatv("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}'>",
                    kChartWidth, kChartHeight)
          .str();
  if (activation.type != ElementType::F32) {
    int64_t bits = bitWidth(activation.type);
    double least = isSignedInteger(activation.type) ? -std::exp2(bits - 1) : 0;
    auto zero = static_cast<double>(activation.zeroPoint);
    double first = place((least - zero) * activation.scale);
    double last = place((least + std::exp2(bits) - 1 - zero) * activation.scale);
    svg += llvm::formatv("<rect class='range' x='{0:f1}' y='0' width='{1:f1}' height='{2}'/>",
                         first, last - first, kChartHeight)
               .str();
  }
  for (auto [i, bar] : llvm::enumerate(bars)) {
    double height = most > 0 ? std::log1p(bar) / most * kChartHeight : 0;
    svg += llvm::formatv("<rect class='bar' x='{0}' y='{1:f1}' width='2' height='{2:f1}'/>",
                         i * (kChartWidth / kBars), kChartHeight - height, height)
               .str();
  }
  return svg + "</svg>";
}

/// Returns an error at the output; most are far below one per cent.
std::string errorText(double error) { return llvm::formatv("{0:f3} %", 100 * error).str(); }

std::string tensorsSection(const QuantizeResult &result) {
  std::map<std::string, double> errors;
  for (const TensorSensitivity &tensor : result.sensitivity) {
    errors[tensor.tensor] = tensor.relativeError;
  }
  std::vector<const plan::ActivationPlan *> ordered;
  for (const plan::ActivationPlan &activation : result.plan.activations) {
    ordered.push_back(&activation);
  }
  sortByKey(ordered, [&](const auto *activation) { return -errors[activation->tensor]; });
  Table table({"activation", "type", "error at the output", "saturated", "minimum", "maximum",
               "values (log), stored range"});
  for (const plan::ActivationPlan *activation : llvm::ArrayRef(ordered).take_front(kShownTensors)) {
    auto found = result.statistics.find(activation->tensor);
    if (found == result.statistics.end()) {
      continue;
    }
    const TensorStatistics &statistics = found->second;
    table.add({htmlText(activation->tensor), name(activation->type).str(),
               errorText(errors[activation->tensor]),
               llvm::formatv("{0:f4} %", 100 * saturationOf(*activation, statistics)).str(),
               llvm::formatv("{0:g4}", statistics.range.low).str(),
               llvm::formatv("{0:g4}", statistics.range.high).str(),
               drawHistogram(statistics, *activation)});
  }
  return heading("Activations") +
         paragraph("The error at the output is the relative L2 distance from the float output if "
                   "only this tensor is quantized to 8 bits.") +
         table.text();
}

std::string weightsSection(const QuantizeResult &result) {
  std::map<std::string, double> errors;
  for (const TensorSensitivity &tensor : result.sensitivity) {
    errors[tensor.tensor] = tensor.relativeError;
  }
  Table table({"weights", "type", "scales", "error at the output in 4 bits"});
  for (const plan::WeightPlan &weights : result.plan.weights) {
    auto error = errors.find(weights.tensor);
    table.add({htmlText(weights.tensor), name(weights.type).str(),
               std::to_string(weights.scales.size()),
               error == errors.end() ? "-" : errorText(error->second)});
  }
  return heading("Weights") +
         paragraph("--weight-bits auto measures the error of 4-bit weights in each layer.") +
         table.text();
}

std::string classesSection(const QuantizeResult &result) {
  std::vector<std::pair<int64_t, ClassChange>> classes;
  for (const auto &[number, change] : result.proof.classes) {
    if (change.changed > 0) {
      classes.emplace_back(number, change);
    }
  }
  sortByKey(classes,
            [](const auto &change) { return -static_cast<double>(change.second.changed); });
  if (classes.empty()) {
    return "";
  }
  Table table({"class", "samples", "changed answers", "lost", "gained"});
  for (const auto &[number, change] : llvm::ArrayRef(classes).take_front(kShownClasses)) {
    table.add({std::to_string(number), std::to_string(change.samples),
               std::to_string(change.changed), std::to_string(change.lost),
               std::to_string(change.gained)});
  }
  return heading("Classes whose answers changed") + table.text();
}

/// Returns the picture of the first input that is an image; empty: there is none.
std::string firstPicture(const NamedTensors &inputs) {
  for (const auto &[name, tensor] : inputs) {
    if (std::string picture = pictureOf(tensor); !picture.empty()) {
      return picture;
    }
  }
  return "";
}

std::string samplesSection(const QuantizeRequest &request, const QuantizeResult &result) {
  std::string html;
  for (const ChangedSample &sample : result.changed) {
    Result<NamedTensors> tensors = request.data->read(sample.index);
    std::string picture = tensors ? firstPicture(*tensors) : "";
    std::string label = sample.label ? llvm::formatv("label {0}, ", *sample.label).str() : "";
    html += llvm::formatv("<figure>{0}<figcaption>{1}<br/>{2}float {3}, quantized {4}"
                          "</figcaption></figure>\n",
                          picture, htmlText(sample.name), label, sample.floatAnswer,
                          sample.quantizedAnswer)
                .str();
  }
  return html.empty() ? "" : heading("Samples whose answers changed") + html;
}

std::string provenanceSection(const QuantizeResult &result) {
  Table table({"", "SHA-256"});
  table.add({"float model", result.hashes.model});
  table.add({"quantized model", result.hashes.quantized});
  table.add({"plan", result.hashes.plan});
  table.add({"proof samples", result.hashes.data});
  return heading("Provenance") +
         paragraph(llvm::formatv("Convoy {0}. {1} samples calibrated, {2} selected, {3} proved.",
                                 versionText(), result.calibrateSamples, result.selectSamples,
                                 result.proveSamples)
                       .str()) +
         table.text();
}

} // namespace

std::string drawPage(const QuantizeRequest &request, const QuantizeResult &result) {
  std::string title = "Quantization of " + request.model.name();
  return pageHead(title, kStyle) + "<h1>" + htmlText(title) + "</h1>\n" +
         accuracySection(request, result) + mistakesSection(result) + costSection(request, result) +
         wideSection(result) + searchSection(result) + tensorsSection(result) +
         weightsSection(result) + classesSection(result) + samplesSection(request, result) +
         provenanceSection(result) + pageTail();
}

} // namespace convoy::quantizer
