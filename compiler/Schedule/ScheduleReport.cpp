// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the HTML page of a schedule. The page contains SVG drawings; a browser shows the title of
// a task under the mouse pointer.

#include "Schedule/ScheduleReport.h"
#include "Support/Page.h"
#include "Support/PercentText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <map>
#include <set>

namespace convoy::schedule {
namespace {

// Sizes in pixels.
constexpr double kChartWidth = 1200;
constexpr double kRowHeight = 26;
constexpr double kNameWidth = 80;
constexpr double kNodeWidth = 14;
constexpr double kColumnWidth = 26;
constexpr double kLaneHeight = 20;
// Minimum width at which a bar can be hovered over.
constexpr double kLeastWidth = 0.5;
constexpr int kTicks = 10;

std::string usText(double ns) { return llvm::formatv("{0:F1} us", ns / 1000).str(); }

class Page {
public:
  Page(llvm::raw_ostream &os, const ReportedSchedule &schedule)
      : os(os), schedule(schedule), graph(schedule.graph), timeline(schedule.graph) {
    for (const Placement &placement : schedule.chosen.order) {
      timeline.place(placement);
    }
    endNs = timeline.makespanNs();
    chain = timeline.criticalTasks();
    isCritical.insert(chain.begin(), chain.end());
  }

  void write() {
    os << pageHead("Schedule", ".a{fill:#7aa6d8}.b{fill:#a9c8e8}.c{fill:#e07b39}"
                               "rect{stroke:#fff;stroke-width:.4}line{stroke:#bbb;stroke-width:1}"
                               "line.k{stroke:#e07b39;stroke-width:2}text{font-size:11px}");
    summary();
    os << "<h2>Cores</h2>\n";
    chart();
    idleTable();
    localTable();
    os << "<h2>Critical path</h2>\n";
    criticalTable();
    os << "<h2>Task graph</h2>\n<p>Dependences go from left to right; the critical path is "
       << "orange.</p>\n";
    drawGraph();
    os << pageTail();
  }

private:
  void row(llvm::StringRef name, const std::string &value) {
    os << "<tr><th class=\"l\">" << name << "</th><td class=\"l\">" << htmlText(value)
       << "</td></tr>\n";
  }

  void summary() {
    double serial = graph.serialNs();
    double para = graph.criticalNs() > 0 ? serial / graph.criticalNs() : 1;
    os << "<h1>Schedule for " << graph.workers << " cores</h1>\n"
       << "<p>All times are predictions from the cost model.</p>\n<table>\n";
    row("scheduler", schedule.chosen.name);
    row("tasks", std::to_string(graph.tasks.size()));
    row("one core", usText(serial));
    row("predicted", usText(endNs));
    row("predicted in program order", usText(schedule.plainNs));
    row("predicted speed-up", llvm::formatv("{0:F2}x", endNs > 0 ? serial / endNs : 1).str());
    row("critical path with unsplit tasks", usText(graph.criticalNs()));
    row("parallelism of unsplit tasks", llvm::formatv("{0:F2}", para).str());
    row("bytes transferred between cores", llvm::formatv("{0:F0}", timeline.transferBytes()).str());
    os << "</table>\n";
  }

  std::string titleOf(unsigned task) const {
    const TaskLabel &label = schedule.labels[task];
    std::string text = label.kernel + (label.nodes.empty() ? "" : "\n" + label.nodes);
    if (label.band) {
      text += llvm::formatv("\ngroup {0}, band {1}: rows {2} to {3}", label.band->group,
                            label.band->index, label.rows.first, label.rows.second);
    }
    return htmlText(text);
  }

  void chart() {
    double height = kRowHeight * (graph.workers + 1);
    double scale = endNs > 0 ? kChartWidth / endNs : 0;
    os << llvm::formatv("<svg id=\"gantt\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                        "height=\"{1}\">\n",
                        kNameWidth + kChartWidth + 60, height);
    for (int i = 0; i <= kTicks; ++i) {
      double x = kNameWidth + i * kChartWidth / kTicks;
      os << llvm::formatv("<line x1=\"{0:F1}\" y1=\"0\" x2=\"{0:F1}\" y2=\"{1:F1}\"/>"
                          "<text x=\"{0:F1}\" y=\"{2:F1}\">{3}</text>\n",
                          x, height - kRowHeight, height - 8, usText(endNs * i / kTicks));
    }
    for (unsigned worker = 0; worker < graph.workers; ++worker) {
      os << llvm::formatv("<text x=\"0\" y=\"{0:F1}\">core {1}</text>\n", worker * kRowHeight + 17,
                          worker);
    }
    for (const Span &span : timeline.spans()) {
      llvm::StringRef kind = isCritical.count(span.task) > 0 ? "c" : span.task % 2 == 0 ? "a" : "b";
      os << llvm::formatv(
          "<rect class=\"{0}\" x=\"{1:F2}\" y=\"{2:F1}\" width=\"{3:F2}\" height=\"{4:F1}\">"
          "<title>{5}\ntask {6} on core {7}\n{8} to {9}: {10}</title></rect>\n",
          kind, kNameWidth + span.begin * scale, span.worker * kRowHeight + 2,
          std::max(kLeastWidth, (span.end - span.begin) * scale), kRowHeight - 4,
          titleOf(span.task), span.task, span.worker, usText(span.begin), usText(span.end),
          usText(span.end - span.begin));
    }
    os << "</svg>\n";
  }

  void idleTable() {
    std::vector<double> busy(graph.workers, 0);
    std::vector<unsigned> pieces(graph.workers, 0);
    for (const Span &span : timeline.spans()) {
      busy[span.worker] += span.end - span.begin;
      ++pieces[span.worker];
    }
    os << "<table id=\"idle\">\n<tr><th>core</th><th>pieces</th><th>busy</th><th>idle</th>"
       << "<th>idle share</th></tr>\n";
    for (unsigned worker = 0; worker < graph.workers; ++worker) {
      double idle = std::max(0.0, endNs - busy[worker]);
      os << llvm::formatv("<tr><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td><td>{4}</td></tr>\n",
                          worker, pieces[worker], usText(busy[worker]), usText(idle),
                          percentText(idle, endNs));
    }
    os << "</table>\n";
  }

  /// Writes the rows of each band and the core that computes them.
  void localTable() {
    auto isBand = [](const TaskLabel &label) { return label.band.has_value(); };
    if (std::none_of(schedule.labels.begin(), schedule.labels.end(), isBand)) {
      return;
    }
    struct Row {
      unsigned worker = 0;
      double ns = 0;
      std::string rows;
    };
    std::map<std::pair<unsigned, unsigned>, Row> rows; // by group and band
    for (const Span &span : timeline.spans()) {
      const TaskLabel &label = schedule.labels[span.task];
      if (label.band) {
        Row &row = rows[{label.band->group, label.band->index}];
        row.worker = span.worker;
        row.ns += span.end - span.begin;
        row.rows += llvm::formatv("{0}{1} {2}..{3}", row.rows.empty() ? "" : ", ", label.kernel,
                                  label.rows.first, label.rows.second)
                        .str();
      }
    }
    os << "<h2>Bands</h2>\n<p>Each core computes the rows of its bands through several "
          "layers.</p>\n"
       << "<table id=\"local\">\n<tr><th>group</th><th>band</th><th>core</th><th>busy</th>"
       << "<th class=\"l\">rows</th></tr>\n";
    for (const auto &[key, row] : rows) {
      os << llvm::formatv("<tr><td>{0}</td><td>{1}</td><td>{2}</td><td>{3}</td>"
                          "<td class=\"l\">{4}</td></tr>\n",
                          key.first, key.second, row.worker, usText(row.ns), htmlText(row.rows));
    }
    os << "</table>\n";
  }

  void criticalTable() {
    std::vector<double> begin(graph.tasks.size(), endNs);
    std::vector<double> end(graph.tasks.size(), 0);
    std::vector<unsigned> group(graph.tasks.size(), 0);
    for (const Span &span : timeline.spans()) {
      begin[span.task] = std::min(begin[span.task], span.begin);
      end[span.task] = std::max(end[span.task], span.end);
      ++group[span.task];
    }
    os << "<p>The chain of tasks that determines the makespan.</p>\n<table id=\"critical\">\n"
       << "<tr><th>task</th><th class=\"l\">kernel</th><th class=\"l\">nodes</th><th>cores</th>"
       << "<th>begin</th><th>time</th><th>share</th></tr>\n";
    for (unsigned task : chain) {
      const TaskLabel &label = schedule.labels[task];
      os << llvm::formatv("<tr><td>{0}</td><td class=\"l\">{1}</td><td class=\"l\">{2}</td>"
                          "<td>{3}</td><td>{4}</td><td>{5}</td><td>{6}</td></tr>\n",
                          task, htmlText(label.kernel), htmlText(label.nodes), group[task],
                          usText(begin[task]), usText(end[task] - begin[task]),
                          percentText(end[task] - begin[task], endNs));
    }
    os << "</table>\n";
  }

  /// Draws a column for each depth and a lane for each task in it.
  void drawGraph() {
    std::vector<unsigned> depth(graph.tasks.size(), 0);
    std::vector<unsigned> lane(graph.tasks.size(), 0);
    std::vector<unsigned> used;
    unsigned lanes = 1;
    for (unsigned i = 0; i < graph.tasks.size(); ++i) {
      for (const MacroNeed &need : graph.tasks[i].needs) {
        depth[i] = std::max(depth[i], depth[need.task] + 1);
      }
      used.resize(std::max<size_t>(used.size(), depth[i] + 1), 0);
      lane[i] = used[depth[i]]++;
      lanes = std::max(lanes, used[depth[i]]);
    }
    auto x = [&](unsigned task) { return 10 + depth[task] * kColumnWidth; };
    auto y = [&](unsigned task) { return 10 + lane[task] * kLaneHeight; };
    os << llvm::formatv("<svg id=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                        "height=\"{1}\">\n",
                        20 + used.size() * kColumnWidth, 20 + lanes * kLaneHeight);
    for (unsigned i = 0; i < graph.tasks.size(); ++i) {
      for (const MacroNeed &need : graph.tasks[i].needs) {
        bool isKey = isCritical.count(i) > 0 && isCritical.count(need.task) > 0;
        os << llvm::formatv("<line{0} x1=\"{1:F1}\" y1=\"{2:F1}\" x2=\"{3:F1}\" y2=\"{4:F1}\"/>\n",
                            isKey ? " class=\"k\"" : "", x(need.task) + kNodeWidth,
                            y(need.task) + kNodeWidth / 2, x(i), y(i) + kNodeWidth / 2);
      }
    }
    for (unsigned i = 0; i < graph.tasks.size(); ++i) {
      os << llvm::formatv("<rect class=\"{0}\" x=\"{1:F1}\" y=\"{2:F1}\" width=\"{3}\" "
                          "height=\"{3}\"><title>{4}\ntask {5}: {6} on one core</title></rect>\n",
                          isCritical.count(i) > 0 ? "c" : "a", x(i), y(i), kNodeWidth, titleOf(i),
                          i, usText(graph.tasks[i].costNs));
    }
    os << "</svg>\n";
  }

  llvm::raw_ostream &os;
  const ReportedSchedule &schedule;
  const MacroGraph &graph;
  Timeline timeline;
  double endNs = 0;
  std::vector<unsigned> chain;
  std::set<unsigned> isCritical;
};

} // namespace

void writeReport(llvm::raw_ostream &os, const ReportedSchedule &schedule) {
  Page(os, schedule).write();
}

} // namespace convoy::schedule
