// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the canonical text of tasks, which Layout/CanonicalTask.cpp writes.

#include "tuning/space/ReadTask.h"
#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include "Kernels/Kernel.h"
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
    int64_t perOutput = type.getNumElements() / std::max<int64_t>(type.getDimSize(0), 1);
    // Keeps sums of products about as large as the inputs.
    float scale = 1.0f / std::sqrt(static_cast<float>(std::max<int64_t>(perOutput, 1)));
    Tensor values = randomTensor(type.getShape(), seed + i, scale);
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

uint64_t seedOf(const Task &task) {
  uint64_t seed = 0;
  StringRef(task.key()).take_front(16).getAsInteger(16, seed);
  return seed;
}

} // namespace

func::FuncOp TaskModule::main() { return module->lookupSymbol<func::FuncOp>("main"); }

graph::KernelOp TaskModule::kernel() { return *main().getOps<graph::KernelOp>().begin(); }

void loadTaskDialects(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect, kernels::KernelDialect>();
}

llvm::Expected<TaskModule> readTask(const Task &task, MLIRContext *context) {
  StringRef text = task.text;
  llvm::Expected<TaskSettings> settings = readSettings(text);
  if (!settings) {
    return settings.takeError();
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
    return notATask("expected a function @main of one kernel on planar f32 tensors");
  }
  fillWeights(result.main(), seedOf(task));
  return result;
}

Tensor randomTensor(ArrayRef<int64_t> shape, uint64_t seed, float scale) {
  Tensor tensor(ElementType::F32, shape);
  // The C++ standard defines the sequence of this engine, but not the sequences of
  // distributions.
  std::minstd_rand engine(static_cast<uint32_t>(seed ^ (seed >> 32)) | 1);
  constexpr float kRange = static_cast<float>(std::minstd_rand::max());
  float *values = tensor.mutableData<float>();
  int64_t count = *elementCount(shape);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = (2.0f * (static_cast<float>(engine()) / kRange) - 1.0f) * scale;
  }
  return tensor;
}

std::vector<Tensor> taskInputs(const Task &task, TaskModule &module) {
  // The seeds of the inputs differ from the seeds of the weights.
  constexpr uint64_t kInputs = 1 << 20;
  std::vector<Tensor> inputs;
  for (Type type : module.main().getArgumentTypes()) {
    inputs.push_back(randomTensor(cast<RankedTensorType>(type).getShape(),
                                  seedOf(task) + kInputs + inputs.size(), 1.0f));
  }
  return inputs;
}

} // namespace convoy::tuning
