// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Provides the built-in targets. The build embeds their JSON as string
// literals, so that the tools need no data files.

#include "Targets/Target.h"
#include "Support/InputFile.h"
#include "Targets/AllowedCommands.h"
#include "Targets/SourceCompiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

struct BuiltIn {
  StringRef file;
  StringRef json;
};

constexpr BuiltIn kBuiltIns[] = {
#include "Targets/BuiltInTargets.inc"
};

} // namespace

std::string Target::fingerprint() const {
  Target bare = withoutRefusals(*this);
  bare.name = bare.summary = "";
  bare.powerStates.clear();
  bare.emulator.clear();
  if (bare.toolchain) {
    bare.toolchain->emulator = {};
    bare.toolchain->timeoutSeconds = 0;
  }
  if (bare.sourceCompiler == deriveSourceCompiler(bare)) {
    bare.sourceCompiler.clear(); // follows from the features
  }
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(toJson(bare)));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string Target::featureString() const {
  std::string text;
  for (const std::string &feature : features) {
    text += (text.empty() ? "+" : ",+") + feature;
  }
  return text;
}

const Cache *Target::cache(int64_t level) const {
  auto found = llvm::find_if(caches, [&](const Cache &cache) { return cache.level == level; });
  return found == caches.end() ? nullptr : &*found;
}

std::vector<Target> listTargets() {
  std::vector<Target> all = {detectHost()};
  for (const BuiltIn &builtIn : kBuiltIns) {
    // A unit test parses each built-in description, so parsing cannot fail.
    all.push_back(llvm::cantFail(parseTarget(builtIn.json, builtIn.file)));
  }
  return all;
}

/// Makes a compiler of the tool chain the default.
static llvm::Expected<Target> withCompiler(Target target, StringRef compiler) {
  std::vector<std::string> names;
  if (target.toolchain) {
    for (const Tool &tool : target.toolchain->compilers) {
      names.push_back(tool.name);
    }
  }
  auto found = llvm::find(names, compiler);
  if (found == names.end()) {
    std::string known = names.empty() ? "the target has no tool chain"
                                      : "expected one of " + llvm::join(names, ", ");
    return llvm::createStringError("unknown compiler '%s' of target '%s'; %s",
                                   compiler.str().c_str(), target.name.c_str(), known.c_str());
  }
  std::vector<Tool> &tools = target.toolchain->compilers;
  auto chosen = tools.begin() + (found - names.begin());
  std::rotate(tools.begin(), chosen, chosen + 1);
  target.sourceCompiler = tools.front().command;
  return target;
}

/// Reads the description in a file.
static llvm::Expected<Target> readTarget(const TrustedName &name) {
  if (isDevice(name.file)) {
    return llvm::createStringError("cannot read target description '" + name.file +
                                   "': it is a device; expected a file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(name.file);
  if (!buffer) {
    return llvm::createStringError(buffer.getError(), "cannot read target description '%s': %s",
                                   name.file.str().c_str(), buffer.getError().message().c_str());
  }
  StringRef text = (*buffer)->getBuffer();
  llvm::Expected<Target> target = parseTarget(text, name.file);
  std::string hash = hashOf(text);
  bool isAllowed = name.isTrusted && (name.hash.empty() || name.hash.equals_insensitive(hash));
  if (target && !isAllowed) {
    refuseCommands(*target, name.file, hash);
  }
  return target;
}

llvm::Expected<Target> findTarget(StringRef name) {
  if (name.ends_with(".json")) {
    return readTarget(splitTrust(name));
  }
  if (auto [base, compiler] = name.rsplit(':'); !compiler.empty()) {
    llvm::Expected<Target> target = findTarget(base);
    return target ? withCompiler(std::move(*target), compiler) : std::move(target);
  }
  std::vector<std::string> names;
  for (Target &target : listTargets()) {
    if (target.name == name) {
      return std::move(target);
    }
    names.push_back(target.name);
  }
  return llvm::createStringError(
      "unknown target '%s'; expected one of %s, or the path of a .json file", name.str().c_str(),
      llvm::join(names, ", ").c_str());
}

std::vector<std::string> missingFeatures(const Target &target, const Target &machine) {
  std::vector<std::string> missing;
  for (const std::string &feature : target.features) {
    if (!llvm::is_contained(machine.features, feature)) {
      missing.push_back(feature);
    }
  }
  return missing;
}

std::string whyNotHere(const Target &target) {
  Target host = detectHost();
  llvm::Triple wanted(target.triple);
  llvm::Triple actual(host.triple);
  if (wanted.getArch() != actual.getArch()) {
    return ("this machine is " + actual.getArchName() + ", not " + wanted.getArchName()).str();
  }
  std::vector<std::string> missing = missingFeatures(target, host);
  return missing.empty() ? "" : "this CPU lacks " + llvm::join(missing, ", ");
}

} // namespace convoy::targets
