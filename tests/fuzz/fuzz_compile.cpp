// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a valid graph of a few ops by the decisions in the input, compiles it for this machine with
// the contracts of all stages, runs it and compares the outputs with the reference.

#include "mlir/IR/Verifier.h"
#include "tests/differential/Differential.h"
#include "tests/differential/GraphMaker.h"
#include "tests/fuzz/Silence.h"
#include "tests/fuzz/Target.h"

using namespace convoy;
using namespace convoy::test;
using namespace mlir;

// A compile of more ops takes seconds with sanitizers.
constexpr int kMaxOps = 8;

static void check(GraphMaker &maker, ModuleOp module, fuzz::Silence &silence) {
  std::vector<Sample> expected = maker.outputs();
  std::vector<Tensor> actual;
  std::string problem = runOnHost(module, maker.inputs(), actual, 1, maker.hasSpecials());
  for (size_t i = 0; i < expected.size() && problem.empty(); ++i) {
    problem = whyDifferent(actual[i], expected[i]);
  }
  if (!problem.empty()) {
    module->dump();
    fuzz::reportFinding(problem + ": " + silence.lastError());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  fuzz::Silence silence(&context);
  GraphMaker maker(&context, Random(llvm::ArrayRef<uint8_t>(data, size)), /*trialSeed=*/size + 1);
  OwningOpRef<ModuleOp> module = maker.make(kMaxOps);
  if (!module) {
    fuzz::reportFinding("the compiler rejected an op of the generator: " + silence.lastError());
  }
  if (failed(verify(*module))) {
    fuzz::reportFinding("the module does not verify: " + silence.lastError());
  }
  check(maker, *module, silence);
  return 0;
}
