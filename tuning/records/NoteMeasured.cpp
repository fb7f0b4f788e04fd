// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/records/NoteMeasured.h"
#include "Layout/Measured.h"
#include "Layout/Spaces.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace convoy::tuning {
namespace {

/// Null when the text cannot be read.
Attribute readText(llvm::StringRef text, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return parseAttribute(text, context);
}

/// The entry of a choice, or null when the kernel cannot be run so.
DictionaryAttr entryOf(graph::KernelOp kernel, const Choice &choice) {
  Builder builder(kernel.getContext());
  SmallVector<NamedAttribute> fields;
  Attribute config, input;
  if (!choice.configuration.text.empty()) {
    config = readText(choice.configuration.text, kernel.getContext());
    if (!config) {
      return {};
    }
    fields.push_back(builder.getNamedAttr("config", config));
  }
  if (choice.configuration.inputLayout != kPlanarLayout) {
    input = readText(choice.configuration.inputLayout, kernel.getContext());
    if (!input) {
      return {};
    }
    fields.push_back(builder.getNamedAttr("input", input));
  }
  llvm::Expected<layout::Candidate> candidate = layout::candidateFor(kernel, config, input);
  if (!candidate) {
    llvm::consumeError(candidate.takeError());
    return {};
  }
  fields.push_back(builder.getNamedAttr("ns", builder.getF64FloatAttr(choice.ns)));
  return builder.getDictionaryAttr(fields);
}

} // namespace

Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy) {
  Selection selection;
  selection.target = targetFingerprint.str();
  selection.policy = policy.str();
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    selection.templateVersions[known.id.str()] = known.version;
  }
  return selection;
}

std::string networkOf(ModuleOp module, const TaskSettings &settings) {
  std::map<std::string, int64_t> counts;
  module.walk([&](graph::KernelOp kernel) {
    if (std::optional<Task> task = taskOf(kernel, settings)) {
      ++counts[task->key()];
    }
  });
  return networkKey(counts);
}

Noted noteMeasured(ModuleOp module, const Snapshot &snapshot, const TaskSettings &settings,
                   const Verdict *verdict) {
  // Configurations are read from text: before the layout stage nothing else needs these.
  loadTaskDialects(*module.getContext());
  Noted noted;
  if (!verdict) {
    verdict = snapshot.verdict(networkOf(module, settings));
  }
  module.walk([&](graph::KernelOp kernel) {
    std::optional<Task> task = taskOf(kernel, settings);
    if (!task) {
      return;
    }
    ++noted.kernels;
    SmallVector<Attribute> entries;
    std::vector<Choice> choices = snapshot.choices(task->key(), verdict);
    noted.kept += choices.empty() && !snapshot.choices(task->key()).empty();
    for (const Choice &choice : choices) {
      if (DictionaryAttr entry = entryOf(kernel, choice)) {
        entries.push_back(entry);
      }
    }
    if (!entries.empty()) {
      ++noted.tuned;
      kernel->setAttr(layout::kMeasuredAttr, ArrayAttr::get(kernel.getContext(), entries));
    }
  });
  return noted;
}

} // namespace convoy::tuning
