// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of generic loops with the same reason share one numbered note below the table, so that
// the table stays narrow. A note has the reason of the nearest template and the remedy; --verbose
// adds the reasons of the other templates. Rows have the kernel's number in execution order, as in
// `convoy bench
// --layers`.

#include "tools/convoy/output/PrintKernels.h"
#include "Driver/NearestTemplate.h"
#include "Support/PercentText.h"
#include "Support/TextTable.h"
#include "report/Explanations.h"
#include "report/GenericLoops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::tool {
namespace {

/// Longer lists of nodes are shortened; --verbose and --json have all nodes.
constexpr size_t kShownNodesLength = 72;

std::string microseconds(double ns) { return llvm::formatv("{0:f1}", ns / 1000).str(); }

/// Returns the first nodes and the number of the other nodes: "'conv1' (Conv) + 3 more".
std::string shortened(llvm::StringRef nodes) {
  constexpr llvm::StringLiteral kBetween = ") + '";
  size_t end = nodes.find(kBetween), next = end;
  if (nodes.size() <= kShownNodesLength || end == llvm::StringRef::npos) {
    return nodes.str();
  }
  while ((next = nodes.find(kBetween, end + 1)) < kShownNodesLength) {
    end = next;
  }
  size_t more = nodes.substr(end).count(kBetween);
  return (nodes.take_front(end + 1) + " + " + llvm::Twine(more) + " more").str();
}

/// A reason of more templates is printed without their names.
constexpr size_t kNamedTemplates = 2;

/// Returns one line per reason: "conv_direct, conv_dot: the kernel is ...". The reason of most
/// templates is the last line: "the other 6 templates: the kernel is ...".
std::vector<std::string> reasonLines(llvm::ArrayRef<TemplateRefusal> refusals) {
  llvm::MapVector<llvm::StringRef, std::vector<std::string>> templates; // by reason
  for (const TemplateRefusal &refusal : refusals) {
    templates[refusal.reason].push_back(refusal.templateId);
  }
  auto hasFewer = [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); };
  auto *common = llvm::max_element(templates, hasFewer);
  bool hasLast = common != templates.end() && common->second.size() > kNamedTemplates;
  std::vector<std::string> lines;
  for (const auto &entry : templates) {
    if (!hasLast || entry.first != common->first) {
      lines.push_back(llvm::join(entry.second, ", ") + ": " + entry.first.str());
    }
  }
  if (hasLast) {
    lines.push_back((templates.size() > 1 ? "the other " : "all ") +
                    std::to_string(common->second.size()) + " templates: " + common->first.str());
  }
  return lines;
}

/// Returns the reason of the nearest template and the remedy, or all reasons and the remedy.
std::vector<std::string> noteLines(const KernelReport &kernel, const std::string &target,
                                   bool isVerbose) {
  std::vector<std::string> lines;
  if (isVerbose) {
    lines = reasonLines(kernel.refusals);
  } else if (const TemplateRefusal *nearest = driver::nearestTemplate(kernel)) {
    lines.push_back("nearest template " + nearest->templateId + ": " + nearest->reason);
  }
  lines.push_back("remedy: " + driver::remedyFor(kernel, target));
  return lines;
}

/// The kernels of generic loops with the same lines.
struct Note {
  std::vector<std::string> lines;
  int64_t kernels = 0;
  double predictedNs = 0;
};

class KernelTable {
public:
  KernelTable(const CompileReport &report, bool isVerbose) : all(report), isVerbose(isVerbose) {
    for (size_t i = 0; i < all.kernels.size(); ++i) {
      order.push_back(i);
    }
    llvm::sort(order, [&](size_t a, size_t b) {
      double first = all.kernels[a].predictedNs, second = all.kernels[b].predictedNs;
      return first != second ? first > second : a < b;
    });
  }

  void printRows(llvm::raw_ostream &os) {
    constexpr ColumnKind kNumber = ColumnKind::Number;
    TextTable table({{"#", kNumber}, {"us", kNumber}, {"share", kNumber}, {"template"}, {"nodes"}});
    for (size_t index : order) {
      const KernelReport &kernel = all.kernels[index];
      table.add({std::to_string(index + 1), microseconds(kernel.predictedNs),
                 percentText(report::shareOf(kernel.predictedNs, all.genericLoops)),
                 kernel.templateId + noteMark(kernel),
                 kernel.nodes.empty() ? kernel.kernel : shortened(kernel.nodes)});
    }
    table.add(
        {"", microseconds(all.genericLoops.allPredictedNs), percentText(1), "", "all kernels"});
    table.print(os);
  }

  /// Prints the notes that the rows refer to.
  void printNotes(llvm::raw_ostream &os) const {
    for (const auto &[index, note] : llvm::enumerate(notes)) {
      os << "\n[" << index + 1 << "] " << note.kernels
         << (note.kernels == 1 ? " kernel, " : " kernels, ")
         << percentText(report::shareOf(note.predictedNs, all.genericLoops)) << "\n";
      for (const std::string &line : note.lines) {
        os << "    " << line << "\n";
      }
    }
  }

  /// Prints each remark once, with the numbers of its kernels.
  void printRemarks(llvm::raw_ostream &os) const {
    llvm::MapVector<llvm::StringRef, std::vector<std::string>> kernels; // by remark
    for (const auto &[index, kernel] : llvm::enumerate(all.kernels)) {
      if (!kernel.remark.empty()) {
        kernels[kernel.remark].push_back("#" + std::to_string(index + 1));
      }
    }
    for (const auto &[remark, numbers] : kernels) {
      os << "\n" << remark << "\n    " << llvm::join(numbers, ", ") << "\n";
    }
  }

  void printDetails(llvm::raw_ostream &os) const {
    for (size_t index : order) {
      const KernelReport &kernel = all.kernels[index];
      os << "\n#" << index + 1 << " " << kernel.kernel << "\n";
      TextTable table({{""}, {""}});
      table.add({"nodes", kernel.nodes});
      table.add({"config", kernel.config.empty() ? kernel.templateId : kernel.config});
      table.add({"operands", llvm::join(kernel.operandLayouts, ", ")});
      table.add({"results", llvm::join(kernel.resultLayouts, ", ")});
      table.print(os, "    ");
    }
  }

private:
  /// Returns " [1]" for a kernel of generic loops and adds the kernel to that note.
  std::string noteMark(const KernelReport &kernel) {
    if (!kernel.isGenericLoops()) {
      return "";
    }
    std::vector<std::string> lines = noteLines(kernel, all.target, isVerbose);
    auto *note = llvm::find_if(notes, [&](const Note &known) { return known.lines == lines; });
    size_t index = note - notes.begin();
    if (index == notes.size()) {
      notes.push_back({std::move(lines)});
    }
    ++notes[index].kernels;
    notes[index].predictedNs += kernel.predictedNs;
    return " [" + std::to_string(index + 1) + "]";
  }

  const CompileReport &all;
  bool isVerbose;
  std::vector<size_t> order; // by falling time
  llvm::SmallVector<Note> notes;
};

} // namespace

void printKernels(llvm::raw_ostream &os, const std::string &model, const CompileReport &report,
                  bool isVerbose) {
  os << model << " on " << report.target << ", predicted times on one core\n";
  KernelTable table(report, isVerbose);
  table.printRows(os);
  table.printNotes(os);
  table.printRemarks(os);
  if (isVerbose) {
    table.printDetails(os);
  }
  os << "\n" << report::loopsText(report.genericLoops) << "\n";
}

} // namespace convoy::tool
