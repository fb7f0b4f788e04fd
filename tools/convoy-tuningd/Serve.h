// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy-tuningd serve`: waits for the leadership, then runs the jobs of the tuning service.

#pragma once

#include "Verbs.h"
#include <string>

namespace convoy::tuningd {

struct ServeOptions {
  std::string database;             // connection string; empty: libpq's environment
  std::string nats;                 // "tls://host:port"
  std::string certificates;         // folder with ca.crt, server.*, tuningd.*
  std::string listen = "127.0.0.1"; // address of both ports
  int port = 8443;                  // JSON over HTTPS and blobs; 0: a free one
  int grpcPort = 8444;              // 0: a free one
  std::string folder;               // for blobs; leader and standby share it
  std::string policy = "balanced";
  int searchThreads = 1;
  double leaseSeconds = 15;
  double lostSeconds = 120;
  double retainHours = 72;  // of unused blobs
  double blobGibibytes = 8; // the limit of all blobs
  std::string timesFile;    // receives lines "<stage>,<seconds>"; empty: none
  std::string portsFile;    // receives "<port> <grpc port>" after the start; empty: none
};

/// Returns kDone after SIGTERM, and kUserError if the process must be restarted.
ExitCode serve(const ServeOptions &options);

} // namespace convoy::tuningd
