// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates errors to statuses of gRPC and back.

#include "service/api/GrpcTransport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::service {
namespace {

struct CodePair {
  ErrorCode code;
  grpc::StatusCode status;
};

constexpr CodePair kCodes[] = {
    {ErrorCode::Invalid, grpc::StatusCode::INVALID_ARGUMENT},
    {ErrorCode::NotFound, grpc::StatusCode::NOT_FOUND},
    {ErrorCode::Conflict, grpc::StatusCode::FAILED_PRECONDITION},
    {ErrorCode::Exhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
    {ErrorCode::Unavailable, grpc::StatusCode::UNAVAILABLE},
    {ErrorCode::Internal, grpc::StatusCode::INTERNAL},
};

std::string metadata(const grpc::ClientContext &context, const char *key) {
  const auto &all = context.GetServerTrailingMetadata();
  auto found = all.find(key);
  return found == all.end() ? "" : std::string(found->second.data(), found->second.size());
}

llvm::Expected<std::string> readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError("cannot read the certificate file '" + path +
                                   "': " + buffer.getError().message());
  }
  return (*buffer)->getBuffer().str();
}

} // namespace

grpc::Status statusOf(const ApiError &error, grpc::ServerContext &context) {
  if (error.retrySeconds > 0) {
    context.AddTrailingMetadata(kRetrySeconds, std::to_string(error.retrySeconds));
  }
  if (!error.leader.empty()) {
    context.AddTrailingMetadata(kLeader, error.leader);
  }
  const auto *pair =
      llvm::find_if(kCodes, [&](const CodePair &row) { return row.code == error.code; });
  return grpc::Status(pair->status, error.message);
}

llvm::Error errorOf(const grpc::Status &status, const grpc::ClientContext &context) {
  const auto *pair =
      llvm::find_if(kCodes, [&](const CodePair &row) { return row.status == status.error_code(); });
  ErrorCode code = pair == std::end(kCodes) ? ErrorCode::Internal : pair->code;
  double retry = 0;
  llvm::StringRef(metadata(context, kRetrySeconds)).getAsDouble(retry);
  return llvm::make_error<ApiError>(code, status.error_message(), retry,
                                    metadata(context, kLeader));
}

llvm::Expected<TlsTexts> readTls(const TlsFiles &files) {
  TlsTexts texts;
  for (auto [path, text] :
       {std::pair(&files.authority, &texts.authority),
        std::pair(&files.certificate, &texts.certificate), std::pair(&files.key, &texts.key)}) {
    llvm::Expected<std::string> read = readText(*path);
    if (!read) {
      return read.takeError();
    }
    *text = std::move(*read);
  }
  return texts;
}

} // namespace convoy::service
