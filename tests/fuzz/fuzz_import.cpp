// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary bytes to the importer, which must return a module that verifies or an error.

#include "Import/Import.h"
#include "mlir/IR/Verifier.h"
#include "tests/fuzz/Silence.h"

using namespace convoy;
using namespace mlir;

// Limits the time of one input to far below libFuzzer's time limit.
constexpr int64_t kMaxNodes = 1 << 12;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<import::Model> model = import::parseModel(bytes, "fuzz.onnx");
  if (!model) {
    llvm::consumeError(model.takeError());
    return 0;
  }
  MLIRContext *context = fuzz::sharedContext();
  fuzz::Silence silence(context);
  import::ImportOptions options;
  options.allowDynamicInputs = true;
  options.maxNodes = kMaxNodes;
  OwningOpRef<ModuleOp> module = import::importModel(*model, context, options);
  if (!module) {
    silence.expectError("import");
  } else if (failed(verify(*module))) {
    fuzz::reportFinding("the module does not verify: " + silence.lastError());
  }
  return 0;
}
