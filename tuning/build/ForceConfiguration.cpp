// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a configuration and inserts its layouts.

#include "tuning/build/ForceConfiguration.h"
#include "Kernels/Kernel.h"
#include "Layout/Spaces.h"
#include "Support/Json.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "tuning/space/TaskSpace.h"

using namespace mlir;

namespace convoy::tuning {
namespace {

/// Returns null for an empty text. The error contains MLIR's diagnostics.
llvm::Expected<Attribute> readAttribute(StringRef text, StringRef what, MLIRContext *context) {
  if (text.empty()) {
    return Attribute();
  }
  if (textDepth(text) > kMaxTextDepth) {
    return llvm::createStringError(what + " cannot be read: expected at most " +
                                   std::to_string(kMaxTextDepth) + " nested levels");
  }
  std::string problem;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    problem += (problem.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute(text, context);
  if (!attribute) {
    return llvm::createStringError(what + " '" + text + "' cannot be read: " + problem);
  }
  return attribute;
}

llvm::Expected<Attribute> readLayout(StringRef text, StringRef what, MLIRContext *context) {
  llvm::Expected<Attribute> layout =
      readAttribute(text == kPlanarLayout ? "" : text, what, context);
  if (layout && *layout && !isa<graph::BlockedAttr>(*layout)) {
    return llvm::createStringError(what + " '" + text + "' is neither #graph.blocked nor " +
                                   kPlanarLayout);
  }
  return layout;
}

llvm::Error checkTemplate(const Configuration &configuration, Attribute config) {
  const std::string &id = configuration.templateId;
  StringRef text = configuration.text;
  bool isOwnText = config ? text.starts_with("#kernel." + id + "<") : id == "loops";
  if (!isOwnText) {
    return llvm::createStringError("configuration '" + text + "' does not belong to template '" +
                                   id + "'");
  }
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    if (known.id == id && known.version != configuration.templateVersion) {
      return llvm::createStringError("configuration '" + text + "' has version " +
                                     std::to_string(configuration.templateVersion) +
                                     " of template '" + id + "', whose current version is " +
                                     std::to_string(known.version) + "; measure it again");
    }
  }
  return llvm::Error::success();
}

/// Changes the types of the function's arguments and results to the types inside the kernel.
void settleFunction(graph::KernelOp kernel) {
  auto main = kernel->getParentOfType<func::FuncOp>();
  Block &body = kernel.getBody().front();
  for (auto [operand, argument] : llvm::zip(kernel->getOpOperands(), body.getArguments())) {
    Attribute layout = graph::layoutOf(argument.getType());
    if (auto constant = operand.get().getDefiningOp<graph::ConstantOp>()) {
      OpBuilder builder(constant);
      ElementsAttr elements = graph::withLayout(constant.getValue(), layout);
      operand.set(
          builder.create<graph::ConstantOp>(constant.getLoc(), elements.getType(), elements));
      if (constant->use_empty()) {
        constant.erase();
      }
    } else {
      operand.get().setType(argument.getType());
    }
  }
  Block &block = main.getBody().front();
  main.setFunctionType(FunctionType::get(main.getContext(), block.getArgumentTypes(),
                                         block.getTerminator()->getOperandTypes()));
}

} // namespace

llvm::Expected<layout::Candidate> readCandidate(graph::KernelOp kernel,
                                                const Configuration &configuration) {
  MLIRContext *context = kernel.getContext();
  llvm::Expected<Attribute> config = readAttribute(configuration.text, "configuration", context);
  if (!config) {
    return config.takeError();
  }
  if (llvm::Error error = checkTemplate(configuration, *config)) {
    return std::move(error);
  }
  llvm::Expected<Attribute> input = readLayout(configuration.inputLayout, "input layout", context);
  if (!input) {
    return input.takeError();
  }
  llvm::Expected<layout::Candidate> candidate = layout::candidateFor(kernel, *config, *input);
  if (!candidate) {
    return candidate.takeError();
  }
  if (layoutText(candidate->result) != configuration.outputLayout) {
    return llvm::createStringError("configuration '" + configuration.text +
                                   "' produces the result "
                                   "in layout " +
                                   layoutText(candidate->result) + ", expected " +
                                   configuration.outputLayout);
  }
  return candidate;
}

llvm::Error forceConfiguration(graph::KernelOp kernel, const Configuration &configuration) {
  llvm::Expected<layout::Candidate> candidate = readCandidate(kernel, configuration);
  if (!candidate) {
    return candidate.takeError();
  }
  layout::applyCandidate(kernel, *candidate);
  settleFunction(kernel);
  return llvm::Error::success();
}

std::vector<Tensor> packInputs(func::FuncOp main, ArrayRef<Tensor> planar) {
  std::vector<Tensor> packed;
  for (auto [type, tensor] : llvm::zip(main.getArgumentTypes(), planar)) {
    auto layout = dyn_cast_or_null<graph::LayoutAttrInterface>(graph::layoutOf(type));
    packed.push_back(layout ? layout.pack(tensor) : tensor);
  }
  return packed;
}

std::vector<Tensor> unpackOutputs(func::FuncOp main, ArrayRef<Tensor> memory) {
  std::vector<Tensor> planar;
  for (auto [type, tensor] : llvm::zip(main.getResultTypes(), memory)) {
    planar.push_back(graph::unpackedTensor(tensor, cast<RankedTensorType>(type)));
  }
  return planar;
}

std::vector<int64_t> outputElements(func::FuncOp main) {
  std::vector<int64_t> counts;
  for (Type type : main.getResultTypes()) {
    counts.push_back(graph::physicalElements(cast<RankedTensorType>(type)));
  }
  return counts;
}

} // namespace convoy::tuning
