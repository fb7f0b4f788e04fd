// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets`: the columns of the list, and the description of one target.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

using TargetsTest = tool::test::DriverCase;

TEST_F(TargetsTest, TheColumnsOfTheListDoNotCollide) {
  ASSERT_EQ(convoy({"targets"}), kDone) << err;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(out).split(lines, '\n', -1, /*KeepEmpty=*/false);
  size_t verbs = lines.front().find("verbs"), description = lines.front().find("description");
  for (llvm::StringRef line : lines) {
    ASSERT_GT(line.size(), description) << line.str();
    EXPECT_EQ(line.substr(verbs - 2, 2), "  ") << line.str();
    EXPECT_EQ(line.substr(description - 2, 2), "  ") << line.str();
    if (line.starts_with("host ")) {
      EXPECT_TRUE(line.contains("  compile, run, check, bench, tune, explain")) << line.str();
    }
    if (line.starts_with("rv64gcv-1024 ")) {
      EXPECT_TRUE(line.contains("  compile, tune, explain")) << line.str();
    }
    if (line.starts_with("abstract ")) {
      EXPECT_TRUE(line.contains("  compile, run, check, bench, explain")) << line.str();
    }
  }
}

TEST_F(TargetsTest, DescribesTheHost) {
  ASSERT_EQ(convoy({"targets", "host"}), kDone) << err;
  for (const char *row :
       {"CPU ", "cores ", "vectors ", "caches ", "features ", "C compiler ", "fingerprint "}) {
    EXPECT_NE(out.find(std::string("\n") + row), std::string::npos) << row << out;
  }
  ASSERT_EQ(convoy({"targets", "host", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  EXPECT_EQ(value->getAsObject()->getString("fingerprint")->size(), 64U);
  EXPECT_EQ(*value->getAsObject()->getObject("description")->getString("name"), "host");
}

TEST_F(TargetsTest, DescribesAMicrocontroller) {
  ASSERT_EQ(convoy({"targets", "cortex-m55"}), kDone) << err;
  for (const char *text :
       {"512 KiB at 0x0, 1 cycle per access, for code, weights\n", "\nmemory itcm ", "\ncycles ",
        "\nC compiler :clang  clang-19 ", "\nlinker ", "\nstack ", "\nemulator "}) {
    EXPECT_NE(out.find(text), std::string::npos) << text << out;
  }
  ASSERT_EQ(convoy({"targets", "cortex-m85"}), kDone) << err;
  EXPECT_NE(out.find("compile, explain\n"), std::string::npos) << out;
}

TEST_F(TargetsTest, NamesTheOutputOfACompile) {
  for (auto [target, output] : {std::pair("host", "library"), std::pair("cortex-m4", "c"),
                                std::pair("abstract", "library")}) {
    ASSERT_EQ(convoy({"targets", target, "--json"}), kDone) << err;
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
    ASSERT_TRUE(bool(value)) << out;
    EXPECT_EQ(value->getAsObject()->getString("output"), llvm::StringRef(output)) << target;
  }
  ASSERT_EQ(convoy({"targets", "reference", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  EXPECT_NE(value->getAsObject()->get("output"), nullptr) << out;
  EXPECT_TRUE(value->getAsObject()->get("output")->getAsNull()) << out;
}

TEST_F(TargetsTest, DescribesADevice) {
  ASSERT_EQ(convoy({"targets", "abstract"}), kDone) << err;
  EXPECT_NE(out.find("\nkind "), std::string::npos) << out;
  EXPECT_NE(out.find("\nop conv "), std::string::npos) << out;
}

TEST_F(TargetsTest, AnUnknownNameIsAnErrorWithAllNames) {
  EXPECT_EQ(convoy({"targets", "nothing"}), kUserError);
  EXPECT_EQ(err.find("error: unknown target 'nothing'; expected one of host, "), 0U) << err;
}

} // namespace
