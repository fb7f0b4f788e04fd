// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps HTTP requests to calls of the blob store, and its errors to status codes.

#include "service/blobs/BlobServer.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>
#include <fstream>
#include <httplib.h>

namespace convoy::service {
namespace {

constexpr char kRoute[] = "/blobs/([0-9a-zA-Z_.-]+)";
constexpr char kReceived[] = "Convoy-Received";
constexpr char kBinary[] = "application/octet-stream";

int statusOf(BlobProblem problem) {
  switch (problem) {
  case BlobProblem::InvalidName:
    return 400;
  case BlobProblem::NotFound:
    return 404;
  case BlobProblem::WrongOffset:
  case BlobProblem::Busy:
    return 409;
  case BlobProblem::TooLarge:
    return 413;
  case BlobProblem::WrongHash:
    return 422;
  case BlobProblem::Full:
    return 507;
  case BlobProblem::Io:
    return 500;
  }
  llvm_unreachable("unknown BlobProblem");
}

void answerError(llvm::Error error, httplib::Response &response) {
  llvm::handleAllErrors(std::move(error), [&](const BlobError &problem) {
    response.status = statusOf(problem.problem);
    response.set_content(problem.text + "\n", "text/plain");
  });
}

/// The part of a blob that a request carries.
struct UploadRange {
  int64_t offset = 0;
  bool isLast = true;
};

/// Reads "bytes 100-199/200". Returns nothing if the text has another form.
std::optional<UploadRange> parseRange(const std::string &text) {
  long long first = 0, last = 0, size = 0;
  int end = 0;
  if (sscanf(text.c_str(), "bytes %lld-%lld/%lld%n", &first, &last, &size, &end) != 3 ||
      end != static_cast<int>(text.size()) || first < 0 || last < first || size <= last) {
    return std::nullopt;
  }
  return UploadRange{first, last + 1 == size};
}

/// Answers GET and HEAD; httplib omits the body for HEAD and applies `Range`.
void answerGet(const httplib::Request &request, httplib::Response &response, BlobStore &store) {
  std::string name = request.matches[1].str();
  std::optional<int64_t> bytes = store.find(name);
  if (!bytes) {
    response.status = isBlobName(name) ? 404 : 400;
    if (int64_t received = store.receivedBytes(name)) {
      response.set_header(kReceived, std::to_string(received));
    }
    return; // without a body, to which httplib would apply `Range`
  }
  for (const httplib::Range &range : request.ranges) {
    if (range.first >= *bytes || range.second >= *bytes || request.ranges.size() > 1) {
      response.status = 416;
      return;
    }
  }
  llvm::Expected<std::string> path = store.path(name);
  if (!path) {
    llvm::consumeError(path.takeError());
    response.status = 404;
    return;
  }
  auto file = std::make_shared<std::ifstream>(*path, std::ios::binary);
  if (!file->is_open()) { // another process has removed the blob
    response.status = 404;
    return;
  }
  response.set_content_provider(
      static_cast<size_t>(*bytes), kBinary,
      [file](size_t offset, size_t length, httplib::DataSink &sink) {
        char buffer[1 << 16];
        file->seekg(static_cast<std::streamoff>(offset));
        file->read(buffer, static_cast<std::streamsize>(std::min(length, sizeof(buffer))));
        return file->gcount() > 0 && sink.write(buffer, static_cast<size_t>(file->gcount()));
      });
}

void answerPut(const httplib::Request &request, httplib::Response &response,
               const httplib::ContentReader &reader, BlobStore &store) {
  std::string name = request.matches[1].str();
  std::optional<UploadRange> range = UploadRange{};
  if (request.has_header("Content-Range")) {
    range = parseRange(request.get_header_value("Content-Range"));
  }
  if (!range) {
    response.status = 400;
    response.set_content("Content-Range must have the form 'bytes 0-99/200'\n", "text/plain");
    return;
  }
  bool isLibrary = request.get_param_value("kind") == "library";
  llvm::Error error = store.receive(
      name, range->offset, range->isLast,
      [&](BlobStore::Append append) {
        return reader(
            [&](const char *data, size_t length) { return append(llvm::StringRef(data, length)); });
      },
      isLibrary ? BlobKind::Library : BlobKind::Data);
  if (error) {
    answerError(std::move(error), response);
    response.set_header(kReceived, std::to_string(store.receivedBytes(name)));
    return;
  }
  response.status = range->isLast ? 201 : 202;
}

} // namespace

BlobServer::BlobServer(httplib::Server &server, BlobStore &store) {
  server.Get(kRoute, [&store](const httplib::Request &request, httplib::Response &response) {
    answerGet(request, response, store);
  });
  server.Put(kRoute, [&store](const httplib::Request &request, httplib::Response &response,
                              const httplib::ContentReader &reader) {
    answerPut(request, response, reader, store);
  });
}

} // namespace convoy::service
