// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `convoy-measure --serve` and exchanges requests and answers as JSON. Restarts the
// process if it ends or does not answer.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <sys/types.h>

namespace convoy::tuning {

class MeasureProcess {
public:
  /// `program` is the path of convoy-measure.
  explicit MeasureProcess(std::string program) : program(std::move(program)) {}
  ~MeasureProcess() { stop(); }
  MeasureProcess(const MeasureProcess &) = delete;
  MeasureProcess &operator=(const MeasureProcess &) = delete;

  /// Sends a request and waits for the answer. The process enforces `timeoutMs` itself. If it
  /// does not answer a few seconds after that, it is killed, and the answer reports a
  /// time-out.
  llvm::Expected<llvm::json::Object> ask(llvm::json::Object request, double timeoutMs);

  /// Returns 0 if the process does not run.
  pid_t id() const { return process; }

private:
  llvm::Error start();
  void stop();
  bool send(llvm::StringRef line) const;
  /// Returns a line without its line end, or nothing if the process has ended or the time
  /// limit has passed.
  std::optional<std::string> receive(double timeoutMs);

  std::string program;
  pid_t process = 0;
  int socket = -1;
  std::string received;  // the incomplete last line
  bool isClosed = false; // the process has closed its end
};

} // namespace convoy::tuning
