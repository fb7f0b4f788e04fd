// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chart has one panel of jobs and one panel per resource, over one time axis:
//
//   jobs     [..gray: no item runs..][color: at least one item runs]
//   search   one row per slot
//   build    one row per slot
//   class-0  one row per device

#include "service/simulate/GanttChart.h"
#include "Support/Page.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

namespace convoy::service {
namespace {

// All lengths are in pixels.
constexpr double kLeft = 96, kRight = 16, kTop = 34, kWidth = 1100;
constexpr double kRow = 11, kGap = 16, kAxis = 34;
/// A panel shows at most this many rows; large pools have thousands of slots.
constexpr int kMostRows = 24;

/// Colors that differ for neighboring numbers: hues by the golden angle, two levels of lightness.
std::string colorOf(size_t job) {
  double hue = std::fmod(static_cast<double>(job) * 137.508, 360);
  return llvm::formatv("hsl({0:F0},62%,{1}%)", hue, job % 2 == 0 ? 46 : 62).str();
}

/// Returns a step of 1, 2 or 5 times a power of ten with at most twelve ticks.
double tickStep(double seconds) {
  double step = std::pow(10, std::floor(std::log10(std::max(seconds, 1e-3) / 12)));
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (seconds / (step * factor) <= 12) {
      return step * factor;
    }
  }
  return step * 10;
}

struct Panel {
  std::string name;
  int rows = 0;   // shown
  int hidden = 0; // not shown
  double top = 0;
  std::vector<const Span *> spans;
};

class Chart {
public:
  Chart(llvm::raw_ostream &os, const Load &load, const SimulationResult &result)
      : os(os), load(load), result(result) {}

  void write(const std::string &title);

private:
  void addPanel(const std::string &name, int rows);
  void addPanels();
  void writeAxis();
  void writeNames();
  void writeJobs();
  void writeItems();
  Panel &panelOf(const Span &span);
  double xOf(double seconds) const { return kLeft + seconds / result.makespanSeconds * kWidth; }
  void writeRect(double start, double end, double y, const std::string &style,
                 const std::string &hint);

  llvm::raw_ostream &os;
  const Load &load;
  const SimulationResult &result;
  std::vector<Panel> panels;
  double bottom = kTop;
};

void Chart::addPanel(const std::string &name, int rows) {
  Panel panel;
  panel.name = name;
  panel.rows = std::min(rows, kMostRows);
  panel.hidden = rows - panel.rows;
  panel.top = bottom;
  bottom += panel.rows * kRow + kGap;
  panels.push_back(std::move(panel));
}

void Chart::addPanels() {
  addPanel("jobs", static_cast<int>(load.jobs.size()));
  addPanel("search", load.searchSlots);
  addPanel("build", load.buildSlots);
  for (const auto &[name, count] : load.devices) {
    addPanel(name, count);
  }
  for (const Span &span : result.spans) {
    panelOf(span).spans.push_back(&span);
  }
}

Panel &Chart::panelOf(const Span &span) {
  if (span.stage != Stage::Measure) {
    return panels[span.stage == Stage::Propose ? 1 : 2];
  }
  const std::string &name = load.jobs[span.job].deviceClass;
  return *std::find_if(panels.begin() + 3, panels.end(),
                       [&](const Panel &panel) { return panel.name == name; });
}

void Chart::writeRect(double start, double end, double y, const std::string &style,
                      const std::string &hint) {
  os << llvm::formatv("<rect x=\"{0:F1}\" y=\"{1:F1}\" width=\"{2:F1}\" height=\"{3:F1}\" "
                      "style=\"{4}\"><title>{5}</title></rect>\n",
                      xOf(start), y, std::max(xOf(end) - xOf(start), 0.3), kRow - 2, style,
                      htmlText(hint));
}

void Chart::writeAxis() {
  double step = tickStep(result.makespanSeconds);
  for (double at = 0; at <= result.makespanSeconds; at += step) {
    os << llvm::formatv("<line x1=\"{0:F1}\" y1=\"{1}\" x2=\"{0:F1}\" y2=\"{2}\" "
                        "style=\"stroke:#ddd\"/>"
                        "<text x=\"{0:F1}\" y=\"{3}\" text-anchor=\"middle\">{4:F0}</text>\n",
                        xOf(at), kTop - 4, bottom - kGap + 4, bottom + 4, at);
  }
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">virtual seconds; "
                      "a color is a job, gray: no item of the job runs, red frame: lost item"
                      "</text>\n",
                      kLeft + kWidth / 2, bottom + 20);
}

void Chart::writeNames() {
  for (const Panel &panel : panels) {
    double middle = panel.top + panel.rows * kRow / 2 + 4;
    os << llvm::formatv("<text x=\"{0}\" y=\"{1:F1}\" text-anchor=\"end\" "
                        "style=\"font-weight:bold\">{2}</text>\n",
                        kLeft - 8, middle, htmlText(panel.name));
    if (panel.hidden > 0) {
      os << llvm::formatv(
          "<text x=\"{0}\" y=\"{1:F1}\" text-anchor=\"end\">+{2} not shown</text>\n", kLeft - 8,
          middle + 13, panel.hidden);
    }
  }
}

/// A job is gray from its release to its end and has its color while an item runs.
void Chart::writeJobs() {
  auto shown = static_cast<size_t>(panels[0].rows);
  auto yOf = [&](size_t job) { return panels[0].top + static_cast<double>(job) * kRow; };
  for (size_t job = 0; job < shown; ++job) {
    const LoadJob &from = load.jobs[job];
    const JobOutcome &outcome = result.jobs[job];
    std::string hint =
        llvm::formatv("job {0} of {1}, {2} trials, slowdown {3:F2}, longest wait {4:F0} s", job,
                      from.project, outcome.trials, outcome.slowdown, outcome.longestWaitSeconds)
            .str();
    writeRect(from.releaseSeconds, outcome.endSeconds, yOf(job), "fill:#c9c9c9", hint);
  }
  std::vector<std::vector<const Span *>> byJob(shown);
  for (const Span &span : result.spans) {
    if (span.job < shown) {
      byJob[span.job].push_back(&span);
    }
  }
  for (size_t job = 0; job < shown; ++job) {
    std::sort(byJob[job].begin(), byJob[job].end(),
              [](const Span *a, const Span *b) { return a->start < b->start; });
    for (size_t i = 0; i < byJob[job].size();) {
      double start = byJob[job][i]->start, end = byJob[job][i]->end;
      for (; i < byJob[job].size() && byJob[job][i]->start <= end + 1e-9; ++i) {
        end = std::max(end, byJob[job][i]->end);
      }
      writeRect(start, end, yOf(job), "fill:" + colorOf(job),
                llvm::formatv("job {0}: {1:F1} s to {2:F1} s", job, start, end).str());
    }
  }
}

void Chart::writeItems() {
  constexpr const char *kNames[] = {"propose", "build", "measure"};
  for (const Panel &panel : panels) {
    for (const Span *span : panel.spans) {
      if (span->slot >= panel.rows) {
        continue;
      }
      std::string style = "fill:" + colorOf(span->job);
      style += span->isLost ? ";fill-opacity:0.25;stroke:#d00;stroke-width:1" : "";
      writeRect(span->start, span->end, panel.top + span->slot * kRow, style,
                llvm::formatv("job {0} of {1}: {2}, {3:F1} s to {4:F1} s{5}", span->job,
                              load.jobs[span->job].project, kNames[static_cast<int>(span->stage)],
                              span->start, span->end, span->isLost ? ", lost" : "")
                    .str());
    }
  }
}

void Chart::write(const std::string &title) {
  addPanels();
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"sans-serif\" font-size=\"11\">\n",
                      kLeft + kWidth + kRight, bottom + kAxis)
     << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
     << llvm::formatv(
            "<text x=\"{0}\" y=\"18\" style=\"font-size:14px;font-weight:bold\">{1}</text>\n",
            kLeft, htmlText(title));
  writeAxis();
  writeNames();
  writeJobs();
  writeItems();
  os << "</svg>\n";
}

} // namespace

void writeGantt(llvm::raw_ostream &os, const Load &load, const SimulationResult &result,
                const std::string &title) {
  Chart(os, load, result).write(title);
}

} // namespace convoy::service
