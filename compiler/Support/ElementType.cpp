// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the properties of element types. Graph/ElementTypeConversion.cpp
// converts to and from MLIR types, because the graph dialect defines some of
// these types.

#include "Support/ElementType.h"
#include "llvm/Support/ErrorHandling.h"

namespace convoy {
namespace {

enum class Class { None, Float, Signed, Unsigned, Bool, Complex, String };

struct Facts {
  llvm::StringLiteral name;
  int64_t bits;
  Class kind;
};

// Indexed by ElementType.
constexpr Facts kFacts[] = {
    {"undefined", 0, Class::None},       {"float", 32, Class::Float},
    {"uint8", 8, Class::Unsigned},       {"int8", 8, Class::Signed},
    {"uint16", 16, Class::Unsigned},     {"int16", 16, Class::Signed},
    {"int32", 32, Class::Signed},        {"int64", 64, Class::Signed},
    {"string", 0, Class::String},        {"bool", 8, Class::Bool},
    {"float16", 16, Class::Float},       {"double", 64, Class::Float},
    {"uint32", 32, Class::Unsigned},     {"uint64", 64, Class::Unsigned},
    {"complex64", 64, Class::Complex},   {"complex128", 128, Class::Complex},
    {"bfloat16", 16, Class::Float},      {"float8e4m3fn", 8, Class::Float},
    {"float8e4m3fnuz", 8, Class::Float}, {"float8e5m2", 8, Class::Float},
    {"float8e5m2fnuz", 8, Class::Float}, {"uint4", 4, Class::Unsigned},
    {"int4", 4, Class::Signed},          {"float4e2m1", 4, Class::Float},
    {"float8e8m0", 8, Class::Float},     {"uint2", 2, Class::Unsigned},
    {"int2", 2, Class::Signed},
};

const Facts &facts(ElementType type) { return kFacts[static_cast<int32_t>(type)]; }

} // namespace

std::optional<ElementType> elementTypeFromOnnx(int64_t dataType) {
  if (dataType < 0 || dataType >= static_cast<int64_t>(std::size(kFacts))) {
    return std::nullopt;
  }
  return static_cast<ElementType>(dataType);
}

int64_t bitWidth(ElementType type) { return facts(type).bits; }
int64_t storageBytes(ElementType type) { return (facts(type).bits + 7) / 8; }
bool isFloat(ElementType type) { return facts(type).kind == Class::Float; }
bool isSignedInteger(ElementType type) { return facts(type).kind == Class::Signed; }
bool isUnsignedInteger(ElementType type) { return facts(type).kind == Class::Unsigned; }
llvm::StringRef name(ElementType type) { return facts(type).name; }

} // namespace convoy
