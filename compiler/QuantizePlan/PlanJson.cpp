// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads plans. The text has one line per tensor, so that a person can find and edit a
// tensor. An unknown field is an error, because a misspelled field would otherwise leave a default
// value in place.

#include "QuantizePlan/PlanJson.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using llvm::StringRef;

namespace convoy::plan {
namespace {

constexpr int64_t kVersion = 1;

constexpr std::pair<StringRef, ElementType> kActivationTypes[] = {{"u8", ElementType::U8},
                                                                  {"i8", ElementType::I8},
                                                                  {"i16", ElementType::I16},
                                                                  {"f32", ElementType::F32}};
constexpr std::pair<StringRef, ElementType> kWeightTypes[] = {
    {"i8", ElementType::I8}, {"i4", ElementType::I4}, {"f32", ElementType::F32}};
constexpr std::pair<StringRef, Rounding> kRoundings[] = {{"nearest", Rounding::Nearest},
                                                         {"fitted", Rounding::Fitted}};

template <typename T, size_t N>
StringRef wordOf(const std::pair<StringRef, T> (&words)[N], T value) {
  for (const auto &[word, meaning] : words) {
    if (meaning == value) {
      return word;
    }
  }
  return words[N - 1].first;
}

/// Writes an object in one line. json::OStream either breaks the line after each member or leaves
/// out the blanks.
class LineWriter {
public:
  void attribute(StringRef name, const llvm::json::Value &value) { begin(name) << value; }

  void scale(StringRef name, float value) { write(value, begin(name)); }

  void scales(StringRef name, llvm::ArrayRef<float> values) {
    begin(name) << "[";
    llvm::interleave(values, [&](float value) { write(value, os); }, [&] { os << ", "; });
    os << "]";
  }

  std::string finish() {
    os << "}";
    return std::move(text);
  }

private:
  llvm::raw_ostream &begin(StringRef name) {
    return os << (text.empty() ? "{" : ", ") << llvm::json::Value(name) << ": ";
  }

  /// 9 digits restore every float; json::OStream writes the 17 digits of a double.
  static void write(float value, llvm::raw_ostream &os) {
    os << llvm::format("%.9g", static_cast<double>(value));
  }

  std::string text;
  llvm::raw_string_ostream os{text};
};

void writeReason(LineWriter &line, const std::string &reason) {
  if (!reason.empty()) {
    line.attribute("reason", llvm::json::fixUTF8(reason));
  }
}

std::string lineOf(const ActivationPlan &plan) {
  LineWriter line;
  line.attribute("tensor", llvm::json::fixUTF8(plan.tensor));
  line.attribute("type", wordOf(kActivationTypes, plan.type));
  if (plan.type != ElementType::F32) {
    line.scale("scale", plan.scale);
    line.attribute("zeroPoint", plan.zeroPoint);
  }
  if (plan.tie >= 0) {
    line.attribute("tie", plan.tie);
  }
  writeReason(line, plan.reason);
  return line.finish();
}

std::string lineOf(const WeightPlan &plan) {
  LineWriter line;
  line.attribute("tensor", llvm::json::fixUTF8(plan.tensor));
  line.attribute("type", wordOf(kWeightTypes, plan.type));
  if (plan.type != ElementType::F32) {
    line.attribute("axis", plan.axis);
    line.attribute("rounding", wordOf(kRoundings, plan.rounding));
    line.attribute("correctsBias", plan.correctsBias);
    line.scales("scales", plan.scales);
  }
  writeReason(line, plan.reason);
  return line.finish();
}

template <typename Entries>
void writeEntries(llvm::json::OStream &json, StringRef name, const Entries &entries) {
  json.attributeArray(name, [&] {
    for (const auto &entry : entries) {
      json.rawValue(lineOf(entry));
    }
  });
}

/// Reads the fields of one object. Keeps the first problem and ignores all later reads.
class EntryReader {
public:
  EntryReader(const llvm::json::Object &object, std::string where, std::string &problem)
      : object(object), where(std::move(where)), problem(problem) {}

  template <typename T, size_t N>
  void readWord(StringRef field, const std::pair<StringRef, T> (&words)[N], T &value) {
    const llvm::json::Value *found = find(field);
    std::optional<StringRef> text = found ? found->getAsString() : std::nullopt;
    std::vector<std::string> known;
    for (const auto &[word, meaning] : words) {
      known.push_back(word.str());
      if (text == word) {
        value = meaning;
        return;
      }
    }
    fail(field, "expects one of " + llvm::join(known, ", "));
  }

  void readText(StringRef field, std::string &value, bool isOptional) {
    const llvm::json::Value *found = find(field);
    std::optional<StringRef> text = found ? found->getAsString() : std::nullopt;
    if (text && (isOptional || !text->empty())) {
      value = text->str();
    } else if (found || !isOptional) {
      fail(field, "expects a string");
    }
  }

  void readInteger(StringRef field, int64_t &value, bool isOptional) {
    const llvm::json::Value *found = find(field);
    std::optional<int64_t> number = found ? found->getAsInteger() : std::nullopt;
    if (number) {
      value = *number;
    } else if (found || !isOptional) {
      fail(field, "expects an integer");
    }
  }

  void readFlag(StringRef field, bool &value) {
    const llvm::json::Value *found = find(field);
    std::optional<bool> fact = found ? found->getAsBoolean() : std::nullopt;
    if (found && !fact) {
      fail(field, "expects true or false");
    }
    value = fact.value_or(value);
  }

  void readScale(StringRef field, float &value) {
    const llvm::json::Value *found = find(field);
    std::optional<double> number = found ? found->getAsNumber() : std::nullopt;
    if (!setScale(number, value)) {
      fail(field, "expects a positive number");
    }
  }

  void readScales(StringRef field, std::vector<float> &values) {
    const llvm::json::Value *found = find(field);
    const llvm::json::Array *array = found ? found->getAsArray() : nullptr;
    bool isValid = array && !array->empty();
    for (size_t i = 0; isValid && i < array->size(); ++i) {
      values.push_back(0);
      isValid = setScale((*array)[i].getAsNumber(), values.back());
    }
    if (!isValid) {
      fail(field, "expects a list of positive numbers");
    }
  }

  /// Rejects fields that were not read.
  void finish() {
    for (const auto &[name, value] : object) {
      if (!known.contains(StringRef(name))) {
        std::vector<std::string> names;
        for (const auto &entry : known) {
          names.push_back(entry.getKey().str());
        }
        llvm::sort(names);
        fail(StringRef(name), "is unknown; the fields are " + llvm::join(names, ", "));
      }
    }
  }

private:
  static bool setScale(std::optional<double> number, float &value) {
    value = number ? static_cast<float>(*number) : 0;
    return value > 0 && std::isfinite(value);
  }

  const llvm::json::Value *find(StringRef field) {
    known.insert(field);
    return object.get(field);
  }

  void fail(StringRef field, const std::string &what) {
    if (problem.empty()) {
      problem = where + ": field '" + field.str() + "' " + what;
    }
  }

  const llvm::json::Object &object;
  std::string where;
  std::string &problem;
  llvm::StringSet<> known;
};

void readEntry(EntryReader &reader, ActivationPlan &plan) {
  reader.readText("tensor", plan.tensor, /*isOptional=*/false);
  reader.readWord("type", kActivationTypes, plan.type);
  if (plan.type != ElementType::F32) {
    reader.readScale("scale", plan.scale);
    reader.readInteger("zeroPoint", plan.zeroPoint, /*isOptional=*/false);
  }
  reader.readInteger("tie", plan.tie, /*isOptional=*/true);
  reader.readText("reason", plan.reason, /*isOptional=*/true);
}

void readEntry(EntryReader &reader, WeightPlan &plan) {
  reader.readText("tensor", plan.tensor, /*isOptional=*/false);
  reader.readWord("type", kWeightTypes, plan.type);
  if (plan.type != ElementType::F32) {
    reader.readInteger("axis", plan.axis, /*isOptional=*/false);
    reader.readWord("rounding", kRoundings, plan.rounding);
    reader.readFlag("correctsBias", plan.correctsBias);
    reader.readScales("scales", plan.scales);
  }
  reader.readText("reason", plan.reason, /*isOptional=*/true);
}

template <typename Entry>
void readEntries(const llvm::json::Object &root, StringRef field, std::vector<Entry> &entries,
                 std::string &problem) {
  const llvm::json::Array *array = root.getArray(field);
  if (!array) {
    problem = "field '" + field.str() + "' expects a list";
    return;
  }
  for (size_t i = 0; i < array->size() && problem.empty(); ++i) {
    std::string where = llvm::formatv("{0}[{1}]", field, i).str();
    if (const llvm::json::Object *object = (*array)[i].getAsObject()) {
      EntryReader reader(*object, where, problem);
      readEntry(reader, entries.emplace_back());
      reader.finish();
    } else {
      problem = where + " expects an object";
    }
  }
}

} // namespace

std::string toJson(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", kVersion);
    writeEntries(json, "activations", plan.activations);
    writeEntries(json, "weights", plan.weights);
  });
  os << "\n";
  return text;
}

llvm::Expected<Plan> planFromJson(const std::string &text, const std::string &name) {
  auto fail = [&](const std::string &problem) {
    return llvm::createStringError("cannot read the plan '" + name + "': " + problem +
                                   "; `convoy quantize` writes a plan in the expected form");
  };
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value) {
    return fail("the text is not JSON: " + llvm::toString(value.takeError()));
  }
  const llvm::json::Object *root = value->getAsObject();
  if (!root || root->getInteger("version") != kVersion) {
    return fail("expects an object with \"version\": " + std::to_string(kVersion));
  }
  Plan plan;
  std::string problem;
  readEntries(*root, "activations", plan.activations, problem);
  if (problem.empty()) {
    readEntries(*root, "weights", plan.weights, problem);
  }
  if (!problem.empty()) {
    return fail(problem);
  }
  return plan;
}

} // namespace convoy::plan
