// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the JSON interface as curl and browsers see it: paths, statuses, headers, streams and wrong
// bodies.

#include "service/api/test/Faces.h"
#include "llvm/Support/MemoryBuffer.h"
#include <random>

using namespace convoy::service;
using namespace convoy::service::test;

namespace {

struct HttpTest : ::testing::Test {
  MemoryApi api;
  JsonLimits limits = [] {
    JsonLimits small;
    small.bodyBytes = 10000;
    small.recordsBytes = 20000;
    small.watchers = 1;
    return small;
  }();
  JsonFace face{api, limits};
  convoy::test::TemporaryFolder folder;

  std::unique_ptr<httplib::Client> client(bool hasCertificate = true) {
    TlsFiles files = Certificates::get().client();
    auto client = hasCertificate
                      ? std::make_unique<httplib::Client>(face.url(), files.certificate, files.key)
                      : std::make_unique<httplib::Client>(face.url());
    client->set_ca_cert_path(files.authority);
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    return client;
  }

  httplib::Result post(const std::string &path, const std::string &body) {
    return client()->Post(path, body, "application/json");
  }

  /// Returns what curl prints.
  std::string curl(const std::string &arguments) {
    TlsFiles files = Certificates::get().client();
    std::string output = folder.file("curl.txt");
    std::string command = "curl -sS --cacert " + files.authority + " --cert " + files.certificate +
                          " --key " + files.key + " " + arguments + " > " + output + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    auto text = llvm::MemoryBuffer::getFile(output);
    return text ? (*text)->getBuffer().str() : "";
  }
};

TEST_F(HttpTest, AnswersCurl) {
  EXPECT_EQ(curl("-d '{\"targetClass\": \"avx512\", \"maxTrials\": 5}' " + face.url() + "/v1/jobs")
                .rfind("{\"id\":\"job-1\",\"project\":\"\",\"state\":\"QUEUED\"", 0),
            0U);
  // curl -X POST sends no length.
  EXPECT_NE(curl("-X POST " + face.url() + "/v1/jobs/job-1:pause").find("\"PAUSED\""),
            std::string::npos);
  EXPECT_EQ(curl("-o /dev/null -w '%{http_code} %{content_type}' " + face.url() + "/healthz"),
            "200 application/json");
  std::string watched =
      curl("-X POST " + face.url() +
           "/v1/jobs/job-1:resume -o /dev/null && curl "
           "-sS -N --cacert " +
           Certificates::get().client().authority + " --cert " +
           Certificates::get().client().certificate + " --key " + Certificates::get().client().key +
           " -H 'Accept: text/event-stream' " + face.url() + "/v1/jobs/job-1:watch");
  EXPECT_EQ(watched.rfind("data: {\"id\":\"job-1\"", 0), 0U) << watched;
  EXPECT_NE(watched.find("\n\ndata: "), std::string::npos) << watched;
  EXPECT_NE(watched.find("\"CONVERGED\""), std::string::npos) << watched;
}

TEST_F(HttpTest, RefusesAClientWithoutCertificate) {
  httplib::Result result = client(/*hasCertificate=*/false)->Get("/v1/jobs");
  EXPECT_FALSE(bool(result));
}

TEST_F(HttpTest, MapsErrorsToStatuses) {
  auto get = [&](const std::string &path) { return client()->Get(path); };
  EXPECT_EQ(get("/v1/jobs/job-7")->status, 404);
  EXPECT_EQ(get("/v1/jobs/job-7")->body,
            "{\"code\":\"not-found\",\"message\":\"no job 'job-7'\"}\n");
  EXPECT_EQ(get("/v1/nothing")->status, 404);
  EXPECT_EQ(get("/v1/nothing")->body,
            "{\"code\":\"not-found\",\"message\":\"no call GET /v1/nothing; "
            "docs/reference/tuning-api.md lists the calls\"}\n");
  EXPECT_EQ(get("/v1/jobs?limit=x")->status, 400);
  httplib::Result poor = post("/v1/jobs", R"({"project": "poor", "targetClass": "a"})");
  EXPECT_EQ(poor->status, 429);
  EXPECT_EQ(poor->get_header_value("Retry-After"), "3");
  post("/v1/jobs", R"({"targetClass": "a"})");
  post("/v1/jobs/job-1:cancel", "");
  EXPECT_EQ(post("/v1/jobs/job-1:pause", "")->status, 409);
  EXPECT_EQ(post("/v1/jobs/job-1:pause", R"({"id": "job-2"})")->body,
            "{\"code\":\"invalid\",\"message\":\"unknown field \\\"id\\\"\"}\n");
  EXPECT_EQ(get("/v1/records?target=broken")->status, 200);
  api.isLeader = false;
  api.leader = "https://a:1";
  EXPECT_EQ(get("/healthz")->status, 503);
  for (const char *path : {"/v1/jobs", "/v1/jobs/job-1", "/v1/jobs/job-1:watch", "/v1/devices",
                           "/v1/usage", "/v1/records"}) {
    EXPECT_EQ(get(path)->status, 503) << path;
    EXPECT_EQ(get(path)->body,
              "{\"code\":\"unavailable\",\"message\":\"this server is a standby; the leader is "
              "https://a:1\",\"retrySeconds\":1.0,\"leader\":\"https://a:1\"}\n")
        << path;
  }
}

TEST_F(HttpTest, LimitsTheSizeOfBodies) {
  auto connection = client();
  for (size_t size : {20000UL, 45000UL}) {
    httplib::Result large =
        connection->Post("/v1/jobs", std::string(size, ' '), "application/json");
    ASSERT_TRUE(bool(large)) << size;
    EXPECT_EQ(large->status, 400);
    EXPECT_EQ(large->body, "{\"code\":\"invalid\",\"message\":\"the body: expected at most 10000 "
                           "bytes, got more; send it in parts\"}\n");
    connection = client();
  }
  EXPECT_EQ(connection->Post("/v1/records", std::string(15000, ' '), "application/json")->status,
            200);
  httplib::MultipartFormDataItems form{{"a", "b", "", ""}};
  EXPECT_EQ(client()->Post("/v1/jobs", form)->body,
            "{\"code\":\"invalid\",\"message\":\"the body: expected application/json, got "
            "multipart/form-data\"}\n");
}

TEST_F(HttpTest, LimitsWatchers) {
  api.steps = 1000000;
  post("/v1/jobs", R"({"targetClass": "a"})");
  std::thread first([&] {
    client()->Get("/v1/jobs/job-1:watch", [&](const char *, size_t) { return api.steps > 100; });
  });
  while (api.watches == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  httplib::Result second = client()->Get("/v1/jobs/job-1:watch");
  EXPECT_EQ(second->status, 429);
  EXPECT_EQ(second->body,
            "{\"code\":\"exhausted\",\"message\":\"this server serves 1 watchers at the same "
            "time, and all are in use; ask for the job's status instead\",\"retrySeconds\":5.0}\n");
  api.steps = 1;
  first.join();
}

TEST_F(HttpTest, EndsStreamsWhenTheServerStops) {
  MemoryApi endless;
  endless.steps = 1000000;
  auto stopped = std::make_unique<JsonFace>(endless);
  auto watcher = jsonClient(stopped->url(), Certificates::get().client());
  JobSpec spec;
  spec.set_target_class("a");
  llvm::cantFail(watcher->createJob(spec).takeError());
  std::thread watching([&] {
    bool isSeen = false;
    // The client tries again until its patience ends, as no other server leads.
    llvm::consumeError(watcher->watchJob("job-1", [&](const JobStatus &) {
      bool isFirst = !isSeen;
      isSeen = true;
      return isFirst || endless.steps > 1;
    }));
  });
  while (endless.watches == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  auto start = std::chrono::steady_clock::now();
  stopped.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::seconds(30)); // not after the last step
  watching.join();
}

/// Sends wrong bodies to every call: each is answered with a status below 500, and the server
/// serves on.
TEST_F(HttpTest, SurvivesWrongBodies) {
  post("/v1/jobs", R"({"targetClass": "a"})");
  std::vector<std::string> bodies = {"",           "{",       "[]",       "null",
                                     "\"",         "{\"a\":", "\xff\xfe", "1e99",
                                     "{\"id\":1}", "\0{}\0",  "{}{}",     "{\"tasks\":[null]}"};
  bodies.push_back(std::string(9000, '['));
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    std::string &body = bodies.emplace_back();
    for (unsigned length = random() % 200; length > 0; --length) {
      body += static_cast<char>(random());
    }
  }
  auto connection = client();
  for (const char *path : {"/v1/jobs", "/v1/best:lookup", "/v1/jobs/job-1:extend",
                           "/v1/devices/device-0:drain", "/v1/records", "/v1/jobs/job-1:pause"}) {
    for (const std::string &body : bodies) {
      httplib::Result result = connection->Post(path, body, "application/json");
      ASSERT_TRUE(bool(result)) << path << " " << body;
      EXPECT_LT(result->status, 500) << path << " " << body;
    }
  }
  EXPECT_EQ(connection->Get("/v1/jobs/" + std::string(7000, 'a'))->status, 404);
  EXPECT_EQ(connection->Get("/v1/jobs/%ff%00")->status, 404);
  EXPECT_EQ(client()->Get("/healthz")->status, 200);
}

TEST(HttpsServer, RefusesCertificatesThatDoNotFit) {
  TlsFiles files = Certificates::get().server();
  files.key = Certificates::get().client().key;
  auto server = makeHttpsServer(files);
  ASSERT_FALSE(bool(server));
  EXPECT_EQ(llvm::toString(server.takeError()),
            "cannot use the certificate '" + files.certificate + "' with the key '" + files.key +
                "' and the authority '" + files.authority + "'");
}

} // namespace
