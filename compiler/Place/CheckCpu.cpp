// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports all ops that the CPU cannot run in one pass. The kernel templates provide the reasons.

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Graph/OpFacts.h"
#include "Kernels/Kernel.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Place/Passes.h"
#include "Support/TypedDiagnostic.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::place {
#define GEN_PASS_DEF_CHECKCPUPASS
#include "Place/Passes.h.inc"

/// Returns why no buffer can hold a value of this type, or an empty string.
static std::string whyNotHeld(Type type) {
  if (!isa<TensorType>(type)) {
    return "the tensors of its sequence or optional are not known at compile time; bind the inputs "
           "that determine them with --const NAME=FILE.pb";
  }
  ElementType element = fromMlir(cast<TensorType>(type).getElementType());
  if (element == ElementType::String) {
    return "it works on strings, whose sizes are not known at compile time; replace them by "
           "integers "
           "before the model";
  }
  if (!isFloat(element) && !isInteger(element) && element != ElementType::Bool) {
    return "it works on " + name(element).str();
  }
  return "";
}

static bool hasStaticShape(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

/// Returns why a value of this type cannot be stored in the arena, or an empty string.
static std::string whyNotStored(Type type) {
  std::string reason = whyNotHeld(type);
  if (reason.empty() && !hasStaticShape(type)) {
    return "the size of its result depends on data";
  }
  return reason;
}

namespace {
/// Records the values that a type rule needs and that are not constant.
class MissingValues : public graph::Knowledge {
public:
  std::optional<Tensor> value(Value value) override {
    std::optional<Tensor> known = Knowledge::value(value);
    if (!known) {
      list.insert(value);
    }
    return known;
  }

  llvm::SetVector<Value> list;
};
} // namespace

/// Returns the name of a model input that may determine a size, or an empty string. Shapes, counts
/// and axes are scalars and vectors; an input with more dimensions is data.
static StringRef shapeInputName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!argument || !type || type.getRank() > 1) {
    return "";
  }
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  StringAttr name =
      function ? graph::argumentName(function, argument.getArgNumber()) : StringAttr();
  return name ? name.getValue() : "";
}

/// Returns the model inputs from which the values are computed. Returns an empty set if anything
/// other than small inputs and constants takes part.
static llvm::SetVector<StringRef> inputsBehind(ArrayRef<Value> values) {
  // Exporters compute a shape in a few ops; a longer chain is part of the network.
  constexpr size_t kMostValues = 64;
  llvm::SetVector<Value> work(values.begin(), values.end());
  llvm::SetVector<StringRef> names;
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (op) {
      work.insert(op->operand_begin(), op->operand_end());
    } else {
      names.insert(shapeInputName(work[i]));
    }
    bool isControl = op && op->getNumRegions() != 0;
    if (isControl || names.contains("") || work.size() > kMostValues) {
      return {};
    }
  }
  return names;
}

/// Returns the flags that fix the size of the results, or an empty string if flags alone cannot.
static std::string flagsForSize(Operation *op) {
  MissingValues missing;
  if (!isa<graph::TypeInferenceOpInterface>(op) || failed(graph::inferTypesOf(op, missing))) {
    return "";
  }
  llvm::SetVector<StringRef> names = inputsBehind(missing.list.getArrayRef());
  if (names.empty()) {
    return "";
  }
  std::string inputs;
  std::string flags;
  for (StringRef name : names) {
    inputs += (inputs.empty() ? "'" : ", '") + name.str() + "'";
    flags += " --const " + name.str() + "=FILE.pb";
  }
  bool isOne = names.size() == 1;
  return (isOne ? ", the value of input " : ", the values of inputs ") + inputs +
         (isOne ? "; bind it with" : "; bind them with") + flags;
}

/// Returns how the user can avoid a size that depends on data, or an empty string.
static std::string remedyForSize(Operation *op) {
  std::string flags = flagsForSize(op);
  bool hasStaticOperands = llvm::all_of(op->getOperandTypes(), hasStaticShape);
  if (!flags.empty() || !hasStaticOperands) {
    return flags;
  }
  for (Operation *user : op->getUsers()) {
    std::string reader = graph::nodeText(user->getLoc());
    if (!isa<func::ReturnOp>(user) && !reader.empty()) {
      return ", and node " + reader +
             " reads the result; make the result an output that no node reads";
    }
  }
  return "";
}

/// Returns whether other ops report the problem of a constant.
static bool isReportedByUsers(Operation *op) {
  return isa<graph::ConstantOp>(op) &&
         llvm::none_of(op->getUsers(), [](Operation *user) { return isa<func::ReturnOp>(user); });
}

/// Returns whether a device runs the op.
static bool isOnDevice(Operation *op) {
  auto kernel = dyn_cast<graph::KernelOp>(op);
  return kernel && isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr());
}

/// Returns why no lowering exists for an op that only the reference runs, or an empty string.
static std::string whyOnlyReference(Operation *op) {
  if (isa<graph::ImageDecodeOp>(op)) {
    return "it decodes an image, whose format and size depend on data; decode the image before the "
           "model";
  }
  auto random = dyn_cast<graph::RandomOp>(op);
  if (random && hasStaticShape(random.getResult().getType())) {
    return "it draws more than 2^24 random numbers, which compiled code stores with the weights; "
           "give the numbers as an input of the model";
  }
  return "";
}

static std::string whyNotOnCpu(Operation *op) {
  if (std::string reason = whyOnlyReference(op); !reason.empty()) {
    return reason;
  }
  for (Type type : op->getResultTypes()) {
    std::string reason = whyNotStored(type);
    if (!reason.empty()) {
      return reason + (whyNotHeld(type).empty() ? remedyForSize(op) : "");
    }
  }
  if (graph::needsNoKernel(op)) {
    return "";
  }
  for (Value operand : op->getOperands()) {
    std::string reason = whyNotStored(operand.getType());
    if (!reason.empty()) {
      return reason;
    }
  }
  const kernels::EmitterRow *row = kernels::emitterTable().find(op);
  if (!row) {
    return "no kernel template covers " + op->getName().getStringRef().str();
  }
  return row->limit ? row->limit(op) : "";
}

/// Returns why an input of the function is unsupported, or an empty string. A model may return an
/// input without any op that could be reported.
static std::string whyNotCalled(func::FuncOp function) {
  for (Type type : function.getFunctionType().getInputs()) {
    std::string reason = whyNotHeld(type);
    if (!reason.empty()) {
      return reason;
    }
  }
  return "";
}

namespace {
struct CheckCpu : impl::CheckCpuPassBase<CheckCpu> {
  void runOnOperation() override {
    bool hasProblem = false;
    auto check = [&](Operation *op, const std::string &reason) {
      if (!reason.empty()) {
        hasProblem = true;
        emitUnsupported(op->getLoc())
            << "not supported on the CPU: " << reason << "; --target=reference runs it";
      }
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isOnDevice(op)) {
        return WalkResult::skip();
      }
      if (isa_and_nonnull<graph::GraphDialect>(op->getDialect()) && !isReportedByUsers(op)) {
        check(op, whyNotOnCpu(op));
      }
      return WalkResult::advance();
    });
    // Report an input only if no op was reported.
    if (!hasProblem) {
      getOperation().walk([&](func::FuncOp function) { check(function, whyNotCalled(function)); });
    }
    if (hasProblem) {
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace convoy::place
