// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as C files.

#pragma once

#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// What was written, for a closing summary. Paths are empty where there is no file.
struct SourceFiles {
  std::string source;
  std::string header;
  std::string weights;         // the bytes
  std::string weightsAssembly; // what links them
  std::string test;
  ModelInterface interface;
};

/// Writes <model>.c and <model>.h to `directory`, which is made when missing, and
/// weights of more than 1 MiB to <model>.weights with <model>_weights.S to link them.
/// Takes a module that addSourcePasses has seen; the same one and the same options give
/// the same bytes.
llvm::Expected<SourceFiles> writeSource(mlir::ModuleOp module, const SourceOptions &options,
                                        llvm::StringRef directory);

/// The text of <model>.c. `interface` is that of the module, complete but for the
/// hash, which is set here.
llvm::Expected<std::string> sourceText(mlir::ModuleOp module, const SourceOptions &options,
                                       ModelInterface &interface);

/// Inputs, and what a correct model gives for them.
struct TestCase {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  /// How far a float output may be off: |got - want| <= absolute + relative * |want|.
  double absolute = 1e-4;
  double relative = 1e-3;
  /// Above 0: instead, |got - want|_2 <= relativeL2 * |want|_2 over the whole output.
  double relativeL2 = 0;
  /// How far an integer output of 16 bits or less may be off; wider ones are exact.
  int64_t steps = 0;
};

/// The text of <model>_test.c, a program that ends with 0 when the model gives the
/// outputs; and the file beside the others.
std::string testText(const ModelInterface &interface, const TestCase &test);
llvm::Error writeTest(SourceFiles &files, const TestCase &test, llvm::StringRef directory);

} // namespace convoy::codegen
