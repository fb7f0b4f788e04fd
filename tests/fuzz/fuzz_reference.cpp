// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model, infers its types, and runs it in the reference on small inputs. The run must end
// with results of the inferred types or with an error.

#include "Import/Import.h"
#include "mlir/IR/Verifier.h"
#include "reference/Reference.h"
#include "tests/fuzz/MakeInput.h"
#include "tests/fuzz/Silence.h"
#include "llvm/Support/xxhash.h"

using namespace convoy;
using namespace mlir;

// Limit the time of one input to far below libFuzzer's time limit.
constexpr int64_t kMaxNodes = 1 << 12;
constexpr int64_t kMaxTensorBytes = 1 << 16;
constexpr int64_t kMaxTerms = 1 << 23;
constexpr int64_t kMaxIterations = 100;

/// Returns whether a result has the inferred type.
static bool fits(const reference::Datum &datum, Type type) {
  if (auto optional = dyn_cast<graph::OptionalType>(type)) {
    // A value may represent an optional that contains it.
    return datum.isOptional()
               ? datum.elements.empty() || fits(datum.elements.front(), optional.getElement())
               : fits(datum, optional.getElement());
  }
  if (auto sequence = dyn_cast<graph::SequenceType>(type)) {
    return datum.isSequence() && llvm::all_of(datum.elements, [&](const auto &element) {
             return fits(element, sequence.getElement());
           });
  }
  auto tensor = cast<TensorType>(type);
  if (!datum.isTensor() || datum.tensor.type() != fromMlir(tensor.getElementType())) {
    return false;
  }
  return !tensor.hasRank() ||
         succeeded(verifyCompatibleShape(tensor.getShape(), datum.tensor.shape()));
}

static void checkResults(Operation *op, ArrayRef<reference::Datum> results) {
  for (auto [type, datum] : llvm::zip(op->getResultTypes(), results)) {
    if (!fits(datum, type)) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << op->getName() << " gives a type other than " << type;
      if (datum.isTensor()) {
        stream << ": " << graph::typeOf(datum.tensor, op->getContext());
      }
      fuzz::reportFinding(text);
    }
  }
}

static int runModule(ModuleOp module, fuzz::Silence &silence, uint64_t seed) {
  auto function = *module.getOps<func::FuncOp>().begin();
  std::minstd_rand random(static_cast<unsigned>(seed));
  std::vector<reference::Datum> inputs;
  for (Type type : function.getArgumentTypes()) {
    std::optional<reference::Datum> input = fuzz::makeInput(type, random);
    if (!input) {
      return -1; // Not for the corpus: the input would not run there either.
    }
    inputs.push_back(std::move(*input));
  }
  reference::RunOptions options;
  options.maxTensorBytes = kMaxTensorBytes;
  options.maxTerms = kMaxTerms;
  options.maxIterations = kMaxIterations;
  options.observe = checkResults;
  if (failed(reference::run(function, inputs, options))) {
    silence.expectError("the run");
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<import::Model> model = import::parseModel(bytes, "fuzz.onnx");
  if (!model) {
    llvm::consumeError(model.takeError());
    return -1;
  }
  MLIRContext *context = fuzz::sharedContext();
  fuzz::Silence silence(context);
  import::ImportOptions options;
  options.allowDynamicInputs = true;
  options.maxNodes = kMaxNodes;
  OwningOpRef<ModuleOp> module = import::importModel(*model, context, options);
  if (!module) {
    silence.expectError("import");
    return 0;
  }
  if (failed(verify(*module))) {
    silence.expectError("verification");
    return 0;
  }
  return runModule(*module, silence, llvm::xxh3_64bits(bytes));
}
