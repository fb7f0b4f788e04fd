// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of child processes: the result, the status and the end by a signal.

#include "io/ChildProcess.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using convoy::io::ChildProcess;
using convoy::io::writeToPipe;

namespace {

std::string readAll(const ChildProcess &child) {
  std::string text;
  while (child.readMore(text)) {
  }
  return text;
}

TEST(ChildProcess, SendsMoreThanThePipeHolds) {
  std::string sent(1 << 20, 'x');
  auto child = ChildProcess::start([&](int results) { writeToPipe(results, sent); });
  ASSERT_TRUE(child);
  EXPECT_EQ(readAll(*child), sent);
  int status = child->wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ChildProcess, ReturnsTheExitCodeAndWhatWasSent) {
  auto child = ChildProcess::start([](int results) {
    writeToPipe(results, "half");
    execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
  });
  ASSERT_TRUE(child);
  EXPECT_EQ(readAll(*child), "half");
  int status = child->wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(ChildProcess, EndsByASignal) {
  auto child = ChildProcess::start([](int) { pause(); });
  ASSERT_TRUE(child);
  ChildProcess moved = std::move(*child);
  moved.kill();
  EXPECT_EQ(readAll(moved), "");
  int status = moved.wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

} // namespace
