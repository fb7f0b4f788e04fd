// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the streams, the process group and the signals of started programs.

#include "Support/StartProgram.h"
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy {
namespace {

int statusOf(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return status;
}

/// Runs a shell command and returns what it writes to the stream.
std::string outputOf(const std::string &command, ProgramStart how, int ProgramStart::*stream) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  how.*stream = ends[1];
  pid_t process = llvm::cantFail(startProgram({"/bin/sh", "-c", command}, how));
  close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  EXPECT_EQ(statusOf(process), 0);
  return text;
}

TEST(StartProgram, StreamsThatAreNotGivenAreEmpty) {
  EXPECT_EQ(outputOf("echo out; echo err >&2; cat", {}, &ProgramStart::output), "out\n");
  EXPECT_EQ(outputOf("echo out; echo err >&2; cat", {}, &ProgramStart::errors), "err\n");
}

TEST(StartProgram, LeadsAGroup) {
  // The sleeping child of the shell holds the pipe open; only a signal to the group ends both.
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ProgramStart how;
  how.output = ends[1];
  how.leadsGroup = true;
  pid_t process = llvm::cantFail(startProgram({"/bin/sh", "-c", "sleep 1000 & echo; wait"}, how));
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1); // the child runs
  EXPECT_EQ(kill(-process, SIGKILL), 0);
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  EXPECT_TRUE(WIFSIGNALED(statusOf(process)));
  close(ends[0]);
}

TEST(StartProgram, ALateProgramEndsWithItsChildren) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ProgramStart how;
  how.output = ends[1];
  how.leadsGroup = true;
  pid_t process = llvm::cantFail(startProgram({"/bin/sh", "-c", "sleep 1000 & wait"}, how));
  close(ends[1]);
  ProgramEnd end = waitForGroup(process, 1);
  EXPECT_TRUE(end.isLate);
  EXPECT_EQ(end.code, -1);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0); // no child holds the pipe open
  close(ends[0]);
  how.output = -1;
  pid_t quick = llvm::cantFail(startProgram({"/bin/sh", "-c", "exit 3"}, how));
  end = waitForGroup(quick, 1000);
  EXPECT_FALSE(end.isLate);
  EXPECT_EQ(end.code, 3);
}

TEST(StartProgram, IgnoresInterrupts) {
  ProgramStart how;
  how.ignoresInterrupts = true;
  EXPECT_EQ(outputOf("kill -INT $$; echo alive", how, &ProgramStart::output), "alive\n");
}

TEST(StartProgram, EndsWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  pid_t parent = fork();
  if (parent == 0) {
    ProgramStart how;
    how.output = ends[1];
    how.endsWithParent = true;
    llvm::cantFail(startProgram({"/bin/sh", "-c", "echo; exec sleep 1000"}, how));
    pause();
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  kill(parent, SIGKILL);
  statusOf(parent);
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(StartProgram, AMissingProgramEndsWithExitCode127) {
  pid_t process = llvm::cantFail(startProgram({"/no/such/program"}, {}));
  EXPECT_EQ(WEXITSTATUS(statusOf(process)), 127);
}

} // namespace
} // namespace convoy
