// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the reference on the data of a test bench. The bounds are those of CheckRule.h,
// as far as a small C program can check them.

#include "SourceTest.h"
#include "CheckRule.h"

using namespace mlir;

namespace convoy::driver {
namespace {

codegen::TestCase boundsFor(Arithmetic arithmetic) {
  codegen::TestCase test;
  if (arithmetic != Arithmetic::Float) {
    test.distance = arithmetic == Arithmetic::Dynamic ? 0.05 : 0.08;
    test.steps = 4;
  }
  return test;
}

} // namespace

FailureOr<codegen::TestCase> makeSourceTest(const import::Model &model,
                                            const import::ImportOptions &importOptions,
                                            const InputOptions &input, bool isInteger,
                                            DiagnosticLog &log) {
  NamedData data =
      readInputs(input, dataInputs(model, importOptions), /*isRandomByDefault=*/true, log);
  if (log.hasErrors()) {
    return failure();
  }
  Session session;
  import::ImportOptions pinned = importOptions;
  pinShapes(pinned, data);
  FailureOr<std::vector<Datum>> outputs = failure();
  OwningOpRef<ModuleOp> module = session.import(model, pinned);
  TargetOptions targetOptions;
  targetOptions.isInteger = isInteger;
  if (module && succeeded(session.compile(std::move(module), *createReference(), targetOptions))) {
    outputs = session.run(data);
  }
  codegen::TestCase test = boundsFor(arithmeticOf(model));
  for (const std::string &name : session.inputNames()) {
    auto found = data.find(name);
    if (found != data.end()) {
      test.inputs.push_back(found->second.tensor);
    }
  }
  if (succeeded(outputs)) {
    for (const Datum &output : *outputs) {
      test.outputs.push_back(output.tensor);
    }
  }
  log.append(session.log());
  if (failed(outputs)) {
    log.addError("the reference gave no outputs for the test bench; see above");
    return failure();
  }
  return test;
}

} // namespace convoy::driver
