// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the verbs and flags of a tuning service against the real JSON interface over TLS, with a
// small engine in memory.

#include "Layout/Spaces.h"
#include "Targets/Target.h"
#include "service/api/test/Faces.h"
#include "service/blobs/BlobServer.h"
#include "tools/convoy/service/PrintJob.h"
#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/RecordMeasurements.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace convoy;
using namespace convoy::tool;
using service::test::Certificates;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Answers every task with one configuration.
struct GenericLoops : service::test::MemoryApi {
  service::BestQuery asked;
  int lookups = 0;
  std::string warning;          // of new jobs
  service::NetworkTime network; // of all jobs
  bool isOld = false;           // knows no field "modelName"

  llvm::Expected<service::JobStatus> createJob(const service::JobSpec &spec) override {
    if (isOld && !spec.model_name().empty()) {
      return service::apiError(service::ErrorCode::Invalid, "unknown field \"modelName\"");
    }
    llvm::Expected<service::JobStatus> job = MemoryApi::createJob(spec);
    if (job) {
      job->set_warning(warning);
    }
    return job;
  }

  llvm::Expected<service::JobStatus> getJob(const std::string &id) override {
    llvm::Expected<service::JobStatus> job = MemoryApi::getJob(id);
    if (job && network.us() > 0) {
      *job->mutable_network() = network;
    }
    return job;
  }

  llvm::Expected<service::BestAnswer> lookupBest(const service::BestQuery &query) override {
    asked = query;
    ++lookups;
    if (!isLeader) {
      return service::standby(leader);
    }
    service::BestAnswer answer;
    for (const service::TaskUse &task : query.tasks()) {
      service::BestOfTask &best = *answer.add_tasks();
      best.set_key(task.key());
      service::BestConfiguration &found = *best.add_configurations();
      found.mutable_configuration()->set_template_id("loops");
      found.mutable_configuration()->set_template_version(1);
      found.set_ns(10);
      found.set_samples(5);
    }
    return answer;
  }
};

struct ServiceVerbs : tool::test::DriverCase {
  GenericLoops api;
  std::unique_ptr<service::BlobStore> blobs = openBlobs();
  std::unique_ptr<service::test::JsonFace> face = std::make_unique<service::test::JsonFace>(
      api, service::JsonLimits(),
      [this](httplib::Server &server) { service::BlobServer(server, *blobs); });
  std::string certs = Certificates::get().folder();

  std::unique_ptr<service::BlobStore> openBlobs() {
    service::BlobStoreOptions options;
    options.folder = folder.file("blobs");
    return llvm::cantFail(service::BlobStore::open(options));
  }

  /// Runs `convoy` with the flags of the service.
  ExitCode call(std::vector<std::string> arguments) {
    // The target of a board is its class.
    auto isClass = [](llvm::StringRef flag) {
      return flag.starts_with("--device-class") || flag.starts_with("--target=cortex");
    };
    if (arguments[0] == "tune" && llvm::none_of(arguments, isClass)) {
      arguments.push_back("--device-class=avx512"); // the class of the service's devices
    }
    arguments.insert(arguments.end(), {"--service", face->url(), "--service-certs", certs});
    return convoy(std::move(arguments));
  }

  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "32", "8", "8"})); }

  /// Returns one record of a task, as the service exports it.
  static std::string record() {
    tuning::Record record;
    record.trial = tuning::newTrialId();
    record.taskText = "a task";
    record.target = "fingerprint";
    record.policy = "cold-weights";
    record.configuration = {"loops", 1, "", "planar", "planar"};
    record.samples = {{1, 1000, 1000, true}};
    record.compiler = "test";
    record.artifact = tuning::sha256("code");
    record.unixUs = 1700000000000000;
    return tuning::toJsonLine(record) + "\n";
  }
};

TEST_F(ServiceVerbs, TunesWithAService) {
  ASSERT_EQ(call({"tune", relu(), "--trials=12", "--target=x86-64-v3", "--device-class=avx512",
                  "--project=vision", "--priority=3", "--target-latency=2ms"}),
            kDone)
      << err;
  EXPECT_EQ(out, "job job-1 of project vision: CONVERGED, nothing left to try\n"
                 "12/12 trials, 0 failed, 0.0 device-seconds on avx512\n"
                 "estimate of an inference: 2.000 ms before, 0.154 ms after\n"
                 "To use the records: convoy compile " +
                     folder.file("model.onnx") + " --target x86-64-v3 --records service:" +
                     face->url() + " --service-certs " + certs + "\n");
  EXPECT_THAT(err, StartsWith("RUNNING  4/12 trials, 0 failed, 0.0 device-seconds  inference "
                              "2.000 ms -> 0.400 ms\n"));
  const service::JobSpec &spec = api.specs["job-1"];
  ASSERT_EQ(spec.tasks_size(), 1);
  EXPECT_EQ(spec.tasks(0).name(), "1x32x8x8, relu -> 1x32x8x8");
  EXPECT_EQ(spec.priority(), 3);
  EXPECT_EQ(spec.latency_us(), 2000);
  EXPECT_EQ(spec.max_wall_seconds(), 0);
  llvm::Expected<targets::Target> target = targets::parseTarget(spec.target(), "the job");
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  EXPECT_EQ(target->fingerprint(), llvm::cantFail(targets::findTarget("x86-64-v3")).fingerprint());
}

TEST_F(ServiceVerbs, WarnsOfAClassWithoutDevices) {
  std::string warning = "warning: --device-class: the service has no device of class ";
  ASSERT_EQ(call({"tune", relu(), "--trials=12", "--device-class=avx521", "--detach"}), kDone)
      << err;
  EXPECT_THAT(err, HasSubstr(warning + "'avx521' (its classes: avx512); did you mean avx512? The "
                                       "job waits until a device of the class connects\n"));
  ASSERT_EQ(call({"tune", relu(), "--trials=12", "--device-class=board", "--detach"}), kDone)
      << err;
  EXPECT_THAT(err, HasSubstr(warning + "'board' (its classes: avx512). The job waits"));
  ASSERT_EQ(call({"tune", relu(), "--trials=12", "--detach"}), kDone) << err;
  EXPECT_THAT(err, Not(HasSubstr(warning)));
}

TEST_F(ServiceVerbs, TunesOncePerModelAndFlags) {
  std::string path = relu();
  ASSERT_EQ(call({"tune", path, "--detach"}), kDone) << err;
  EXPECT_THAT(
      out, HasSubstr("The job continues. To watch it: convoy service jobs watch job-1 --service " +
                     face->url() + " --service-certs " + certs +
                     "\nTo end it: convoy service jobs cancel job-1 "));
  EXPECT_EQ(api.specs["job-1"].max_wall_seconds(), 600);
  ASSERT_EQ(call({"tune", path, "--detach"}), kDone) << err;
  EXPECT_EQ(api.specs.size(), 1U);
  ASSERT_EQ(call({"tune", path, "--detach", "--seed=1"}), kDone) << err;
  EXPECT_EQ(api.specs.size(), 2U);
}

TEST_F(ServiceVerbs, DetachesAfterCtrlC) {
  api.steps = 1000000;
  std::thread user([&] {
    while (api.watches == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(::getpid(), SIGINT);
  });
  EXPECT_EQ(call({"tune", relu()}), kDone) << err;
  user.join();
  EXPECT_THAT(out, HasSubstr("The job continues. To watch it: convoy service jobs watch job-1 "));
}

TEST_F(ServiceVerbs, CopiesTheRecordsOfAJob) {
  api.records = record();
  std::string file = folder.file("tune.db");
  ASSERT_EQ(call({"tune", relu(), "--records", file}), kDone) << err;
  EXPECT_THAT(out, HasSubstr(" --records " + file + "\n"));
  ASSERT_EQ(convoy({"records", "export", file}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("\"a task\""));
  EXPECT_EQ(call({"tune", relu(), "--records", "/proc/none/tune.db"}), kUserError);
  EXPECT_THAT(err, StartsWith("error: --records: "));
}

TEST_F(ServiceVerbs, RefusesFlagsWithoutEffect) {
  EXPECT_EQ(convoy({"tune", relu(), "--records=t.db", "--project=p"}), kUserError);
  EXPECT_EQ(err, "error: --project has no effect without --service: it concerns the job of a "
                 "tuning service\n");
  EXPECT_EQ(call({"tune", relu(), "--wait=1s"}), kUserError);
  EXPECT_EQ(err, "error: --wait has no effect with --service: it concerns a search on this "
                 "machine\n");
  EXPECT_EQ(convoy({"tune", relu(), "--records=service:https://a:1"}), kUserError);
  EXPECT_EQ(err, "error: --records: `convoy tune` expects a file, got 'service:https://a:1'; add "
                 "--service URL to tune with a service\n");
  EXPECT_EQ(convoy({"compile", relu(), "--service-certs=."}), kUserError);
  EXPECT_EQ(err, "error: --service-certs: expects a tuning service, and no flag names one; add "
                 "--records service:URL\nsee `convoy compile --help`\n");
}

TEST_F(ServiceVerbs, SendsTheModelOfAPlainCompile) {
  std::string path = relu();
  ASSERT_EQ(call({"tune", path, "--detach", "--threads=2"}), kDone) << err;
  const service::JobSpec &spec = api.specs["job-1"];
  EXPECT_EQ(spec.model_name(), "model");
  std::string bytes = llvm::cantFail(blobs->read(spec.model()));
  EXPECT_EQ(
      bytes,
      llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))->getBuffer());
  // The service would compile another network.
  ASSERT_EQ(call({"tune", path, "--detach", "--math=strict"}), kDone) << err;
  EXPECT_EQ(api.specs["job-2"].model(), "");
}

TEST_F(ServiceVerbs, UsesAnOlderService) {
  api.isOld = true;
  ASSERT_EQ(call({"tune", relu(), "--detach"}), kDone) << err;
  EXPECT_THAT(err, StartsWith("warning: the service does not time the network: it refuses the "
                              "model: "));
  EXPECT_THAT(err, HasSubstr("unknown field \"modelName\"\n"));
  EXPECT_EQ(api.specs["job-1"].model(), "");
  EXPECT_EQ(api.specs["job-1"].model_name(), "");
  EXPECT_GT(api.specs["job-1"].tasks_size(), 0);
}

TEST_F(ServiceVerbs, SendsNoModelWithExternalData) {
  onnx::ModelProto proto = convoy::test::unaryModel("Relu", {"1", "32", "8", "8"});
  onnx::TensorProto &weights = *proto.mutable_graph()->add_initializer();
  weights.set_name("w");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  weights.add_dims(1);
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto &location = *weights.add_external_data();
  location.set_key("location");
  location.set_value("w.bin");
  folder.write("w.bin", "1234");
  ASSERT_EQ(call({"tune", model(proto), "--detach"}), kDone) << err;
  EXPECT_EQ(err, "warning: the service does not time the network: its weights are in other files "
                 "(external data), and the service takes one ONNX file\n");
  EXPECT_EQ(api.specs["job-1"].model(), "");
}

TEST_F(ServiceVerbs, WarnsThatTheModelCannotBeSent) {
  face = std::make_unique<service::test::JsonFace>(api); // a service without a blob store
  ASSERT_EQ(call({"tune", relu(), "--detach"}), kDone) << err;
  EXPECT_THAT(err, StartsWith("warning: the service does not time the network: "));
  EXPECT_EQ(api.specs["job-1"].model(), "");
}

TEST_F(ServiceVerbs, WarnsOfAnImprobableLatency) {
  api.warning = "2000.0 us are improbable";
  ASSERT_EQ(call({"tune", relu(), "--detach", "--target-latency=2ms"}), kDone) << err;
  EXPECT_EQ(err, "warning: --target-latency: 2000.0 us are improbable\n");
}

TEST_F(ServiceVerbs, FetchesTheCompiledNetwork) {
  ASSERT_EQ(call({"tune", relu(), "--detach"}), kDone) << err;
  std::string out1 = folder.file("fetched");
  EXPECT_EQ(call({"service", "jobs", "fetch", "job-1", "-o", out1}), kUserError);
  EXPECT_EQ(err, "error: job job-1 has no compiled network; it has not ended; `convoy compile "
                 "--records service:URL` compiles the model with the best records\n");
  service::NetworkTime network;
  network.set_us(1500);
  network.set_low_us(1400);
  network.set_high_us(1600);
  network.set_samples(30);
  network.set_device("agent");
  service::CompiledFile &file = *network.add_files();
  file.set_name("../relu.so"); // must not lead out of the folder
  file.set_blob(llvm::cantFail(blobs->put("the code")));
  api.network = network;
  ASSERT_EQ(call({"service", "jobs", "fetch", "job-1", "-o", out1}), kDone) << err;
  EXPECT_EQ(out, out1 + "/relu.so\n");
  EXPECT_EQ(llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(out1 + "/relu.so")))
                ->getBuffer(),
            "the code");
  ASSERT_EQ(call({"service", "jobs", "show", "job-1"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("the network takes 1.500 ms (1.400 to 1.600, 95 % confidence, 30 "
                             "samples on agent)\n"));
  network.set_ratio(1.25);
  network.set_low_ratio(1.2);
  network.set_high_ratio(1.3);
  network.set_keeps_default(true);
  network.set_problem("p");
  api.network = network;
  ASSERT_EQ(call({"service", "jobs", "show", "job-1"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("the last timing of the network is incomplete: p\n"));
  EXPECT_THAT(out, HasSubstr("with the best configurations, it takes 1.250 of the time with the "
                             "default ones (1.200 to 1.300): the files have the default ones\n"));
}

TEST_F(ServiceVerbs, ShowsTheEstimatedEnd) {
  service::JobStatus job;
  job.set_state(service::RUNNING);
  job.set_estimated_end_us(tuning::unixMicroseconds() + 90500000);
  EXPECT_THAT(progressText(job), HasSubstr("  ends in about 90 s"));
  job.set_estimated_end_us(1);
  EXPECT_THAT(progressText(job), HasSubstr("  ends in about 0 s"));
  job.set_state(service::CANCELLED);
  EXPECT_THAT(progressText(job), testing::Not(HasSubstr("ends in")));
}

TEST_F(ServiceVerbs, TunesForEmulatedBoards) {
  ASSERT_EQ(call({"tune", relu(), "--trials=4", "--target=cortex-m55"}), kDone) << err;
  EXPECT_EQ(api.specs["job-1"].target_class(), "cortex-m55");
  EXPECT_EQ(call({"tune", relu(), "--target=cortex-m55", "--target-latency=2ms"}), kUserError);
  EXPECT_EQ(err, "error: --target-latency expects a time, and devices of target 'cortex-m55' count "
                 "instructions; use --trials or --time\n");
}

TEST_F(ServiceVerbs, PrintsInstructionsOfCountedJobs) {
  service::JobStatus job;
  job.set_policy("instructions");
  job.set_default_us(1500.999);
  job.set_best_us(1400);
  service::TaskStatus &task = *job.add_tasks();
  task.set_name("conv");
  task.set_count(1);
  task.set_trials(2);
  task.set_default_ns(1200000);
  EXPECT_THAT(progressText(job),
              HasSubstr("inference 1,500,999 instructions -> 1,400,000 instructions"));
  std::string text;
  llvm::raw_string_ostream os(text);
  printTasks(os, job);
  EXPECT_EQ(text, "count  trials     before  after  task\n"
                  "    1       2  1,200,000      -  conv\n");
}

TEST_F(ServiceVerbs, ListsAndChangesJobs) {
  ASSERT_EQ(call({"tune", relu(), "--detach", "--trials=8", "--device-class=avx512"}), kDone)
      << err;
  ASSERT_EQ(call({"service", "jobs", "list"}), kDone) << err;
  EXPECT_EQ(out, "job    state   project  class   trials  before  after  reason\n"
                 "job-1  QUEUED  default  avx512     0/8       -      -\n"
                 "1 jobs\n");
  ASSERT_EQ(call({"service", "jobs", "list", "--state", "RUNNING,PAUSED"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("0 jobs\n"));
  EXPECT_EQ(call({"service", "jobs", "list", "--state", "ASLEEP"}), kUserError);
  EXPECT_EQ(err, "error: --state: expected one of QUEUED, CACHED_HIT, RUNNING, PAUSED, SLA_MET, "
                 "BUDGET_DONE, CONVERGED, CANCELLED, FAILED, got 'ASLEEP'\n");
  ASSERT_EQ(call({"service", "jobs", "pause", "job-1"}), kDone) << err;
  EXPECT_THAT(out, StartsWith("job job-1 of project default: PAUSED\n"));
  ASSERT_EQ(call({"service", "jobs", "resume", "job-1"}), kDone) << err;
  ASSERT_EQ(call({"service", "jobs", "extend", "job-1", "--more-trials", "4"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("0/12 trials"));
  ASSERT_EQ(call({"service", "jobs", "watch", "job-1"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("CONVERGED, nothing left to try"));
  EXPECT_THAT(out, HasSubstr("    1       4      2.000     1.000  1x32x8x8, relu -> 1x32x8x8\n"));
  ASSERT_EQ(call({"service", "jobs", "cancel", "job-1", "--json"}), kDone) << err;
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(out));
  EXPECT_EQ(json.getAsObject()->getString("state"), "CANCELLED");
  EXPECT_EQ(json.getAsObject()->getInteger("trials_done"), 12);
  EXPECT_EQ(call({"service", "jobs", "pause", "job-1"}), kUserError);
  EXPECT_EQ(err, "error: job job-1 has ended\n");
  EXPECT_EQ(call({"service", "jobs", "show", "job-9"}), kUserError);
  EXPECT_EQ(err, "error: no job 'job-9'\n");
  EXPECT_EQ(call({"service", "jobs", "extend", "job-1"}), kUserError);
  EXPECT_EQ(err, "error: `convoy service jobs extend` expects a limit to raise; add --more-trials, "
                 "--more-time or "
                 "--more-device-time\n");
}

TEST_F(ServiceVerbs, ListsAndChangesDevices) {
  ASSERT_EQ(call({"service", "devices", "list"}), kDone) << err;
  EXPECT_EQ(out, "device    class   state   measured  trial      reason\n"
                 "device-0  avx512  ACTIVE         9  job-1/0/3\n"
                 "device-1  avx512  LOST           0  -\n"
                 "2 devices\n");
  ASSERT_EQ(call({"service", "devices", "drain", "device-0", "--reason", "new fan"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("DRAINING         9  job-1/0/3  new fan\n"));
  ASSERT_EQ(call({"service", "devices", "quarantine", "device-0"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("QUARANTINED"));
  ASSERT_EQ(call({"service", "devices", "activate", "device-0", "--json"}), kDone) << err;
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(out));
  EXPECT_EQ(json.getAsObject()->getString("device_class"), "avx512");
  EXPECT_EQ(call({"service", "devices", "drain", "device-7"}), kUserError);
  EXPECT_EQ(err, "error: no device 'device-7'\n");
}

TEST_F(ServiceVerbs, ChecksTheUrlAndTheCertificates) {
  EXPECT_EQ(convoy({"service", "jobs", "list", "--service", "http://a:1"}), kUserError);
  EXPECT_EQ(err, "error: --service: expected https://HOST:PORT, several separated by commas, got "
                 "'http://a:1'\nsee `convoy service jobs list --help`\n");
  EXPECT_EQ(
      convoy({"service", "jobs", "list", "--service", "https://a:1", "--service-certs", "none"}),
      kUserError);
  EXPECT_EQ(err, "error: --service-certs: cannot read the certificate file 'none/ca.crt': No such "
                 "file or directory; expected a folder with ca.crt, client.crt and client.key\n");
  EXPECT_EQ(convoy({"service", "devices", "list", "--service", "https://127.0.0.1:9",
                    "--service-certs", certs}),
            kUserError);
  EXPECT_EQ(err, "error: cannot reach https://127.0.0.1:9: no server answers at this address\n");
}

TEST_F(ServiceVerbs, CompilesByTheBestRecords) {
  auto compile = [&](const std::string &records) {
    return convoy({"compile", relu(), "--records", records, "--service-certs", certs, "-o",
                   folder.file("out"), "--json"});
  };
  ASSERT_EQ(compile("service:" + face->url()), kDone) << err;
  EXPECT_EQ(api.lookups, 1);
  ASSERT_EQ(api.asked.tasks_size(), 1);
  EXPECT_EQ(api.asked.target(), targets::detectHost().fingerprint());
  EXPECT_EQ(static_cast<size_t>(api.asked.templates_size()), layout::templateVersions().size());
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(out));
  const llvm::json::Object *records = json.getAsObject()->getObject("records");
  ASSERT_TRUE(records) << out;
  EXPECT_EQ(records->getString("hash")->size(), 64U) << out;
  EXPECT_EQ(records->getInteger("tuned"), 1) << out;
  EXPECT_EQ(compile("service:http://a:1"), kUserError);
  EXPECT_EQ(err, "error: --records: expected https://HOST:PORT, got 'http://a:1'\n");
  EXPECT_EQ(compile("service:https://127.0.0.1:9"), kUserError);
  EXPECT_EQ(err, "error: --records: the tuning service: cannot reach https://127.0.0.1:9: no "
                 "server answers at this address\n");
}

} // namespace
