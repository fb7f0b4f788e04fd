// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the model of a request. CalibrateModel.cpp imports it if the request has samples.

#include "Driver/ImportRequested.h"
#include "Driver/CalibrateModel.h"
#include "Driver/CustomLibrary.h"
#include "Driver/RequestOptions.h"
#include "Graph/Attributes.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::driver {
OwningOpRef<ModuleOp> importRequested(const Model &model, const CompileRequest &request,
                                      const ResolvedTarget &target, CompileContext &context) {
  llvm::Expected<import::ImportOptions> options = importOptionsFor(request, target);
  if (!options) {
    context.log.add(options.takeError());
    return nullptr;
  }
  CustomLibrary::attach(context.mlir, options->customOps, request.output.cCompiler);
  if (request.calibration) {
    return importCalibrated(model.file(), *options, *request.calibration,
                            target.backend->types(target).activation, context);
  }
  OwningOpRef<ModuleOp> module = import::importModel(model.file(), &context.mlir, *options);
  return context.log.hasErrors() ? nullptr : std::move(module);
}

func::FuncOp mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

bool isStatic(ModuleOp module) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  WalkResult result = module.walk([&](Operation *op) {
    // The elements of a constructed collection are values of the module.
    bool isConstructed = isa<graph::SequenceConstructOp, graph::OptionalOp>(op);
    return isConstructed || llvm::all_of(op->getResultTypes(), isKnown) ? WalkResult::advance()
                                                                        : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::vector<std::string> argumentNames(func::FuncOp main) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    names.push_back(graph::argumentName(main, i).str());
  }
  return names;
}

std::vector<std::string> resultNames(func::FuncOp main) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    names.push_back(graph::resultName(main, i).str());
  }
  return names;
}

} // namespace convoy::driver
