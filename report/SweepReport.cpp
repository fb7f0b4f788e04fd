// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the result of a sweep. The HTML page contains SVG and no script.

#include "report/SweepReport.h"
#include "Support/Page.h"
#include "Support/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {
namespace {

constexpr int kBarHeight = 18;
constexpr int kLabelWidth = 190;
constexpr int kBarsWidth = 560;
constexpr int kNumberWidth = 150;
// Colors that stay distinct in print and for most color-blind readers.
constexpr const char *kColors[] = {"#3b6fb6", "#d9822b", "#4c9f70", "#8a63a9"};

std::string percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %%", 100 * share);
  return text;
}

std::string millions(double cycles) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f M", cycles / 1e6);
  return text;
}

std::string microseconds(double nanoseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f us", nanoseconds / 1000);
  return text;
}

/// Returns the device and the values of the axes.
std::vector<std::string> namesOf(const SweepPoint &point) {
  std::vector<std::string> names = {point.device};
  for (const std::string &value : point.values) {
    names.push_back(value.empty() ? "-" : value);
  }
  return names;
}

/// Returns the cells of a row; a failed point has its error in place of the numbers.
std::vector<std::string> cellsOf(const SweepPoint &point) {
  std::vector<std::string> cells = namesOf(point);
  if (!point.problem.empty()) {
    cells.push_back(point.problem);
    return cells;
  }
  cells.push_back(millions(point.cycles));
  cells.push_back(percent(point.cycles > 0 ? point.stallCycles / point.cycles : 0));
  cells.push_back(percent(point.utilization));
  cells.push_back(std::to_string(point.bytesMoved));
  cells.push_back(std::to_string(point.regions));
  cells.push_back(std::to_string(point.cpuOps));
  cells.push_back(microseconds(point.cpuNs));
  cells.push_back(microseconds(point.totalNs()));
  cells.push_back(!point.isComparable() ? "-" : point.isOptimal ? "yes" : "no");
  return cells;
}

/// Returns the label of a point without the value of one axis.
std::string labelOf(const SweepPoint &point, size_t without) {
  std::vector<std::string> parts;
  if (point.values.empty() || point.values.front().empty()) {
    return point.device;
  }
  for (auto [i, value] : llvm::enumerate(point.values)) {
    if (i != without) {
      parts.push_back(value);
    }
  }
  return llvm::join(parts, ", ");
}

/// Draws one chart: the points with one value of an axis.
class Chart {
public:
  Chart(const SweepResult &result, size_t axis, llvm::StringRef value, double most)
      : result(result), axis(axis), most(most) {
    for (const SweepPoint &point : result.points) {
      bool isOther = !result.axes.empty() && point.values.front().empty();
      if (axis >= result.axes.size() || point.values[axis] == value || isOther) {
        points.push_back(&point);
      }
    }
  }

  std::string draw() const {
    std::string svg =
        llvm::formatv("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' "
                      "height='{1}' font-family='sans-serif' font-size='12'>\n",
                      kLabelWidth + kBarsWidth + kNumberWidth, kBarHeight * points.size() + 4)
            .str();
    for (auto [row, point] : llvm::enumerate(points)) {
      svg += bar(*point, static_cast<int>(row) * kBarHeight);
    }
    return svg + "</svg>\n";
  }

private:
  /// Returns the color of a point: one color per value of the next-to-last axis.
  const char *colorOf(const SweepPoint &point) const {
    if (result.axes.size() < 2 || point.values.front().empty()) {
      return kColors[0];
    }
    size_t by = axis == result.axes.size() - 1 ? axis - 1 : result.axes.size() - 1;
    const std::vector<std::string> &values = result.axes[by].values;
    auto index = static_cast<size_t>(llvm::find(values, point.values[by]) - values.begin());
    return kColors[index % std::size(kColors)];
  }

  std::string bar(const SweepPoint &point, int y) const {
    int width = most > 0 ? static_cast<int>(point.cycles / most * kBarsWidth) : 0;
    std::string number = point.problem.empty()
                             ? millions(point.cycles) + ", " + percent(point.utilization) + " busy"
                             : point.problem;
    return llvm::formatv("<text x='{0}' y='{1}' text-anchor='end'>{2}</text>"
                         "<rect x='{3}' y='{4}' width='{5}' height='{6}' fill='{7}'/>"
                         "<text x='{8}' y='{1}'>{9}</text>\n",
                         kLabelWidth - 6, y + 13, htmlText(labelOf(point, axis)), kLabelWidth,
                         y + 2, width, kBarHeight - 4, colorOf(point), kLabelWidth + width + 6,
                         htmlText(number))
        .str();
  }

  const SweepResult &result;
  size_t axis;
  double most;
  std::vector<const SweepPoint *> points;
};

std::vector<std::string> titlesOf(const SweepResult &result) {
  std::vector<std::string> titles = {"device"};
  for (const SweepAxis &axis : result.axes) {
    titles.push_back(axis.flag);
  }
  for (const char *title : {"cycles", "stalls", "utilization", "bytes moved", "regions", "CPU ops",
                            "CPU", "device + CPU", "Pareto"}) {
    titles.emplace_back(title);
  }
  return titles;
}

std::string drawTable(const SweepResult &result) {
  std::string html = "<table style='border-spacing:12px 2px;text-align:right'>\n";
  auto addRow = [&](const std::vector<std::string> &row) {
    html += "<tr>";
    for (const std::string &cell : row) {
      html += "<td>" + htmlText(cell) + "</td>";
    }
    html += "</tr>\n";
  };
  addRow(titlesOf(result));
  for (const SweepPoint &point : result.points) {
    addRow(cellsOf(point));
  }
  return html + "</table>\n";
}

} // namespace

void markOptimal(SweepResult &result) {
  auto isBetter = [](const SweepPoint &a, const SweepPoint &b) {
    bool isAsGood = a.totalNs() <= b.totalNs() && a.multipliers <= b.multipliers &&
                    a.localBytes <= b.localBytes;
    return isAsGood && (a.totalNs() < b.totalNs() || a.multipliers < b.multipliers ||
                        a.localBytes < b.localBytes);
  };
  for (SweepPoint &point : result.points) {
    point.isOptimal =
        point.isComparable() && llvm::none_of(result.points, [&](const SweepPoint &other) {
          return other.isComparable() && isBetter(other, point);
        });
  }
}

void printTable(llvm::raw_ostream &os, const SweepResult &result) {
  std::vector<Column> columns;
  for (std::string &title : titlesOf(result)) {
    columns.push_back({std::move(title), ColumnKind::Number});
  }
  TextTable table(std::move(columns));
  for (const SweepPoint &point : result.points) {
    if (point.problem.empty()) {
      table.add(cellsOf(point));
    } else {
      table.addWithText(namesOf(point), point.problem);
    }
  }
  table.print(os);
}

llvm::json::Value toJson(const SweepResult &result) {
  llvm::json::Array points;
  for (const SweepPoint &point : result.points) {
    llvm::json::Object object{{"device", point.device}};
    for (auto [axis, value] : llvm::zip(result.axes, point.values)) {
      object[axis.flag] = value;
    }
    if (point.problem.empty()) {
      object["cycles"] = static_cast<int64_t>(point.cycles);
      object["stall_cycles"] = static_cast<int64_t>(point.stallCycles);
      object["utilization"] = point.utilization;
      object["bytes_moved"] = point.bytesMoved;
      object["regions"] = point.regions;
      object["layers"] = point.layers;
      object["cpu_ops"] = point.cpuOps;
      object["cpu_ns"] = point.cpuNs;
      object["device_ns"] = point.deviceNs;
      if (point.isComparable()) {
        object["multipliers"] = point.multipliers;
        object["local_bytes"] = point.localBytes;
        object["pareto"] = point.isOptimal;
      }
    } else {
      object["problem"] = llvm::json::fixUTF8(point.problem);
    }
    points.push_back(std::move(object));
  }
  return llvm::json::Object{{"model", llvm::json::fixUTF8(result.model)},
                            {"target", result.target},
                            {"points", std::move(points)}};
}

std::string drawHtml(const SweepResult &result) {
  double most = 0;
  for (const SweepPoint &point : result.points) {
    most = std::max(most, point.cycles);
  }
  std::string title = result.model + " on " + result.target;
  std::string html = pageHead(title) + "<h1>" + htmlText(title) +
                     "</h1>\n<p>Simulated cycles of the layers that the device runs; "
                     "what it leaves to the CPU is not in them. All charts have one scale.</p>\n";
  size_t last = result.axes.empty() ? 0 : result.axes.size() - 1;
  std::vector<std::string> values = {""};
  if (!result.axes.empty()) {
    values = result.axes[last].values;
  }
  for (const std::string &value : values) {
    if (!result.axes.empty()) {
      html += "<h2>" + htmlText(result.axes[last].flag + " " + value) + "</h2>\n";
    }
    html += Chart(result, result.axes.empty() ? 1 : last, value, most).draw();
  }
  return html + drawTable(result) + pageTail();
}

} // namespace convoy::report
