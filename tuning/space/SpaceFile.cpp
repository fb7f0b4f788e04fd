// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a user's changes to the spaces and applies them.

#include "tuning/space/SpaceFile.h"
#include "Layout/Spaces.h"
#include "Support/Json.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tuning {

namespace json = llvm::json;

llvm::Expected<SpaceFile> SpaceFile::parse(llvm::StringRef text, llvm::StringRef origin) {
  llvm::Expected<json::Value> value = parseJson(text);
  if (!value) {
    return withPrefix(origin + ": ", value.takeError());
  }
  const json::Object *templates = value->getAsObject();
  if (!templates) {
    return llvm::createStringError(origin + ": expected an object of templates");
  }
  SpaceFile file;
  file.origin = origin.str();
  for (const auto &[id, body] : *templates) {
    if (llvm::Error error = file.parseTemplate(id, body)) {
      return error;
    }
  }
  return file;
}

llvm::Error SpaceFile::parseTemplate(llvm::StringRef id, const json::Value &value) {
  std::vector<std::string> known;
  for (const layout::TemplateVersion &own : layout::templateVersions()) {
    known.push_back(own.id.str());
  }
  if (!llvm::is_contained(known, id)) {
    return llvm::createStringError(origin + ": unknown template '" + id + "'; expected one of " +
                                   llvm::join(known, ", "));
  }
  std::optional<bool> isWanted = value.getAsBoolean();
  const json::Object *knobs = value.getAsObject();
  if (isWanted && !*isWanted) {
    excluded.push_back(id.str());
    return llvm::Error::success();
  }
  if (!knobs) {
    return llvm::createStringError(origin + ": template '" + id +
                                   "' expects an object of knobs, or false to exclude it");
  }
  for (const auto &[knob, body] : *knobs) {
    if (llvm::Error error = parseKnob(id, knob, body)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error SpaceFile::parseKnob(llvm::StringRef id, llvm::StringRef knob,
                                 const json::Value &value) {
  KnobEdit &edit = edits[id.str()][knob.str()];
  const json::Object *parts = value.getAsObject();
  if (!parts) {
    edit.replaces = true;
    return parseValues(knob, value, edit.add);
  }
  for (const auto &[part, values] : *parts) {
    if (part != "add" && part != "remove") {
      return llvm::createStringError(origin + ": knob '" + knob +
                                     "' expects 'add' or 'remove', got '" + llvm::StringRef(part) +
                                     "'");
    }
    if (llvm::Error error = parseValues(knob, values, part == "add" ? edit.add : edit.remove)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error SpaceFile::parseValues(llvm::StringRef knob, const json::Value &value,
                                   std::vector<Value> &values) const {
  auto wrong = [&] {
    return llvm::createStringError(origin + ": knob '" + knob +
                                   "' expects a list of whole numbers from 0 to 1048576, or of "
                                   "lists of them");
  };
  const json::Array *list = value.getAsArray();
  if (!list) {
    return wrong();
  }
  for (const json::Value &element : *list) {
    llvm::ArrayRef<json::Value> numbers = element;
    if (const json::Array *several = element.getAsArray()) {
      numbers = llvm::ArrayRef(several->data(), several->size());
    }
    Value read;
    for (const json::Value &number : numbers) {
      constexpr int64_t kMost = 1 << 20;
      std::optional<int64_t> integer = number.getAsInteger();
      if (!integer || *integer < 0 || *integer > kMost) {
        return wrong();
      }
      read.push_back(*integer);
    }
    values.push_back(std::move(read));
  }
  return llvm::Error::success();
}

bool SpaceFile::hasTemplate(llvm::StringRef id) const { return !llvm::is_contained(excluded, id); }

llvm::Error SpaceFile::apply(kernels::Space &space) const {
  auto found = edits.find(space.templateId);
  if (found == edits.end()) {
    return llvm::Error::success();
  }
  for (const auto &entry : found->second) {
    const std::string &name = entry.first;
    const KnobEdit &edit = entry.second;
    auto knob = llvm::find_if(space.knobs, [&](const kernels::Knob &k) { return k.name == name; });
    if (knob == space.knobs.end()) {
      std::vector<std::string> names;
      for (const kernels::Knob &known : space.knobs) {
        names.push_back(known.name);
      }
      return llvm::createStringError(origin + ": template '" + space.templateId +
                                     "' has no knob '" + name + "'; its knobs are " +
                                     (names.empty() ? "none" : llvm::join(names, ", ")));
    }
    if (edit.replaces) {
      knob->values.clear();
    }
    for (const Value &value : edit.add) {
      if (value.size() != knob->parameters.size()) {
        return llvm::createStringError(origin + ": a value of knob '" + name + "' is " +
                                       std::to_string(knob->parameters.size()) + " numbers (" +
                                       llvm::join(knob->parameters, ", ") + "), got " +
                                       std::to_string(value.size()));
      }
      kernels::addValue(*knob, value);
    }
    llvm::erase_if(knob->values,
                   [&](const Value &value) { return llvm::is_contained(edit.remove, value); });
  }
  return llvm::Error::success();
}

} // namespace convoy::tuning
