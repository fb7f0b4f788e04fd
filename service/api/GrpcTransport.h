// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that the gRPC server and the gRPC client share: errors as statuses, and limits.

#pragma once

#include "service/api/ApiError.h"
#include "service/tls/TlsFiles.h"
#include <grpcpp/grpcpp.h>

namespace convoy::service {

// Records are imported in one message.
constexpr int kMostMessageBytes = 64 << 20;

/// Metadata behind a status.
constexpr char kRetrySeconds[] = "retry-seconds";
constexpr char kLeader[] = "leader";

grpc::Status statusOf(const ApiError &error, grpc::ServerContext &context);
llvm::Error errorOf(const grpc::Status &status, const grpc::ClientContext &context);

/// The contents of the files of TlsFiles.
struct TlsTexts {
  std::string authority, certificate, key;
};
llvm::Expected<TlsTexts> readTls(const TlsFiles &files);

} // namespace convoy::service
