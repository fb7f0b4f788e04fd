// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes each call through both faces, with real sockets and mutual TLS.

#include "service/api/GrpcServer.h"
#include "service/api/test/Faces.h"
#include "service/api/test/GrpcClient.h"

using namespace convoy;
using namespace convoy::service;
using namespace convoy::service::test;

namespace {

enum class Kind { Grpc, Json };

// For tests that another server answers, also on a busy machine.
constexpr double kLongPatience = 60;

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
    return parsed<JobSpec>(R"(project: "vision" target_class: "avx512" max_trials: 40
        tasks { name: "conv" text: "task text" count: 3 weight: 0.5 }
        tasks { name: "matmul" text: "other text" weight: 0.5 } seed: 18446744073709551615)");
  }
};

TEST_P(Faces, LookUpTheBest) {
  BestAnswer answer = get(client->lookupBest(parsed<BestQuery>(
      R"(tasks { key: "known" count: 2 } tasks { key: "unknown" } tasks { key: "passed" }
         target: "fingerprint" policy: "cold" templates { id: "conv_direct" version: 2 })")));
  ASSERT_EQ(answer.tasks_size(), 3);
  ASSERT_EQ(answer.tasks(0).configurations_size(), 1);
  const BestConfiguration &best = answer.tasks(0).configurations(0);
  EXPECT_EQ(best.configuration().text(), "#kernel.conv_direct<block = 16>");
  EXPECT_EQ(best.configuration().template_version(), 2);
  EXPECT_EQ(best.configuration().output_layout(), "#graph.blocked<c = 16>");
  EXPECT_EQ(best.configuration().input_layout(), "planar"); // the server sets defaults
  EXPECT_EQ(best.ns(), 1234.5);
  EXPECT_EQ(best.samples(), 7);
  EXPECT_EQ(best.provenance().device(), "device-0");
  EXPECT_EQ(best.provenance().unix_us(), 1700000000000000);
  EXPECT_TRUE(answer.tasks(1).configurations().empty());
  EXPECT_FALSE(answer.tasks(1).is_passed_over());
  EXPECT_TRUE(answer.tasks(2).is_passed_over());
}

TEST_P(Faces, CreateListAndChangeJobs) {
  JobStatus job = get(client->createJob(spec()));
  EXPECT_EQ(job.id(), "job-1");
  EXPECT_EQ(job.state(), JobState::QUEUED);
  EXPECT_EQ(job.max_trials(), 40);
  ASSERT_EQ(job.tasks_size(), 2);
  EXPECT_EQ(job.tasks(0).count(), 3);
  EXPECT_EQ(job.tasks(1).count(), 1);
  EXPECT_EQ(api.specs["job-1"].seed(), UINT64_MAX);
  EXPECT_EQ(api.specs["job-1"].batch(), 8);
  get(client->createJob(spec()));
  EXPECT_EQ(get(client->getJob("job-2")).project(), "vision");
  EXPECT_EQ(get(client->pauseJob("job-1")).state(), JobState::PAUSED);
  EXPECT_EQ(get(client->listJobs({})).jobs_size(), 2);
  auto listed = [&](const std::string &filter) {
    return get(client->listJobs(parsed<JobFilter>(filter))).jobs_size();
  };
  EXPECT_EQ(listed("states: [PAUSED, FAILED] limit: 5"), 1);
  EXPECT_EQ(listed("project: 'other' limit: 5"), 0);
  EXPECT_EQ(listed("project: 'vision' limit: 1"), 1);
  EXPECT_EQ(get(client->resumeJob("job-1")).state(), JobState::RUNNING);
  EXPECT_EQ(get(client->extendJob(parsed<JobExtension>("id: 'job-1' add_trials: 10"))).max_trials(),
            50);
  EXPECT_EQ(get(client->cancelJob("job-1")).state(), JobState::CANCELLED);
}

TEST_P(Faces, CreateAJobOncePerKey) {
  JobSpec once = spec();
  once.set_idempotency_key("k");
  EXPECT_EQ(get(client->createJob(once)).id(), get(client->createJob(once)).id());
  EXPECT_EQ(api.calls, 2);
}

TEST_P(Faces, CreateAJobWithAKeyOfTheClient) {
  std::string first = get(client->createJob(spec())).id();
  std::string second = get(client->createJob(spec())).id();
  EXPECT_NE(first, second); // two calls of a user are two jobs
  EXPECT_EQ(api.specs[first].idempotency_key().size(), 32U);
  EXPECT_NE(api.specs[first].idempotency_key(), api.specs[second].idempotency_key());
}

TEST_P(Faces, WatchAJobToItsEnd) {
  get(client->createJob(spec()));
  std::vector<int64_t> trials;
  JobStatus last;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &status) {
    trials.push_back(status.trials_done());
    last = status;
    return true;
  });
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(trials, (std::vector<int64_t>{4, 8, 12}));
  EXPECT_EQ(last.state(), JobState::CONVERGED);
  EXPECT_EQ(last.reason(), "nothing left to try");
}

TEST_P(Faces, StopWatchingWhenTheClientDoes) {
  api.steps = 1000000;
  get(client->createJob(spec()));
  int seen = 0;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &) { return ++seen < 2; });
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(seen, 2);
  for (int i = 0; i < 12000 && api.watches > 0; ++i) {
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
  poor.set_project("poor");
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
  llvm::Error error =
      client->exportRecords(parsed<RecordsQuery>("project: 'p' job: 'job-1' target: 't'"), read);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(lines, "{\"job\":\"job-1\"}\n{\"job\":\"job-1\"}\n{\"job\":\"job-1\"}\n");
  ApiError broken = errorOf(client->exportRecords(parsed<RecordsQuery>("target: 'broken'"), read));
  EXPECT_EQ(broken.code, ErrorCode::Internal);
  EXPECT_EQ(broken.message, "the store failed");
  RecordsImport import;
  import.set_project("p");
  import.set_lines(lines);
  ImportResult result = get(client->importRecords(import));
  EXPECT_EQ(result.added(), static_cast<int64_t>(lines.size()));
  EXPECT_EQ(result.remeasured(), 2);
}

TEST_P(Faces, ListAndChangeDevices) {
  DeviceList list = get(client->listDevices());
  ASSERT_EQ(list.devices_size(), 2);
  EXPECT_EQ(list.devices(0).trial(), "job-1/0/3");
  EXPECT_EQ(list.devices(0).temperature_c(), 61);
  EXPECT_EQ(list.devices(1).state(), DeviceState::LOST);
  auto request = parsed<DeviceRequest>("name: 'device-0' reason: 'new fan'");
  DeviceStatus drained = get(client->changeDevice(request, DeviceState::DRAINING));
  EXPECT_EQ(drained.state(), DeviceState::DRAINING);
  EXPECT_EQ(drained.reason(), "new fan");
  for (DeviceState state : {DeviceState::QUARANTINED, DeviceState::ACTIVE}) {
    EXPECT_EQ(get(client->changeDevice(request, state)).state(), state);
  }
  request.set_name("device-7");
  EXPECT_EQ(errorOf(client->changeDevice(request, DeviceState::ACTIVE)).code, ErrorCode::NotFound);
}

TEST_P(Faces, ReportUsageAndHealth) {
  Usage usage = get(client->usage(parsed<UsageQuery>("project: 'vision' since_us: 17")));
  ASSERT_EQ(usage.rows_size(), 1);
  EXPECT_EQ(usage.rows(0).unix_us(), 17);
  EXPECT_EQ(usage.projects(0).quota_device_seconds(), 100);
  Health health = get(client->health());
  EXPECT_TRUE(health.is_leader());
  EXPECT_EQ(health.epoch(), 3);
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
  EXPECT_FALSE(get(client->health()).is_leader());
}

TEST_P(Faces, FailOverToTheLeader) {
  MemoryApi other;
  Face second(GetParam(), other);
  api.isLeader = false;
  auto both = connect(GetParam(), face.address + "," + second.address, Certificates::get().client(),
                      kLongPatience);
  EXPECT_EQ(get(both->createJob(spec())).id(), "job-1");
  EXPECT_EQ(other.calls, 1);
  // The leader is gone: its standby takes over while the client waits.
  second.json.reset();
  second.grpc.reset();
  int refused = api.refused;
  std::thread takeOver([&] {
    while (api.refused == refused) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    api.isLeader = true;
  });
  // The client adds a key, so it may repeat the call.
  EXPECT_EQ(get(both->createJob(spec())).id(), "job-1");
  EXPECT_EQ(api.calls, 1);
  takeOver.join();
}

TEST_P(Faces, FailAtOnceIfNoServerAnswers) {
  auto start = std::chrono::steady_clock::now();
  std::string nowhere = GetParam() == Kind::Json ? "https://127.0.0.1:9" : "127.0.0.1:9";
  ApiError error = errorOf(
      connect(GetParam(), nowhere, Certificates::get().client(), kLongPatience)->getJob("a"));
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.message.rfind("cannot reach " + nowhere + ": ", 0), 0U) << error.message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
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
  EXPECT_EQ(errorOf(client->changeDevice({}, DeviceState::DRAINING)).message,
            "the name of a device: expected letters, digits, '-', '.' and '_', got ''");
}

TEST(JsonClient, SurvivesConnectionsThatTheServerClosed) {
  MemoryApi api;
  JsonFace face(api);
  auto client = jsonClient(face.url(), Certificates::get().client());
  JobSpec spec;
  spec.set_target_class("avx512");
  get(client->createJob(spec));
  get(client->getJob("job-1"));
  std::this_thread::sleep_for(std::chrono::milliseconds(2300));
  EXPECT_EQ(get(client->extendJob(parsed<JobExtension>("id: 'job-1' add_trials: 10"))).max_trials(),
            10);
  EXPECT_EQ(get(client->getJob("job-1")).max_trials(), 10);
}

TEST(JsonClient, WatchesAcrossServers) {
  MemoryApi first, second;
  first.steps = 1000000;
  JsonFace b(second);
  auto a = std::make_unique<JsonFace>(first);
  auto client = jsonClient(a->url() + "," + b.url(), Certificates::get().client(), kLongPatience);
  second.isLeader = false;
  JobSpec spec;
  spec.set_target_class("avx512");
  get(client->createJob(spec));
  std::vector<JobState> states;
  std::thread crash;
  llvm::Error error = client->watchJob("job-1", [&](const JobStatus &status) {
    states.push_back(status.state());
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
  EXPECT_EQ(states.back(), JobState::CONVERGED);
}

} // namespace
