// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running `convoy-measure --serve`: questions and answers as JSON. Started again when
// it ends or does not answer.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <sys/types.h>

namespace convoy::tuning {

class MeasureProcess {
public:
  /// `program` is convoy-measure.
  explicit MeasureProcess(std::string program) : program(std::move(program)) {}
  ~MeasureProcess() { stop(); }
  MeasureProcess(const MeasureProcess &) = delete;
  MeasureProcess &operator=(const MeasureProcess &) = delete;

  /// Asks and waits. The process watches `timeoutMs` itself; when it does not answer
  /// some seconds later either, it is killed, and the answer says so as it would have.
  llvm::Expected<llvm::json::Object> ask(llvm::json::Object request, double timeoutMs);

  /// 0 when it does not run.
  pid_t id() const { return process; }

private:
  llvm::Error start();
  void stop();
  bool send(llvm::StringRef line) const;
  /// A line, without its end; nothing when the process has ended or the time is up.
  std::optional<std::string> receive(double timeoutMs);

  std::string program;
  pid_t process = 0;
  int socket = -1;
  std::string received;  // beyond the last line
  bool isClosed = false; // at the other end
};

} // namespace convoy::tuning
