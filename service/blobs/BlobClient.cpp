// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One attempt of a transfer is one request. After a failure, the next attempt continues where the
// receiving side stopped.

#include "service/blobs/BlobClient.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <httplib.h>
#include <thread>

namespace convoy::service {

/// The result of one request.
struct BlobClient::Attempt {
  bool isDone = false;
  bool isFinal = false;       // a retry does not help
  bool hasProgressed = false; // bytes were transferred
  std::string problem;
};

namespace {

std::string pathOfBlob(llvm::StringRef name) { return ("/blobs/" + name).str(); }

std::unique_ptr<httplib::Client> makeClient(const BlobClientOptions &options,
                                            const std::string &url) {
  auto client = std::make_unique<httplib::Client>(url, options.tls.certificate, options.tls.key);
  client->set_ca_cert_path(options.tls.authority);
  client->enable_server_certificate_verification(true);
  client->set_tcp_nodelay(true);
  auto seconds = static_cast<time_t>(options.timeoutSeconds);
  client->set_connection_timeout(seconds);
  client->set_read_timeout(seconds);
  client->set_write_timeout(seconds);
  return client;
}

/// Returns the text of a failed request.
std::string describe(const httplib::Result &result) {
  if (!result) {
    return httplib::to_string(result.error());
  }
  std::string text = llvm::StringRef(result->body).trim().str();
  return "status " + std::to_string(result->status) + (text.empty() ? "" : ", " + text);
}

/// Returns whether a request with this result fails again. The server may be starting, another
/// client may be uploading the same blob, and space may become free.
bool isFinalStatus(int status) { return status == 400 || status == 413; }

int64_t receivedOf(const httplib::Response &response) {
  int64_t received = 0;
  llvm::StringRef(response.get_header_value("Convoy-Received")).getAsInteger(10, received);
  return received;
}

} // namespace

llvm::Expected<std::unique_ptr<BlobClient>> BlobClient::create(BlobClientOptions options) {
  llvm::SmallVector<llvm::StringRef> urls;
  llvm::StringRef(options.url).split(urls, ',', -1, /*KeepEmpty=*/false);
  if (llvm::Error error = checkTlsFiles(options.tls)) {
    return std::move(error);
  }
  bool isValid = !urls.empty() && llvm::all_of(urls, [&](llvm::StringRef url) {
    return url.starts_with("https://") && makeClient(options, url.str())->is_valid();
  });
  if (!isValid) {
    return llvm::createStringError("the URL of the blobs must have the form 'https://host:port' "
                                   "and the certificate '" +
                                   options.tls.certificate + "' must be valid, got the URL '" +
                                   options.url + "'");
  }
  llvm::Expected<std::unique_ptr<BlobStore>> cache = BlobStore::open(options.cache);
  if (!cache) {
    return cache.takeError();
  }
  return std::unique_ptr<BlobClient>(new BlobClient(std::move(options), std::move(*cache)));
}

std::string BlobClient::url() const {
  llvm::SmallVector<llvm::StringRef> urls;
  llvm::StringRef(options.url).split(urls, ',', -1, /*KeepEmpty=*/false);
  return urls[failures % urls.size()].str();
}

template <typename Transfer>
llvm::Error BlobClient::repeat(llvm::StringRef name, Transfer transfer) {
  double pause = options.retrySeconds;
  for (int failures = 0;;) {
    Attempt attempt = transfer();
    if (attempt.isDone) {
      return llvm::Error::success();
    }
    ++this->failures;
    if (attempt.hasProgressed) {
      failures = 0;
      pause = options.retrySeconds;
    }
    if (attempt.isFinal || ++failures >= options.attempts) {
      return llvm::createStringError(llvm::formatv("cannot transfer the blob {0} with {1}: {2}",
                                                   name, options.url, attempt.problem));
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause = std::min(pause * 2, 5.0);
  }
}

BlobClient::Attempt BlobClient::upload(llvm::StringRef name, llvm::StringRef bytes, BlobKind kind) {
  std::unique_ptr<httplib::Client> client = makeClient(options, url());
  Attempt attempt;
  httplib::Result head = client->Head(pathOfBlob(name));
  if (!head || (head->status != 200 && head->status != 404)) {
    attempt.problem = describe(head);
    attempt.isFinal = head && isFinalStatus(head->status);
    return attempt;
  }
  if (head->status == 200) {
    attempt.isDone = true;
    return attempt;
  }
  auto offset = static_cast<size_t>(receivedOf(*head));
  if (offset >= bytes.size()) {
    offset = 0;
  }
  httplib::Headers headers;
  if (offset > 0) {
    headers.emplace(
        "Content-Range",
        llvm::formatv("bytes {0}-{1}/{2}", offset, bytes.size() - 1, bytes.size()).str());
  }
  llvm::StringRef rest = bytes.drop_front(offset);
  httplib::Result put = client->Put(
      pathOfBlob(name) + (kind == BlobKind::Library ? "?kind=library" : ""), headers, rest.size(),
      [&](size_t from, size_t length, httplib::DataSink &sink) {
        attempt.hasProgressed |= from > 0;
        return sink.write(rest.data() + from, std::min<size_t>(length, 1 << 16));
      },
      "application/octet-stream");
  attempt.isDone = put && (put->status == 200 || put->status == 201);
  if (!attempt.isDone) {
    attempt.problem = describe(put);
    attempt.isFinal = put && isFinalStatus(put->status);
    attempt.hasProgressed &= !put; // an answer is a refusal, not an interruption
  }
  return attempt;
}

BlobClient::Attempt BlobClient::download(llvm::StringRef name, BlobKind kind) {
  Attempt attempt;
  if (cache->find(name)) { // another thread may have downloaded the blob
    attempt.isDone = true;
    return attempt;
  }
  std::unique_ptr<httplib::Client> client = makeClient(options, url());
  int64_t offset = cache->receivedBytes(name);
  httplib::Headers headers;
  if (offset > 0) {
    headers.emplace("Range", "bytes=" + std::to_string(offset) + "-");
  }
  httplib::Error transport = httplib::Error::Success;
  int status = 0;
  auto write = [&](BlobStore::Append append) {
    httplib::Result result = client->Get(
        pathOfBlob(name), headers,
        [&](const httplib::Response &response) {
          status = response.status;
          return status == (offset > 0 ? 206 : 200);
        },
        [&](const char *data, size_t length) {
          attempt.hasProgressed = true;
          return append(llvm::StringRef(data, length));
        });
    transport = result.error();
    return static_cast<bool>(result);
  };
  llvm::Error error = cache->receive(name, offset, /*isLast=*/true, write, kind);
  if (!error) {
    attempt.isDone = true;
    return attempt;
  }
  attempt.problem = llvm::toString(std::move(error));
  if (status != 0 && status != 200 && status != 206) {
    attempt.problem = "status " + std::to_string(status);
    attempt.isFinal = status == 404 || isFinalStatus(status);
    if (status == 416) { // the partial copy is longer than the blob
      llvm::consumeError(cache->receive(name, 0, false, [](BlobStore::Append) { return true; }));
    }
  } else if (transport != httplib::Error::Success && transport != httplib::Error::Canceled) {
    attempt.problem = httplib::to_string(transport);
  }
  return attempt;
}

llvm::Expected<std::string> BlobClient::put(llvm::StringRef bytes, BlobKind kind) {
  std::string name =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
  if (llvm::Error error = repeat(name, [&] { return upload(name, bytes, kind); })) {
    return std::move(error);
  }
  return name;
}

llvm::Expected<std::string> BlobClient::putFile(llvm::StringRef path, BlobKind kind) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  }
  return put((*buffer)->getBuffer(), kind);
}

llvm::Expected<std::string> BlobClient::fetch(llvm::StringRef name, BlobKind kind) {
  if (!isBlobName(name)) {
    return llvm::createStringError("the name of a blob is a SHA-256 of 64 hexadecimal digits, "
                                   "got '" +
                                   name.take_front(80) + "'");
  }
  if (!cache->find(name)) {
    if (llvm::Error error = repeat(name, [&] { return download(name, kind); })) {
      return std::move(error);
    }
  }
  return cache->path(name);
}

} // namespace convoy::service
