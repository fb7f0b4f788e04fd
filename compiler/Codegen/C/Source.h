// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a model as C files.

#pragma once

#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace convoy::codegen {

/// The files that were written, for the summary. A path is empty if there is no file.
struct SourceFiles {
  std::string source;
  std::string header;
  std::string weights;         // the bytes
  std::string weightsAssembly; // the assembly that includes them
  std::string test;
  std::string makefile;
  std::vector<std::string> customSources; // copies of the C files of custom ops
  /// The layers by their numbers in CONVOY_LAYER_BEGIN: the kernel, a space, and its nodes.
  std::vector<std::string> layers;
  ModelInterface interface;
};

/// Inputs and the expected outputs.
struct TestCase {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  /// The permitted error of a float output: |got - want| <= absolute + relative * |want|.
  double absolute = 1e-4;
  double relative = 1e-3;
  /// If above 0, the condition is |got - want|_2 <= relativeL2 * |want|_2 over the whole
  /// output.
  double relativeL2 = 0;
  /// The permitted error of an integer output of at most 16 bits. Wider integers must be
  /// equal.
  int64_t steps = 0;
};

/// Writes <model>.c, <model>.h and <model>.mk to `directory`, which is created if it does not
/// exist. Weights above 1 MiB go to <model>.weights, with <model>_weights.S to include them. With
/// `test`, writes <model>_test.c. The files replace earlier ones together (Support/OutputSet.h).
/// The module must have passed addSourcePasses(). Equal modules and options give equal bytes.
llvm::Expected<SourceFiles> writeSource(mlir::ModuleOp module, const SourceOptions &options,
                                        llvm::StringRef directory, const TestCase *test = nullptr);

/// Returns the text of <model>.c and sets the hashes of `interface`, which otherwise must be
/// complete. Sets `layers` as in SourceFiles if it is not null.
llvm::Expected<std::string> sourceText(mlir::ModuleOp module, const SourceOptions &options,
                                       ModelInterface &interface,
                                       std::vector<std::string> *layers = nullptr);

/// Returns the text of <model>.mk, a Makefile that compiles `files` with the flags of the target.
std::string makefileText(const SourceFiles &files, const SourceOptions &options);

/// Returns the text of <model>_test.c, a program whose exit code is 0 if the outputs are
/// right.
std::string testText(const ModelInterface &interface, const TestCase &test);

} // namespace convoy::codegen
