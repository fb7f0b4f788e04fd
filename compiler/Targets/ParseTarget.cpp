// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts JSON to Target and back. An error names the file, the field and the
// expected value. An unknown field is an error, because a misspelled field would
// otherwise leave a default value in place.

#include "Support/Json.h"
#include "Targets/FieldReader.h"
#include "Targets/ParseToolchain.h"
#include "Targets/Target.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

// Larger than the memory of any machine, and small enough that products of
// sizes do not overflow.
constexpr int64_t kMaxBytes = int64_t(1) << 48;
constexpr int64_t kMaxCount = 1 << 16;

// The words of sourceLoops.
constexpr StringRef kVectors = "vectors", kPlain = "plain";

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
    entry.readPlain("name", memory.name);
    entry.read("bytes", memory.bytes, 0, kMaxBytes);
    entry.read("alignmentBytes", memory.alignmentBytes, 1, 1 << 20);
    readPlacement(entry, memory);
    target.memories.push_back(memory);
  });
}

void readPowerStates(FieldReader &fields, Target &target) {
  constexpr int64_t kMaxMegahertz = 1000000;
  constexpr int64_t kMaxMilliwatts = 1000000000;
  fields.readObjects("powerStates", [&](FieldReader &entry) {
    PowerState state;
    entry.readPlain("name", state.name);
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
  fields.readPlain("name", target.name);
  fields.read("summary", target.summary);
  fields.readPlain("triple", target.triple);
  fields.readPlain("cpu", target.cpu);
  fields.readPlainStrings("features", target.features);
  fields.read("vectorBytes", target.vectorBytes, 16, 4096);
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
  readMicrocontroller(fields, target);
  fields.finish();
  llvm::sort(target.features);
  return target;
}

/// Returns why the compiler has no code generation for the triple, or an empty text.
std::string checkTriple(const Target &target) {
  using llvm::Triple;
  Triple triple(target.triple);
  constexpr Triple::ArchType kArchitectures[] = {Triple::x86_64, Triple::aarch64, Triple::arm,
                                                 Triple::thumb,  Triple::riscv32, Triple::riscv64,
                                                 Triple::ve};
  bool isKnown = llvm::is_contained(kArchitectures, triple.getArch()) && triple.isOSBinFormatELF();
  return isKnown ? ""
                 : "target.triple expects x86_64, aarch64, arm, thumb, riscv32, riscv64 or ve with "
                   "an operating system that has ELF files, got \"" +
                       target.triple + "\"";
}

/// Returns why code with fused multiply-adds cannot be generated, or an empty text.
std::string checkFma(const Target &target) {
  bool isX86 = llvm::Triple(target.triple).getArch() == llvm::Triple::x86_64;
  bool hasInstruction =
      llvm::is_contained(target.features, "fma") || llvm::is_contained(target.features, "avx512f");
  return target.hasFma && isX86 && !hasInstruction ? "target.hasFma expects the feature \"fma\" in "
                                                     "target.features, found none; add it, or "
                                                     "set hasFma to false"
                                                   : "";
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
    llvm::json::Object object{
        {"name", memory.name}, {"bytes", memory.bytes}, {"alignmentBytes", memory.alignmentBytes}};
    writePlacement(memory, object);
    memories.push_back(std::move(object));
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
  llvm::Expected<llvm::json::Value> value = parseJson(json);
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
  if (problem.empty()) {
    problem = checkTriple(target);
  }
  if (problem.empty()) {
    problem = checkFma(target);
  }
  if (problem.empty()) {
    problem = checkToolchain(target);
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
  if (!target.sourceCompiler.empty() && !target.toolchain) {
    object["sourceCompiler"] = llvm::json::Array(target.sourceCompiler);
  }
  if (!target.emulator.empty()) {
    object["emulator"] = llvm::json::Array(target.emulator);
  }
  writeMicrocontroller(target, object);
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str();
}

} // namespace convoy::targets
