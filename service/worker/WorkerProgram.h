// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags, the log and the end of the programs convoy-builder and convoy-agent.

#pragma once

#include "service/blobs/BlobClient.h"
#include "service/worker/Worker.h"
#include <CLI/CLI.hpp>

namespace convoy::service {

/// The flags that both programs have.
struct WorkerFlags {
  std::string nats, blobs, certs, ca, cert, key, user, name, cache;
  int64_t cacheMegabytes = 16384;
  double stuckSeconds = 30;

  // Emulation.
  bool isEmulating = false;
  std::string emulation; // the table of a device
  double speed = 1, seconds = 0, noise = 0, hangSeconds = 60;
  int count = 1, hangEvery = 0;
};

/// Adds the common flags. `role` is "builder" or "agent".
void addWorkerFlags(CLI::App &app, WorkerFlags &flags, const std::string &role);
/// Adds the flags of emulated workers except --emulate.
void addEmulationFlags(CLI::App &app, WorkerFlags &flags, double seconds);

/// Returns the files of --certs and --user, or of --ca, --cert and --key.
llvm::Expected<TlsFiles> tlsFilesOf(const WorkerFlags &flags);
llvm::Expected<std::shared_ptr<BlobClient>> blobClientOf(const WorkerFlags &flags);

/// Parses the arguments and calls `run`, which returns an exit code. Errors end the program with
/// exit code 1. Never returns by an exception.
/// After it, threads may still run, so the caller ends the process by _exit().
int runProgram(CLI::App &app, int argc, char **argv,
               llvm::function_ref<llvm::Expected<WorkerEnd>()> run);

/// Runs stations until SIGTERM or SIGINT.
llvm::Expected<WorkerEnd> serveWork(const WorkerFlags &flags, WorkerOptions options,
                                    std::vector<std::unique_ptr<WorkStation>> stations);

/// Writes one line to stderr.
void logLine(const std::string &text);

} // namespace convoy::service
