// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts ElementType to an MLIR type and back. Signed integers are signless
// MLIR types. Unsigned integers are unsigned MLIR types, because ONNX
// distinguishes the two and arith types do not.

#include "Graph/Graph.h"
#include "Support/ElementType.h"

using namespace mlir;

namespace convoy {

static Type floatToMlir(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::F4E2M1:
    return graph::Float4E2M1Type::get(context);
  case ElementType::F8E8M0:
    return graph::Float8E8M0Type::get(context);
  default:
    return Float32Type::get(context);
  }
}

Type toMlir(ElementType type, MLIRContext *context) {
  if (isFloat(type)) {
    return floatToMlir(type, context);
  }
  if (isSignedInteger(type)) {
    return IntegerType::get(context, bitWidth(type));
  }
  if (isUnsignedInteger(type)) {
    return IntegerType::get(context, bitWidth(type), IntegerType::Unsigned);
  }
  switch (type) {
  case ElementType::Bool:
    return IntegerType::get(context, 1);
  case ElementType::String:
    return graph::StringType::get(context);
  case ElementType::Complex64:
    return ComplexType::get(Float32Type::get(context));
  case ElementType::Complex128:
    return ComplexType::get(Float64Type::get(context));
  default:
    return NoneType::get(context);
  }
}

static ElementType integerFromMlir(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::I2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return ElementType::Undefined;
  }
}

ElementType fromMlir(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integerFromMlir(integer);
  }
  for (int32_t i = 1; elementTypeFromOnnx(i); ++i) {
    ElementType candidate = static_cast<ElementType>(i);
    if (!isInteger(candidate) && candidate != ElementType::Bool &&
        toMlir(candidate, type.getContext()) == type) {
      return candidate;
    }
  }
  return ElementType::Undefined;
}

} // namespace convoy
