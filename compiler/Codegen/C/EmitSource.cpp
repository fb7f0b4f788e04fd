// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the pass that writes the C files of a module, for lit tests.

#include "Codegen/C/Passes.h"
#include "Codegen/C/Source.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::codegen {

#define GEN_PASS_DEF_EMITSOURCEPASS
#include "Codegen/C/Passes.h.inc"

namespace {

class EmitSourcePass : public impl::EmitSourcePassBase<EmitSourcePass> {
public:
  using impl::EmitSourcePassBase<EmitSourcePass>::EmitSourcePassBase;

  void runOnOperation() override {
    SourceOptions options;
    options.model = model;
    options.flavor = plain ? Flavor::Plain : Flavor::Vectors;
    llvm::Expected<SourceFiles> files = writeSource(getOperation(), options, directory);
    if (!files) {
      emitError(getOperation()->getLoc(), files.takeError());
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::codegen
