// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes JSON by the lists of fields. All functions that can throw in nlohmann's library
// are guarded by a check of the type.

#include "service/api/ApiJson.h"
#include "Support/NearestName.h"
#include <nlohmann/json.hpp>

namespace convoy::service {
namespace {

// Text that is read: a map, because a search in a list would let a body with many fields take
// minutes. Text that is written keeps the order of the fields.
using Json = nlohmann::json;
using Written = nlohmann::ordered_json;

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
constexpr bool isText = std::is_same_v<T, std::string>;
template <typename T>
constexpr bool isState = std::is_same_v<T, JobState> || std::is_same_v<T, DeviceState>;
template <typename T>
constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <typename T>
Written write(const T &value) {
  if constexpr (isState<T>) {
    return name(value).str();
  } else if constexpr (IsVector<T>::value) {
    Written list = Written::array();
    for (const auto &item : value) {
      list.push_back(write(item));
    }
    return list;
  } else if constexpr (isText<T> || std::is_arithmetic_v<T>) {
    return value;
  } else {
    Written object = Written::object();
    forEachField<T>([&](const char *name, auto member) { object[name] = write(value.*member); });
    return object;
  }
}

/// Formats JSON. Bytes that are not UTF-8 are replaced, so that one wrong name cannot make the
/// service unreadable.
template <typename AnyJson>
std::string textOf(const AnyJson &json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, AnyJson::error_handler_t::replace);
}

/// Returns "a text", "an integer"...: the type of a JSON value in an error.
std::string kindOf(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::boolean:
    return value.get<bool>() ? "true" : "false";
  case Json::value_t::string:
    return "a text";
  case Json::value_t::array:
    return "a list";
  case Json::value_t::object:
    return "an object";
  default:
    return textOf(value);
  }
}

/// Reads values; `path` names the field that is being read.
class Reader {
public:
  explicit Reader(UnknownFields unknown) : unknown(unknown) {}

  template <typename T>
  llvm::Error read(const Json &json, T &value, const std::string &path) {
    if constexpr (isText<T>) {
      return readText(json, value, path);
    } else if constexpr (isState<T>) {
      return readState(json, value, path);
    } else if constexpr (std::is_same_v<T, bool>) {
      return readBool(json, value, path);
    } else if constexpr (isInteger<T>) {
      return readInteger(json, value, path);
    } else if constexpr (std::is_floating_point_v<T>) {
      return readNumber(json, value, path);
    } else if constexpr (IsVector<T>::value) {
      return readList(json, value, path);
    } else {
      return readObject(json, value, path);
    }
  }

private:
  static llvm::Error wrong(const std::string &path, const llvm::Twine &expected, const Json &got) {
    std::string where = path.empty() ? "the body" : "field \"" + path + "\"";
    return apiError(ErrorCode::Invalid, where + ": expected " + expected + ", got " + kindOf(got));
  }

  static llvm::Error readText(const Json &json, std::string &value, const std::string &path) {
    if (!json.is_string()) {
      return wrong(path, "a text", json);
    }
    value = json.get<std::string>();
    return llvm::Error::success();
  }

  template <typename State>
  static llvm::Error readState(const Json &json, State &value, const std::string &path) {
    if (!json.is_string()) {
      return wrong(path, "a state", json);
    }
    std::string text = json.get<std::string>();
    if (!stateFromName(text, value)) {
      return apiError(ErrorCode::Invalid, "field \"" + path + "\": expected one of " +
                                              stateNames(value) + ", got '" + text + "'");
    }
    return llvm::Error::success();
  }

  static llvm::Error readBool(const Json &json, bool &value, const std::string &path) {
    if (!json.is_boolean()) {
      return wrong(path, "true or false", json);
    }
    value = json.get<bool>();
    return llvm::Error::success();
  }

  template <typename T>
  static llvm::Error readInteger(const Json &json, T &value, const std::string &path) {
    using Limits = std::numeric_limits<T>;
    bool fits = false;
    if (json.is_number_unsigned()) {
      fits = json.get<uint64_t>() <= static_cast<uint64_t>(Limits::max());
    } else if (json.is_number_integer()) {
      fits = std::is_signed_v<T> && json.get<int64_t>() >= static_cast<int64_t>(Limits::min());
    }
    if (!fits) {
      return wrong(path,
                   "an integer from " + std::to_string(Limits::min()) + " to " +
                       std::to_string(Limits::max()),
                   json);
    }
    value = json.get<T>();
    return llvm::Error::success();
  }

  static llvm::Error readNumber(const Json &json, double &value, const std::string &path) {
    if (!json.is_number()) {
      return wrong(path, "a number", json);
    }
    value = json.get<double>();
    return llvm::Error::success();
  }

  template <typename T>
  llvm::Error readList(const Json &json, std::vector<T> &values, const std::string &path) {
    if (!json.is_array()) {
      return wrong(path, "a list", json);
    }
    values.clear();
    for (const Json &item : json) {
      std::string itemPath = path + "[" + std::to_string(values.size()) + "]";
      if (llvm::Error error = read(item, values.emplace_back(), itemPath)) {
        return error;
      }
    }
    return llvm::Error::success();
  }

  template <typename T>
  llvm::Error readObject(const Json &json, T &value, const std::string &path) {
    if (!json.is_object()) {
      return wrong(path, "an object", json);
    }
    std::string prefix = path.empty() ? "" : path + ".";
    for (const auto &item : json.items()) {
      if (llvm::Error error = readField(item.key(), item.value(), value, prefix)) {
        return error;
      }
    }
    return llvm::Error::success();
  }

  template <typename T>
  llvm::Error readField(const std::string &key, const Json &json, T &value,
                        const std::string &prefix) {
    llvm::Error error = llvm::Error::success();
    bool isKnown = false;
    std::vector<std::string> names;
    forEachField<T>([&](const char *name, auto member) {
      names.emplace_back(name);
      if (!isKnown && key == name) {
        isKnown = true;
        llvm::cantFail(std::move(error));
        error = read(json, value.*member, prefix + key);
      }
    });
    if (isKnown || unknown == UnknownFields::Ignore) {
      return error;
    }
    llvm::cantFail(std::move(error));
    std::string nearest = nearestName(key, names);
    return apiError(ErrorCode::Invalid,
                    "unknown field \"" + prefix + key + "\"" +
                        (nearest.empty() ? "" : "; did you mean \"" + prefix + nearest + "\"?"));
  }

  UnknownFields unknown;
};

/// Returns a parameter of a URL as the JSON value that a field of type T reads.
template <typename T>
Json parameterValue(const std::string &text) {
  if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts) {
      list.push_back(parameterValue<typename T::value_type>(part.str()));
    }
    return list;
  } else if constexpr (isInteger<T>) {
    Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return number.is_number_integer() ? number : Json(text);
  } else {
    return text;
  }
}

Written errorJson(const ApiError &error) {
  Written object{{"code", name(error.code).str()}, {"message", error.message}};
  if (error.retrySeconds > 0) {
    object["retrySeconds"] = error.retrySeconds;
  }
  if (!error.leader.empty()) {
    object["leader"] = error.leader;
  }
  return object;
}

std::string textField(const Json &object, const char *field) {
  auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

llvm::Error errorOf(const Json &object, ErrorCode code, llvm::StringRef text) {
  if (!object.is_object() || textField(object, "message").empty()) {
    return apiError(code, text.trim().empty() ? "the server gave no reason" : text.trim());
  }
  double retry = 0;
  if (auto found = object.find("retrySeconds"); found != object.end() && found->is_number()) {
    retry = found->get<double>();
  }
  return llvm::make_error<ApiError>(errorCodeFromName(textField(object, "code")),
                                    textField(object, "message"), retry,
                                    textField(object, "leader"));
}

Json parse(llvm::StringRef text) {
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

} // namespace

template <typename Object>
std::string toJson(const Object &object) {
  return textOf(write(object));
}

template <typename Object>
llvm::Expected<Object> fromJson(llvm::StringRef text, UnknownFields unknown) {
  Json json = parse(text);
  if (json.is_discarded()) {
    return apiError(ErrorCode::Invalid, "the body: expected an object in JSON, got " +
                                            llvm::Twine(text.size()) + " bytes of another form");
  }
  Object object;
  if (llvm::Error error = Reader(unknown).read(json, object, "")) {
    return std::move(error);
  }
  return object;
}

template <typename Object>
llvm::Expected<Object> fromParameters(const std::multimap<std::string, std::string> &parameters) {
  Json json = Json::object();
  for (const auto &[key, text] : parameters) {
    json[key] = text; // an unknown name, which the reader refuses
    forEachField<Object>([&, &key = key, &text = text](const char *name, auto member) {
      if (key == name) {
        using Member = std::decay_t<decltype(std::declval<Object>().*member)>;
        json[key] = parameterValue<Member>(text);
      }
    });
  }
  Object object;
  if (llvm::Error error = Reader(UnknownFields::Refuse).read(json, object, "")) {
    return std::move(error);
  }
  return object;
}

std::string toJson(const ApiError &error) { return textOf(errorJson(error)); }

llvm::Error errorFromJson(llvm::StringRef text, ErrorCode code) {
  return errorOf(parse(text), code, text);
}

bool isErrorLine(llvm::StringRef line) { return line.starts_with(R"({"error":)"); }

std::string errorLine(const ApiError &error) {
  return textOf(Written{{"error", errorJson(error)}});
}

llvm::Error errorFromLine(llvm::StringRef line) {
  Json json = parse(line);
  return errorOf(json.is_object() && json.contains("error") ? json["error"] : Json(),
                 ErrorCode::Internal, line);
}

#define CONVOY_API_JSON(Object)                                                                    \
  template std::string toJson<Object>(const Object &);                                             \
  template llvm::Expected<Object> fromJson<Object>(llvm::StringRef, UnknownFields);
CONVOY_API_JSON(BestQuery)
CONVOY_API_JSON(BestAnswer)
CONVOY_API_JSON(JobSpec)
CONVOY_API_JSON(JobStatus)
CONVOY_API_JSON(JobList)
CONVOY_API_JSON(JobFilter)
CONVOY_API_JSON(JobExtension)
CONVOY_API_JSON(RecordsQuery)
CONVOY_API_JSON(ImportResult)
CONVOY_API_JSON(DeviceList)
CONVOY_API_JSON(DeviceStatus)
CONVOY_API_JSON(DeviceRequest)
CONVOY_API_JSON(UsageQuery)
CONVOY_API_JSON(Usage)
CONVOY_API_JSON(Health)
CONVOY_API_JSON(Empty)
#undef CONVOY_API_JSON
template llvm::Expected<JobFilter> fromParameters(const std::multimap<std::string, std::string> &);
template llvm::Expected<RecordsQuery>
fromParameters(const std::multimap<std::string, std::string> &);
template llvm::Expected<UsageQuery> fromParameters(const std::multimap<std::string, std::string> &);

} // namespace convoy::service
