// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that no command of a description in a file runs unless the name of the target permits it.

#include "Targets/AllowedCommands.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace convoy::targets;

namespace {

class AllowedCommands : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("target", "json", name));
    path = name.str().str();
    Target target = llvm::cantFail(findTarget("aarch64"));
    target.emulator = {"evil", "-x\x1b"};
    write(toJson(target));
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void write(const std::string &text) {
    std::error_code failure;
    llvm::raw_fd_ostream(path, failure) << text;
    ASSERT_FALSE(failure);
    hash = hashOf(text);
  }
  Target find(const std::string &name) const { return llvm::cantFail(findTarget(name)); }

  std::string path, hash;
};

TEST_F(AllowedCommands, AreRefusedByDefault) {
  Target target = find(path);
  EXPECT_EQ(llvm::toString(checkMayRun(target.emulator)),
            "the target description would run the command 'evil -x\\1B'; Convoy runs commands of a "
            "description in a file only if the user allows them; read '" +
                path + "', then pass --allow-toolchain, or add the line '" + hash + "  " + path +
                "' to allowed-toolchains in $XDG_CONFIG_HOME/convoy (default: ~/.config/convoy)");
  EXPECT_TRUE(llvm::errorToBool(checkMayRunAll(target)));
  // A caller that forgets the check runs nothing.
  EXPECT_FALSE(llvm::sys::findProgramByName(target.emulator.front()));
}

TEST_F(AllowedCommands, RunIfTheNamePermitsThem) {
  for (const std::string &name : {withTrust(path, ""), withTrust(path, hash)}) {
    Target target = find(name);
    EXPECT_EQ(llvm::toString(checkMayRunAll(target)), "") << name;
    EXPECT_EQ(target.emulator.front(), "evil");
  }
}

TEST_F(AllowedCommands, AreRefusedIfTheFileChanged) {
  std::string name = withTrust(path, hash);
  Target target = llvm::cantFail(findTarget("aarch64"));
  target.emulator = {"other"};
  write(toJson(target));
  EXPECT_TRUE(llvm::errorToBool(checkMayRunAll(find(name))));
}

TEST_F(AllowedCommands, OfBuiltInTargetsRun) {
  for (const Target &target : listTargets()) {
    EXPECT_EQ(llvm::toString(checkMayRunAll(target)), "") << target.name;
  }
}

TEST_F(AllowedCommands, DoNotChangeTheFingerprint) {
  EXPECT_EQ(find(path).fingerprint(), find(withTrust(path, "")).fingerprint());
  EXPECT_EQ(shownCommand(find(path).emulator), find(withTrust(path, "")).emulator);
}

TEST_F(AllowedCommands, KeepTheCompilerOfTheName) {
  Target board = llvm::cantFail(findTarget("cortex-m4"));
  write(toJson(board));
  Target refused = find(path + ":clang"), trusted = find(withTrust(path + ":clang", ""));
  EXPECT_TRUE(llvm::errorToBool(checkMayRun(refused.toolchain->compilers.front().command)));
  EXPECT_EQ(llvm::toString(checkMayRunAll(trusted)), "");
  EXPECT_EQ(trusted.toolchain->compilers.front().name, "clang");
}

} // namespace
