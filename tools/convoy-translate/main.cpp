// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a model in ONNX's textual syntax to the graph dialect, for lit tests
// of the importer. `convoy` reads models in ONNX's binary format.

#include "Graph/Graph.h"
#include "Import/CustomOps.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include <onnx/defs/parser.h>

using namespace mlir;

static llvm::cl::list<std::string> customOps("custom-ops",
                                             llvm::cl::desc("Files that declare custom ops"));

/// Parses `text` and imports it. Inputs keep their symbolic dimensions.
static OwningOpRef<Operation *> importText(llvm::StringRef text, MLIRContext *context) {
  onnx::ModelProto proto;
  onnx::Common::Status status = onnx::OnnxParser::Parse(proto, text.str().c_str());
  if (!status.IsOK()) {
    emitError(UnknownLoc::get(context)) << "cannot parse the ONNX text: " << status.ErrorMessage();
    return nullptr;
  }
  llvm::Expected<convoy::import::Model> model =
      convoy::import::parseModel(proto.SerializeAsString(), "model");
  if (!model) {
    emitError(UnknownLoc::get(context)) << llvm::toString(model.takeError());
    return nullptr;
  }
  convoy::import::ImportOptions options;
  options.allowDynamicInputs = true;
  llvm::Expected<convoy::import::CustomOps> ops = convoy::import::readCustomOps(customOps);
  if (!ops) {
    emitError(UnknownLoc::get(context)) << llvm::toString(ops.takeError());
    return nullptr;
  }
  options.customOps = std::make_shared<convoy::import::CustomOps>(std::move(*ops));
  return convoy::import::importModel(*model, context, options);
}

int main(int argc, char **argv) {
  TranslateToMLIRRegistration registration(
      "import-onnx-text", "Import a model in ONNX's textual syntax", importText,
      [](DialectRegistry &registry) {
        registry.insert<convoy::graph::GraphDialect, func::FuncDialect>();
      });
  return failed(mlirTranslateMain(argc, argv, "Convoy importer, for lit tests\n"));
}
