// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-insert-measured: looks up the measurements of each kernel's task.
// ChooseLayouts.cpp later decides between measurements and estimates.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Layout/CanonicalTask.h"
#include "Layout/Measured.h"
#include "Layout/Measurements.h"
#include "Layout/Passes.h"
#include "Layout/Spaces.h"
#include "Support/Json.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace convoy::layout {

#define GEN_PASS_DEF_INSERTMEASUREDPASS
#include "Layout/Passes.h.inc"

namespace {

/// Returns null if the text cannot be parsed.
Attribute readText(StringRef text, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  constexpr size_t kMaxBytes = 1 << 16; // a configuration is one attribute
  bool isShort = text.size() <= kMaxBytes && textDepth(text) <= kMaxTextDepth;
  return isShort ? parseAttribute(text, context) : Attribute();
}

/// Returns the attribute entry of a measured configuration, or null if the configuration does not
/// fit the kernel.
DictionaryAttr entryOf(graph::KernelOp kernel, const MeasuredConfiguration &measured) {
  Builder builder(kernel.getContext());
  SmallVector<NamedAttribute> fields;
  Attribute config, input;
  if (!measured.config.empty()) {
    config = readText(measured.config, kernel.getContext());
    if (!config) {
      return {};
    }
    fields.push_back(builder.getNamedAttr("config", config));
  }
  if (!measured.input.empty()) {
    input = readText(measured.input, kernel.getContext());
    if (!input) {
      return {};
    }
    fields.push_back(builder.getNamedAttr("input", input));
  }
  llvm::Expected<Candidate> candidate = candidateFor(kernel, config, input);
  if (!candidate) {
    llvm::consumeError(candidate.takeError());
    return {};
  }
  fields.push_back(builder.getNamedAttr("ns", builder.getF64FloatAttr(measured.ns)));
  return builder.getDictionaryAttr(fields);
}

class InsertMeasuredPass : public impl::InsertMeasuredPassBase<InsertMeasuredPass> {
public:
  InsertMeasuredPass() = default;
  InsertMeasuredPass(std::shared_ptr<const Measurements> source, const TaskSettings &settings)
      : source(std::move(source)), settings(settings) {}

  void runOnOperation() override {
    if (!source) {
      return;
    }
    std::vector<std::pair<graph::KernelOp, std::string>> tasks;
    TaskCounts network;
    getOperation().walk([&](graph::KernelOp kernel) {
      if (std::optional<Task> task = taskOf(kernel, settings)) {
        tasks.emplace_back(kernel, task->key());
        ++network[tasks.back().second];
      }
    });
    llvm::Expected<std::shared_ptr<const Measurements>> fetched = source->forNetwork(network);
    if (!fetched) {
      emitError(UnknownLoc::get(&getContext()), fetched.takeError());
      signalPassFailure();
      return;
    }
    const Measurements &used = *fetched ? **fetched : *source;
    MeasuredCounts counts;
    for (auto &[kernel, key] : tasks) {
      insert(kernel, used.find(key, network), counts);
    }
    setUsedMeasurements(getOperation(), {used.hash(), counts});
  }

private:
  static void insert(graph::KernelOp kernel, const TaskMeasurements &found,
                     MeasuredCounts &counts) {
    ++counts.kernels;
    counts.kept += found.isPassedOver;
    SmallVector<Attribute> entries;
    for (const MeasuredConfiguration &measured : found.configurations) {
      if (DictionaryAttr entry = entryOf(kernel, measured)) {
        entries.push_back(entry);
      }
    }
    if (!entries.empty()) {
      ++counts.tuned;
      kernel->setAttr(kMeasuredAttr, ArrayAttr::get(kernel.getContext(), entries));
    }
  }

  std::shared_ptr<const Measurements> source;
  TaskSettings settings;
};

} // namespace

std::unique_ptr<Pass> createInsertMeasuredPass(std::shared_ptr<const Measurements> source,
                                               const TaskSettings &settings) {
  return std::make_unique<InsertMeasuredPass>(std::move(source), settings);
}

} // namespace convoy::layout
