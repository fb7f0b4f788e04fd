// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/api/ErrorJson.h"
#include <nlohmann/json.hpp>

namespace convoy::service {
namespace {

using Json = nlohmann::json;
using Written = nlohmann::ordered_json;

/// Formats JSON. Bytes that are not UTF-8 are replaced.
std::string textOf(const Written &json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Written::error_handler_t::replace);
}

Json parse(llvm::StringRef text) {
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
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

} // namespace

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

} // namespace convoy::service
