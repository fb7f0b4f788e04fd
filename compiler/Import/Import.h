// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an ONNX model and imports it into the graph dialect. This is the first
// step of every compilation.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace convoy::import {

struct CustomOps;

struct ImportOptions {
  /// Shapes of inputs by input name. A -1 leaves the dimension to `dims`.
  std::map<std::string, Shape> inputShapes;
  /// Sizes of symbolic dimensions by name.
  std::map<std::string, int64_t> dims;
  /// Inputs that the importer replaces by constants.
  std::map<std::string, Tensor> constants;
  /// The ops that the user declares; null if there are none. A model cannot declare them.
  std::shared_ptr<const CustomOps> customOps;
  /// Whether input dimensions may stay dynamic. Only the reference interpreter
  /// runs a model with dynamic dimensions.
  bool allowDynamicInputs = false;
  /// Limit on imported nodes after inlining. Real models have about 10,000
  /// nodes; nested function calls or nested loops can exceed the limit.
  int64_t maxNodes = int64_t(1) << 18;
};

/// A model file in memory. External data must be in `directory`.
struct Model {
  std::shared_ptr<const onnx::ModelProto> proto;
  std::string directory;
  std::string name; // file name without directory and extension
};

/// Reads and decodes a model file.
llvm::Expected<Model> readModel(llvm::StringRef path);

/// Decodes a model from bytes. The model has no directory, so external data is
/// an error.
llvm::Expected<Model> parseModel(llvm::StringRef bytes, llvm::StringRef name);

/// Builds a module whose function @main computes the model. The argument and
/// result attributes `graph.name` hold the names of inputs and outputs. Emits
/// every problem as a diagnostic and returns a null module after an error.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const Model &model, mlir::MLIRContext *context,
                                              const ImportOptions &options);

} // namespace convoy::import
