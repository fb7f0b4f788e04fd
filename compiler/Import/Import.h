// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX model to graph dialect: the entry of the compiler.

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

struct ImportOptions {
  /// Whole shapes of inputs, by input name; -1 leaves a dimension to `dims`.
  std::map<std::string, Shape> inputShapes;
  /// Sizes of symbolic dimensions, by name.
  std::map<std::string, int64_t> dims;
  /// Inputs that become constants of the model.
  std::map<std::string, Tensor> constants;
  /// Whether a dimension may stay open. Only the reference runs such a model.
  bool allowDynamicInputs = false;
  /// More nodes than this come from functions that call each other or loops in
  /// loops, not from a network: real models have some 10,000.
  int64_t maxNodes = int64_t(1) << 18;
};

/// A model file in memory. `directory` is where external data may lie.
struct Model {
  std::shared_ptr<const onnx::ModelProto> proto;
  std::string directory;
  std::string name; // of the file, without directory and extension
};

/// Reads and decodes a model file.
llvm::Expected<Model> readModel(llvm::StringRef path);

/// Decodes a model from bytes. Without a directory external data is refused.
llvm::Expected<Model> parseModel(llvm::StringRef bytes, llvm::StringRef name);

/// Builds a module whose function @main computes the model. Input and output
/// names are the argument and result attributes `graph.name`. Every problem is
/// emitted as a diagnostic; a null module means at least one error.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const Model &model, mlir::MLIRContext *context,
                                              const ImportOptions &options);

} // namespace convoy::import
