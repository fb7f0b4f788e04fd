// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the servers under test with TLS on free ports of the loopback.

#pragma once

#include "Support/test/TestFolder.h"
#include "service/api/JsonClient.h"
#include "service/api/JsonServer.h"
#include "service/api/test/MemoryApi.h"
#include "service/tls/HttpsServer.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <httplib.h>

namespace convoy::service::test {

/// The certificates of a test program: server, client, and a client of another authority.
class Certificates {
public:
  static const Certificates &get() {
    static Certificates certificates;
    return certificates;
  }
  std::string folder() const { return root.file("certs"); }
  TlsFiles server() const { return llvm::cantFail(tlsFiles(folder(), "server")); }
  TlsFiles client() const { return llvm::cantFail(tlsFiles(folder(), "client")); }
  /// A client that trusts the server, but whose certificate the server does not trust.
  TlsFiles stranger() const {
    TlsFiles files = llvm::cantFail(tlsFiles(root.file("other"), "client"));
    files.authority = client().authority;
    return files;
  }

private:
  Certificates() {
    std::string script = CONVOY_SOURCE_DIR "/scripts/service/make-certs.sh ";
    if (std::system((script + folder() + " server client").c_str()) != 0 ||
        std::system((script + root.file("other") + " client").c_str()) != 0) {
      llvm::report_fatal_error("make-certs.sh failed");
    }
  }
  convoy::test::TemporaryFolder root;
};

/// A JSON interface over an engine in memory.
class JsonFace {
public:
  using AddRoutes = std::function<void(httplib::Server &server)>;

  explicit JsonFace(TuningApi &api, JsonLimits limits = {}, const AddRoutes &addRoutes = {})
      : server(llvm::cantFail(makeHttpsServer(Certificates::get().server()))),
        routes(std::make_unique<JsonServer>(api, *server, limits)) {
    if (addRoutes) {
      addRoutes(*server);
    }
    port = server->bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server->listen_after_bind(); });
    while (!server->is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~JsonFace() {
    routes->stop();
    server->stop();
    thread.join();
  }
  JsonFace(const JsonFace &) = delete;
  JsonFace &operator=(const JsonFace &) = delete;

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port); }

private:
  std::unique_ptr<httplib::Server> server;
  std::unique_ptr<JsonServer> routes;
  std::thread thread;
  int port = 0;
};

inline std::unique_ptr<JsonClient> jsonClient(const std::string &urls, const TlsFiles &files,
                                              double patienceSeconds = 1.5) {
  JsonClientOptions options;
  options.urls = urls;
  options.files = files;
  options.patienceSeconds = patienceSeconds;
  return llvm::cantFail(JsonClient::create(options));
}

/// Returns the error of a result that must have failed.
template <typename Result>
ApiError errorOf(llvm::Expected<Result> result) {
  EXPECT_FALSE(bool(result)) << "expected an error";
  return result ? ApiError(ErrorCode::Internal, "none") : takeApiError(result.takeError());
}
inline ApiError errorOf(llvm::Error error) { return takeApiError(std::move(error)); }

} // namespace convoy::service::test
