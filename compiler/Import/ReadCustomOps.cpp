// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads declarations of custom ops. A wrong declaration is an error that names the file, the place
// in it and the expected value. CustomOps.cpp imports the nodes.

#include "Graph/Custom.h"
#include "Graph/DimExpression.h"
#include "Import/CustomOps.h"
#include "Import/OpTable.h"
#include "Support/InputFile.h"
#include "Support/Json.h"
#include "Targets/FieldReader.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <limits>

using llvm::StringRef;
using llvm::Twine;
using Fields = convoy::targets::FieldReader;

namespace convoy::import {
namespace {

// Limits against wrong files. Real declarations are much smaller.
constexpr uint64_t kMaxFileBytes = 1 << 20;
constexpr size_t kMaxOps = 1000, kMaxTensors = 64, kMaxDims = 16, kMaxNesting = 64;

/// Returns the depth of lists and objects in a JSON text. The parser recurs for each level.
size_t nestingOf(StringRef text) {
  size_t depth = 0, most = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      isInString = !isInString;
    } else if (isInString) {
      i += c == '\\' ? 1 : 0; // skips the escaped character
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    }
  }
  return most;
}

bool isIdentifier(StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text.front()) && llvm::all_of(text, isWord);
}

std::optional<CustomOp::ValueType> valueTypeNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<CustomOp::ValueType>>(name)
      .Case("int", CustomOp::ValueType::Int)
      .Case("float", CustomOp::ValueType::Float)
      .Case("string", CustomOp::ValueType::String)
      .Case("ints", CustomOp::ValueType::Ints)
      .Case("floats", CustomOp::ValueType::Floats)
      .Default(std::nullopt);
}

/// Returns a number that a float can hold.
std::optional<double> floatOf(const llvm::json::Value &json) {
  std::optional<double> number = json.getAsNumber();
  bool fits = number && std::abs(*number) <= std::numeric_limits<float>::max();
  return fits ? number : std::nullopt;
}

/// Reads the value of an attribute. Returns nothing if it does not have the type.
std::optional<CustomOp::Value> readValue(const llvm::json::Value &json, CustomOp::ValueType type) {
  CustomOp::Value value;
  const llvm::json::Array *list = json.getAsArray();
  auto isSet = [](auto found, auto &target) { return found ? (target = *found, true) : false; };
  switch (type) {
  case CustomOp::ValueType::Int:
    return isSet(json.getAsInteger(), value.i) ? std::optional(value) : std::nullopt;
  case CustomOp::ValueType::Float:
    return isSet(floatOf(json), value.f) ? std::optional(value) : std::nullopt;
  case CustomOp::ValueType::String:
    return isSet(json.getAsString(), value.s) ? std::optional(value) : std::nullopt;
  case CustomOp::ValueType::Ints:
  case CustomOp::ValueType::Floats:
    break;
  }
  bool isWhole = list != nullptr;
  for (size_t i = 0; isWhole && i < list->size(); ++i) {
    isWhole = type == CustomOp::ValueType::Ints
                  ? isSet((*list)[i].getAsInteger(), value.ints.emplace_back())
                  : isSet(floatOf((*list)[i]), value.floats.emplace_back());
  }
  return isWhole ? std::optional(value) : std::nullopt;
}

/// Reads one op. The first problem goes to `problem`.
class OpReader {
public:
  OpReader(CustomOp &op, std::string &problem) : op(op), problem(problem) {}

  void read(Fields &fields) {
    fields.read("domain", op.domain);
    fields.read("name", op.name);
    fields.read("function", op.function);
    fields.read("source", op.source);
    fields.readObjects("inputs", [&](Fields &input) { readInput(input); });
    if (fields.has("attributes")) {
      fields.readObjects("attributes", [&](Fields &attribute) { readAttribute(attribute); });
    }
    fields.readObjects("outputs", [&](Fields &output) { readOutput(output); });
    if (fields.has("operations")) {
      fields.read("operations", op.operations);
    }
    if (problem.empty()) {
      checkOp(fields);
    }
  }

private:
  void readName(Fields &fields, std::string &name) {
    fields.read("name", name);
    bool isKnown = isInput(name) || llvm::any_of(op.attributes, [&](const auto &attribute) {
                     return attribute.name == name;
                   });
    if (problem.empty() && (!isIdentifier(name) || isKnown)) {
      fields.fail("name", isKnown ? "expects a name that no other input or attribute of the op has"
                                  : "expects letters, digits and '_'");
    }
  }

  bool isInput(StringRef name) const {
    return llvm::any_of(op.inputs, [&](const auto &input) { return input.name == name; });
  }

  void readInput(Fields &fields) {
    CustomOp::Input input;
    readName(fields, input.name);
    if (problem.empty() && graph::customElementType(input.name) != ElementType::Undefined) {
      fields.fail("name", "expects a name that is not the name of a type");
    }
    if (fields.has("types")) {
      fields.readStrings("types", input.types);
    }
    for (const std::string &type : input.types) {
      if (graph::customElementType(type) == ElementType::Undefined) {
        fields.fail("types", "expects types such as float, double, int8, uint8, int64 and bool");
      }
    }
    op.inputs.push_back(std::move(input));
  }

  void readAttribute(Fields &fields) {
    CustomOp::Attribute attribute;
    readName(fields, attribute.name);
    std::string type;
    fields.readOneOf("type", type, {"int", "float", "string", "ints", "floats"});
    if (!problem.empty()) {
      return;
    }
    attribute.type = *valueTypeNamed(type);
    if (const llvm::json::Value *value =
            fields.has("default") ? fields.value("default") : nullptr) {
      attribute.initial = readValue(*value, attribute.type);
      if (!attribute.initial) {
        fields.fail("default", "expects a value of type " + type);
      }
    }
    op.attributes.push_back(std::move(attribute));
  }

  void readOutput(Fields &fields) {
    CustomOp::Output output;
    fields.read("type", output.type);
    if (problem.empty() && !isInput(output.type) &&
        graph::customElementType(output.type) == ElementType::Undefined) {
      fields.fail("type", "expects the name of an input or a type such as float or int64");
    }
    const llvm::json::Value *shape = fields.value("shape");
    const llvm::json::Array *dims = shape ? shape->getAsArray() : nullptr;
    std::optional<StringRef> like = shape ? shape->getAsString() : std::nullopt;
    if (like && isInput(*like)) {
      output.like = like->str();
    } else if (dims && dims->size() <= kMaxDims) {
      readDims(*dims, fields, output);
    } else if (shape) {
      fields.fail("shape", "expects the name of an input or a list of at most 16 dimensions");
    }
    op.outputs.push_back(std::move(output));
  }

  void readDims(const llvm::json::Array &dims, Fields &fields, CustomOp::Output &output) {
    for (const llvm::json::Value &dim : dims) {
      std::optional<int64_t> size = dim.getAsInteger();
      std::optional<StringRef> text = dim.getAsString();
      if (!text && !(size && *size >= 0)) {
        return fields.fail("shape", "expects integers and expressions as dimensions");
      }
      output.dims.push_back(text ? text->str() : std::to_string(*size));
      checkExpression(output.dims.back(), "shape", fields);
    }
  }

  void checkExpression(StringRef text, StringRef field, Fields &fields) {
    auto lookup = [&](StringRef name, std::optional<int64_t> index) -> llvm::Expected<int64_t> {
      CustomOp::ValueType type = index ? CustomOp::ValueType::Ints : CustomOp::ValueType::Int;
      bool isAttribute = llvm::any_of(op.attributes, [&](const auto &attribute) {
        return attribute.name == name && attribute.type == type;
      });
      if (isAttribute || (index && isInput(name))) {
        return graph::kDynamic;
      }
      return llvm::createStringError(
          "reads '" + name + (index ? "' with an index" : "'") +
          (index ? ", which is neither an input nor an attribute of type ints"
                 : ", which is no attribute of type int; a dimension is INPUT[INDEX]"));
    };
    if (llvm::Error error = graph::evaluateDim(text, lookup).takeError()) {
      fields.fail(field, "expects expressions, but " + llvm::toString(std::move(error)));
    }
  }

  void checkOp(Fields &fields) {
    if (!graph::isCustomFunctionName(op.function)) {
      fields.fail("function", "expects the name of a C function that does not begin with 'convoy'");
    }
    if (op.outputs.empty() || op.outputs.size() > kMaxTensors) {
      fields.fail("outputs", "expects 1 to 64 outputs");
    }
    if (op.inputs.size() > kMaxTensors) {
      fields.fail("inputs", "expects at most 64 inputs");
    }
    if (op.attributes.size() > kMaxTensors) {
      fields.fail("attributes", "expects at most 64 attributes");
    }
    if (findOp(op.domain, op.name)) {
      fields.fail("name", "expects an op that Convoy does not support; choose another domain");
    }
    if (!op.operations.empty()) {
      checkExpression(op.operations, "operations", fields);
    }
  }

  CustomOp &op;
  std::string &problem;
};

/// Reads the ops of one file.
class FileReader {
public:
  FileReader(StringRef path, CustomOps &result) : path(path), result(result) {}

  llvm::Error read() {
    if (isDevice(path)) {
      return llvm::createStringError("cannot read the custom ops '" + path +
                                     "': it is a device; expected a file");
    }
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      return llvm::createStringError(buffer.getError(), "cannot read the custom ops '" + path +
                                                            "': " + buffer.getError().message());
    }
    if ((*buffer)->getBufferSize() > kMaxFileBytes) {
      return fail("has more than 1 MiB, the limit of a declaration");
    }
    if (nestingOf((*buffer)->getBuffer()) > kMaxNesting) {
      return fail("has more than 64 nested lists and objects, the limit of a declaration");
    }
    llvm::Expected<llvm::json::Value> json = parseJson((*buffer)->getBuffer());
    if (!json) {
      return fail("is not JSON: " + llvm::toString(json.takeError()));
    }
    const llvm::json::Object *root = json->getAsObject();
    if (!root) {
      return fail("expects an object with the field 'ops'");
    }
    std::string problem;
    Fields fields(*root, "the file", problem);
    std::vector<CustomOp> ops;
    fields.readObjects("ops",
                       [&](Fields &entry) { OpReader(ops.emplace_back(), problem).read(entry); });
    fields.finish();
    if (!problem.empty()) {
      return fail(problem);
    }
    return add(std::move(ops));
  }

private:
  llvm::Error fail(const Twine &text) const {
    return llvm::createStringError("custom ops '" + path + "': " + text);
  }

  llvm::Error add(std::vector<CustomOp> ops) {
    for (CustomOp &op : ops) {
      op.file = path.str();
      if (!llvm::sys::path::is_absolute(op.source)) {
        llvm::SmallString<128> place(llvm::sys::path::parent_path(path));
        llvm::sys::path::append(place, op.source);
        op.source = place.str().str();
      }
      if (!llvm::sys::fs::is_regular_file(op.source)) {
        return fail("the source '" + op.source + "' of " + op.qualifiedName() +
                    " is not a file; its path is relative to the .json file");
      }
      if (result.find(op.domain, op.name)) {
        return fail(op.qualifiedName() + " is declared twice; an op needs one declaration");
      }
      for (const CustomOp &other : result.ops) {
        bool isSameFile =
            other.source == op.source || llvm::sys::fs::equivalent(other.source, op.source);
        if (isSameFile) {
          op.source = other.source; // one path for each file
        }
        StringRef name = llvm::sys::path::filename(other.source);
        if (!isSameFile && name == llvm::sys::path::filename(op.source)) {
          return fail("the sources '" + other.source + "' and '" + op.source +
                      "' have one file name; emitted C needs different names");
        }
        if (!isSameFile && other.function == op.function) {
          return fail("two sources define the function '" + op.function +
                      "'; C needs different names");
        }
      }
      result.ops.push_back(std::move(op));
      if (result.ops.size() > kMaxOps) {
        return fail("declares more than 1000 ops");
      }
    }
    return llvm::Error::success();
  }

  StringRef path;
  CustomOps &result;
};

} // namespace

const CustomOp *CustomOps::find(StringRef domain, StringRef name) const {
  StringRef known = domain.empty() ? "ai.onnx" : domain;
  auto it =
      llvm::find_if(ops, [&](const CustomOp &op) { return op.domain == known && op.name == name; });
  return it == ops.end() ? nullptr : &*it;
}

llvm::Expected<CustomOps> readCustomOps(llvm::ArrayRef<std::string> paths) {
  CustomOps result;
  for (const std::string &path : paths) {
    if (llvm::Error error = FileReader(path, result).read()) {
      return std::move(error);
    }
  }
  return result;
}

} // namespace convoy::import
