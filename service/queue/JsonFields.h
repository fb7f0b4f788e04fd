// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of a JSON object without exceptions. A reader notes the first required field
// that is missing or has another type. Messages.cpp and WorkerRegistry.cpp use it.

#pragma once

#include "llvm/Support/Error.h"
#include <nlohmann/json.hpp>

namespace convoy::service {

class JsonFields {
public:
  /// `object` may have any type. It must live longer than the reader.
  explicit JsonFields(const nlohmann::json &object) : object(object) {}

  std::string text(const char *key) { return get(key, std::string(), Kind::Text, true); }
  int64_t integer(const char *key) { return get(key, int64_t{0}, Kind::Integer, true); }

  // Optional fields.
  std::string text(const char *key, std::string fallback) {
    return get(key, std::move(fallback), Kind::Text, false);
  }
  int64_t integer(const char *key, int64_t fallback) {
    return get(key, fallback, Kind::Integer, false);
  }
  double number(const char *key, double fallback) {
    return get(key, fallback, Kind::Number, false);
  }
  bool flag(const char *key, bool fallback) { return get(key, fallback, Kind::Flag, false); }
  /// Returns an object or array; empty if it is missing.
  const nlohmann::json &part(const char *key) const {
    static const nlohmann::json kNothing = nlohmann::json::object();
    if (!object.is_object()) {
      return kNothing;
    }
    auto found = object.find(key);
    return found != object.end() && found->is_structured() ? *found : kNothing;
  }

  /// Returns an error if a required field was not found. `what` names the object.
  llvm::Error problem(llvm::StringRef what) const {
    if (missing.empty()) {
      return llvm::Error::success();
    }
    return llvm::createStringError(what + " has no valid field '" + missing + "'");
  }

private:
  enum class Kind { Text, Integer, Number, Flag };

  template <typename T>
  T get(const char *key, T fallback, Kind kind, bool isRequired) {
    if (object.is_object()) {
      auto found = object.find(key);
      if (found != object.end() && is(*found, kind)) {
        return found->template get<T>();
      }
    }
    if (isRequired && missing.empty()) {
      missing = key;
    }
    return fallback;
  }

  static bool is(const nlohmann::json &value, Kind kind) {
    switch (kind) {
    case Kind::Text:
      return value.is_string();
    case Kind::Integer:
      return value.is_number_integer();
    case Kind::Number:
      return value.is_number();
    case Kind::Flag:
      return value.is_boolean();
    }
    return false;
  }

  const nlohmann::json &object;
  std::string missing;
};

/// Returns the text of a JSON value; invalid UTF-8 is replaced.
inline std::string dump(const nlohmann::json &value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Parses an object. The error contains the begin of the text.
inline llvm::Expected<nlohmann::json> parseObject(llvm::StringRef text, llvm::StringRef what) {
  nlohmann::json value =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) {
    return llvm::createStringError(what + " is not a JSON object: '" + text.take_front(80) + "'");
  }
  return value;
}

} // namespace convoy::service
