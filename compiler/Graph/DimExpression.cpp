// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and evaluates an expression in one pass. The length and the depth of an expression are
// limited, and each operation checks for overflow.

#include "Graph/DimExpression.h"
#include "Graph/TypeInference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::Expected;
using llvm::StringRef;

namespace convoy::graph {
namespace {

// Limits of the language. Shape formulas of real ops have fewer than 100 characters.
constexpr size_t kMaxBytes = 256;
constexpr int kMaxDepth = 16;

class DimParser {
public:
  DimParser(StringRef text, DimLookup lookup) : text(text), rest(text), lookup(lookup) {}

  Expected<int64_t> parse() {
    if (text.size() > kMaxBytes) {
      return fail("has " + llvm::Twine(text.size()) + " characters, expected at most " +
                  llvm::Twine(kMaxBytes));
    }
    Expected<int64_t> value = sum();
    if (value && !next().empty()) {
      return failAtRest("an operator or the end");
    }
    return value;
  }

private:
  llvm::Error fail(const llvm::Twine &problem) const {
    return llvm::createStringError("the expression '" + text + "' " + problem);
  }
  llvm::Error failAtRest(StringRef expected) const {
    StringRef found = rest.ltrim();
    return fail((found.empty() ? "ends" : "has '" + found.str() + "'") + " where " + expected +
                " is expected");
  }

  StringRef next() { return rest = rest.ltrim(); }

  bool take(StringRef word) {
    next();
    return rest.consume_front(word);
  }

  Expected<int64_t> sum() {
    Expected<int64_t> value = product();
    while (value && (next().starts_with("+") || rest.starts_with("-"))) {
      value = apply(*value, &DimParser::product);
    }
    return value;
  }

  Expected<int64_t> product() {
    Expected<int64_t> value = factor();
    while (value && !next().empty() && StringRef("*/%").contains(rest.front())) {
      value = apply(*value, &DimParser::factor);
    }
    return value;
  }

  /// Reads an operator and its right operand.
  Expected<int64_t> apply(int64_t left, Expected<int64_t> (DimParser::*operand)()) {
    char symbol = rest.front();
    rest = rest.drop_front();
    Expected<int64_t> right = (this->*operand)();
    if (!right) {
      return right;
    }
    bool isKnown = left != kDynamic && *right != kDynamic;
    return isKnown ? compute(symbol, left, *right) : Expected<int64_t>(kDynamic);
  }

  Expected<int64_t> compute(char symbol, int64_t left, int64_t right) const {
    int64_t value = 0;
    bool overflows = symbol == '+'   ? llvm::AddOverflow(left, right, value)
                     : symbol == '-' ? llvm::SubOverflow(left, right, value)
                                     : symbol == '*' && llvm::MulOverflow(left, right, value);
    if (overflows || value == kDynamic) {
      return fail("exceeds the range of 64-bit integers");
    }
    if (symbol == '/' || symbol == '%') {
      if (right <= 0) {
        return fail("divides by " + llvm::Twine(right) + ", expected a positive number");
      }
      int64_t quotient = left / right - (left % right < 0 ? 1 : 0);
      value = symbol == '/' ? quotient : left - quotient * right;
    }
    return value;
  }

  Expected<int64_t> factor() {
    if (take("(")) {
      if (depth >= kMaxDepth) {
        return fail("has more than " + llvm::Twine(kMaxDepth) + " nested parentheses");
      }
      ++depth;
      Expected<int64_t> value = sum();
      --depth;
      if (value && !take(")")) {
        return failAtRest("')'");
      }
      return value;
    }
    if (!rest.empty() && llvm::isDigit(rest.front())) {
      return integer();
    }
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty()) {
      return failAtRest("a number, a name or '('");
    }
    rest = rest.drop_front(name.size());
    return named(name);
  }

  Expected<int64_t> named(StringRef name) {
    std::optional<int64_t> index;
    if (take("[")) {
      bool isNegative = take("-");
      next();
      Expected<int64_t> value = integer();
      if (!value) {
        return value;
      }
      if (!take("]")) {
        return failAtRest("']'");
      }
      index = isNegative ? -*value : *value;
    }
    Expected<int64_t> value = lookup(name, index);
    if (!value) {
      return fail(llvm::toString(value.takeError()));
    }
    return value;
  }

  Expected<int64_t> integer() {
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    int64_t value = 0;
    if (digits.getAsInteger(10, value)) {
      return digits.empty() ? failAtRest("an integer")
                            : fail("has the number " + digits + ", which exceeds 64 bits");
    }
    rest = rest.drop_front(digits.size());
    return value;
  }

  StringRef text, rest;
  DimLookup lookup;
  int depth = 0;
};

} // namespace

Expected<int64_t> evaluateDim(StringRef text, DimLookup lookup) {
  return DimParser(text, lookup).parse();
}

} // namespace convoy::graph
