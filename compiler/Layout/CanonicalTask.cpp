// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the canonical text of a task. convoy-layout-insert-measured looks up measurements by the
// key of this text; tuning/space/ReadTask.cpp parses the text.

#include "Layout/CanonicalTask.h"
#include "Graph/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace convoy::layout {
namespace {

bool hasLargeConstant(graph::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto constant = dyn_cast<graph::ConstantOp>(op);
    return constant && isa<DenseResourceElementsAttr>(constant.getValue());
  });
}

std::string shapeText(Type type) {
  std::string text;
  for (int64_t size : cast<RankedTensorType>(type).getShape()) {
    text += (text.empty() ? "" : "x") + std::to_string(size);
  }
  return text;
}

/// Returns the name of an op with its distinguishing parameters, for example "conv 64x64x3x3 s2".
std::string opText(Operation &op) {
  std::string text = op.getName().stripDialect().str();
  if (auto conv = dyn_cast<graph::ConvOp>(op)) {
    text += " " + shapeText(conv.getWeight().getType());
    if (llvm::any_of(conv.getStrides(), [](int64_t stride) { return stride != 1; })) {
      text += " s" + std::to_string(conv.getStrides().back());
    }
    if (conv.getGroups() > 1) {
      text += " g" + std::to_string(conv.getGroups());
    }
  } else if (auto product = dyn_cast<graph::MatMulOp>(op)) {
    text += " " + shapeText(product.getRhs().getType());
  } else if (auto unary = dyn_cast<graph::UnaryOp>(op)) {
    text = graph::stringifyUnaryKind(unary.getKind()).str();
  } else if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
    text = graph::stringifyBinaryKind(binary.getKind()).str();
  }
  return text;
}

std::string nameOf(graph::KernelOp kernel) {
  std::string name = shapeText(kernel.getInputs().front().getType());
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (!isa<graph::ConstantOp>(op)) {
      name += ", " + opText(op);
    }
  }
  return name + " -> " + shapeText(kernel.getResult(0).getType());
}

/// Returns a module with one function that contains a copy of the kernel.
OwningOpRef<ModuleOp> moduleOf(graph::KernelOp kernel) {
  Location loc = UnknownLoc::get(kernel.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  auto type = builder.getFunctionType(kernel.getOperandTypes(), kernel.getResultTypes());
  auto main = builder.create<func::FuncOp>(loc, "main", type);
  builder.setInsertionPointToStart(main.addEntryBlock());
  Operation *copy = builder.clone(*kernel);
  for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
    copy->setOperand(i, main.getArgument(i));
    if (input.getDefiningOp<graph::ConstantOp>()) {
      main.setArgAttr(i, graph::kWeightAttr, builder.getUnitAttr());
    }
  }
  cast<graph::KernelOp>(copy).removeConfigAttr();
  // Attributes that earlier stages attached are not part of the task's meaning.
  copy->walk([&](Operation *op) { op->setDiscardableAttrs(builder.getDictionaryAttr({})); });
  builder.create<func::ReturnOp>(loc, copy->getResults());
  return module;
}

} // namespace

bool isTaskTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isF32() &&
         !tensor.getEncoding();
}

std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings) {
  if (kernel.getInputs().empty() || !llvm::all_of(kernel.getOperandTypes(), isTaskTensor) ||
      !llvm::all_of(kernel.getResultTypes(), isTaskTensor) || hasLargeConstant(kernel)) {
    return std::nullopt;
  }
  Task task;
  llvm::raw_string_ostream stream(task.text);
  stream << kTaskHeader << "\nmath " << (settings.isStrictMath ? "strict" : "fast") << "\nthreads "
         << settings.threads << "\n";
  moduleOf(kernel)->print(stream, OpPrintingFlags().useLocalScope());
  task.name = nameOf(kernel);
  return task;
}

} // namespace convoy::layout
