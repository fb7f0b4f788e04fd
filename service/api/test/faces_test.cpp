// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes each call through both faces, with real sockets and mutual TLS.

#include "service/api/GrpcClient.h"
#include "service/api/GrpcServer.h"
#include "service/api/test/Faces.h"

using namespace convoy;
using namespace convoy::service;
using namespace convoy::service::test;

namespace {

enum class Kind { Grpc, Json };

/// A server of one kind.
struct Face {
  Face(Kind kind, TuningApi &api) {
    if (kind == Kind::Json) {
      json = std::make_unique<JsonFace>(api);
      address = json->url();
    } else {
      grpc = llvm::cantFail(GrpcServer::start(api, "127.0.0.1:0", Certificates::get().server()));
      address = "127.0.0.1:" + std::to_string(grpc->port());
    }
  }

  std::unique_ptr<JsonFace> json;
  std::unique_ptr<GrpcServer> grpc;
  std::string address;
};

std::unique_ptr<TuningApi> connect(Kind kind, const std::string &addresses,
                                   const TlsFiles &files = Certificates::get().client(),
                                   double patienceSeconds = 1.5) {
  if (kind == Kind::Json) {
    return jsonClient(addresses, files, patienceSeconds);
  }
  GrpcClientOptions options;
  options.addresses = addresses;
  options.files = files;
  options.patienceSeconds = patienceSeconds;
  return llvm::cantFail(GrpcClient::create(options));
}

template <typename Result>
Result get(llvm::Expected<Result> result) {
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return Result();
  }
  return std::move(*result);
}

struct Faces : ::testing::TestWithParam<Kind> {
  MemoryApi api;
  Face face{GetParam(), api};
  std::unique_ptr<TuningApi> client = connect(GetParam(), face.address);

  static JobSpec spec() {
    JobSpec spec;
    spec.project = "vision";
    spec.targetClass = "avx512";
    spec.tasks = {{"conv", "task text", 3, 0.5}, {"matmul", "other text", 1, 0.5}};
    spec.maxTrials = 40;
    spec.seed = UINT64_MAX;
    return spec;
  }
};

TEST_P(Faces, LookUpTheBest) {
  BestQuery query;
  query.tasks = {{"known", 2}, {"unknown", 1}, {"passed", 1}};
  query.target = "fingerprint";
  query.policy = "cold";
  query.templates = {{"conv_direct", 2}};
  BestAnswer answer = get(client->lookupBest(query));
  ASSERT_EQ(answer.tasks.size(), 3U);
  ASSERT_EQ(answer.tasks[0].configurations.size(), 1U);
  const BestConfiguration &best = answer.tasks[0].configurations[0];
  EXPECT_EQ(best.configuration.text, "#kernel.conv_direct<block = 16>");
  EXPECT_EQ(best.configuration.templateVersion, 2);
  EXPECT_EQ(best.configuration.outputLayout, "#graph.blocked<c = 16>");
  EXPECT_EQ(best.ns, 1234.5);
  EXPECT_EQ(best.samples, 7);
  EXPECT_EQ(best.provenance.device, "device-0");
  EXPECT_EQ(best.provenance.unixUs, 1700000000000000);
  EXPECT_TRUE(answer.tasks[1].configurations.empty());
  EXPECT_FALSE(answer.tasks[1].isPassedOver);
  EXPECT_TRUE(answer.tasks[2].isPassedOver);
}

TEST_P(Faces, CreateListAndChangeJobs) {
  JobStatus job = get(client->createJob(spec()));
  EXPECT_EQ(job.id, "job-1");
  EXPECT_EQ(job.state, JobState::Queued);
  EXPECT_EQ(job.maxTrials, 40);
  ASSERT_EQ(job.tasks.size(), 2U);
  EXPECT_EQ(job.tasks[0].count, 3);
  EXPECT_EQ(api.specs["job-1"].seed, UINT64_MAX);
  EXPECT_EQ(api.specs["job-1"].batch, 8);
  get(client->createJob(spec()));
  EXPECT_EQ(get(client->getJob("job-2")).project, "vision");
  EXPECT_EQ(get(client->pauseJob("job-1")).state, JobState::Paused);
  EXPECT_EQ(get(client->listJobs({})).size(), 2U);
  EXPECT_EQ(get(client->listJobs({"", {JobState::Paused, JobState::Failed}, 5})).size(), 1U);
  EXPECT_EQ(get(client->listJobs({"other", {}, 5})).size(), 0U);
  EXPECT_EQ(get(client->listJobs({"vision", {}, 1})).size(), 1U);
  EXPECT_EQ(get(client->resumeJob("job-1")).state, JobState::Running);
  EXPECT_EQ(get(client->extendJob({"job-1", 10, 0, 0})).maxTrials, 50);
  EXPECT_EQ(get(client->cancelJob("job-1")).state, JobState::Cancelled);
}

TEST_P(Faces, CreateAJobOncePerKey) {
  JobSpec once = spec();
  once.idempotencyKey = "k";
  EXPECT_EQ(get(client->createJob(once)).id, get(client->createJob(once)).id);
  EXPECT_EQ(api.calls, 2);
}

TEST_P(Faces, CreateAJobWithAKeyOfTheClient) {
  std::string first = get(client->createJob(spec())).id;
  std::string second = get(client->createJob(spec())).id;
  EXPECT_NE(first, second); // two calls of a user are two jobs
  EXPECT_EQ(api.specs[first].idempotencyKey.size(), 32U);
  EXPECT_NE(api.specs[first].idempotencyKey, api.specs[second].idempotencyKey);
}

TEST_P(Faces, WatchAJobToItsEnd) {
  get(client->createJob(spec()));
  std::vector<int64_t> trials;
  JobStatus last;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &status) {
    trials.push_back(status.trialsDone);
    last = status;
    return true;
  });
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(trials, (std::vector<int64_t>{4, 8, 12}));
  EXPECT_EQ(last.state, JobState::Converged);
  EXPECT_EQ(last.reason, "nothing left to try");
}

TEST_P(Faces, StopWatchingWhenTheClientDoes) {
  api.steps = 1000000;
  get(client->createJob(spec()));
  int seen = 0;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &) { return ++seen < 2; });
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(seen, 2);
  for (int i = 0; i < 400 && api.watches > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(api.watches, 0);
}

TEST_P(Faces, ReportErrorsWithTheirCodes) {
  ApiError missing = errorOf(client->getJob("job-9"));
  EXPECT_EQ(missing.code, ErrorCode::NotFound);
  EXPECT_EQ(missing.message, "no job 'job-9'");
  EXPECT_EQ(errorOf(client->watchJob("job-9", [](const JobStatus &) { return true; })).code,
            ErrorCode::NotFound);
  EXPECT_EQ(errorOf(client->createJob({})).message,
            "field \"targetClass\": expected a class of devices");
  JobSpec poor = spec();
  poor.project = "poor";
  ApiError exhausted = errorOf(client->createJob(poor));
  EXPECT_EQ(exhausted.code, ErrorCode::Exhausted);
  EXPECT_EQ(exhausted.retrySeconds, 2.5);
  get(client->createJob(spec()));
  get(client->cancelJob("job-1"));
  ApiError conflict = errorOf(client->pauseJob("job-1"));
  EXPECT_EQ(conflict.code, ErrorCode::Conflict);
  EXPECT_EQ(conflict.message, "job job-1 has ended");
}

TEST_P(Faces, ExportAndImportRecords) {
  std::string lines;
  auto read = [&](llvm::StringRef part) {
    lines += part;
    return true;
  };
  llvm::Error error = client->exportRecords({"p", "job-1", "t"}, read);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(lines, "{\"job\":\"job-1\"}\n{\"job\":\"job-1\"}\n{\"job\":\"job-1\"}\n");
  ApiError broken = errorOf(client->exportRecords({"", "", "broken"}, read));
  EXPECT_EQ(broken.code, ErrorCode::Internal);
  EXPECT_EQ(broken.message, "the store failed");
  ImportResult result = get(client->importRecords({"p", lines}));
  EXPECT_EQ(result.added, static_cast<int64_t>(lines.size()));
  EXPECT_EQ(result.remeasured, 2);
}

TEST_P(Faces, ListAndChangeDevices) {
  std::vector<DeviceStatus> devices = get(client->listDevices());
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].trial, "job-1/0/3");
  EXPECT_EQ(devices[0].temperatureC, 61);
  EXPECT_EQ(devices[1].state, DeviceState::Lost);
  DeviceStatus drained = get(client->drainDevice("device-0", "new fan"));
  EXPECT_EQ(drained.state, DeviceState::Draining);
  EXPECT_EQ(drained.reason, "new fan");
  EXPECT_EQ(get(client->quarantineDevice("device-0", "drift")).state, DeviceState::Quarantined);
  EXPECT_EQ(get(client->activateDevice("device-0")).state, DeviceState::Active);
  EXPECT_EQ(errorOf(client->activateDevice("device-7")).code, ErrorCode::NotFound);
}

TEST_P(Faces, ReportUsageAndHealth) {
  Usage usage = get(client->usage({"vision", 17, 0}));
  ASSERT_EQ(usage.rows.size(), 1U);
  EXPECT_EQ(usage.rows[0].unixUs, 17);
  EXPECT_EQ(usage.projects[0].quotaDeviceSeconds, 100);
  Health health = get(client->health());
  EXPECT_TRUE(health.isLeader);
  EXPECT_EQ(health.epoch, 3);
}

TEST_P(Faces, RefuseAClientOfAnotherAuthority) {
  auto stranger = connect(GetParam(), face.address, Certificates::get().stranger());
  EXPECT_EQ(errorOf(stranger->getJob("job-1")).code, ErrorCode::Unavailable);
  EXPECT_EQ(api.calls, 0);
}

TEST_P(Faces, SayWhoLeads) {
  api.isLeader = false;
  api.leader = "https://elsewhere:1";
  auto impatient = connect(GetParam(), face.address, Certificates::get().client(), 0);
  ApiError error = errorOf(impatient->lookupBest({}));
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.message, "this server is a standby; the leader is https://elsewhere:1");
  EXPECT_EQ(error.leader, "https://elsewhere:1");
  EXPECT_FALSE(get(client->health()).isLeader);
}

TEST_P(Faces, FailOverToTheLeader) {
  MemoryApi other;
  Face second(GetParam(), other);
  api.isLeader = false;
  auto both = connect(GetParam(), face.address + "," + second.address);
  EXPECT_EQ(get(both->createJob(spec())).id, "job-1");
  EXPECT_EQ(other.calls, 1);
  // The leader is gone: its standby takes over while the client waits.
  second.json.reset();
  second.grpc.reset();
  std::thread takeOver([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    api.isLeader = true;
  });
  // The client adds a key, so it may repeat the call.
  EXPECT_EQ(get(both->createJob(spec())).id, "job-1");
  EXPECT_EQ(api.calls, 1);
  takeOver.join();
}

TEST_P(Faces, FailAtOnceIfNoServerAnswers) {
  auto start = std::chrono::steady_clock::now();
  std::string nowhere = GetParam() == Kind::Json ? "https://127.0.0.1:9" : "127.0.0.1:9";
  ApiError error = errorOf(connect(GetParam(), nowhere)->getJob("a"));
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.message.rfind("cannot reach " + nowhere + ": ", 0), 0U) << error.message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(Both, Faces, ::testing::Values(Kind::Grpc, Kind::Json),
                         [](const auto &info) {
                           return info.param == Kind::Grpc ? "Grpc" : "Json";
                         });

TEST(GrpcServer, SaysWhyItCannotListen) {
  MemoryApi api;
  TlsFiles files = Certificates::get().server();
  auto server = llvm::cantFail(GrpcServer::start(api, "127.0.0.1:0", files));
  std::string taken = "127.0.0.1:" + std::to_string(server->port());
  auto second = GrpcServer::start(api, taken, files);
  ASSERT_FALSE(bool(second));
  EXPECT_EQ(llvm::toString(second.takeError()),
            "cannot serve gRPC on '" + taken +
                "': the address is in use or not of this machine, or the certificates do not fit "
                "together");
  files.key = "none.key";
  auto third = GrpcServer::start(api, "127.0.0.1:0", files);
  ASSERT_FALSE(bool(third));
  EXPECT_EQ(llvm::toString(third.takeError()),
            "cannot read the certificate file 'none.key': No such file or directory");
}

TEST(JsonClient, ChecksUrlsAndNames) {
  auto create = [](const std::string &urls) {
    JsonClientOptions options;
    options.urls = urls;
    options.files = Certificates::get().client();
    auto client = JsonClient::create(options);
    return client ? "" : llvm::toString(client.takeError());
  };
  EXPECT_EQ(create(""), "expected https://HOST:PORT, got ''");
  EXPECT_EQ(create("http://a:1"), "expected https://HOST:PORT, got 'http://a:1'");
  EXPECT_EQ(create("https://a:1,a:2"), "expected https://HOST:PORT, got 'a:2'");
  EXPECT_EQ(create("https://a:1/,https://b:2"), "");
  auto client = jsonClient("https://127.0.0.1:9", Certificates::get().client());
  EXPECT_EQ(errorOf(client->getJob("../jobs")).message,
            "the id of a job: expected letters, digits, '-', '.' and '_', got '../jobs'");
  EXPECT_EQ(errorOf(client->drainDevice("", "")).message,
            "the name of a device: expected letters, digits, '-', '.' and '_', got ''");
}

TEST(JsonClient, SurvivesConnectionsThatTheServerClosed) {
  MemoryApi api;
  JsonFace face(api);
  auto client = jsonClient(face.url(), Certificates::get().client());
  JobSpec spec;
  spec.targetClass = "avx512";
  get(client->createJob(spec));
  get(client->getJob("job-1"));
  std::this_thread::sleep_for(std::chrono::milliseconds(2300));
  EXPECT_EQ(get(client->extendJob({"job-1", 10, 0, 0})).maxTrials, 10);
  EXPECT_EQ(get(client->getJob("job-1")).maxTrials, 10);
}

TEST(JsonClient, WatchesAcrossServers) {
  MemoryApi first, second;
  first.steps = 1000000;
  JsonFace b(second);
  auto a = std::make_unique<JsonFace>(first);
  auto client = jsonClient(a->url() + "," + b.url(), Certificates::get().client());
  second.isLeader = false;
  JobSpec spec;
  spec.targetClass = "avx512";
  get(client->createJob(spec));
  std::vector<JobState> states;
  std::thread crash;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &status) {
    states.push_back(status.state);
    if (states.size() == 2) {
      crash = std::thread([&] {
        a.reset();
        second.isLeader = true;
        llvm::cantFail(second.createJob(spec).takeError());
      });
    }
    return true;
  });
  crash.join();
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(states.back(), JobState::Converged);
}

} // namespace
