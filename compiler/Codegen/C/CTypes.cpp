// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints types, constants and comments.

#include "Codegen/C/CTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::codegen {

std::string scalarKey(Type element) {
  if (element.isIndex()) {
    return "index";
  }
  if (element.isInteger(1)) {
    return "bool";
  }
  if (element.isF32() || element.isF64()) {
    return element.isF32() ? "f32" : "f64";
  }
  // Narrow floats are represented by their bits.
  return "u" + std::to_string(element.getIntOrFloatBitWidth());
}

std::string signedKey(StringRef key) {
  return key.starts_with("u") ? (key == "uindex" ? "index" : "i" + key.drop_front().str())
                              : key.str();
}

std::string unsignedKey(StringRef key) {
  return key == "index"         ? "uindex"
         : key.starts_with("i") ? "u" + key.drop_front().str()
                                : key.str();
}

std::string scalarType(StringRef key) {
  return llvm::StringSwitch<std::string>(key)
      .Case("f32", "float")
      .Case("f64", "double")
      .Case("bool", "bool")
      .Case("index", "ptrdiff_t")
      .Case("uindex", "size_t")
      .Default((key.starts_with("u") ? "uint" : "int") + key.drop_front().str() + "_t");
}

unsigned bitsOf(StringRef key) {
  unsigned bits = 64;
  return key == "bool" ? 1 : key.drop_front().getAsInteger(10, bits) ? 64 : bits;
}

std::string vectorType(StringRef key, int64_t lanes) {
  if (key.ends_with("index")) {
    return (key == "index" ? "indices" : "uindices") + std::to_string(lanes);
  }
  return (key == "bool" ? "i32" : key).str() + "x" + std::to_string(lanes);
}

std::string vectorType(VectorType type) {
  return vectorType(scalarKey(type.getElementType()), type.getNumElements());
}

bool hasVectorType(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() && type.getNumElements() > 1 &&
         llvm::isPowerOf2_64(static_cast<uint64_t>(type.getNumElements()));
}

std::string literal(const llvm::APFloat &value) {
  bool isDouble = &value.getSemantics() == &llvm::APFloat::IEEEdouble();
  if (&value.getSemantics() != &llvm::APFloat::IEEEsingle() && !isDouble) {
    return std::to_string(value.bitcastToAPInt().getZExtValue()) +
           "u"; // a narrow float is represented by its bits
  }
  std::string sign = value.isNegative() ? "-" : "";
  if (!value.isFinite()) {
    std::string name = value.isNaN() ? "NAN" : "INFINITY";
    return sign.empty() ? name : "(-" + name + ")";
  }
  llvm::SmallString<32> digits;
  value.toString(digits); // the shortest text that reads back to the same value
  std::string text = digits.str().str();
  for (char &c : text) {
    c = c == 'E' ? 'e' : c;
  }
  if (StringRef(text).find_first_of(".e") == StringRef::npos) {
    text += ".0";
  }
  text += isDouble ? "" : "f";
  return value.isNegative() ? "(" + text + ")" : text;
}

std::string literal(const llvm::APInt &value, Type type) {
  if (type.isInteger(1)) {
    return value.isZero() ? "false" : "true";
  }
  if (type.isIndex()) {
    std::string text = std::to_string(value.getSExtValue());
    bool isInt = llvm::isInt<32>(value.getSExtValue());
    text = isInt ? text : "INT64_C(" + text + ")";
    text = isInt ? text : "(ptrdiff_t)" + text;
    return isInt && !value.isNegative() ? text : "(" + text + ")";
  }
  std::string text = std::to_string(value.getZExtValue());
  return value.getBitWidth() > 32 ? "UINT64_C(" + text + ")" : text + "u";
}

std::string literal(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    return literal(number.getValue());
  }
  auto integer = cast<IntegerAttr>(value);
  return literal(integer.getValue(), integer.getType());
}

std::string shapeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!tensor) {
    stream << type;
    return text;
  }
  llvm::interleave(tensor.getShape(), stream, "x");
  stream << (tensor.getRank() == 0 ? "scalar " : " ") << tensor.getElementType();
  if (tensor.getEncoding()) {
    stream << " as " << tensor.getEncoding();
  }
  return text;
}

} // namespace convoy::codegen
