// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the results and the limits of commands with the shell.

#include "Support/test/TestFolder.h"
#include "reduce/RunCommand.h"
#include <csignal>
#include <gtest/gtest.h>

using namespace convoy::reduce;

namespace {

CommandResult runShell(const std::string &script, const CommandLimits &limits = {}) {
  convoy::test::TemporaryFolder folder;
  llvm::Expected<CommandResult> result =
      runCommand({"/bin/sh", "-c", script}, folder.path(), limits);
  EXPECT_TRUE(static_cast<bool>(result));
  return result ? *result : CommandResult();
}

TEST(RunCommand, KeepsOutputAndExitCode) {
  CommandResult result = runShell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_FALSE(result.isOverTime);
}

TEST(RunCommand, ReportsTheSignal) {
  CommandResult result = runShell("kill -SEGV $$");
  EXPECT_EQ(result.exitCode, -1);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST(RunCommand, EndsACommandThatExceedsItsCpuTime) {
  CommandLimits limits;
  limits.cpuSeconds = 1;
  CommandResult result = runShell("while :; do :; done", limits);
  EXPECT_TRUE(result.isOverTime);
  EXPECT_GE(result.cpuSeconds, 0.5);
}

TEST(RunCommand, EndsACanceledCommand) {
  CommandLimits limits;
  limits.isCanceled = [] { return true; };
  CommandResult result = runShell("sleep 1000", limits);
  EXPECT_TRUE(result.isOverTime);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunCommand, LimitsMemory) {
  CommandLimits limits;
  limits.memoryBytes = int64_t(64) << 20;
  // dd allocates one block. The program is not instrumented, so a sanitizer build limits it too.
  const char *script = "sleep 0.2; dd if=/dev/zero of=/dev/null bs=256M count=1";
  EXPECT_NE(runShell(script, limits).exitCode, 0);
  EXPECT_EQ(runShell(script).exitCode, 0);
}

} // namespace
