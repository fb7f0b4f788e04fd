// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of columns serves the text, the Markdown and the JSON.

#include "SimulateOutput.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tuningd {
namespace {

using service::Metrics;
using service::PolicyFigures;

struct Column {
  const char *title, *jsonKey;
  int digits;
  double (*value)(const Metrics &);
};

constexpr Column kColumns[] = {
    {"makespan / bound", "makespanOfBound", 3, [](const Metrics &m) { return m.makespanOfBound; }},
    {"mean slowdown", "meanSlowdown", 2, [](const Metrics &m) { return m.meanSlowdown; }},
    {"p95 slowdown", "p95Slowdown", 2, [](const Metrics &m) { return m.p95Slowdown; }},
    {"Jain", "jainIndex", 3, [](const Metrics &m) { return m.jainIndex; }},
    {"wait / bound", "longestWaitOfBound", 2,
     [](const Metrics &m) { return m.longestWaitOfBound; }},
    {"devices %", "deviceUsePercent", 0, [](const Metrics &m) { return m.deviceUse * 100; }},
    {"builders %", "buildUsePercent", 0, [](const Metrics &m) { return m.buildUse * 100; }},
    {"trials/s", "trialsPerSecond", 0, [](const Metrics &m) { return m.trialsPerSecond; }},
    {"us/trial", "schedulerMicrosecondsPerTrial", 2,
     [](const Metrics &m) { return m.schedulerSecondsPerTrial * 1e6; }},
    {"core %", "schedulerCorePercent", 3, [](const Metrics &m) { return m.schedulerShare * 100; }},
};

std::string cell(const Column &column, const Metrics &metrics) {
  std::string format = "{0:F" + std::to_string(column.digits) + "}";
  return llvm::formatv(format.c_str(), column.value(metrics)).str();
}

/// Returns the medians of p95 slowdown and makespan against FIFO, empty without FIFO.
std::string againstFifo(const PolicyFigures &row) {
  return row.p95OfFifo > 0
             ? llvm::formatv("{0:F2} / {1:F2}", row.p95OfFifo, row.makespanOfFifo).str()
             : "";
}

constexpr const char *kAgainst = "p95 / makespan of FIFO";

} // namespace

void printTable(llvm::raw_ostream &os, const LoadFigures &load) {
  os << load.name << " (" << load.summary << "), " << load.seeds
     << (load.seeds == 1 ? " seed" : " seeds") << "\n"
     << llvm::formatv("  {0,-9}", "policy");
  for (const Column &column : kColumns) {
    os << "  " << column.title;
  }
  os << "  " << kAgainst << "\n";
  for (const PolicyFigures &row : load.policies) {
    os << llvm::formatv("  {0,-9}", row.policy);
    for (const Column &column : kColumns) {
      os << "  "
         << llvm::right_justify(cell(column, row.metrics), llvm::StringRef(column.title).size());
    }
    os << "  " << againstFifo(row) << "\n";
  }
  for (const std::string &text : load.missed) {
    os << "  missed: " << text << "\n";
  }
}

void printMarkdown(llvm::raw_ostream &os, const LoadFigures &load) {
  os << "**" << load.name << "**: " << load.summary << ".\n\n| policy |";
  for (const Column &column : kColumns) {
    os << " " << column.title << " |";
  }
  os << " " << kAgainst << " |\n|---|";
  for (size_t i = 0; i <= std::size(kColumns); ++i) {
    os << "---|";
  }
  os << "\n";
  for (const PolicyFigures &row : load.policies) {
    os << "| " << row.policy << " |";
    for (const Column &column : kColumns) {
      os << " " << cell(column, row.metrics) << " |";
    }
    os << " " << againstFifo(row) << " |\n";
  }
  os << "\n";
}

void printJson(llvm::raw_ostream &os, const std::vector<LoadFigures> &loads) {
  llvm::json::OStream json(os, 2);
  json.array([&] {
    for (const LoadFigures &load : loads) {
      json.object([&] {
        json.attribute("load", load.name);
        json.attribute("seeds", load.seeds);
        json.attributeArray("policies", [&] {
          for (const PolicyFigures &row : load.policies) {
            json.object([&] {
              json.attribute("policy", row.policy);
              for (const Column &column : kColumns) {
                json.attribute(column.jsonKey, column.value(row.metrics));
              }
              json.attribute("p95OfFifo", row.p95OfFifo);
              json.attribute("makespanOfFifo", row.makespanOfFifo);
              json.attribute("makespanSeconds", row.metrics.makespanSeconds);
              json.attribute("abandonedItems", row.metrics.abandoned);
            });
          }
        });
        json.attributeArray("missed", [&] {
          for (const std::string &text : load.missed) {
            json.value(text);
          }
        });
      });
    }
  });
  os << "\n";
}

} // namespace convoy::tuningd
