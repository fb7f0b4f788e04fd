// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embeds the compiler: reads a model, compiles it into this process and runs it
// on ones.
//
//   embed model.onnx

#include "Codegen/LLVM/LoadedModel.h"
#include "Import/Import.h"
#include "Pipeline/Pipeline.h"
#include "Targets/Target.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace {

/// Compiles for this machine; null after a message.
std::unique_ptr<convoy::codegen::LoadedModel> compile(const char *path,
                                                      mlir::MLIRContext &context) {
  llvm::Expected<convoy::import::Model> model = convoy::import::readModel(path);
  if (!model) {
    llvm::errs() << llvm::toString(model.takeError()) << "\n";
    return nullptr;
  }
  // Problems of the model arrive as MLIR diagnostics, on stderr by default.
  mlir::OwningOpRef<mlir::ModuleOp> module = convoy::import::importModel(*model, &context, {});
  convoy::codegen::CodegenOptions codegenOptions;
  codegenOptions.target = convoy::targets::detectHost();
  convoy::CompileOptions options;
  options.kernels.vectorBytes = codegenOptions.target.vectorBytes;
  options.kernels.fuseMultiplyAdd = codegenOptions.target.hasFma;
  mlir::PassManager passes(&context);
  convoy::buildPipeline(passes, options);
  if (!module || mlir::failed(passes.run(*module))) {
    return nullptr;
  }
  auto loaded = convoy::codegen::LoadedModel::load(*module, codegenOptions);
  if (!loaded) {
    llvm::errs() << llvm::toString(loaded.takeError()) << "\n";
    return nullptr;
  }
  return std::move(*loaded);
}

} // namespace

int main(int argc, char **argv) {
  mlir::MLIRContext context;
  std::unique_ptr<convoy::codegen::LoadedModel> model =
      argc == 2 ? compile(argv[1], context) : nullptr;
  if (!model) {
    llvm::errs() << "usage: embed model.onnx\n";
    return 1;
  }
  std::vector<convoy::Tensor> inputs;
  for (const convoy::codegen::TensorDescriptor &input : model->inputs()) {
    convoy::Tensor &tensor = inputs.emplace_back(input.type, input.shape);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.setDouble(i, 1.0);
    }
  }
  llvm::Expected<std::vector<convoy::Tensor>> outputs = model->run(inputs);
  if (!outputs) {
    llvm::errs() << llvm::toString(outputs.takeError()) << "\n";
    return 1;
  }
  for (size_t i = 0; i < outputs->size(); ++i) {
    llvm::outs() << model->outputs()[i].name << ":";
    for (int64_t k = 0; k < std::min<int64_t>((*outputs)[i].size(), 8); ++k) {
      llvm::outs() << " " << llvm::format("%.3f", (*outputs)[i].asDouble(k));
    }
    llvm::outs() << "\n";
  }
  return 0;
}
