// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blob client against a blob server with TLS: transfers, interruptions, refusals.

#include "Support/TemporaryFolder.h"
#include "service/blobs/BlobClient.h"
#include "service/blobs/BlobServer.h"
#include "service/tls/HttpsServer.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <httplib.h>
#include <thread>

using namespace convoy;
using namespace convoy::service;

namespace {

/// A server on a free port, with a store. `maxUpload` ends a connection after so many bytes.
class BlobClientTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    certs = new TemporaryFolder;
    ASSERT_FALSE(certs->createInSystem());
    for (const char *folder : {"certs", "strangers"}) {
      std::string command =
          std::string(CONVOY_MAKE_CERTS) + " " + certs->file(folder) + " server agent0 >/dev/null";
      ASSERT_EQ(std::system(command.c_str()), 0);
    }
  }
  static void TearDownTestSuite() { delete certs; }

  void SetUp() override {
    ASSERT_FALSE(folder.createInSystem());
    BlobStoreOptions options;
    options.folder = folder.file("store");
    options.maxBlobBytes = 4 << 20;
    store = llvm::cantFail(BlobStore::open(options));
    server = llvm::cantFail(makeHttpsServer(TlsFiles::inFolder(certs->file("certs"), "server"), 8));
    BlobServer mounted(*server, *store);
    port = server->bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server->listen_after_bind(); });
    while (!server->is_running()) {
      std::this_thread::yield();
    }
  }
  void TearDown() override {
    server->stop();
    thread.join();
  }

  BlobClientOptions clientOptions(const std::string &who = "certs") {
    BlobClientOptions options;
    options.url = "https://localhost:" + std::to_string(port);
    options.tls = TlsFiles::inFolder(certs->file(who), "agent0");
    options.tls.authority = certs->file("certs/ca.crt");
    options.cache.folder = folder.file("cache-" + who);
    options.attempts = 2;
    options.retrySeconds = 0.01;
    options.timeoutSeconds = 5;
    return options;
  }
  std::unique_ptr<BlobClient> client() {
    return llvm::cantFail(BlobClient::create(clientOptions()));
  }

  static TemporaryFolder *certs;
  TemporaryFolder folder;
  std::unique_ptr<BlobStore> store;
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::thread thread;
};

TemporaryFolder *BlobClientTest::certs = nullptr;

std::string bytesOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "?";
}

std::string someBytes(size_t count) {
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 256);
  }
  return bytes;
}

TEST_F(BlobClientTest, uploads_and_downloads) {
  std::unique_ptr<BlobClient> blobs = client();
  std::string bytes = someBytes(1 << 20);
  std::string name = llvm::cantFail(blobs->put(bytes));
  EXPECT_EQ(store->find(name), static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(llvm::cantFail(blobs->put(bytes)), name);
  EXPECT_EQ(bytesOf(llvm::cantFail(blobs->fetch(name))), bytes);
  // The second time from the cache.
  server->stop();
  EXPECT_TRUE(static_cast<bool>(blobs->fetch(name)));
}

TEST_F(BlobClientTest, continues_an_upload) {
  std::string bytes = someBytes(1 << 20);
  TemporaryFolder other;
  ASSERT_FALSE(other.createInSystem());
  BlobStoreOptions options;
  options.folder = other.path().str();
  std::string name = llvm::cantFail(llvm::cantFail(BlobStore::open(options))->put(bytes));
  llvm::consumeError(store->receive(name, 0, true, [&](BlobStore::Append append) {
    append(llvm::StringRef(bytes).take_front(300000));
    return false;
  }));
  int64_t received = 0;
  server->set_logger([&](const httplib::Request &request, const httplib::Response &) {
    if (request.method == "PUT") {
      EXPECT_EQ(request.get_header_value("Content-Range"), "bytes 300000-1048575/1048576");
      received = std::stoll(request.get_header_value("Content-Length"));
    }
  });
  EXPECT_EQ(llvm::cantFail(client()->put(bytes)), name);
  EXPECT_EQ(received, (1 << 20) - 300000);
  EXPECT_EQ(llvm::cantFail(store->read(name)), bytes);
}

TEST_F(BlobClientTest, continues_a_download) {
  std::string bytes = someBytes(1 << 20);
  std::string name = llvm::cantFail(store->put(bytes));
  {
    BlobClientOptions options = clientOptions();
    std::unique_ptr<BlobStore> cache = llvm::cantFail(BlobStore::open(options.cache));
    llvm::consumeError(cache->receive(name, 0, true, [&](BlobStore::Append append) {
      append(llvm::StringRef(bytes).take_front(700000));
      return false;
    }));
  }
  std::string range;
  server->set_logger([&](const httplib::Request &request, const httplib::Response &response) {
    range = request.get_header_value("Range") + " " + std::to_string(response.status);
  });
  EXPECT_EQ(bytesOf(llvm::cantFail(client()->fetch(name))), bytes);
  EXPECT_EQ(range, "bytes=700000- 206");
}

TEST_F(BlobClientTest, refuses_a_copy_with_a_wrong_hash) {
  // A damaged begin of the cache's copy gives a wrong hash; the next attempt starts at 0.
  std::string bytes = someBytes(1000);
  std::string name = llvm::cantFail(store->put(bytes));
  {
    std::unique_ptr<BlobStore> cache = llvm::cantFail(BlobStore::open(clientOptions().cache));
    llvm::consumeError(cache->receive(name, 0, true, [&](BlobStore::Append append) {
      append("damaged");
      return false;
    }));
  }
  EXPECT_EQ(bytesOf(llvm::cantFail(client()->fetch(name))), bytes);
}

TEST_F(BlobClientTest, reports_what_the_server_refuses) {
  std::string missing(64, 'a');
  std::string problem = llvm::toString(client()->fetch(missing).takeError());
  EXPECT_EQ(problem, "cannot transfer the blob " + missing +
                         " with https://localhost:" + std::to_string(port) + ": status 404");
  std::string large = llvm::toString(client()->put(someBytes(5 << 20)).takeError());
  EXPECT_NE(large.find("status 413"), std::string::npos) << large;
  EXPECT_NE(large.find("exceeds the limit of 4194304 bytes"), std::string::npos) << large;
}

TEST_F(BlobClientTest, the_server_refuses_bad_requests) {
  TlsFiles tls = TlsFiles::inFolder(certs->file("certs"), "agent0");
  httplib::Client raw("https://localhost:" + std::to_string(port), tls.certificate, tls.key);
  raw.set_ca_cert_path(tls.authority);
  std::string name(64, 'b');
  httplib::Result wrong = raw.Put("/blobs/" + name, "x", "text/plain");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->status, 422);
  httplib::Result range =
      raw.Put("/blobs/" + name, {{"Content-Range", "some bytes"}}, "x", "text/plain");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->status, 400);
  EXPECT_EQ(range->body, "Content-Range must have the form 'bytes 0-99/200'\n");
  EXPECT_EQ(raw.Get("/blobs/nonsense")->status, 400);
  std::string known = llvm::cantFail(store->put("0123456789"));
  EXPECT_EQ(raw.Get("/blobs/" + known, {{"Range", "bytes=20-30"}})->status, 416);
  EXPECT_EQ(raw.Get("/blobs/" + known, {{"Range", "bytes=2-4"}})->body, "234");
}

TEST_F(BlobClientTest, the_server_refuses_strangers) {
  std::unique_ptr<BlobClient> stranger =
      llvm::cantFail(BlobClient::create(clientOptions("strangers")));
  std::string problem = llvm::toString(stranger->put("x").takeError());
  EXPECT_NE(problem.find("cannot transfer the blob"), std::string::npos) << problem;
  EXPECT_EQ(store->totalBytes(), 0);
}

TEST_F(BlobClientTest, many_clients_upload_the_same_blob) {
  std::string bytes = someBytes(2 << 20);
  std::vector<std::thread> threads;
  std::vector<std::string> problems(6);
  BlobClientOptions options = clientOptions();
  options.attempts = 8;
  std::unique_ptr<BlobClient> shared = llvm::cantFail(BlobClient::create(options));
  for (std::string &problem : problems) {
    threads.emplace_back([&] {
      llvm::Expected<std::string> name = shared->put(bytes);
      problem = name ? "" : llvm::toString(name.takeError());
      if (name) {
        llvm::Expected<std::string> copy = shared->fetch(*name);
        problem = copy ? "" : llvm::toString(copy.takeError());
      }
    });
  }
  for (std::thread &each : threads) {
    each.join();
  }
  for (const std::string &problem : problems) {
    EXPECT_EQ(problem, "");
  }
}

TEST_F(BlobClientTest, checks_its_options) {
  BlobClientOptions options = clientOptions();
  options.url = "http://localhost:1";
  EXPECT_EQ(llvm::toString(BlobClient::create(options).takeError()),
            "the URL of the blobs must have the form 'https://host:port' and the certificate '" +
                options.tls.certificate + "' must be valid, got the URL 'http://localhost:1'");
  options = clientOptions();
  options.tls.key = "/nowhere.key";
  EXPECT_EQ(llvm::toString(BlobClient::create(options).takeError()),
            "cannot read the certificate file '/nowhere.key': No such file or directory");
}

} // namespace
