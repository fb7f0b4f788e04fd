// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the check of the host's CPU: it agrees with LLVM, names missing features, and writes only
// inside the given buffer.

#include "Targets/Target.h"
#include "convoy/convoy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <gtest/gtest.h>
#include <set>

using namespace convoy;

namespace {

std::string missing(const char *features) {
  char text[256];
  size_t length = convoy_missing_features(features, text, sizeof(text));
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

// LLVM 19 supports these features only in part; see runtime/core/cpu_features.inc.
constexpr llvm::StringRef kDropped[] = {"avx10.1-256", "avx10.1-512", "ccmp", "cf",
                                        "egpr",        "ndd",         "ppx",  "push2pop2"};

TEST(CheckCpu, AgreesWithLlvmOnEveryFeatureItKnows) {
  int compared = 0;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    std::string name = feature.getKey().str();
    if (llvm::is_contained(kDropped, name)) {
      EXPECT_NE(convoy_check_cpu(name.c_str()), CONVOY_OK) << name;
      continue;
    }
    EXPECT_EQ(convoy_check_cpu(name.c_str()) == CONVOY_OK, feature.getValue()) << name;
    ++compared;
  }
  // LLVM has names for at least the features of x86-64-v4.
  EXPECT_GE(compared, 60);
}

TEST(CheckCpu, AcceptsTheHost) {
  std::string features = llvm::join(targets::detectHost().features, ",");
  EXPECT_EQ(missing(features.c_str()), "");
  EXPECT_EQ(convoy_check_cpu(features.c_str()), CONVOY_OK);
}

TEST(CheckCpu, KnowsTheFeaturesOfEveryTarget) {
  // If the table lacked a name, every library for that target would refuse to run on any machine.
  targets::Target host = targets::detectHost();
  for (const targets::Target &target : targets::listTargets()) {
    std::string features = llvm::join(target.features, ",");
    EXPECT_EQ(missing(features.c_str()), llvm::join(targets::missingFeatures(target, host), ", "))
        << target.name;
  }
}

TEST(CheckCpu, NamesWhatIsMissing) {
  EXPECT_EQ(missing("sse2,warp9,cx8,flux"), "warp9, flux");
  EXPECT_EQ(convoy_check_cpu("sse2,warp9"), CONVOY_ERROR_UNSUPPORTED_CPU);
}

TEST(CheckCpu, ComparesWholeNames) {
  // "sse" is a feature; "ss" and "sse2x" are not.
  EXPECT_EQ(missing("ss,sse,sse2x"), "ss, sse2x");
}

TEST(CheckCpu, EmptyNamesAreNothing) {
  EXPECT_EQ(missing(""), "");
  EXPECT_EQ(missing(",sse2,,"), "");
}

TEST(CheckCpu, CutsTheListToTheBuffer) {
  char text[8];
  std::fill(std::begin(text), std::end(text), '#');
  EXPECT_EQ(convoy_missing_features("warp9,flux", text, 6), 11u);
  EXPECT_STREQ(text, "warp9");
  EXPECT_EQ(text[6], '#');
  EXPECT_EQ(convoy_missing_features("warp9", text, 1), 5u);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(convoy_missing_features("warp9", nullptr, 0), 5u);
}

TEST(CheckCpu, RefusesNull) {
  EXPECT_EQ(convoy_check_cpu(nullptr), CONVOY_ERROR_NULL_POINTER);
  EXPECT_EQ(convoy_missing_features(nullptr, nullptr, 0), 0u);
}

TEST(ErrorText, EveryCodeHasItsSentence) {
  std::set<std::string> texts;
  for (int code = CONVOY_OK; code <= CONVOY_ERROR_CUSTOM_OP; ++code) {
    texts.insert(convoy_error_text(code));
    EXPECT_STRNE(convoy_error_text(code), convoy_error_text(-1)) << code;
  }
  EXPECT_EQ(texts.size(), CONVOY_ERROR_CUSTOM_OP + 1u);
  EXPECT_STREQ(convoy_error_text(CONVOY_ERROR_CUSTOM_OP + 1),
               "unknown code: the model is newer than this runtime");
  EXPECT_STREQ(convoy_error_text(CONVOY_ERROR_UNSUPPORTED_CPU),
               "this CPU lacks instructions that the model was compiled for; recompile it for this "
               "machine with --target=host, or for an older one (see `convoy targets`)");
}

} // namespace
