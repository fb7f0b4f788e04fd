// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts JSON to Target and back. An error names the file, the field and the
// expected value. An unknown field is an error, because a misspelt field would
// otherwise leave a default value in place.

#include "Targets/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

// Larger than the memory of any machine, and small enough that products of
// sizes do not overflow.
constexpr int64_t kMaxBytes = int64_t(1) << 48;
constexpr int64_t kMaxCount = 1 << 16;

// The words of sourceLoops.
constexpr StringRef kVectors = "vectors", kPlain = "plain";

/// Reads the fields of one JSON object and records which fields were read.
/// Keeps the first problem and ignores all later reads.
class FieldReader {
public:
  FieldReader(const llvm::json::Object &object, std::string where, std::string &problem)
      : object(object), where(std::move(where)), problem(problem) {}

  void read(StringRef field, std::string &value) {
    if (const llvm::json::Value *found = find(field)) {
      if (std::optional<StringRef> text = found->getAsString(); text && !text->empty()) {
        value = text->str();
      } else {
        fail(field, "expects a non-empty string");
      }
    }
  }

  void readOneOf(StringRef field, std::string &value, llvm::ArrayRef<StringRef> words) {
    read(field, value);
    if (problem.empty() && !llvm::is_contained(words, StringRef(value))) {
      fail(field, "expects one of " + llvm::join(words, ", "));
    }
  }

  void read(StringRef field, int64_t &value, int64_t least, int64_t most) {
    if (const llvm::json::Value *found = find(field)) {
      std::optional<int64_t> number = found->getAsInteger();
      if (number && *number >= least && *number <= most) {
        value = *number;
      } else {
        fail(field, llvm::formatv("expects an integer from {0} to {1}", least, most).str());
      }
    }
  }

  void read(StringRef field, bool &value) {
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
  void readObjects(StringRef field, Fn each) {
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

  /// Returns whether an optional field is present.
  bool has(StringRef field) {
    known.insert(field);
    return object.get(field) != nullptr;
  }

  void readStrings(StringRef field, std::vector<std::string> &values) {
    const llvm::json::Array *array = readArray(field);
    for (size_t i = 0; array && problem.empty() && i < array->size(); ++i) {
      if (std::optional<StringRef> text = (*array)[i].getAsString(); text && !text->empty()) {
        values.push_back(text->str());
      } else {
        fail(field, "expects an array of non-empty strings");
      }
    }
  }

  /// Rejects fields that were not read.
  void finish() {
    for (const auto &[name, value] : object) {
      if (problem.empty() && !known.contains(StringRef(name))) {
        std::vector<std::string> names;
        for (const auto &entry : known) {
          names.push_back(entry.getKey().str());
        }
        llvm::sort(names);
        problem = llvm::formatv("{0} has the unknown field '{1}'; the fields are {2}", where,
                                StringRef(name), llvm::join(names, ", "))
                      .str();
      }
    }
  }

private:
  const llvm::json::Value *find(StringRef field) {
    known.insert(field);
    const llvm::json::Value *found = object.get(field);
    if (!found && problem.empty()) {
      problem = llvm::formatv("{0} lacks the required field '{1}'", where, field).str();
    }
    return problem.empty() ? found : nullptr;
  }

  const llvm::json::Array *readArray(StringRef field) {
    const llvm::json::Value *found = find(field);
    const llvm::json::Array *array = found ? found->getAsArray() : nullptr;
    if (found && !array) {
      fail(field, "expects an array");
    }
    return array;
  }

  void fail(StringRef field, StringRef expects) {
    problem =
        llvm::formatv("{0}.{1} {2}, got {3}", where, field, expects, *object.get(field)).str();
  }

  const llvm::json::Object &object;
  std::string where;
  std::string &problem;
  llvm::StringSet<> known;
};

void readCaches(FieldReader &fields, Target &target) {
  fields.readObjects("caches", [&](FieldReader &entry) {
    Cache cache;
    entry.read("level", cache.level, 1, 8);
    entry.read("bytes", cache.bytes, 1, kMaxBytes);
    entry.read("lineBytes", cache.lineBytes, 1, 4096);
    entry.read("sharedByCores", cache.sharedByCores, 1, kMaxCount);
    target.caches.push_back(cache);
  });
}

void readMemories(FieldReader &fields, Target &target) {
  fields.readObjects("memories", [&](FieldReader &entry) {
    Memory memory;
    entry.read("name", memory.name);
    entry.read("bytes", memory.bytes, 0, kMaxBytes);
    entry.read("alignmentBytes", memory.alignmentBytes, 1, 1 << 20);
    target.memories.push_back(memory);
  });
}

void readPowerStates(FieldReader &fields, Target &target) {
  constexpr int64_t kMaxMegahertz = 1000000;
  constexpr int64_t kMaxMilliwatts = 1000000000;
  fields.readObjects("powerStates", [&](FieldReader &entry) {
    PowerState state;
    entry.read("name", state.name);
    entry.read("megahertz", state.megahertz, 1, kMaxMegahertz);
    entry.read("activeMilliwatts", state.activeMilliwatts, 0, kMaxMilliwatts);
    entry.read("idleMilliwatts", state.idleMilliwatts, 0, kMaxMilliwatts);
    target.powerStates.push_back(state);
  });
  llvm::sort(target.powerStates,
             [](const PowerState &a, const PowerState &b) { return a.megahertz > b.megahertz; });
}

Target readTarget(FieldReader &fields) {
  Target target;
  fields.read("name", target.name);
  fields.read("summary", target.summary);
  fields.read("triple", target.triple);
  fields.read("cpu", target.cpu);
  fields.readStrings("features", target.features);
  fields.read("vectorBytes", target.vectorBytes, 4, 1 << 16);
  fields.read("vectorRegisters", target.vectorRegisters, 1, 1024);
  fields.read("fmaPorts", target.fmaPorts, 0, 64);
  fields.read("hasFma", target.hasFma);
  readCaches(fields, target);
  fields.read("cores", target.cores, 1, kMaxCount);
  readMemories(fields, target);
  if (fields.has("powerStates")) {
    readPowerStates(fields, target);
  }
  if (fields.has("hasScalarOperands")) {
    fields.read("hasScalarOperands", target.hasScalarOperands);
  }
  if (fields.has("sourceLoops")) {
    std::string form;
    fields.readOneOf("sourceLoops", form, {kVectors, kPlain});
    target.sourceLoops = form == kPlain ? LoopForm::Plain : LoopForm::Vectors;
  }
  if (fields.has("sourceCompiler")) {
    fields.readStrings("sourceCompiler", target.sourceCompiler);
  }
  if (fields.has("emulator")) {
    fields.readStrings("emulator", target.emulator);
  }
  fields.finish();
  llvm::sort(target.features);
  return target;
}

llvm::json::Array cachesToJson(const Target &target) {
  llvm::json::Array caches;
  for (const Cache &cache : target.caches) {
    caches.push_back(llvm::json::Object{{"level", cache.level},
                                        {"bytes", cache.bytes},
                                        {"lineBytes", cache.lineBytes},
                                        {"sharedByCores", cache.sharedByCores}});
  }
  return caches;
}

llvm::json::Array memoriesToJson(const Target &target) {
  llvm::json::Array memories;
  for (const Memory &memory : target.memories) {
    memories.push_back(llvm::json::Object{
        {"name", memory.name}, {"bytes", memory.bytes}, {"alignmentBytes", memory.alignmentBytes}});
  }
  return memories;
}

llvm::json::Array powerStatesToJson(const Target &target) {
  llvm::json::Array states;
  for (const PowerState &state : target.powerStates) {
    states.push_back(llvm::json::Object{{"name", state.name},
                                        {"megahertz", state.megahertz},
                                        {"activeMilliwatts", state.activeMilliwatts},
                                        {"idleMilliwatts", state.idleMilliwatts}});
  }
  return states;
}

} // namespace

llvm::Expected<Target> parseTarget(StringRef json, StringRef origin) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value) {
    return llvm::createStringError("%s: not valid JSON: %s", origin.str().c_str(),
                                   llvm::toString(value.takeError()).c_str());
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object) {
    return llvm::createStringError("%s: expected a target description that is a JSON object",
                                   origin.str().c_str());
  }
  std::string problem;
  FieldReader fields(*object, "target", problem);
  Target target = readTarget(fields);
  if (problem.empty() && llvm::popcount(uint64_t(target.vectorBytes)) != 1) {
    problem =
        "target.vectorBytes expects a power of two, got " + std::to_string(target.vectorBytes);
  }
  if (!problem.empty()) {
    return llvm::createStringError("%s: %s", origin.str().c_str(), problem.c_str());
  }
  return target;
}

std::string toJson(const Target &target) {
  llvm::json::Object object{{"name", target.name},
                            {"summary", target.summary},
                            {"triple", target.triple},
                            {"cpu", target.cpu},
                            {"features", llvm::json::Array(target.features)},
                            {"vectorBytes", target.vectorBytes},
                            {"vectorRegisters", target.vectorRegisters},
                            {"fmaPorts", target.fmaPorts},
                            {"hasFma", target.hasFma},
                            {"caches", cachesToJson(target)},
                            {"cores", target.cores},
                            {"memories", memoriesToJson(target)}};
  if (!target.powerStates.empty()) {
    object["powerStates"] = powerStatesToJson(target);
  }
  if (target.hasScalarOperands) {
    object["hasScalarOperands"] = true;
  }
  if (target.sourceLoops) {
    object["sourceLoops"] = target.sourceLoops == LoopForm::Plain ? kPlain : kVectors;
  }
  if (!target.sourceCompiler.empty()) {
    object["sourceCompiler"] = llvm::json::Array(target.sourceCompiler);
  }
  if (!target.emulator.empty()) {
    object["emulator"] = llvm::json::Array(target.emulator);
  }
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str();
}

} // namespace convoy::targets
