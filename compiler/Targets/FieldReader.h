// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of a JSON object from a user. The parsers of target descriptions and of custom
// ops use it.

#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::targets {

/// Reads the fields of one JSON object and records which fields were read.
/// Keeps the first problem and ignores all later reads.
class FieldReader {
public:
  FieldReader(const llvm::json::Object &object, std::string where, std::string &problem)
      : object(object), where(std::move(where)), problem(problem) {}

  void read(llvm::StringRef field, std::string &value) {
    if (const llvm::json::Value *found = find(field)) {
      if (std::optional<llvm::StringRef> text = found->getAsString(); text && !text->empty()) {
        value = text->str();
      } else {
        fail(field, "expects a non-empty string");
      }
    }
  }

  /// Reads text that generated files and command lines contain: no quotes, backslashes or control
  /// characters.
  void readPlain(llvm::StringRef field, std::string &value) {
    read(field, value);
    if (problem.empty() && !isPlain(value)) {
      fail(field, kPlainText);
    }
  }
  void readPlainStrings(llvm::StringRef field, std::vector<std::string> &values) {
    readStrings(field, values);
    if (problem.empty() && !llvm::all_of(values, isPlain)) {
      fail(field, kPlainText);
    }
  }

  void readOneOf(llvm::StringRef field, std::string &value, llvm::ArrayRef<llvm::StringRef> words) {
    read(field, value);
    if (problem.empty() && !llvm::is_contained(words, llvm::StringRef(value))) {
      fail(field, "expects one of " + llvm::join(words, ", "));
    }
  }

  void read(llvm::StringRef field, int64_t &value, int64_t least, int64_t most) {
    if (const llvm::json::Value *found = find(field)) {
      std::optional<int64_t> number = found->getAsInteger();
      if (number && *number >= least && *number <= most) {
        value = *number;
      } else {
        fail(field, llvm::formatv("expects an integer from {0} to {1}", least, most).str());
      }
    }
  }

  void read(llvm::StringRef field, bool &value) {
    if (const llvm::json::Value *found = find(field)) {
      if (std::optional<bool> fact = found->getAsBoolean()) {
        value = *fact;
      } else {
        fail(field, "expects true or false");
      }
    }
  }

  /// Calls `each` with every object of an array and its name for error
  /// messages.
  template <typename Fn>
  void readObjects(llvm::StringRef field, Fn each) {
    const llvm::json::Array *array = readArray(field);
    for (size_t i = 0; array && problem.empty() && i < array->size(); ++i) {
      std::string place = llvm::formatv("{0}.{1}[{2}]", where, field, i).str();
      if (const llvm::json::Object *entry = (*array)[i].getAsObject()) {
        FieldReader reader(*entry, place, problem);
        each(reader);
        reader.finish();
      } else {
        problem = place + " expects an object";
      }
    }
  }

  /// Calls `read` with the reader of the object in a field.
  template <typename Fn>
  void readObject(llvm::StringRef field, Fn read) {
    const llvm::json::Value *found = find(field);
    if (!found) {
      return;
    }
    if (const llvm::json::Object *entry = found->getAsObject()) {
      FieldReader reader(*entry, where + "." + field.str(), problem);
      read(reader);
      reader.finish();
    } else {
      fail(field, "expects an object");
    }
  }

  /// Returns a required field of any type; null after a problem.
  const llvm::json::Value *value(llvm::StringRef field) { return find(field); }

  /// Returns whether an optional field is present.
  bool has(llvm::StringRef field) {
    known.insert(field);
    return object.get(field) != nullptr;
  }

  void readStrings(llvm::StringRef field, std::vector<std::string> &values) {
    const llvm::json::Array *array = readArray(field);
    for (size_t i = 0; array && problem.empty() && i < array->size(); ++i) {
      if (std::optional<llvm::StringRef> text = (*array)[i].getAsString(); text && !text->empty()) {
        values.push_back(text->str());
      } else {
        fail(field, "expects an array of non-empty strings");
      }
    }
  }

  /// Rejects fields that were not read.
  void finish() {
    for (const auto &[name, value] : object) {
      if (problem.empty() && !known.contains(llvm::StringRef(name))) {
        std::vector<std::string> names;
        for (const auto &entry : known) {
          names.push_back(entry.getKey().str());
        }
        llvm::sort(names);
        problem = llvm::formatv("{0} has the unknown field '{1}'; the fields are {2}", where,
                                llvm::StringRef(name), llvm::join(names, ", "))
                      .str();
      }
    }
  }

  /// Reports the value of a field that was read; keeps the first problem.
  void fail(llvm::StringRef field, llvm::StringRef expects) {
    if (!problem.empty()) {
      return;
    }
    problem =
        llvm::formatv("{0}.{1} {2}, got {3}", where, field, expects, *object.get(field)).str();
  }

private:
  static constexpr llvm::StringLiteral kPlainText =
      "expects at most 128 letters, digits, blanks and ._+-:/,()";

  static bool isPlain(llvm::StringRef text) {
    return text.size() <= 128 && llvm::all_of(text, [](char c) {
             return llvm::isAlnum(c) || llvm::StringRef(" ._+-:/,()").contains(c);
           });
  }

  const llvm::json::Value *find(llvm::StringRef field) {
    known.insert(field);
    const llvm::json::Value *found = object.get(field);
    if (!found && problem.empty()) {
      problem = llvm::formatv("{0} lacks the required field '{1}'", where, field).str();
    }
    return problem.empty() ? found : nullptr;
  }

  const llvm::json::Array *readArray(llvm::StringRef field) {
    const llvm::json::Value *found = find(field);
    const llvm::json::Array *array = found ? found->getAsArray() : nullptr;
    if (found && !array) {
      fail(field, "expects an array");
    }
    return array;
  }

  const llvm::json::Object &object;
  std::string where;
  std::string &problem;
  llvm::StringSet<> known;
};

} // namespace convoy::targets
