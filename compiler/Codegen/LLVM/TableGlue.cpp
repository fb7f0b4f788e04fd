// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats the layout of convoy/table.h as IR types. Private names start with `glue.`, which the
// name of a model cannot contain. Floats are their bits, so that the text is exact.

#include "Codegen/LLVM/TableGlue.h"
#include "convoy/convoy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using llvm::StringRef;

namespace convoy::codegen {
namespace {

static_assert(sizeof(convoy_tensor) == 72 && sizeof(convoy_model) == 176,
              "kTypes repeats the layout of convoy/table.h");

constexpr StringRef kTypes = R"(
%glue.tensor = type { ptr, i32, i32, ptr, ptr, i64, ptr, ptr, i32, i32, i32, i32 }
%glue.table = type { i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32,
                     i64, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }
)";

// Parameter: the model.
constexpr char kFunctions[] = R"(
define ptr @{0}_model() nounwind {{
  ret ptr @glue.model_table
}
define ptr @convoy_library_model() nounwind {{
  ret ptr @glue.model_table
}
)";

/// Adds a constant array and returns its address as an operand; null if it is empty.
template <typename T, typename Print>
std::string addArray(std::string &ir, const std::string &name, StringRef type,
                     llvm::ArrayRef<T> values, Print print) {
  if (values.empty()) {
    return "ptr null";
  }
  std::vector<std::string> entries;
  for (const T &value : values) {
    entries.push_back(type.str() + " " + print(value));
  }
  ir += llvm::formatv("@{0} = private constant [{1} x {2}] [{3}]\n", name, values.size(), type,
                      llvm::join(entries, ", "))
            .str();
  return "ptr @" + name;
}

std::string integer(int64_t value) { return std::to_string(value); }

std::string floatBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return std::to_string(bits);
}

/// Adds the constants of one tensor and returns its entry of the array of tensors.
std::string addTensor(std::string &ir, const std::string &name, const TensorDescriptor &tensor) {
  ir += stringConstant(name + ".name", tensor.name);
  std::string shape =
      addArray(ir, name + ".shape", "i64", llvm::ArrayRef<int64_t>(tensor.shape), integer);
  std::string dims = addArray(ir, name + ".dims", "i32", llvm::ArrayRef(tensor.dims), integer);
  std::string scales =
      addArray(ir, name + ".scales", "i32", llvm::ArrayRef(tensor.scales), floatBits);
  std::string zeroPoints =
      addArray(ir, name + ".zero_points", "i32", llvm::ArrayRef(tensor.zeroPoints), integer);
  return llvm::formatv("{{ ptr @{0}.name, i32 {1}, i32 {2}, {3}, {4}, i64 {5}, {6}, {7}, "
                       "i32 {8}, i32 {9}, i32 -1, i32 0 }",
                       name, static_cast<int32_t>(tensor.type), tensor.shape.size(), shape, dims,
                       tensor.bytes, scales, zeroPoints, tensor.scales.size(), tensor.scaleAxis)
      .str();
}

/// Adds the array of tensors and returns its address as an operand.
std::string addTensors(std::string &ir, const std::string &name,
                       llvm::ArrayRef<TensorDescriptor> tensors) {
  std::vector<std::string> entries;
  for (const auto &[index, tensor] : llvm::enumerate(tensors)) {
    entries.push_back(addTensor(ir, name + "." + std::to_string(index), tensor));
  }
  auto same = [](const std::string &entry) { return entry; };
  return addArray(ir, name, "%glue.tensor", llvm::ArrayRef(entries), same);
}

std::string addStrings(std::string &ir, const ModelInterface &interface) {
  std::vector<std::string> operands;
  for (const auto &[name, text] :
       {std::pair<StringRef, StringRef>("name", interface.model),
        std::pair<StringRef, StringRef>("target", interface.target),
        std::pair<StringRef, StringRef>("features", interface.features),
        std::pair<StringRef, StringRef>("hash", interface.hash),
        std::pair<StringRef, StringRef>("weights_hash", interface.weightsHash),
        std::pair<StringRef, StringRef>("records", interface.records),
        std::pair<StringRef, StringRef>("compiler", compilerVersion())}) {
    ir += stringConstant(("glue.table." + name).str(), text);
    operands.push_back(("ptr @glue.table." + name).str());
  }
  return llvm::join(operands, ", ");
}

/// Returns the operands of the functions in the order of the table.
std::string functions(const ModelInterface &interface) {
  auto function = [&](StringRef name, bool isDefined) {
    return isDefined ? ", ptr @" + interface.model + "_" + name.str() : std::string(", ptr null");
  };
  return "ptr @" + interface.model + "_run" + function("error_text", true) +
         function("open", interface.weightsInFile) + function("close", interface.weightsInFile) +
         function("init", interface.programs > 0);
}

} // namespace

std::string stringConstant(StringRef name, StringRef text) {
  std::string line;
  llvm::raw_string_ostream stream(line);
  stream << "@" << name << " = private unnamed_addr constant [" << text.size() + 1 << " x i8] c\"";
  llvm::printEscapedString(text, stream);
  stream << "\\00\"\n";
  return line;
}

std::string tableText(const ModelInterface &interface) {
  std::string ir = kTypes.str();
  std::string strings = addStrings(ir, interface);
  std::string inputs = addTensors(ir, "glue.inputs", interface.inputs);
  std::string outputs = addTensors(ir, "glue.outputs", interface.outputs);
  ir += "declare i32 @" + interface.model + "_run(ptr, ptr, ptr)\n";
  if (interface.programs > 0) {
    ir += "declare i32 @" + interface.model + "_init(ptr)\n";
  }
  ir += llvm::formatv("@glue.model_table = private constant %glue.table {{ i32 {0}, i32 {1}, {2}, "
                      "{3}, {4}, ptr null, i32 {5}, i32 {6}, i32 0, i32 {7}, i64 {8}, i64 {9}, "
                      "i64 {10}, i32 {11}, i32 {12}, {13} }\n",
                      CONVOY_ABI_VERSION, sizeof(convoy_model), strings, inputs, outputs,
                      interface.inputs.size(), interface.outputs.size(), interface.extents,
                      interface.workspaceBytes, kWorkspaceAlignmentBytes, interface.weightsBytes,
                      interface.threads, interface.programs, functions(interface))
            .str();
  return ir + llvm::formatv(kFunctions, interface.model).str();
}

} // namespace convoy::codegen
