// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes JSON by the descriptors of the messages. All functions that can throw in
// nlohmann's library are guarded by a check of the type.

#include "service/api/ApiJson.h"
#include "Support/NearestName.h"
#include "service/api/MessageDefaults.h"
#include "service/api/TuningApi.h"
#include <nlohmann/json.hpp>

namespace convoy::service {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Text that is read: a map, because a search in a list would let a body with many fields take
// minutes. Text that is written keeps the order of the fields.
using Json = nlohmann::json;
using Written = nlohmann::ordered_json;

Written write(const Message &message);

/// Returns a field, or the item of a list at `index`.
Written writeValue(const Message &message, const FieldDescriptor *field, int index) {
  const Reflection *all = message.GetReflection();
  auto get = [&](auto one, auto item) -> Written {
    return field->is_repeated() ? (all->*item)(message, field, index) : (all->*one)(message, field);
  };
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_STRING:
    return get(&Reflection::GetString, &Reflection::GetRepeatedString);
  case FieldDescriptor::CPPTYPE_INT32:
    return get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32);
  case FieldDescriptor::CPPTYPE_INT64:
    return get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64);
  case FieldDescriptor::CPPTYPE_UINT64:
    return get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble);
  case FieldDescriptor::CPPTYPE_BOOL:
    return get(&Reflection::GetBool, &Reflection::GetRepeatedBool);
  case FieldDescriptor::CPPTYPE_ENUM:
    return (field->is_repeated() ? all->GetRepeatedEnum(message, field, index)
                                 : all->GetEnum(message, field))
        ->name();
  case FieldDescriptor::CPPTYPE_MESSAGE:
    return write(field->is_repeated() ? all->GetRepeatedMessage(message, field, index)
                                      : all->GetMessage(message, field));
  default:
    llvm_unreachable("tuning.proto has no field of this type");
  }
}

/// Returns whether a field is not set and JSON leaves it out then.
bool isOmitted(const Message &message, const FieldDescriptor *field) {
  const Reflection *all = message.GetReflection();
  return field->options().GetExtension(tuning::v1::is_omitted_if_unset) &&
         (field->is_repeated() ? all->FieldSize(message, field) == 0
                               : !all->HasField(message, field));
}

Written write(const Message &message) {
  Written object = Written::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor *field = message.GetDescriptor()->field(i);
    if (isOmitted(message, field)) {
      continue;
    }
    Written &value = object[field->json_name()];
    if (!field->is_repeated()) {
      value = writeValue(message, field, 0);
      continue;
    }
    value = Written::array();
    for (int item = 0; item < message.GetReflection()->FieldSize(message, field); ++item) {
      value.push_back(writeValue(message, field, item));
    }
  }
  return object;
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

llvm::Error wrong(const std::string &path, const llvm::Twine &expected, const Json &got) {
  std::string where = path.empty() ? "the body" : "field \"" + path + "\"";
  return apiError(ErrorCode::Invalid, where + ": expected " + expected + ", got " + kindOf(got));
}

llvm::Error unknownField(const Descriptor *type, const std::string &prefix,
                         const std::string &key) {
  std::vector<std::string> names;
  for (int i = 0; i < type->field_count(); ++i) {
    names.push_back(type->field(i)->json_name());
  }
  std::string nearest = nearestName(key, names);
  return apiError(ErrorCode::Invalid,
                  "unknown field \"" + prefix + key + "\"" +
                      (nearest.empty() ? "" : "; did you mean \"" + prefix + nearest + "\"?"));
}

const FieldDescriptor *findField(const Descriptor *type, const std::string &name) {
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->json_name() == name) {
      return type->field(i);
    }
  }
  return nullptr;
}

/// Reads one value; `path` names it in errors.
class MessageReader {
public:
  explicit MessageReader(UnknownFields unknown) : unknown(unknown) {}

  llvm::Error readObject(const Json &json, Message &message, const std::string &path) {
    if (!json.is_object()) {
      return wrong(path, "an object", json);
    }
    std::string prefix = path.empty() ? "" : path + ".";
    for (const auto &item : json.items()) {
      const FieldDescriptor *field = findField(message.GetDescriptor(), item.key());
      llvm::Error error = field ? readField(item.value(), message, field, prefix + item.key())
                          : unknown == UnknownFields::Refuse
                              ? unknownField(message.GetDescriptor(), prefix, item.key())
                              : llvm::Error::success();
      if (error) {
        return error;
      }
    }
    return llvm::Error::success();
  }

private:
  llvm::Error readField(const Json &json, Message &message, const FieldDescriptor *field,
                        const std::string &path) {
    if (!field->is_repeated()) {
      return readValue(json, message, field, path);
    }
    if (!json.is_array()) {
      return wrong(path, "a list", json);
    }
    for (size_t i = 0; i < json.size(); ++i) {
      std::string itemPath = path + "[" + std::to_string(i) + "]";
      if (llvm::Error error = readValue(json[i], message, field, itemPath)) {
        return error;
      }
    }
    return llvm::Error::success();
  }

  /// Sets a field, or adds an item to a list.
  llvm::Error readValue(const Json &json, Message &message, const FieldDescriptor *field,
                        const std::string &path) {
    const Reflection *all = message.GetReflection();
    auto set = [&](auto one, auto item, auto value) {
      (all->*(field->is_repeated() ? item : one))(&message, field, std::move(value));
      return llvm::Error::success();
    };
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return !json.is_string()
                 ? wrong(path, "a text", json)
                 : set(&Reflection::SetString, &Reflection::AddString, json.get<std::string>());
    case FieldDescriptor::CPPTYPE_INT32:
      return !fits<int32_t>(json)
                 ? wrong(path, range<int32_t>(), json)
                 : set(&Reflection::SetInt32, &Reflection::AddInt32, json.get<int32_t>());
    case FieldDescriptor::CPPTYPE_INT64:
      return !fits<int64_t>(json)
                 ? wrong(path, range<int64_t>(), json)
                 : set(&Reflection::SetInt64, &Reflection::AddInt64, json.get<int64_t>());
    case FieldDescriptor::CPPTYPE_UINT64:
      return !fits<uint64_t>(json)
                 ? wrong(path, range<uint64_t>(), json)
                 : set(&Reflection::SetUInt64, &Reflection::AddUInt64, json.get<uint64_t>());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return !json.is_number()
                 ? wrong(path, "a number", json)
                 : set(&Reflection::SetDouble, &Reflection::AddDouble, json.get<double>());
    case FieldDescriptor::CPPTYPE_BOOL:
      return !json.is_boolean() ? wrong(path, "true or false", json)
                                : set(&Reflection::SetBool, &Reflection::AddBool, json.get<bool>());
    case FieldDescriptor::CPPTYPE_ENUM:
      return readState(json, message, field, path);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return readObject(json,
                        *(field->is_repeated() ? all->AddMessage(&message, field)
                                               : all->MutableMessage(&message, field)),
                        path);
    default:
      llvm_unreachable("tuning.proto has no field of this type");
    }
  }

  static llvm::Error readState(const Json &json, Message &message, const FieldDescriptor *field,
                               const std::string &path) {
    if (!json.is_string()) {
      return wrong(path, "a state", json);
    }
    std::string text = json.get<std::string>();
    const auto *state = field->enum_type()->FindValueByName(text);
    if (!state || state->number() == 0) {
      return apiError(ErrorCode::Invalid, "field \"" + path + "\": expected one of " +
                                              stateNames(field->enum_type()) + ", got '" + text +
                                              "'");
    }
    auto set = field->is_repeated() ? &Reflection::AddEnum : &Reflection::SetEnum;
    (message.GetReflection()->*set)(&message, field, state);
    return llvm::Error::success();
  }

  template <typename T>
  static bool fits(const Json &json) {
    using Limits = std::numeric_limits<T>;
    if (json.is_number_unsigned()) {
      return json.get<uint64_t>() <= static_cast<uint64_t>(Limits::max());
    }
    return json.is_number_integer() && std::is_signed_v<T> &&
           json.get<int64_t>() >= static_cast<int64_t>(Limits::min());
  }

  template <typename T>
  static std::string range() {
    using Limits = std::numeric_limits<T>;
    return "an integer from " + std::to_string(Limits::min()) + " to " +
           std::to_string(Limits::max());
  }

  UnknownFields unknown;
};

/// Returns a parameter of a URL as the JSON value that the field reads.
Json parameterValue(const FieldDescriptor *field, const std::string &text) {
  if (field->is_repeated()) {
    Json list = Json::array();
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts) {
      list.push_back(part.str());
    }
    return list;
  }
  bool isText = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return !isText && number.is_number_integer() ? number : Json(text);
}

llvm::Error readMessage(const Json &json, UnknownFields unknown, Message &message) {
  if (llvm::Error error = MessageReader(unknown).readObject(json, message, "")) {
    return error;
  }
  setDefaults(message);
  return llvm::Error::success();
}

} // namespace

std::string toJson(const Message &message) {
  std::unique_ptr<Message> whole(message.New());
  whole->CopyFrom(message);
  setDefaults(*whole);
  return textOf(write(*whole));
}

llvm::Error readJson(llvm::StringRef text, UnknownFields unknown, Message &message) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return apiError(ErrorCode::Invalid, "the body: expected an object in JSON, got " +
                                            llvm::Twine(text.size()) + " bytes of another form");
  }
  return readMessage(json, unknown, message);
}

llvm::Error readParameters(const Parameters &parameters, Message &message) {
  Json json = Json::object();
  for (const auto &[key, text] : parameters) {
    const FieldDescriptor *field = findField(message.GetDescriptor(), key);
    json[key] = field ? parameterValue(field, text) : Json(text); // the reader refuses the name
  }
  return readMessage(json, UnknownFields::Refuse, message);
}

} // namespace convoy::service
