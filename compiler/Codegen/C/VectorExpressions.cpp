// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints operations on whole vectors with the operators of gcc's vector extension, which clang
// supports too. A comparison gives lanes of -1 and 0 with the width of its operands. Stored
// masks have 32 bits, the width of most data.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

class Vector {
public:
  Vector(Operation *op, ArrayRef<std::string> operands, Helpers &helpers)
      : helpers(helpers), a(operands.empty() ? "" : operands[0]),
        b(operands.size() > 1 ? operands[1] : ""), c(operands.size() > 2 ? operands[2] : "") {
    auto type = cast<VectorType>(op->getResult(0).getType());
    lanes = type.getNumElements();
    key = scalarKey(type.getElementType());
    from = scalarKey(getElementTypeOrSelf(op->getOperand(0).getType()));
    self = helpers.vector(key, lanes);
  }

  std::string integer(Operation *op);
  std::string conversion(Operation *op);
  std::string floating(Operation *op);
  std::string multiply(Operation *op);

private:
  std::string typeOf(StringRef other) { return helpers.vector(other, lanes); }
  std::string as(StringRef other, StringRef text) { return "(" + typeOf(other) + ")" + text.str(); }
  std::string convert(StringRef text, StringRef other) {
    return "__builtin_convertvector(" + text.str() + ", " + typeOf(other) + ")";
  }
  /// Converts integers in steps that double or halve their width. gcc 12 converts each lane
  /// separately if one step changes the width more.
  std::string resize(std::string text, StringRef source, StringRef other) {
    unsigned bits = bitsOf(source), last = bitsOf(other);
    if (helpers.hasResize(lanes) && ((bits == 8 && last == 32) || (bits == 32 && last == 8))) {
      return helpers.resize(source, lanes) + "(" + a + ")";
    }
    std::string sign = source.take_front(1).str();
    while (bits != last && bits * 2 != last && last * 2 != bits) {
      bits = bits < last ? bits * 2 : bits / 2;
      text = convert(text, sign + std::to_string(bits));
    }
    return convert(text, other);
  }
  std::string infix(StringRef symbol) const { return (a + " " + symbol + " " + b).str(); }
  /// An operation on numbers with a different sign than their stored type.
  std::string withSign(StringRef sign, StringRef symbol) {
    std::string text = (as(sign, a) + " " + symbol + " " + as(sign, b)).str();
    return sign == key ? text : "(" + self + ")(" + text + ")";
  }
  /// A mask of 32 bits from a comparison of the operands.
  std::string mask(StringRef comparison) {
    unsigned bits = bitsOf(from);
    return bits == 32 ? ("(" + typeOf("bool") + ")(" + comparison + ")").str()
                      : convert(comparison, "bool");
  }
  /// The same from one comparison. Wide vectors are compared by halves.
  std::string mask(StringRef left, StringRef symbol, StringRef right, StringRef type) {
    if (!helpers.isWide(type, lanes)) {
      return mask((left + " " + symbol + " " + right).str());
    }
    return helpers.compareHalves(type, lanes) + "(" + left.str() + ", " + symbol.str() + ", " +
           right.str() + ")";
  }
  std::string compare(arith::CmpIPredicate predicate);
  std::string compare(arith::CmpFPredicate predicate);
  std::string extreme(bool isSigned, StringRef symbol) {
    if (key == "bool") { // as a signed number, true is below false
      return infix((symbol == ">") == isSigned ? "&" : "|");
    }
    std::string sign = isSigned ? signedKey(key) : unsignedKey(key);
    std::string saved = from;
    from = key;
    std::string test = mask(as(sign, a), symbol, as(sign, b), sign);
    from = saved;
    return helpers.select(key, lanes) + "(" + test + ", " + a + ", " + b + ")";
  }
  std::string clamp(Operation *op, StringRef symbol, StringRef opposite, StringRef zeros);
  std::string elementwise(StringRef function, int count) {
    std::string name = helpers.elementwise(function, key, lanes, count);
    return name + "(" + a + (count > 1 ? ", " + b : "") + (count > 2 ? ", " + c : "") + ")";
  }

  Helpers &helpers;
  const std::string a, b, c;
  int64_t lanes = 0;
  std::string key, from, self;
};

std::string Vector::compare(arith::CmpIPredicate predicate) {
  StringRef symbols[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  StringRef symbol = symbols[static_cast<size_t>(predicate)];
  bool isSigned = predicate >= arith::CmpIPredicate::slt && predicate <= arith::CmpIPredicate::sge;
  if (from == "bool") {
    return predicate <= arith::CmpIPredicate::ne ? infix(symbol) : "";
  }
  std::string sign = isSigned ? signedKey(from) : unsignedKey(from);
  return mask(as(sign, a), symbol, as(sign, b), sign);
}

std::string Vector::compare(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  auto test = [&](StringRef symbol) { return mask(a, symbol, b, from); };
  auto either = [&](const std::string &left, const std::string &right) {
    return "(" + left + " | " + right + ")";
  };
  switch (predicate) {
  case P::OEQ:
    return test("==");
  case P::OGT:
    return test(">");
  case P::OGE:
    return test(">=");
  case P::OLT:
    return test("<");
  case P::OLE:
    return test("<=");
  case P::UNE:
    return test("!=");
  case P::UGT:
    return "~" + test("<=");
  case P::UGE:
    return "~" + test("<");
  case P::ULT:
    return "~" + test(">=");
  case P::ULE:
    return "~" + test(">");
  case P::ONE:
    return either(test("<"), test(">"));
  case P::UEQ:
    return "~" + either(test("<"), test(">"));
  case P::UNO:
    return either(mask(a, "!=", a, from), mask(b, "!=", b, from));
  case P::ORD:
    return "(" + mask(a, "==", a, from) + " & " + mask(b, "==", b, from) + ")";
  default:
    return "";
  }
}

/// See Helpers.cpp about zeros and NaN.
std::string Vector::clamp(Operation *op, StringRef symbol, StringRef opposite, StringRef zeros) {
  std::string select = helpers.select(key, lanes);
  from = key;
  if (std::optional<unsigned> variable = variableOfClamp(op)) {
    const std::string &x = *variable == 0 ? a : b;
    const std::string &bound = *variable == 0 ? b : a;
    // The constant wins if both are zero: x <= bound ? bound : x.
    std::string test = mask(x, (opposite + "=").str(), bound, key);
    return select + "(" + test + ", " + bound + ", " + x + ")";
  }
  std::string zero = helpers.splat(key, lanes) + (key == "f32" ? "(0.0f)" : "(0.0)");
  std::string equal = "(" + mask(a, "==", b, key) + " & " + mask(a, "!=", zero, key) + ")";
  std::string last = select + "(" + equal + ", " + a + ", " + zeros.str() + ")";
  std::string second = select + "(" + mask(a, opposite, b, key) + ", " + b + ", " + last + ")";
  return select + "(" + mask(a, symbol, b, key) + ", " + a + ", " + second + ")";
}

std::string Vector::integer(Operation *op) {
  if (key == "bool" && isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    return "";
  }
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](arith::AddIOp) { return infix("+"); })
      .Case([&](arith::SubIOp) { return infix("-"); })
      .Case([&](arith::MulIOp) { return infix("*"); })
      .Case([&](arith::ShLIOp) { return infix("<<"); })
      .Case([&](arith::ShRUIOp) { return withSign(unsignedKey(key), ">>"); })
      .Case([&](arith::ShRSIOp) { return withSign(signedKey(key), ">>"); })
      .Case([&](arith::AndIOp) { return infix("&"); })
      .Case([&](arith::OrIOp) { return infix("|"); })
      .Case([&](arith::XOrIOp) { return infix("^"); })
      .Case([&](arith::DivUIOp) { return withSign(unsignedKey(key), "/"); })
      .Case([&](arith::RemUIOp) { return withSign(unsignedKey(key), "%"); })
      .Case([&](arith::DivSIOp) { return withSign(signedKey(key), "/"); })
      .Case([&](arith::RemSIOp) { return withSign(signedKey(key), "%"); })
      .Case([&](arith::MinSIOp) { return extreme(/*isSigned=*/true, "<"); })
      .Case([&](arith::MaxSIOp) { return extreme(/*isSigned=*/true, ">"); })
      .Case([&](arith::MinUIOp) { return extreme(/*isSigned=*/false, "<"); })
      .Case([&](arith::MaxUIOp) { return extreme(/*isSigned=*/false, ">"); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](arith::SelectOp select) {
        if (!isa<VectorType>(select.getCondition().getType())) {
          return a + " ? " + b + " : " + c;
        }
        return helpers.select(key, lanes) + "(" + a + ", " + b + ", " + c + ")";
      })
      .Default([](Operation *) { return ""; });
}

std::string Vector::conversion(Operation *op) {
  bool isMask = from == "bool";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](Operation *) {
        return isMask ? convert("(" + a + " & 1)", key)
                      : resize(as(unsignedKey(from), a), unsignedKey(from), key);
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](Operation *) {
        return isMask ? convert(a, key) : resize(as(signedKey(from), a), signedKey(from), key);
      })
      .Case([&](arith::TruncIOp) {
        return key == "bool" ? "-" + convert("(" + a + " & 1)", key) : resize(a, from, key);
      })
      .Case([&](arith::SIToFPOp) { return convert(isMask ? a : as(signedKey(from), a), key); })
      .Case([&](arith::UIToFPOp) {
        return convert(isMask ? "(" + a + " & 1)" : as(unsignedKey(from), a), key);
      })
      .Case(
          [&](arith::FPToSIOp) { return key == "bool" ? "" : as(key, convert(a, signedKey(key))); })
      .Case([&](arith::FPToUIOp) { return key == "bool" ? "" : convert(a, unsignedKey(key)); })
      .Case([&](arith::ExtFOp) {
        bool hasMacro = from == "u16" && key == "f32" && helpers.hasResize(lanes);
        return hasMacro        ? helpers.widenHalves(lanes) + "(" + a + ")"
               : from == "u16" ? ""
                               : convert(a, key);
      })
      .Case([&](arith::TruncFOp) { return from == "u16" || key == "u16" ? "" : convert(a, key); })
      .Case([&](arith::BitcastOp) { return "(" + self + ")" + a; })
      .Default([](Operation *) { return ""; });
}

std::string Vector::floating(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](arith::AddFOp) { return infix("+"); })
      .Case([&](arith::SubFOp) { return infix("-"); })
      .Case([&](arith::MulFOp) { return infix("*"); })
      .Case([&](arith::DivFOp) { return infix("/"); })
      .Case([&](arith::NegFOp) { return "-" + a; })
      .Case([&](arith::CmpFOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](arith::MaximumFOp) { return clamp(op, ">", "<", a + " + " + b); })
      .Case([&](arith::MinimumFOp) { return clamp(op, "<", ">", "-(-" + a + " - " + b + ")"); })
      .Case<math::FmaOp, vector::FMAOp>([&](Operation *) { return elementwise("fma", 3); })
      .Case([&](math::SqrtOp) { return elementwise("sqrt", 1); })
      .Case([&](math::AbsFOp) { return elementwise("fabs", 1); })
      .Case([&](math::CopySignOp) { return elementwise("copysign", 2); })
      .Case([&](math::RoundEvenOp) { return elementwise("rint", 1); })
      .Case([&](math::FloorOp) { return elementwise("floor", 1); })
      .Case([&](math::CeilOp) { return elementwise("ceil", 1); })
      .Case([&](math::TruncOp) { return elementwise("trunc", 1); })
      .Case<vector::ShuffleOp, vector::InterleaveOp>([&](Operation *shuffle) {
        std::string text = "__builtin_shufflevector(" + a + ", " + b;
        for (int64_t lane : shuffledLanes(shuffle)) {
          text += ", " + std::to_string(lane);
        }
        return text + ")";
      })
      .Default([](Operation *) { return ""; });
}

std::string Vector::multiply(Operation *op) {
  auto call = [&](StringRef name) {
    std::string third = c.empty() ? "" : ", " + c;
    return helpers.multiply(name, key, lanes) + "(" + a + ", " + b + third + ")";
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](kernels::DotBytesOp bytes) { return call(dotName(bytes)); })
      .Case([&](kernels::DotWordsOp) { return call("dot_words"); })
      .Case([&](kernels::MatmulBytesOp) { return call("matmul_us"); })
      .Case([&](kernels::MultiplyHalvesOp) { return call("multiply_halves"); })
      .Case([&](vector::BitCastOp) { return "(" + self + ")" + a; })
      .Default([](Operation *) { return ""; });
}

} // namespace

SmallVector<int64_t> shuffledLanes(Operation *op) {
  SmallVector<int64_t> lanes;
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    for (Attribute lane : shuffle.getMask()) {
      lanes.push_back(cast<IntegerAttr>(lane).getInt());
    }
    return lanes;
  }
  int64_t width = cast<VectorType>(op->getOperand(0).getType()).getNumElements();
  for (int64_t lane = 0; lane < width; ++lane) {
    lanes.append({lane, width + lane});
  }
  return lanes;
}

std::string vectorExpression(Operation *op, ArrayRef<std::string> operands, Helpers &helpers) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() != 0) {
    return "";
  }
  Vector vector(op, operands, helpers);
  std::string text = vector.integer(op);
  text = text.empty() ? vector.conversion(op) : text;
  text = text.empty() ? vector.multiply(op) : text;
  return text.empty() ? vector.floating(op) : text;
}

} // namespace convoy::codegen
