// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages and exit codes of convoy-builder and convoy-agent for wrong flags.

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace {

/// Runs a program and returns its stderr and its exit code.
std::string run(const std::string &arguments) {
  FILE *pipe = popen((CONVOY_BIN "/" + arguments + " 2>&1 >/dev/null").c_str(), "r");
  std::string text;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof(buffer), pipe)) {
    text.append(buffer, count);
  }
  return text + "exit code " + std::to_string(WEXITSTATUS(pclose(pipe)));
}

TEST(Programs, report_wrong_flags) {
  EXPECT_EQ(run("convoy-agent --nats tls://localhost:1"),
            "convoy-agent: --class is required\nexit code 1");
  EXPECT_EQ(run("convoy-agent --nats tls://localhost:1 --class c"),
            "convoy-agent: expected --certs DIR, or --ca, --cert and --key\nexit code 1");
  EXPECT_EQ(run("convoy-builder --nats tls://localhost:1 --certs /nowhere --emulate"),
            "convoy-builder: cannot read the certificate file '/nowhere/ca.crt': No such file or "
            "directory\nexit code 1");
  EXPECT_EQ(run("convoy-builder --nats tls://localhost:1 --certs /nowhere"),
            "convoy-builder: expected --cache DIR for downloaded and built files\nexit code 1");
  EXPECT_EQ(run("convoy-agent --nats tls://localhost:1 --certs /nowhere --class c --emulate "
                "/nowhere.json"),
            "convoy-agent: cannot read '/nowhere.json': No such file or directory\nexit code 1");
  EXPECT_EQ(run("convoy-agent --help"), "exit code 0");
}

} // namespace
