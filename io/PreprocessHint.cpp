// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges by the types in the file: the question is about the training, which no file records.

#include "io/PreprocessHint.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

namespace convoy::io {
namespace {

bool isImage(const TensorInfo &input) {
  return isFloat(input.type) && input.hasRank && input.shape.size() == 4 &&
         (input.shape[1] == 3 || input.shape[3] == 3);
}

/// Returns whether an output has the classes of ImageNet, with or without a background class.
bool hasImagenetClasses(const TensorInfo &output) {
  int64_t classes = output.hasRank && !output.shape.empty() ? output.shape.back() : 0;
  return classes == 1000 || classes == 1001;
}

/// Returns whether an op changes the values of the input before any layer.
bool isNormalized(const onnx::GraphProto &graph, const std::string &input) {
  static constexpr llvm::StringLiteral kOps[] = {
      "Sub", "Div", "Mul", "Add", "BatchNormalization", "InstanceNormalization"};
  return llvm::any_of(graph.node(), [&](const onnx::NodeProto &node) {
    return llvm::is_contained(kOps, llvm::StringRef(node.op_type())) &&
           llvm::is_contained(node.input(), input);
  });
}

} // namespace

std::string preprocessHint(const Model &model, const ImageFlags &flags) {
  std::vector<TensorInfo> inputs = model.inputs(), outputs = model.outputs();
  auto image = llvm::find_if(inputs, isImage);
  if (flags.setsValues() || image == inputs.end() || !llvm::any_of(outputs, hasImagenetClasses) ||
      isNormalized(model.file().proto->graph(), image->name)) {
    return "";
  }
  return "input '" + image->name +
         "' gets pixels from 0 to 1, and networks with these classes are usually trained on "
         "normalized pixels; if the answers are wrong, add --preprocess imagenet, or --preprocess "
         "unit if the values are correct";
}

bool hasImageName(const std::string &path) {
  static constexpr llvm::StringLiteral kEndings[] = {".png", ".jpg", ".jpeg", ".bmp"};
  return llvm::is_contained(kEndings, llvm::sys::path::extension(path).lower());
}

} // namespace convoy::io
