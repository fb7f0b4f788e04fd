// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints operations on scalars. Results have the C type of their IR type. No implicit
// conversion changes a value, so that -Wconversion is silent.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

std::string keyOf(Type type) { return scalarKey(getElementTypeOrSelf(type)); }

/// The text of one operation.
class Scalar {
public:
  Scalar(Operation *op, ArrayRef<std::string> operands, Helpers &helpers)
      : helpers(helpers), a(operands.empty() ? "" : operands[0]),
        b(operands.size() > 1 ? operands[1] : ""), c(operands.size() > 2 ? operands[2] : ""),
        key(op->getNumResults() == 1 ? keyOf(op->getResult(0).getType()) : ""),
        from(op->getNumOperands() > 0 ? keyOf(op->getOperand(0).getType()) : "") {}

  std::string integer(Operation *op);
  std::string conversion(Operation *op);
  std::string floating(Operation *op);
  std::string multiply(Operation *op);

private:
  static std::string cast(StringRef key, StringRef text) {
    return "(" + scalarType(key) + ")" + text.str();
  }
  std::string asSigned(StringRef text) const {
    return from == "index" ? text.str() : cast(signedKey(from), text);
  }
  std::string asUnsigned(StringRef text) const {
    return from == "index" ? cast("uindex", text) : text.str();
  }

  /// C computes in int or wider types, so the result is cast back. No sum of 16 bits or less
  /// may overflow an int.
  std::string wrapped(StringRef symbol) const {
    std::string left = key == "u16" ? cast("u32", a) : a;
    std::string text = left + " " + symbol.str() + " " + b;
    return key == "u8" || key == "u16" ? cast(key, "(" + text + ")") : text;
  }
  /// gcc 12 warns of a change of sign if the right factor is a sign-extended byte. Inside a
  /// sum, it does not warn.
  std::string product() const {
    bool isExtended = StringRef(b).starts_with("((uint32_t)(int32_t)(int8_t)");
    return isExtended ? a + " * (0u + " + b + ")" : wrapped("*");
  }
  std::string bitwise(StringRef symbol) const {
    std::string text = a + " " + symbol.str() + " " + b;
    if (key == "bool") {
      StringRef logic = symbol == "&" ? "&&" : symbol == "|" ? "||" : "!=";
      return a + " " + logic.str() + " " + b;
    }
    return key == "u8" || key == "u16" ? cast(key, "(" + text + ")") : text;
  }
  /// An operation on signed numbers. An index is already signed.
  std::string withSign(StringRef symbol) const {
    std::string text = asSigned(a) + " " + symbol.str() + " " + asSigned(b);
    return key == "index" ? text : cast(key, "(" + text + ")");
  }
  std::string withoutSign(StringRef symbol) const {
    std::string text = asUnsigned(a) + " " + symbol.str() + " " + asUnsigned(b);
    return key == "u32" || key == "u64" ? text : cast(key, "(" + text + ")");
  }
  std::string extreme(StringRef name, bool isSigned) const {
    std::string type = isSigned ? signedKey(key) : unsignedKey(key);
    std::string left = type == key ? a : cast(type, a);
    std::string right = type == key ? b : cast(type, b);
    std::string text = helpers.function(name, type) + "(" + left + ", " + right + ")";
    return type == key ? text : cast(key, text);
  }

  std::string compare(arith::CmpIPredicate predicate) const;
  std::string compare(arith::CmpFPredicate predicate) const;
  std::string clamp(Operation *op, StringRef name, StringRef symbol) const;
  std::string call(StringRef function, StringRef arguments) const {
    return (function + (key == "f32" ? "f(" : "(") + arguments + ")").str();
  }

  Helpers &helpers;
  const std::string a, b, c;
  const std::string key, from;
};

std::string Scalar::compare(arith::CmpIPredicate predicate) const {
  bool isSigned = predicate >= arith::CmpIPredicate::slt && predicate <= arith::CmpIPredicate::sge;
  bool isEquality = predicate <= arith::CmpIPredicate::ne;
  StringRef symbols[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  StringRef symbol = symbols[static_cast<size_t>(predicate)];
  if (isEquality || from == "bool") {
    return (a + " " + symbol + " " + b).str();
  }
  return isSigned ? (asSigned(a) + " " + symbol + " " + asSigned(b)).str()
                  : (asUnsigned(a) + " " + symbol + " " + asUnsigned(b)).str();
}

std::string Scalar::compare(arith::CmpFPredicate predicate) const {
  auto ordered = [&](StringRef symbol) { return (a + " " + symbol + " " + b).str(); };
  auto unordered = [&](StringRef opposite) { return "!(" + ordered(opposite) + ")"; };
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return "false";
  case P::AlwaysTrue:
    return "true";
  case P::OEQ:
    return ordered("==");
  case P::OGT:
    return ordered(">");
  case P::OGE:
    return ordered(">=");
  case P::OLT:
    return ordered("<");
  case P::OLE:
    return ordered("<=");
  case P::ONE:
    return ordered("<") + " || " + ordered(">");
  case P::ORD:
    return a + " == " + a + " && " + b + " == " + b;
  case P::UNO:
    return a + " != " + a + " || " + b + " != " + b;
  case P::UEQ:
    return "!(" + ordered("<") + " || " + ordered(">") + ")";
  case P::UGT:
    return unordered("<=");
  case P::UGE:
    return unordered("<");
  case P::ULT:
    return unordered(">=");
  case P::ULE:
    return unordered(">");
  case P::UNE:
    return ordered("!=");
  }
  return "";
}

/// With a constant, one comparison is sufficient: NaN compares false and remains.
std::string Scalar::clamp(Operation *op, StringRef name, StringRef symbol) const {
  std::optional<unsigned> variable = variableOfClamp(op);
  if (!variable) {
    return helpers.function(name, key) + "(" + a + ", " + b + ")";
  }
  const std::string &x = *variable == 0 ? a : b;
  const std::string &bound = *variable == 0 ? b : a;
  return (x + " " + symbol + " " + bound + " ? " + bound + " : " + x).str();
}

std::string Scalar::integer(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](arith::AddIOp) {
        if (key == "index" && StringRef(b).starts_with("(-")) { // a negative constant
          return a + " - " + b.substr(2, b.size() - 3);
        }
        return key == "bool" ? a + " != " + b : wrapped("+");
      })
      .Case([&](arith::SubIOp) { return key == "bool" ? a + " != " + b : wrapped("-"); })
      .Case([&](arith::MulIOp) { return key == "bool" ? a + " && " + b : product(); })
      .Case([&](arith::ShLIOp) { return wrapped("<<"); })
      .Case([&](arith::ShRUIOp) { return withoutSign(">>"); })
      .Case([&](arith::ShRSIOp) {
        std::string text = asSigned(a) + " >> " + b;
        return key == "index" ? text : cast(key, "(" + text + ")");
      })
      .Case([&](arith::AndIOp) { return bitwise("&"); })
      .Case([&](arith::OrIOp) { return bitwise("|"); })
      .Case([&](arith::XOrIOp) { return bitwise("^"); })
      .Case([&](arith::DivUIOp) { return withoutSign("/"); })
      .Case([&](arith::RemUIOp) { return withoutSign("%"); })
      .Case([&](arith::DivSIOp) { return withSign("/"); })
      .Case([&](arith::RemSIOp) { return withSign("%"); })
      .Case([&](arith::MinSIOp) { return extreme("min", true); })
      .Case([&](arith::MaxSIOp) { return extreme("max", true); })
      .Case([&](arith::MinUIOp) { return extreme("min", false); })
      .Case([&](arith::MaxUIOp) { return extreme("max", false); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](math::AbsIOp) {
        return cast(key, "(" + asSigned(a) + " < 0 ? 0u - " + a + " : " + a + ")");
      })
      .Case([&](math::CtPopOp) { return helpers.function("ones", key) + "(" + a + ")"; })
      .Case([&](math::CountLeadingZerosOp) {
        return helpers.function("leading", key) + "(" + a + ")";
      })
      .Case([&](math::CountTrailingZerosOp) {
        return helpers.function("trailing", key) + "(" + a + ")";
      })
      .Case([&](arith::SelectOp) {
        std::string text = a + " ? " + b + " : " + c;
        return key == "u8" || key == "u16" ? cast(key, "(" + text + ")") : text;
      })
      .Default([](Operation *) { return ""; });
}

std::string Scalar::conversion(Operation *op) {
  bool isBool = from == "bool";
  std::string one = key == "f32" ? "1.0f : 0.0f" : "1.0 : 0.0";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](Operation *) { return cast(key, a); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](Operation *) {
        if (isBool) {
          return cast(key, "(" + a + " ? -1 : 0)");
        }
        return cast(key, key == "index" ? asSigned(a) : cast(signedKey(key), asSigned(a)));
      })
      .Case(
          [&](arith::TruncIOp) { return key == "bool" ? "(" + a + " & 1u) != 0u" : cast(key, a); })
      .Case([&](arith::SIToFPOp) { return isBool ? a + " ? -" + one : cast(key, asSigned(a)); })
      .Case([&](arith::UIToFPOp) { return isBool ? a + " ? " + one : cast(key, asUnsigned(a)); })
      .Case([&](arith::FPToSIOp) {
        return key == "bool" ? a + " != 0" : cast(key, cast(signedKey(key), a));
      })
      .Case([&](arith::FPToUIOp) { return key == "bool" ? a + " != 0" : cast(key, a); })
      .Case([&](arith::ExtFOp) {
        if (from != "u16") {
          return cast(key, a);
        }
        std::string wide = helpers.function("from", "f16") + "(" + a + ")";
        return key == "f32" ? wide : cast(key, wide);
      })
      .Case([&](arith::TruncFOp) {
        return key == "u16" ? helpers.function("to", "f16") + "(" + a + ")" : cast(key, a);
      })
      .Case([&](arith::BitcastOp) {
        bool toFloat = key.front() == 'f';
        bool fromFloat = from.front() == 'f';
        return toFloat == fromFloat ? a
               : toFloat            ? helpers.function("value", key) + "(" + a + ")"
                                    : helpers.function("bits", from) + "(" + a + ")";
      })
      .Default([](Operation *) { return ""; });
}

std::string Scalar::floating(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](arith::AddFOp) { return a + " + " + b; })
      .Case([&](arith::SubFOp) { return a + " - " + b; })
      .Case([&](arith::MulFOp) { return a + " * " + b; })
      .Case([&](arith::DivFOp) { return a + " / " + b; })
      .Case([&](arith::NegFOp) { return "-" + a; })
      .Case([&](arith::CmpFOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](arith::MaximumFOp) { return clamp(op, "maximum", "<="); })
      .Case([&](arith::MinimumFOp) { return clamp(op, "minimum", ">="); })
      .Case([&](math::FmaOp) { return call("fma", a + ", " + b + ", " + c); })
      .Case([&](math::SqrtOp) { return call("sqrt", a); })
      .Case([&](math::AbsFOp) { return call("fabs", a); })
      .Case([&](math::CopySignOp) { return call("copysign", a + ", " + b); })
      .Case([&](math::RoundEvenOp) { return call("rint", a); })
      .Case([&](math::FloorOp) { return call("floor", a); })
      .Case([&](math::CeilOp) { return call("ceil", a); })
      .Case([&](math::TruncOp) { return call("trunc", a); })
      .Default([](Operation *) { return ""; });
}

std::string Scalar::multiply(Operation *op) {
  auto dot = [&](StringRef name) {
    return helpers.function(name, "u32") + "(" + a + ", " + b + ", " + c + ")";
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](kernels::DotBytesOp bytes) { return dot(dotName(bytes)); })
      .Case([&](kernels::DotWordsOp) { return dot("dot_words"); })
      .Case([&](kernels::MultiplyHalvesOp) {
        return "(uint64_t)((int64_t)(int32_t)" + a + " * (int32_t)" + b + ")";
      })
      .Default([](Operation *) { return ""; });
}

/// Narrow floats are bits; they are only moved and converted.
bool isOnNarrowFloats(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp>(op)) {
    auto truncate = dyn_cast<arith::TruncFOp>(op);
    return truncate && getElementTypeOrSelf(truncate.getType()).isF16() &&
           !getElementTypeOrSelf(truncate.getIn().getType()).isF32();
  }
  auto isNarrow = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  };
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

bool hasBfloat(Operation *op) {
  auto isBfloat = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), isBfloat) ||
          llvm::any_of(op->getResultTypes(), isBfloat));
}

} // namespace

std::optional<unsigned> variableOfClamp(Operation *op) {
  for (unsigned i : {0u, 1u}) {
    llvm::APFloat bound(0.0f);
    if (!matchPattern(op->getOperand(1 - i), m_ConstantFloat(&bound))) {
      Attribute constant;
      if (!matchPattern(op->getOperand(1 - i), m_Constant(&constant))) {
        continue;
      }
      auto splat = dyn_cast<SplatElementsAttr>(constant);
      if (!splat) {
        continue;
      }
      bound = splat.getSplatValue<llvm::APFloat>();
    }
    // For two zeros, the comparison selects the constant. This is right if the constant is the
    // result for two zeros.
    bool wins = !bound.isZero() || bound.isNegative() == isa<arith::MinimumFOp>(op);
    if (!bound.isNaN() && wins) {
      return i;
    }
  }
  return std::nullopt;
}

StringRef dotName(kernels::DotBytesOp op) {
  return op.getSigns() == kernels::Signs::SignedSigned ? "dot_ss" : "dot_us";
}

std::string scalarExpression(Operation *op, ArrayRef<std::string> operands, Helpers &helpers) {
  if (isa<kernels::DotBytesOp, kernels::DotWordsOp, kernels::MultiplyHalvesOp>(op)) {
    return Scalar(op, operands, helpers).multiply(op);
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || isOnNarrowFloats(op) ||
      hasBfloat(op) || !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndexOrFloat()) {
    return "";
  }
  Scalar scalar(op, operands, helpers);
  std::string text = scalar.integer(op);
  text = text.empty() ? scalar.conversion(op) : text;
  return text.empty() ? scalar.floating(op) : text;
}

bool isLanewise(Operation *op) {
  Helpers ignored;
  SmallVector<std::string> operands(op->getNumOperands(), "x");
  return !scalarExpression(op, operands, ignored).empty();
}

} // namespace convoy::codegen
