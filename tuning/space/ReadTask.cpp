// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the canonical text of tasks, which Layout/CanonicalTask.cpp writes.

#include "tuning/space/ReadTask.h"
#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include "Graph/Custom.h"
#include "Kernels/Kernel.h"
#include "Support/Json.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <random>

using namespace mlir;

namespace convoy::tuning {
namespace {

llvm::Error notATask(const llvm::Twine &what) {
  return llvm::createStringError("invalid task text: " + what);
}

/// Consumes "<word> <rest of line>" and returns the rest of the line.
llvm::Expected<StringRef> takeLine(StringRef &text, StringRef word) {
  auto [line, rest] = text.split('\n');
  if (!line.consume_front(word) || !line.consume_front(" ")) {
    return notATask("expected a line '" + word + " ...', got '" + line.take_front(40) + "'");
  }
  text = rest;
  return line;
}

llvm::Expected<TaskSettings> readSettings(StringRef &text) {
  auto [header, rest] = text.split('\n');
  if (header != layout::kTaskHeader) {
    return notATask("expected the line '" + layout::kTaskHeader + "', got '" +
                    header.take_front(40) + "'");
  }
  text = rest;
  llvm::Expected<StringRef> math = takeLine(text, "math");
  if (!math) {
    return math.takeError();
  }
  llvm::Expected<StringRef> threads = takeLine(text, "threads");
  if (!threads) {
    return threads.takeError();
  }
  TaskSettings settings;
  settings.isStrictMath = *math == "strict";
  if ((!settings.isStrictMath && *math != "fast") || threads->getAsInteger(10, settings.threads) ||
      settings.threads < 1) {
    return notATask("expected math fast or strict and 1 thread or more, got math " + *math +
                    " and threads " + *threads);
  }
  return settings;
}

struct ValueBounds {
  double low, high;
};

/// Returns values that are valid and change the result wherever an op reads the value. The sum of a
/// product of random bytes has a standard deviation of about 5,000 sqrt(depth); the shifts below
/// reduce sums of 9 to 4,096 terms to 8 bits.
ValueBounds rangeFor(OpOperand &use, ValueBounds plain) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<graph::RequantizeOp>(op) && number > 0) {
    return number == 1 ? ValueBounds{0x1p30, 0x1p31} : ValueBounds{39, 44};
  }
  if (isa<graph::QuantizeLinearOp, graph::DequantizeLinearOp>(op) && number == 1) {
    return {0.005, 0.02};
  }
  return plain;
}

/// Returns the range of an argument of @main. Floats are in [-scale, scale), bytes use all their
/// values, other integers are as large as a bias.
ValueBounds rangeOf(BlockArgument argument, double scale) {
  ElementType type = fromMlir(getElementTypeOrSelf(argument));
  ValueBounds plain = isFloat(type)              ? ValueBounds{-scale, scale}
                      : type == ElementType::I8  ? ValueBounds{-128, 128}
                      : type == ElementType::U8  ? ValueBounds{0, 256}
                      : type == ElementType::I32 ? ValueBounds{-1000, 1000}
                                                 : ValueBounds{0, 2};
  for (OpOperand &use : argument.getUses()) {
    auto kernel = dyn_cast<graph::KernelOp>(use.getOwner());
    if (!kernel) {
      continue;
    }
    for (OpOperand &inner : kernel.getBody().getArgument(use.getOperandNumber()).getUses()) {
      plain = rangeFor(inner, plain);
    }
  }
  return plain;
}

Tensor randomArgument(BlockArgument argument, uint64_t seed, double scale) {
  auto type = cast<RankedTensorType>(argument.getType());
  ValueBounds range = rangeOf(argument, scale);
  return randomTensor(fromMlir(type.getElementType()), type.getShape(), seed, range.low,
                      range.high);
}

/// Replaces the arguments that are weights by constants.
void fillWeights(func::FuncOp main, uint64_t seed) {
  OpBuilder builder = OpBuilder::atBlockBegin(&main.getBody().front());
  llvm::BitVector weights(main.getNumArguments());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (!main.getArgAttr(i, graph::kWeightAttr)) {
      continue;
    }
    weights.set(i);
    auto type = cast<RankedTensorType>(main.getArgument(i).getType());
    int64_t outputs = type.getRank() > 0 ? type.getDimSize(0) : 1;
    int64_t perOutput = type.getNumElements() / std::max<int64_t>(outputs, 1);
    // Keeps sums of products about as large as the inputs.
    double scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(perOutput, 1)));
    Tensor values = randomArgument(main.getArgument(i), seed + i, scale);
    main.getArgument(i).replaceAllUsesWith(graph::constant(builder, main.getLoc(), values));
  }
  main.eraseArguments(weights);
}

bool isTaskFunction(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto isPlain = [](Operation &op) { return isa<graph::KernelOp, func::ReturnOp>(op); };
  return main && !main.isDeclaration() && main.getBody().hasOneBlock() &&
         llvm::all_of(main.getBody().front(), isPlain) &&
         llvm::hasSingleElement(main.getOps<graph::KernelOp>()) &&
         llvm::all_of(main.getArgumentTypes(), layout::isTaskTensor);
}

bool callsFunctionOfUser(graph::KernelOp kernel) {
  return kernel->walk([](graph::CustomOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

uint64_t seedOf(const Task &task) {
  uint64_t seed = 0;
  StringRef(task.key()).take_front(16).getAsInteger(16, seed);
  return seed;
}

} // namespace

func::FuncOp TaskModule::main() { return module->lookupSymbol<func::FuncOp>("main"); }

graph::KernelOp TaskModule::kernel() { return *main().getOps<graph::KernelOp>().begin(); }

// A task is one kernel; the largest one in the zoo has 30 KiB.
constexpr size_t kMaxTaskBytes = 1 << 20;

void loadTaskDialects(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect, kernels::KernelDialect>();
}

llvm::Expected<TaskModule> readTask(const Task &task, MLIRContext *context) {
  StringRef text = task.text;
  llvm::Expected<TaskSettings> settings = readSettings(text);
  if (!settings) {
    return settings.takeError();
  }
  if (text.size() > kMaxTaskBytes || textDepth(text) > kMaxTextDepth) {
    return notATask("expected at most " + std::to_string(kMaxTaskBytes) + " bytes and " +
                    std::to_string(kMaxTextDepth) + " nested levels");
  }
  loadTaskDialects(*context);
  std::string problem;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    problem += (problem.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  TaskModule result{parseSourceString<ModuleOp>(text, context), *settings};
  if (!result.module) {
    return notATask(problem);
  }
  if (!isTaskFunction(*result.module)) {
    return notATask("expected a function @main of one kernel on planar tensors of f32, f16, "
                    "bf16, 8-bit integers, i32 or i1");
  }
  if (callsFunctionOfUser(result.kernel())) {
    return notATask("expected ops of Convoy, got a custom op, whose function is not in the text");
  }
  fillWeights(result.main(), seedOf(task));
  return result;
}

Tensor randomTensor(ElementType type, ArrayRef<int64_t> shape, uint64_t seed, double low,
                    double high) {
  Tensor tensor(type, shape);
  // The C++ standard defines the sequence of this engine, but not the sequences of
  // distributions.
  std::minstd_rand engine(static_cast<uint32_t>(seed ^ (seed >> 32)) | 1);
  constexpr double kRange = static_cast<double>(std::minstd_rand::max()) + 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = low + (high - low) * (static_cast<double>(engine()) / kRange);
    tensor.setDouble(i, isFloat(type) ? value : std::floor(value));
  }
  return tensor;
}

std::vector<Tensor> taskInputs(const Task &task, TaskModule &module) {
  // The seeds of the inputs differ from the seeds of the weights.
  constexpr uint64_t kInputs = 1 << 20;
  std::vector<Tensor> inputs;
  for (BlockArgument argument : module.main().getArguments()) {
    inputs.push_back(randomArgument(argument, seedOf(task) + kInputs + inputs.size(), 1));
  }
  return inputs;
}

} // namespace convoy::tuning
