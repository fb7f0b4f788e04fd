// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contains the text of helpers. Helpers on vectors are macros, because compilers warn that
// passing vectors to functions depends on the machine.

#include "Codegen/C/Helpers.h"
#include "Codegen/C/ByteFunctions.h"
#include "Codegen/C/CTypes.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace convoy::codegen {
namespace {

/// The rank of a byte function is kByteFunction plus the length of its longest chain of needs.
enum Rank { kFunction, kType, kSplat, kSelect, kElementwise, kByteFunction };

/// Returns how many functions have to be printed one after the other before this one.
int byteDepth(const ByteFunction &function) {
  int depth = 0;
  for (StringRef need : function.needs) {
    depth = std::max(depth, 1 + byteDepth(*findByteFunction(need)));
  }
  return depth;
}

/// Replaces $name, $T (type), $U (unsigned type), $S (signed type), $V (vector)... in the
/// text.
std::string fill(StringRef form, llvm::ArrayRef<std::pair<StringRef, std::string>> values) {
  std::string text = form.str();
  for (const auto &[mark, value] : values) {
    for (size_t at = 0; (at = text.find(mark.str(), at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

struct Form {
  StringRef name;
  StringRef text;
};

// The result is NaN if one operand is NaN, and -0 is less than +0: a + b is the right zero or
// the NaN.
constexpr Form kForms[] = {
    {"min", "static inline $T $name($T a, $T b) {\n  return a < b ? a : b;\n}\n"},
    {"max", "static inline $T $name($T a, $T b) {\n  return a > b ? a : b;\n}\n"},
    {"maximum", "static inline $T $name($T a, $T b) {\n"
                "  return a > b ? a : a < b ? b : a == b && a != 0 ? a : a + b;\n}\n"},
    {"minimum", "static inline $T $name($T a, $T b) {\n"
                "  return a < b ? a : a > b ? b : a == b && a != 0 ? a : -(-a - b);\n}\n"},
    {"bits", "static inline $U $name($T x) {\n  $U bits;\n  memcpy(&bits, &x, sizeof bits);\n"
             "  return bits;\n}\n"},
    {"value", "static inline $T $name($U bits) {\n  $T x;\n  memcpy(&x, &bits, sizeof x);\n"
              "  return x;\n}\n"},
    {"ones",
     "static inline $T $name($T x) {\n  $T count = 0;\n  for (; x != 0; x = ($T)(x & (x - 1u))) {\n"
     "    ++count;\n  }\n  return count;\n}\n"},
    {"leading",
     "static inline $T $name($T x) {\n  $T count = $B;\n  for (; x != 0; x = ($T)(x >> 1)) {\n"
     "    --count;\n  }\n  return count;\n}\n"},
    {"trailing",
     "static inline $T $name($T x) {\n  $T count = $B;\n  for (; x != 0; x = ($T)(x << 1)) {\n"
     "    --count;\n  }\n  return count;\n}\n"},
    // Multiply ops in one lane. Macros/ has the same arithmetic on vectors.
    {"dot_us", "static inline $T $name($T sum, $T x, $T w) {\n"
               "  for (int i = 0; i < 32; i += 8) {\n"
               "    sum += ((x >> i) & 255u) * (0u + ($T)(int32_t)(int8_t)(w >> i));\n  }\n"
               "  return sum;\n}\n"},
    {"dot_ss", "static inline $T $name($T sum, $T x, $T w) {\n"
               "  for (int i = 0; i < 32; i += 8) {\n"
               "    sum += ($T)((int8_t)(x >> i) * (int8_t)(w >> i));\n  }\n"
               "  return sum;\n}\n"},
    {"dot_words", "static inline $T $name($T sum, $T x, $T w) {\n"
                  "  for (int i = 0; i < 32; i += 16) {\n"
                  "    sum += ($T)(int32_t)(int16_t)(x >> i) * ($T)(int32_t)(int16_t)(w >> i);\n"
                  "  }\n  return sum;\n}\n"},
    // Both cases are computed without branches, so that compilers can vectorize the function.
    // A normal number gets a new bias; a subnormal number is an integer times 2^-24.
    {"from", "static inline float $name(uint16_t half) {\n"
             "  const uint32_t magnitude = (uint32_t)(half & 0x7FFFu);\n"
             "  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;\n"
             "  const uint32_t bias = magnitude >= 0x7C00u ? 0x70000000u : 0x38000000u;\n"
             "  const uint32_t normal = (magnitude << 13) + bias;\n"
             "  const float small = (float)magnitude * 5.9604644775390625e-8f;\n"
             "  uint32_t bits;\n  float value;\n"
             "  memcpy(&bits, &small, sizeof bits);\n"
             "  bits = (magnitude < 0x0400u ? bits : normal) | sign;\n"
             "  memcpy(&value, &bits, sizeof value);\n  return value;\n}\n"},
    // Rounds to nearest, ties to even. Adding 0.5 to a number below 2^-14 leaves its bits from
    // 2^-24 upwards in the mantissa, and the addition rounds it.
    {"to", "static inline uint16_t $name(float value) {\n"
           "  uint32_t bits;\n  memcpy(&bits, &value, sizeof bits);\n"
           "  const uint32_t sign = (bits >> 16) & 0x8000u;\n"
           "  const uint32_t magnitude = bits & 0x7FFFFFFFu;\n"
           "  const uint32_t odd = (magnitude >> 13) & 1u;\n"
           "  const uint32_t normal = (magnitude - 0x38000000u + 0x0FFFu + odd) >> 13;\n"
           "  float small;\n  memcpy(&small, &magnitude, sizeof small);\n"
           "  small += 0.5f;\n  uint32_t tiny;\n  memcpy(&tiny, &small, sizeof tiny);\n"
           "  tiny -= 0x3F000000u;\n"
           "  uint32_t half = magnitude < 0x38800000u ? tiny : normal;\n"
           "  half = magnitude >= 0x477FF000u ? 0x7C00u : half;\n"
           "  half = magnitude > 0x7F800000u ? 0x7E00u : half;\n"
           "  return (uint16_t)(half | sign);\n}\n"},
};

} // namespace

void Helpers::add(int rank, const std::string &name, const std::string &text) {
  parts.try_emplace({rank, name}, text);
}

std::string Helpers::vector(StringRef key, int64_t lanes) {
  std::string name = vectorType(key, lanes);
  StringRef element = key == "bool" ? "i32" : key;
  std::string type = scalarType(element);
  std::string bytes = std::to_string(lanes) + " * sizeof(" + type + ")";
  add(kType, name,
      "typedef " + type + " " + name + " __attribute__((vector_size(" + bytes + ")));\n");
  return name;
}

std::string Helpers::vectorInMemory(StringRef key, int64_t lanes) {
  std::string type = vector(key, lanes);
  std::string scalar = scalarType(key);
  add(kType, type + "_memory",
      "typedef " + type + " " + type + "_memory __attribute__((aligned(sizeof(" + scalar +
          ")), may_alias));\n");
  return type + "_memory";
}

std::string Helpers::splat(StringRef key, int64_t lanes) {
  std::string type = vector(key, lanes);
  std::string name = StringRef(type).upper();
  if (key == "bool") {
    add(kSplat, name, "#define " + name + "(s) ((" + type + "){0} - (int32_t)(s))\n");
  } else if (key.starts_with("f")) {
    // -0 keeps its sign, because -0 - 0 is -0.
    add(kSplat, name, "#define " + name + "(s) ((s) - (" + type + "){0})\n");
  } else {
    add(kSplat, name,
        "#define " + name + "(s) ((" + type + "){0} + (" + scalarType(key) + ")(s))\n");
  }
  return name;
}

std::string Helpers::select(StringRef key, int64_t lanes) {
  std::string type = vector(key, lanes);
  std::string name = "SELECT_" + StringRef(type).upper();
  unsigned bits = key == "bool" ? 32 : bitsOf(key);
  std::string integer =
      vector(key == "index" || key == "uindex" ? "index" : "i" + std::to_string(bits), lanes);
  vector("bool", lanes);
  std::string mask = integer == vectorType("bool", lanes)
                         ? "(m)"
                         : "__builtin_convertvector((m), " + integer + ")";
  add(kSelect, name,
      "#define " + name + "(m, a, b) \\\n  ((" + type + ")(((" + integer + ")(a) & " + mask +
          ") | ((" + integer + ")(b) & ~" + mask + ")))\n");
  return name;
}

std::string Helpers::elementwise(StringRef function, StringRef key, int64_t lanes, int count) {
  std::string type = vector(key, lanes);
  if (key == "f32" && hasResize(lanes)) {
    vector("u32", lanes);
    byteFunction("elementwise");
    return "CONVOY_" + function.upper() + "_F32_" + std::to_string(lanes);
  }
  std::string name = function.upper() + "_" + StringRef(type).upper();
  // The names of clang's builtins. rint rounds to even in the default rounding mode.
  std::string builtin = "__builtin_elementwise_" + (function == "fabs" ? "abs" : function).str();
  StringRef names[] = {"a", "b", "c"};
  std::string parameters;
  std::string copies;
  std::string elements;
  for (int i = 0; i < count; ++i) {
    StringRef comma = i == 0 ? "" : ", ";
    parameters += (comma + names[i]).str();
    copies += (comma + names[i] + "_ = (" + names[i] + ")").str();
    elements += (comma + names[i] + "_[l_]").str();
  }
  std::string suffix = key == "f32" ? "f" : "";
  add(kElementwise, name,
      "#if CONVOY_HAS_BUILTIN(" + builtin + ")\n#define " + name + "(" + parameters + ") " +
          builtin + "(" + parameters + ")\n#else\n#define " + name + "(" + parameters +
          ") \\\n  __extension__({ \\\n    " + type + " " + copies + ", r_ = a_; \\\n" +
          "    for (int l_ = 0; l_ < " + std::to_string(lanes) + "; ++l_) { \\\n      r_[l_] = " +
          function.str() + suffix + "(" + elements + "); \\\n    } \\\n    r_; \\\n  })\n#endif\n");
  return name;
}

std::string Helpers::function(StringRef name, StringRef key) {
  std::string result = ("convoy_" + name + "_" + key).str();
  std::string bits = std::to_string(bitsOf(key));
  for (const Form &form : kForms) {
    if (form.name == name) {
      add(kFunction, result,
          fill(form.text, {{"$name", result},
                           {"$T", scalarType(key)},
                           {"$U", "uint" + bits + "_t"},
                           {"$B", bits}}));
    }
  }
  return result;
}

std::string Helpers::byteFunction(StringRef name) {
  std::optional<ByteFunction> function = findByteFunction(name);
  assert(function && "Contract.cpp rejects byte ops without a function");
  for (StringRef need : function->needs) {
    byteFunction(need);
  }
  add(kByteFunction + byteDepth(*function), name.str(), function->text.str());
  return ("convoy_" + name).str();
}

std::string Helpers::multiply(StringRef name, StringRef key, int64_t lanes) {
  vector(key, lanes);
  vector(signedKey(key), lanes);
  byteFunction(name);
  return "CONVOY_" + name.upper() + "_" + std::to_string(lanes);
}

std::string Helpers::resize(StringRef from, int64_t lanes) {
  for (StringRef key : {"u8", "i8", "u16", "i16", "u32"}) {
    vector(key, lanes);
  }
  byteFunction("resize");
  return (bitsOf(from) == 8 ? "CONVOY_EXTEND_" : "CONVOY_TRUNCATE_") + from.upper() + "_" +
         std::to_string(lanes);
}

std::string Helpers::widenHalves(int64_t lanes) {
  for (StringRef key : {"u16", "u32", "f32"}) {
    vector(key, lanes);
  }
  byteFunction("widen_halves");
  return "CONVOY_WIDEN_HALVES_" + std::to_string(lanes);
}

std::string Helpers::laneMemory(StringRef name, StringRef key, int64_t lanes) {
  vector(key, lanes);
  vector("bool", lanes);
  vector("index", lanes);
  byteFunction("lane_memory");
  return "CONVOY_" + name.upper() + "_" + std::to_string(lanes);
}

bool Helpers::isWide(StringRef key, int64_t lanes) const {
  return lanes >= 4 && bitsOf(key) == 64 && lanes * 8 > vectorBytes;
}

// gcc 12 compares vectors above the width of a register lane by lane.
std::string Helpers::compareHalves(StringRef key, int64_t lanes) {
  std::string whole = vector(key, lanes), half = vector(key, lanes / 2);
  std::string mask = vector("bool", lanes), halfMask = vector("bool", lanes / 2);
  std::string name = "COMPARE_" + StringRef(whole).upper();
  auto compared = [&](int i) {
    std::string at = ".halves[" + std::to_string(i) + "]";
    return "__builtin_convertvector(x_" + at + " symbol y_" + at + ", " + halfMask + ")";
  };
  add(kElementwise, name,
      "#define " + name + "(a, symbol, b) \\\n  __extension__({ \\\n    const union { " + whole +
          " whole; " + half + " halves[2]; } x_ = {(a)}, y_ = {(b)}; \\\n    const union { " +
          halfMask + " halves[2]; " + mask + " whole; } m_ = {{ \\\n      " + compared(0) +
          ", \\\n      " + compared(1) + "}}; \\\n    m_.whole; \\\n  })\n");
  return name;
}

void Helpers::tiles() {
  vector("u32", 16);
  vector("i32", 16);
  byteFunction("tiles");
  usesTiles = true;
}

std::string Helpers::text() const {
  std::string result;
  for (const auto &[key, text] : parts) {
    bool isFunction = key.first == kFunction || key.first >= kByteFunction;
    result += text + (isFunction ? "\n" : "");
  }
  return result.empty() ? result : result + "\n";
}

} // namespace convoy::codegen
