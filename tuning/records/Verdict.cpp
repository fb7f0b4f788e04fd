// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts verdicts to text and back.

#include "Verdict.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tuning {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

constexpr llvm::StringLiteral kPassedOverForm = "expected 'passedOver' to be a list of [task] or "
                                                "[task, template, version, configuration, input, "
                                                "output]";

Array toArray(llvm::ArrayRef<PassedOver> list) {
  Array result;
  for (const PassedOver &entry : list) {
    Array parts{entry.task};
    if (const std::optional<Configuration> &one = entry.configuration) {
      for (Value part : {Value(one->templateId), Value(one->templateVersion), Value(one->text),
                         Value(one->inputLayout), Value(one->outputLayout)}) {
        parts.push_back(std::move(part));
      }
    }
    result.push_back(std::move(parts));
  }
  return result;
}

Array toArray(llvm::ArrayRef<PairedSample> samples) {
  Array result;
  for (const PairedSample &sample : samples) {
    result.push_back(Array{sample.beforeNs, sample.afterNs});
  }
  return result;
}

/// Returns nothing if the value is not such a list.
std::optional<PassedOver> toPassedOver(const Value &value) {
  const Array *parts = value.getAsArray();
  if (!parts || (parts->size() != 1 && parts->size() != 6) || !(*parts)[0].getAsString()) {
    return std::nullopt;
  }
  PassedOver entry{(*parts)[0].getAsString()->str(), std::nullopt};
  if (parts->size() == 1) {
    return entry;
  }
  auto text = [&](size_t i) { return (*parts)[i].getAsString(); };
  std::optional<int64_t> version = (*parts)[2].getAsInteger();
  if (!text(1) || !version || !text(3) || !text(4) || !text(5)) {
    return std::nullopt;
  }
  entry.configuration = Configuration{text(1)->str(), static_cast<int>(*version), text(3)->str(),
                                      text(4)->str(), text(5)->str()};
  return entry;
}

llvm::Expected<std::vector<PassedOver>> toPassedOvers(const Value &value) {
  const Array *list = value.getAsArray();
  std::vector<PassedOver> result;
  for (size_t i = 0; list && i < list->size(); ++i) {
    std::optional<PassedOver> entry = toPassedOver((*list)[i]);
    if (!entry) {
      return llvm::createStringError(kPassedOverForm);
    }
    result.push_back(std::move(*entry));
  }
  if (!list) {
    return llvm::createStringError(kPassedOverForm);
  }
  return result;
}

llvm::Expected<std::vector<PairedSample>> toPairs(const Value &value) {
  std::vector<PairedSample> result;
  const Array *list = value.getAsArray();
  for (size_t i = 0; list && i < list->size(); ++i) {
    const Array *pair = (*list)[i].getAsArray();
    std::optional<int64_t> before, after;
    if (pair && pair->size() == 2) {
      before = (*pair)[0].getAsInteger();
      after = (*pair)[1].getAsInteger();
    }
    if (!before || !after) {
      return llvm::createStringError("expected a pair of samples [beforeNs, afterNs]");
    }
    result.push_back({*before, *after});
  }
  if (!list) {
    return llvm::createStringError("expected the samples of a verdict to be a list");
  }
  return result;
}

template <typename T>
llvm::Expected<T> parsed(llvm::StringRef text, llvm::Expected<T> (*read)(const Value &)) {
  llvm::Expected<Value> value = parseJson(text);
  if (!value) {
    return value.takeError();
  }
  return read(*value);
}

} // namespace

bool Verdict::passesOver(llvm::StringRef task, const Configuration &configuration) const {
  return keepsDefault || llvm::any_of(passedOver, [&](const PassedOver &entry) {
           return entry.task == task &&
                  (!entry.configuration || *entry.configuration == configuration);
         });
}

std::string networkKey(const std::map<std::string, int64_t> &taskCounts) {
  std::string text = "convoy-network 1\n";
  for (const auto &[task, count] : taskCounts) {
    text += task + " " + std::to_string(count) + "\n";
  }
  return sha256(text);
}

std::string templatesText(const std::map<std::string, int> &versions) {
  std::string text;
  for (const auto &[id, version] : versions) {
    text += (text.empty() ? "" : ", ") + id + " " + std::to_string(version);
  }
  return text;
}

std::string passedOverToJson(llvm::ArrayRef<PassedOver> list) {
  return llvm::formatv("{0}", Value(toArray(list))).str();
}

llvm::Expected<std::vector<PassedOver>> passedOverFromJson(llvm::StringRef text) {
  return parsed<std::vector<PassedOver>>(text, toPassedOvers);
}

std::string pairsToJson(llvm::ArrayRef<PairedSample> samples) {
  return llvm::formatv("{0}", Value(toArray(samples))).str();
}

llvm::Expected<std::vector<PairedSample>> pairsFromJson(llvm::StringRef text) {
  return parsed<std::vector<PairedSample>>(text, toPairs);
}

std::string toJsonLine(const Verdict &verdict) {
  Object object{{"verdict", verdict.id},
                {"network", verdict.network},
                {"target", verdict.target},
                {"templates", verdict.templates},
                {"policy", verdict.policy},
                {"choice", verdict.keepsDefault ? "default" : "tuned"},
                {"passedOver", toArray(verdict.passedOver)},
                {"samples", toArray(verdict.samples)},
                {"compiler", verdict.compiler},
                {"unixUs", verdict.unixUs}};
  return llvm::formatv("{0}", Value(std::move(object))).str();
}

llvm::Expected<Verdict> verdictFromJson(const Object &object) {
  Verdict verdict;
  struct Field {
    llvm::StringRef name;
    std::string &text;
  };
  std::string choice;
  for (Field field : {Field{"verdict", verdict.id},
                      {"network", verdict.network},
                      {"target", verdict.target},
                      {"templates", verdict.templates},
                      {"policy", verdict.policy},
                      {"choice", choice},
                      {"compiler", verdict.compiler}}) {
    std::optional<llvm::StringRef> text = object.getString(field.name);
    if (!text) {
      return llvm::createStringError("expected '" + field.name + "' to be a string");
    }
    field.text = text->str();
  }
  std::optional<int64_t> when = object.getInteger("unixUs");
  const Value *passed = object.get("passedOver"), *samples = object.get("samples");
  if (!when || !passed || !samples || (choice != "default" && choice != "tuned")) {
    return llvm::createStringError("expected a verdict with 'unixUs', an integer, 'passedOver' and "
                                   "'samples', lists, and 'choice', tuned or default");
  }
  verdict.unixUs = *when;
  verdict.keepsDefault = choice == "default";
  llvm::Expected<std::vector<PassedOver>> list = toPassedOvers(*passed);
  llvm::Expected<std::vector<PairedSample>> pairs = toPairs(*samples);
  if (!list || !pairs) {
    return llvm::joinErrors(list.takeError(), pairs.takeError());
  }
  verdict.passedOver = std::move(*list);
  verdict.samples = std::move(*pairs);
  if (llvm::Error error = checkVerdict(verdict)) {
    return std::move(error);
  }
  return verdict;
}

llvm::Error checkVerdict(const Verdict &verdict) {
  for (const auto &[name, text] : {std::pair<llvm::StringRef, llvm::StringRef>{"id", verdict.id},
                                   {"network", verdict.network},
                                   {"target", verdict.target},
                                   {"policy", verdict.policy}}) {
    if (text.empty() || !llvm::json::isUTF8(text) || text.contains('\0')) {
      return llvm::createStringError("verdict '" + llvm::json::fixUTF8(verdict.id) + "': its " +
                                     name + " is empty or not valid UTF-8");
    }
  }
  for (const PairedSample &sample : verdict.samples) {
    if (sample.beforeNs <= 0 || sample.afterNs <= 0) {
      return llvm::createStringError("verdict '" + verdict.id +
                                     "': expected a pair of samples with two times above 0");
    }
  }
  return llvm::Error::success();
}

} // namespace convoy::tuning
