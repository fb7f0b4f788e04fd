// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates x86 features to flags of gcc and clang: the highest x86-64 psABI
// level that the target supports, and the features beyond this level. Other
// architectures require no flag, because the compiler's default includes their
// vector instructions.

#include "Targets/SourceCompiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

/// A feature and the lowest level that includes it.
struct Feature {
  StringRef name;
  int level;
};

// Every compiler that supports the levels (gcc 11, clang 12) has a flag for
// each of these features.
constexpr int kHighestLevel = 4;
constexpr Feature kFeatures[] = {
    {"cx16", 2},     {"popcnt", 2},     {"sahf", 2},     {"sse3", 2},     {"sse4.1", 2},
    {"sse4.2", 2},   {"ssse3", 2},      {"avx", 3},      {"avx2", 3},     {"bmi", 3},
    {"bmi2", 3},     {"f16c", 3},       {"fma", 3},      {"lzcnt", 3},    {"movbe", 3},
    {"avx512bw", 4}, {"avx512cd", 4},   {"avx512dq", 4}, {"avx512f", 4},  {"avx512vl", 4},
    {"avxvnni", 5},  {"avx512vnni", 5}, {"amx-tile", 5}, {"amx-int8", 5},
};

} // namespace

std::vector<std::string> deriveSourceCompiler(const Target &target) {
  std::vector<std::string> command = {"cc", "-O3"};
  if (llvm::Triple(target.triple).getArch() != llvm::Triple::x86_64) {
    return command;
  }
  auto lacks = [&](const Feature &feature) {
    return !llvm::is_contained(target.features, feature.name);
  };
  int level = 1;
  while (level < kHighestLevel && llvm::none_of(
                                      kFeatures,
                                      [&](const Feature &feature) {
                                        return feature.level == level + 1 && lacks(feature);
                                      })) {
    ++level;
  }
  command.push_back(level == 1 ? "-march=x86-64" : "-march=x86-64-v" + std::to_string(level));
  for (const Feature &feature : kFeatures) {
    if (feature.level > level && !lacks(feature)) {
      command.push_back("-m" + feature.name.str());
    }
  }
  return command;
}

} // namespace convoy::targets
