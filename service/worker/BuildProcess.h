// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that builds candidates on request. It keeps the data of tasks and forks for each
// candidate, so that a crash of the compiler ends only the candidate.

#pragma once

#include "io/ChildProcess.h"
#include "tuning/build/BuildBatch.h"
#include "tuning/dispatch/Dispatcher.h"

namespace convoy::service {

struct BuildAnswer {
  tuning::Outcome outcome = tuning::Outcome::Ok;
  std::string message;
  tuning::RunnableCandidate candidate; // with paths
  std::optional<tuning::BuiltNetwork> network;
};

/// A network to build.
struct NetworkRequest {
  std::string modelPath, name, targetJson;
  std::string best; // bestToText()
  int threads = 1;
  /// Of both builds. The service starts a network again after ten times its --lost, 1200 s.
  double timeoutSeconds = 1000;
};

class BuildProcess {
public:
  /// Forks. The caller must have no other threads. Files are created in `folder`.
  static llvm::Expected<BuildProcess> start(std::string folder);
  BuildProcess(BuildProcess &&other) noexcept;
  BuildProcess &operator=(BuildProcess &&) = delete;
  ~BuildProcess();

  /// Builds a candidate and waits for it. The caller removes the library. An error means that the
  /// process has ended.
  llvm::Expected<BuildAnswer> build(const std::string &taskText, const std::string &targetJson,
                                    const tuning::Configuration &configuration,
                                    double timeoutSeconds);

  /// Builds a network with the fastest configurations and with the default ones. The files stay
  /// until the next call.
  llvm::Expected<BuildAnswer> buildNetwork(const NetworkRequest &request);

private:
  llvm::Expected<BuildAnswer> ask(const std::string &request);
  BuildProcess(io::ChildProcess process, int socket)
      : process(std::move(process)), socket(socket) {}
  io::ChildProcess process;
  int socket; // -1: moved
};

} // namespace convoy::service
