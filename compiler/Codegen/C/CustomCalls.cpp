// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints calls of C functions of the user (task.call_custom) with the tables of convoy/custom_op.h.

#include "Codegen/C/FunctionPrinter.h"
#include "Codegen/LLVM/GeneratedText.h"
#include "Codegen/LLVM/Library.h"
#include "convoy/convoy.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Returns {1, 2}; compilers for C99 accept no empty list.
template <typename T, typename Print>
std::string listText(ArrayRef<T> values, Print print) {
  std::vector<std::string> texts;
  for (const T &value : values) {
    texts.push_back(print(value));
  }
  return "{" + llvm::join(texts, ", ") + "}";
}

std::string intText(int64_t value) {
  // No literal of C is the least integer.
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
}

std::string floatText(float value) {
  return std::isfinite(value) ? floatLiteral(value)
         : std::isnan(value)  ? "NAN"
         : value > 0          ? "INFINITY"
                              : "-INFINITY";
}

/// Returns the members of an attribute. `array` is the name of its constant array.
std::string attributeText(Attribute value, const std::string &array) {
  std::string i = "0", s = "NULL", ints = "NULL", floats = "NULL", count = "0", f = "0.0f";
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    i = intText(integer.getInt());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    f = floatText(number.getValue().convertToFloat());
  } else if (auto text = dyn_cast<StringAttr>(value)) {
    s = stringLiteral(text.getValue());
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(value); list && !list.empty()) {
    ints = array;
    count = std::to_string(list.size());
  } else if (auto list = dyn_cast<DenseF32ArrayAttr>(value); list && !list.empty()) {
    floats = array;
    count = std::to_string(list.size());
  }
  return "{" + i + ", " + s + ", " + ints + ", " + floats + ", " + count + ", " + f + "}";
}

} // namespace

void FunctionPrinter::printCustom(task::CallCustomOp call) {
  SmallVector<Value> memory(call.getInputs());
  llvm::append_range(memory, call.getOutputs());
  std::vector<std::string> tensors, attributes;
  for (auto [i, value] : llvm::enumerate(memory)) {
    ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(call.getShapes()[i]).asArrayRef();
    std::string name = shape.empty() ? "NULL" : "convoy_shape_" + std::to_string(i);
    if (!shape.empty()) {
      line("static const int64_t " + name + "[] = " + listText(shape, intText) + ";");
    }
    tensors.push_back("{(void *)(uintptr_t)" + text(value) + ", " + name + ", " +
                      std::to_string(shape.size()) + ", " +
                      std::to_string(call.getElementTypes()[i]) + "}");
  }
  for (auto [i, value] : llvm::enumerate(call.getParameters())) {
    std::string name = "convoy_values_" + std::to_string(i);
    if (auto ints = dyn_cast<DenseI64ArrayAttr>(value); ints && !ints.empty()) {
      line("static const int64_t " + name + "[] = " + listText(ints.asArrayRef(), intText) + ";");
    } else if (auto floats = dyn_cast<DenseF32ArrayAttr>(value); floats && !floats.empty()) {
      line("static const float " + name + "[] = " + listText(floats.asArrayRef(), floatText) + ";");
    }
    attributes.push_back(attributeText(value, name));
  }
  line("const convoy_custom_tensor convoy_tensors[] = {" + llvm::join(tensors, ", ") + "};");
  std::string table = attributes.empty() ? "NULL" : "convoy_attributes";
  if (!attributes.empty()) {
    line("static const convoy_custom_attribute convoy_attributes[] = {" +
         llvm::join(attributes, ", ") + "};");
  }
  // After an error, the inputs may contain values that no function wrote.
  std::string status = "*" + text(call.getStatus());
  line("if (" + status + " == 0u && " + call.getFunction() + "(convoy_tensors, convoy_tensors + " +
       std::to_string(call.getInputs().size()) + ", " + table + ") != 0) {");
  line("  " + status + " = " + std::to_string(CONVOY_ERROR_CUSTOM_OP) + "u;");
  line("}");
  for (BlockArgument argument : function.getArguments()) {
    if (argument.use_empty()) {
      line("(void)" + places[argument].text + ";");
    }
  }
}

} // namespace convoy::codegen
