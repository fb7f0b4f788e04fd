// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves a TuningApi over gRPC (tuning.proto) with mutual TLS.

#pragma once

#include "service/api/TuningApi.h"
#include "service/tls/TlsFiles.h"
#include <memory>

namespace convoy::service {

class GrpcServer {
public:
  /// Starts to listen on "HOST:PORT"; port 0 chooses a free one. `api` must outlive the server.
  static llvm::Expected<std::unique_ptr<GrpcServer>>
  start(TuningApi &api, const std::string &address, const TlsFiles &files);
  /// Ends streams and calls.
  ~GrpcServer();

  int port() const;

private:
  struct Parts;
  explicit GrpcServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts;
};

} // namespace convoy::service
