// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the real servers once per test program, through scripts/service, and stops them at its
// end. The tests of the tuning service use it.

#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::service::test {

/// The servers of a test program in one scratch folder. Without the programs of the servers, the
/// test program ends with exit code 77, which ctest counts as skipped.
class Servers : public ::testing::Environment {
public:
  /// `servers` is "nats", "postgres" or "nats postgres"; `options` are options of start-servers.sh.
  explicit Servers(std::string servers, std::string options = "")
      : servers(std::move(servers)), options(std::move(options)) {}

  /// Adds the servers to the test program. Call it in a static initializer. googletest deletes
  /// the result.
  static Servers *add(const std::string &servers, const std::string &options = "") {
    auto *result = new Servers(servers, options);
    ::testing::AddGlobalTestEnvironment(result);
    return result;
  }

  void SetUp() override {
    char name[] = "/tmp/convoy-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    path = name;
    int code = start();
    if (code == 77) {
      _exit(77); // start-servers.sh has printed the reason
    }
    ASSERT_EQ(code, 0) << "start-servers.sh failed";
    readEnvironment();
  }
  void TearDown() override { run("stop-servers.sh " + path + " --kill --remove"); }

  /// Ends a server with SIGTERM. The server writes its state first.
  void stop(const std::string &server) {
    ASSERT_EQ(run("stop-servers.sh " + path + " " + server), 0);
  }
  /// Ends a server with SIGKILL, as in a crash.
  void kill(const std::string &server) {
    ASSERT_EQ(run("stop-servers.sh " + path + " --kill " + server), 0);
  }
  /// Starts the servers that do not run, with their old ports and data. Returns the exit code.
  int start() {
    return run("start-servers.sh " + path + " --owner " + std::to_string(getpid()) + " " + options +
               " " + servers);
  }

  const std::string &folder() const { return path; }
  /// Returns a value of services.env. The program's environment has the same values.
  const std::string &value(const std::string &name) { return values[name]; }

private:
  static int run(const std::string &command) {
    int status = std::system((CONVOY_SERVICE_SCRIPTS "/" + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void readEnvironment() {
    std::ifstream file(path + "/services.env");
    for (std::string line; std::getline(file, line);) {
      // export NAME='value'
      size_t equals = line.find('=');
      std::string name = line.substr(7, equals - 7);
      values[name] = line.substr(equals + 2, line.size() - equals - 3);
      setenv(name.c_str(), values[name].c_str(), 1);
    }
  }

  std::string servers, options, path;
  std::map<std::string, std::string> values;
};

} // namespace convoy::service::test
