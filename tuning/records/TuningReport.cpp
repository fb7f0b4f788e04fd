// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the page of a search. The page is self-contained.

#include "tuning/records/TuningReport.h"
#include "Support/Page.h"
#include "report/SvgChart.h"
#include "tuning/records/SampleUnit.h"
#include "tuning/records/Snapshot.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

namespace convoy::tuning {
namespace {

using report::Axis;
using report::SvgChart;

/// The longest pause between two trials that counts as search time. Longer pauses are between two
/// runs of the tuner.
constexpr double kLongestPauseSeconds = 60;
/// The maximum number of messages per class of failures.
constexpr size_t kShownMessages = 3;
constexpr Outcome kFailures[] = {Outcome::BuildError, Outcome::Crash, Outcome::TimeOut,
                                 Outcome::WrongResult};

/// A trial on the page.
struct Shown {
  Record record;
  double us = 0;      // 0: the trial failed
  double seconds = 0; // search time before the trial
};

/// The search of one task on one target.
struct Search {
  std::string name, target, policy;
  std::vector<Shown> trials; // sorted by time
  const Shown *best = nullptr;

  size_t failed() const {
    return llvm::count_if(trials, [](const Shown &trial) { return trial.us == 0; });
  }
  /// Returns the first successful trial. A search starts with the compiler's default.
  const Shown *first() const {
    auto found = llvm::find_if(trials, [](const Shown &trial) { return trial.us > 0; });
    return found == trials.end() ? nullptr : &*found;
  }
  void finish() {
    llvm::sort(trials, [](const Shown &a, const Shown &b) {
      return std::tie(a.record.unixUs, a.record.trial) < std::tie(b.record.unixUs, b.record.trial);
    });
    double seconds = 0;
    for (size_t i = 0; i < trials.size(); ++i) {
      double pause =
          i == 0
              ? 0
              : static_cast<double>(trials[i].record.unixUs - trials[i - 1].record.unixUs) * 1e-6;
      seconds += std::min(pause, kLongestPauseSeconds);
      trials[i].seconds = seconds;
      if (trials[i].us > 0 && (!best || trials[i].us < best->us)) {
        best = &trials[i];
      }
    }
  }
};

/// Returns the time of a run, or its number of instructions.
std::string runText(double us, llvm::StringRef policy) {
  return isCounted(policy) ? llvm::formatv("{0:N} instructions", std::llround(us * 1e3)).str()
                           : llvm::formatv("{0:F2} us", us).str();
}

std::string titleOf(const Shown &trial) {
  const Configuration &c = trial.record.configuration;
  return runText(trial.us, trial.record.policy) + "\n" +
         (c.text.empty() ? "generic loops" : c.text) + "\n" + c.inputLayout + " -> " +
         c.outputLayout;
}

/// Returns the settings of a trial, including the layouts and the template.
std::vector<std::pair<std::string, std::string>> knobsOf(const Configuration &configuration) {
  std::vector<std::pair<std::string, std::string>> knobs = {
      {"template", configuration.templateId},
      {"layouts", configuration.inputLayout + " -> " + configuration.outputLayout}};
  for (auto &[name, value] : settingsIn(configuration.text)) {
    knobs.emplace_back(configuration.templateId + ": " + name, value);
  }
  return knobs;
}

/// Sorts numbers by value, before texts.
bool isBefore(const std::string &a, const std::string &b) {
  int64_t x = 0, y = 0;
  bool isNoX = llvm::StringRef(a).getAsInteger(10, x),
       isNoY = llvm::StringRef(b).getAsInteger(10, y);
  return isNoX || isNoY ? std::tie(isNoX, a) < std::tie(isNoY, b) : x < y;
}

class Page {
public:
  Page(llvm::raw_ostream &os, llvm::ArrayRef<Search> searches, llvm::ArrayRef<Verdict> verdicts,
       llvm::StringRef hash)
      : os(os), searches(searches), verdicts(verdicts), hash(hash) {}

  void write() {
    os << pageHead("Tuning", "h2{margin-top:36px;font-size:16px}code{font-size:12px}" +
                                 std::string(SvgChart::style()));
    summary();
    writeVerdicts();
    index();
    for (auto [number, search] : llvm::enumerate(searches)) {
      section(number + 1, search);
    }
    os << pageTail();
  }

private:
  void summary() {
    std::map<Outcome, size_t> outcomes;
    size_t trials = 0;
    for (const Search &search : searches) {
      trials += search.trials.size();
      for (const Shown &trial : search.trials) {
        ++outcomes[trial.record.outcome];
      }
    }
    os << "<h1>Tuning</h1>\n<p>" << trials << " trials of " << searches.size()
       << " tasks; records <code>" << hash << "</code></p>\n<table id=\"failures\">\n"
       << "<tr><th class=\"l\">outcome</th><th>trials</th></tr>\n";
    for (Outcome outcome : {Outcome::Ok, Outcome::BuildError, Outcome::Crash, Outcome::TimeOut,
                            Outcome::WrongResult}) {
      os << "<tr><td class=\"l\">" << name(outcome) << "</td><td>" << outcomes[outcome]
         << "</td></tr>\n";
    }
    os << "</table>\n";
  }

  void writeVerdicts() {
    if (verdicts.empty()) {
      return;
    }
    os << "<h2>Networks</h2>\n<p>Median inference times before and after tuning, measured "
          "alternately, or counted instructions.</p>\n"
       << "<table id=\"networks\">\n<tr><th class=\"l\">network</th><th>before</th><th>after</th>"
       << "<th>pairs</th><th>rejected</th><th class=\"l\">compiled with the records</th></tr>\n";
    for (const Verdict &verdict : verdicts) {
      std::vector<int64_t> before, after;
      for (const PairedSample &pair : verdict.samples) {
        before.push_back(pair.beforeNs);
        after.push_back(pair.afterNs);
      }
      os << llvm::formatv("<tr><td class=\"l\"><code>{0}</code></td><td>{1}</td><td>{2}</td>"
                          "<td>{3}</td><td>{4}</td><td class=\"l\">{5}</td></tr>\n",
                          htmlText(llvm::StringRef(verdict.network).take_front(12)),
                          middle(before, verdict.policy), middle(after, verdict.policy),
                          verdict.samples.size(), verdict.passedOver.size(),
                          verdict.keepsDefault ? "uses the default" : "uses the records");
    }
    os << "</table>\n";
  }

  static std::string middle(std::vector<int64_t> ns, llvm::StringRef policy) {
    llvm::sort(ns);
    return ns.empty()          ? ""
           : isCounted(policy) ? llvm::formatv("{0:N} instructions", ns[ns.size() / 2]).str()
                               : llvm::formatv("{0:F3} ms", ns[ns.size() / 2] * 1e-6).str();
  }

  void index() {
    os << "<h2>Tasks</h2>\n<table id=\"tasks\">\n<tr><th>#</th><th class=\"l\">task</th>"
       << "<th>trials</th><th>failed</th><th>first</th><th>best</th><th>faster</th></tr>\n";
    for (auto [number, search] : llvm::enumerate(searches)) {
      const Shown *first = search.first();
      os << llvm::formatv("<tr><td><a href=\"#task{0}\">{0}</a></td><td class=\"l\">{1}</td>"
                          "<td>{2}</td><td>{3}</td><td>{4}</td><td>{5}</td><td>{6}</td></tr>\n",
                          number + 1, htmlText(search.name), search.trials.size(), search.failed(),
                          first ? runText(first->us, search.policy) : "",
                          first ? runText(search.best->us, search.policy) : "",
                          first ? llvm::formatv("{0:F2}x", first->us / search.best->us).str() : "");
    }
    os << "</table>\n";
  }

  void section(size_t number, const Search &search) {
    os << llvm::formatv("<h2 id=\"task{0}\">{0}. {1}</h2>\n<p>{2}, measured with {3}</p>\n", number,
                        htmlText(search.name), htmlText(search.target), htmlText(search.policy));
    if (search.best) {
      const Configuration &c = search.best->record.configuration;
      os << "<p>best: " << runText(search.best->us, search.policy) << ", <code>"
         << htmlText(c.text.empty() ? "generic loops" : c.text) << "</code>, "
         << htmlText(c.inputLayout) << " -&gt; " << htmlText(c.outputLayout) << "</p>\n<div>";
      curve(number, search, /*isByTime=*/false);
      curve(number, search, /*isByTime=*/true);
      os << "</div>\n<div>";
      knobs(number, search);
      os << "</div>\n";
    }
    failures(search);
  }

  void curve(size_t number, const Search &search, bool isByTime) {
    auto xOf = [&](size_t i) {
      return isByTime ? search.trials[i].seconds : static_cast<double>(i + 1);
    };
    double slowest = 0;
    for (const Shown &trial : search.trials) {
      slowest = std::max(slowest, trial.us);
    }
    Axis x{isByTime ? "seconds of search" : "trials",
           isByTime ? 0.0 : 1.0,
           xOf(search.trials.size() - 1),
           false,
           {}};
    Axis y{isCounted(search.policy) ? "thousand instructions" : "us",
           search.best->us * 0.95,
           slowest * 1.05,
           /*isLogarithmic=*/true,
           {}};
    SvgChart chart((isByTime ? "time" : "trial") + std::to_string(number), x, y);
    std::vector<SvgChart::Point> line;
    double best = 0;
    for (size_t i = 0; i < search.trials.size(); ++i) {
      const Shown &trial = search.trials[i];
      if (trial.us > 0) {
        chart.add({xOf(i), trial.us, titleOf(trial), &trial == search.best});
        best = best == 0 ? trial.us : std::min(best, trial.us);
      }
      if (best > 0) {
        line.push_back({xOf(i), best, ""});
      }
    }
    chart.addLine(std::move(line), /*isStep=*/true);
    chart.write(os);
  }

  /// Draws one chart for each knob that was changed: its values against the share of the best
  /// speed, with a line through the fastest trial of each value.
  void knobs(size_t number, const Search &search) {
    std::map<std::string, std::map<std::string, std::vector<const Shown *>>> byKnob;
    for (const Shown &trial : search.trials) {
      if (trial.us == 0) {
        continue;
      }
      for (auto &[knob, value] : knobsOf(trial.record.configuration)) {
        byKnob[knob][value].push_back(&trial);
      }
    }
    size_t count = 0;
    for (const auto &[knob, values] : byKnob) {
      if (values.size() < 2) {
        continue;
      }
      std::vector<std::string> names;
      for (const auto &[value, trials] : values) {
        names.push_back(value);
      }
      llvm::sort(names, isBefore);
      Axis x{knob, -0.5, static_cast<double>(names.size()) - 0.5, false, names};
      SvgChart chart("knob" + std::to_string(number) + "_" + std::to_string(++count), x,
                     {"share of the best speed", 0, 1, false, {}});
      std::vector<SvgChart::Point> line;
      for (auto [place, value] : llvm::enumerate(names)) {
        double at = static_cast<double>(place), fastest = 0;
        for (const Shown *trial : values.at(value)) {
          double share = search.best->us / trial->us;
          fastest = std::max(fastest, share);
          chart.add({at, share, value + "\n" + titleOf(*trial), trial == search.best});
        }
        line.push_back({at, fastest, ""});
      }
      chart.addLine(std::move(line), /*isStep=*/false);
      chart.write(os);
    }
  }

  void failures(const Search &search) {
    if (search.failed() == 0) {
      return;
    }
    os << "<table>\n<tr><th class=\"l\">failed</th><th>trials</th><th class=\"l\">why</th></tr>\n";
    for (Outcome outcome : kFailures) {
      std::map<std::string, size_t> messages;
      size_t trials = 0;
      for (const Shown &trial : search.trials) {
        if (trial.record.outcome == outcome) {
          ++trials;
          ++messages[trial.record.message];
        }
      }
      if (trials == 0) {
        continue;
      }
      os << "<tr><td class=\"l\">" << name(outcome) << "</td><td>" << trials
         << "</td><td class=\"l\">";
      size_t shown = 0;
      for (const auto &[message, count] : messages) {
        if (shown++ < kShownMessages) {
          os << (shown > 1 ? "<br/>" : "") << htmlText(message) << " (" << count << ")";
        }
      }
      if (messages.size() > kShownMessages) {
        os << "<br/>and " << messages.size() - kShownMessages << " other messages";
      }
      os << "</td></tr>\n";
    }
    os << "</table>\n";
  }

  llvm::raw_ostream &os;
  llvm::ArrayRef<Search> searches;
  llvm::ArrayRef<Verdict> verdicts;
  llvm::StringRef hash;
};

} // namespace

std::vector<std::pair<std::string, std::string>> settingsIn(llvm::StringRef text) {
  std::vector<std::pair<std::string, std::string>> settings;
  llvm::StringRef inside = text.split('<').second;
  inside.consume_back(">");
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= inside.size(); ++i) {
    char c = i < inside.size() ? inside[i] : ',';
    depth += c == '[' || c == '<' || c == '(' ? 1 : c == ']' || c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && (depth == 0 || i == inside.size())) {
      auto [name, value] = inside.slice(begin, i).split('=');
      if (!name.trim().empty()) {
        settings.emplace_back(name.trim().str(), value.trim().str());
      }
      begin = i + 1;
    }
  }
  return settings;
}

llvm::Error writeTuningReport(llvm::raw_ostream &os, RecordStore &store,
                              const std::map<std::string, std::string> &names) {
  std::map<std::tuple<std::string, std::string, std::string>, Search> byKey;
  ContentHash hash;
  auto addRecord = [&](Record &&record) {
    hash.add(record);
    std::string task = taskHash(record.taskText);
    Search &search = byKey[{task, record.target, record.policy}];
    auto named = names.find(task);
    search.name = named == names.end() ? task.substr(0, 12) : named->second;
    search.target = record.target;
    search.policy = record.policy;
    double ns = record.outcome == Outcome::Ok ? medianNs(record.samples) : 0;
    search.trials.push_back({std::move(record), ns / 1000});
  };
  std::vector<Verdict> verdicts;
  auto addVerdict = [&](Verdict &&verdict) {
    hash.add(verdict);
    verdicts.push_back(std::move(verdict));
  };
  if (llvm::Error error = store.readAll(addRecord, addVerdict)) {
    return error;
  }
  llvm::sort(verdicts, [](const Verdict &a, const Verdict &b) { return a.unixUs < b.unixUs; });
  std::vector<Search> searches;
  for (auto &[key, search] : byKey) {
    searches.push_back(std::move(search));
  }
  for (Search &search : searches) {
    search.finish();
  }
  // Sorts the tasks by time, longest first.
  auto weight = [](const Search &search) { return search.first() ? search.first()->us : 0; };
  llvm::sort(searches, [&](const Search &a, const Search &b) {
    return std::tuple(-weight(a), a.name) < std::tuple(-weight(b), b.name);
  });
  Page(os, searches, verdicts, hash.finish()).write();
  return llvm::Error::success();
}

} // namespace convoy::tuning
