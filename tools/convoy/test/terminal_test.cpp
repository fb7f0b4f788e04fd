// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy` on a pseudo-terminal: progress is one line that changes and that the end erases.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/Path.h"
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace convoy;
using namespace convoy::tool;

namespace {

struct TerminalTest : tool::test::DriverCase {
  /// Runs the program on a terminal of 80 columns and returns all that it writes.
  static std::string runOnTerminal(std::vector<std::string> arguments) {
    llvm::SmallString<256> program(
        llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, nullptr)));
    llvm::sys::path::append(program, "convoy");
    arguments.insert(arguments.begin(), std::string(program));
    std::vector<char *> argv;
    for (std::string &argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    int terminal = -1;
    winsize size{};
    size.ws_row = 24;
    size.ws_col = 80;
    pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
    if (process == 0) {
      execv(argv[0], argv.data());
      _exit(127);
    }
    std::string written;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(terminal, buffer, sizeof(buffer))) > 0;) {
      written.append(buffer, static_cast<size_t>(count));
    }
    int status = 0;
    waitpid(process, &status, 0);
    close(terminal);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << written;
    return written;
  }

  /// Returns what the screen shows in the end: "\r" goes to the first column, "\033[K" erases.
  static std::string screenOf(llvm::StringRef written) {
    std::string screen, line;
    size_t column = 0;
    while (!written.empty()) {
      char c = written.front();
      if (written.consume_front("\033[K")) {
        line.resize(std::min(column, line.size()));
        continue;
      }
      written = written.drop_front();
      if (c == '\r') {
        column = 0;
      } else if (c == '\n') {
        screen += line + "\n";
        line.clear();
        column = 0;
      } else {
        line.resize(std::max(line.size(), column + 1), ' ');
        line[column++] = c;
      }
    }
    return screen + line;
  }

  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "3"})); }
};

TEST_F(TerminalTest, OneLineOfProgressIsErased) {
  std::string written =
      runOnTerminal({"run", relu(), "--input=random:1", "--target=reference", "--threads=1"});
  EXPECT_NE(written.find("\r\033[K[1] read\r"), std::string::npos) << written;
  size_t steps = 0;
  for (size_t at = 0; (at = written.find("\r\033[K[", at)) != std::string::npos; ++at) {
    ++steps;
  }
  EXPECT_GE(steps, 3U) << written;
  std::string screen = screenOf(written);
  EXPECT_EQ(screen.rfind("y: float 1x3\n  ", 0), 0U) << screen;
  EXPECT_EQ(screen.find('['), std::string::npos) << screen;
  EXPECT_EQ(std::count(screen.begin(), screen.end(), '\n'), 3) << screen;
}

TEST_F(TerminalTest, QuietShowsNoProgress) {
  std::string written =
      runOnTerminal({"compile", relu(), "--quiet", "-o", folder.file("out"), "--threads=1"});
  EXPECT_EQ(written, "");
}

} // namespace
