// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the canonical text of a task. convoy-layout-insert-measured looks up measurements by the
// key of this text; tuning/space/ReadTask.cpp parses the text.

#include "Layout/CanonicalTask.h"
#include "Graph/Attributes.h"
#include "Graph/Custom.h"
#include "Graph/OpFacts.h"
#include "Support/ElementType.h"
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

/// Returns whether an op computes with the operand. Otherwise the operand may hold indices or
/// sizes, for which random integers are invalid.
bool isData(OpOperand &use) {
  switch (graph::classify(use.getOwner())) {
  case graph::OpClass::Elementwise:
  case graph::OpClass::Reduction:
  case graph::OpClass::Heavy:
    return true;
  case graph::OpClass::Movement:
    return use.getOperandNumber() == 0;
  default:
    return isa<graph::YieldOp>(use.getOwner());
  }
}

/// Returns whether an operand of integers may hold indices.
bool hasIndices(graph::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getArguments(), [](BlockArgument argument) {
    return isa<IntegerType>(getElementTypeOrSelf(argument)) &&
           !llvm::all_of(argument.getUses(), isData);
  });
}

/// Returns whether the kernel calls a function of the user. No task has one, because the text of a
/// task does not contain its code.
bool hasCustomOp(graph::KernelOp kernel) {
  return !kernel.getBody().getOps<graph::CustomOp>().empty();
}

std::string shapeText(Type type) {
  std::string text;
  for (int64_t size : cast<RankedTensorType>(type).getShape()) {
    text += (text.empty() ? "" : "x") + std::to_string(size);
  }
  return text;
}

/// Returns the shape, with the element type unless it is f32: "1x64", "1x64xi8".
std::string tensorText(Type type) {
  std::string text = shapeText(type);
  Type element = getElementTypeOrSelf(type);
  if (element.isF32()) {
    return text;
  }
  llvm::raw_string_ostream stream(text);
  stream << (text.empty() ? "" : "x") << element;
  return text;
}

/// Returns the parameters of a convolution that distinguish tasks.
template <typename ConvOpT>
std::string convText(ConvOpT conv) {
  std::string text = " " + shapeText(conv.getWeight().getType());
  if (llvm::any_of(conv.getStrides(), [](int64_t stride) { return stride != 1; })) {
    text += " s" + std::to_string(conv.getStrides().back());
  }
  if (conv.getGroups() > 1) {
    text += " g" + std::to_string(conv.getGroups());
  }
  return text;
}

/// Returns the name of an op with its distinguishing parameters, for example "conv 64x64x3x3 s2".
std::string opText(Operation &op) {
  std::string text = op.getName().stripDialect().str();
  if (auto conv = dyn_cast<graph::ConvOp>(op)) {
    text += convText(conv);
  } else if (auto integerConv = dyn_cast<graph::IntegerConvOp>(op)) {
    text += convText(integerConv);
  } else if (isa<graph::MatMulOp, graph::IntegerMatMulOp>(op)) {
    text += " " + shapeText(op.getOperand(1).getType());
  } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    text += " " + graph::stringifyReduceKind(reduce.getKind()).str();
  } else if (auto unary = dyn_cast<graph::UnaryOp>(op)) {
    text = graph::stringifyUnaryKind(unary.getKind()).str();
  } else if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
    text = graph::stringifyBinaryKind(binary.getKind()).str();
  }
  return text;
}

std::string nameOf(graph::KernelOp kernel) {
  std::string name = tensorText(kernel.getInputs().front().getType());
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (!isa<graph::ConstantOp>(op)) {
      name += ", " + opText(op);
    }
  }
  return name + " -> " + tensorText(kernel.getResult(0).getType());
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
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding()) {
    return false;
  }
  switch (fromMlir(tensor.getElementType())) {
  case ElementType::F32:
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::I32:
  case ElementType::Bool:
    return true;
  default:
    return false;
  }
}

std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings) {
  if (kernel.getInputs().empty() || !llvm::all_of(kernel.getOperandTypes(), isTaskTensor) ||
      !llvm::all_of(kernel.getResultTypes(), isTaskTensor) || hasLargeConstant(kernel) ||
      hasIndices(kernel) || hasCustomOp(kernel)) {
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
