// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A real candidate: convoy-builder builds it, convoy-agent measures it, through NATS and blobs.

#include "Support/TemporaryFolder.h"
#include "TestTrials.h"
#include "service/blobs/BlobServer.h"
#include "service/tls/HttpsServer.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/space/test/TestKernels.h"
#include <httplib.h>

using namespace convoy;
using namespace convoy::service;
using namespace convoy::service::test;
using tuning::Completion;
using tuning::Outcome;

namespace {

Servers *servers = Servers::add("nats");

class EndToEndTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(folder.createInSystem());
    BlobStoreOptions blobOptions;
    blobOptions.folder = folder.file("store");
    store = llvm::cantFail(BlobStore::open(blobOptions));
    server = llvm::cantFail(
        makeHttpsServer(TlsFiles::inFolder(servers->value("CONVOY_CERTS"), "server"), 8));
    BlobServer mounted(*server, *store);
    port = server->bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server->listen_after_bind(); });
    NatsDispatcherOptions options;
    options.nats = natsOf(*servers, "tuningd");
    options.epoch = ++epoch;
    options.ackWaitSeconds = 3;
    options.putBlob = [this](llvm::StringRef bytes) { return store->put(bytes); };
    dispatcher = llvm::cantFail(NatsDispatcher::create(options));
    work.task = std::make_shared<layout::Task>(tuning::test::convTask({16, 8, 16, 3, 1}));
    work.target = std::make_shared<targets::Target>(targets::detectHost());
    work.deviceClass = "here";
    work.configuration = {"loops", 1, "", "planar", "planar"};
  }
  void TearDown() override {
    dispatcher.reset();
    server->stop();
    thread.join();
  }

  std::vector<std::string> words(const std::string &program, std::vector<std::string> more) {
    std::vector<std::string> result{CONVOY_BIN "/" + program,
                                    "--nats",
                                    servers->value("NATS_URL"),
                                    "--certs",
                                    servers->value("CONVOY_CERTS"),
                                    "--blobs",
                                    "https://localhost:" + std::to_string(port),
                                    "--cache",
                                    folder.file("cache-" + program)};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }
  std::vector<std::string> agentWords(std::vector<std::string> more = {}) {
    std::vector<std::string> result{"--class",           "here",   "--name", "device", "--lock-dir",
                                    folder.path().str(), "--wait", "0"};
    result.insert(result.end(), more.begin(), more.end());
    return words("convoy-agent", result);
  }
  Completion next() {
    std::vector<Completion> completions = firstResults(*dispatcher);
    if (completions.empty()) {
      ADD_FAILURE() << "no result";
      return {};
    }
    llvm::cantFail(dispatcher->acknowledge(completions));
    return completions.front();
  }

  static int64_t epoch;
  TemporaryFolder folder;
  std::unique_ptr<BlobStore> store;
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::thread thread;
  std::unique_ptr<NatsDispatcher> dispatcher;
  tuning::TrialWork work;
};

int64_t EndToEndTest::epoch = 0;

TEST_F(EndToEndTest, builds_and_measures_a_candidate) {
  std::string sys = folder.file("sys");
  ASSERT_FALSE(writeFile(sys + "/class/thermal/thermal_zone0/temp", "47000\n"));
  int cpu = tuning::usableCpus().back();
  ASSERT_FALSE(
      writeFile(sys + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq",
                "3100000\n"));
  Program builder(words("convoy-builder", {"--name", "builder"}));
  Program agent(agentWords({"--sys-dir", sys, "--max-drift", "10"}));

  work.trial = "job/0/0";
  llvm::cantFail(dispatcher->build(work));
  Completion built = next();
  ASSERT_EQ(built.outcome, Outcome::Ok) << built.message;
  EXPECT_EQ(built.worker, "builder-0");
  EXPECT_EQ(built.candidate.library, "sha256:" + built.artifact);
  EXPECT_TRUE(store->find(built.artifact));

  // Interference by other programs makes samples invalid, so one of many attempts must succeed.
  Completion measured;
  waitUntil([&] {
    ++work.attempt;
    llvm::cantFail(dispatcher->measure(work, built.candidate));
    measured = next();
    return measured.outcome != Outcome::TimeOut;
  });
  EXPECT_EQ(measured.outcome, Outcome::Ok) << measured.message;
  EXPECT_GT(measured.measurement.ns(), 0);
  EXPECT_EQ(measured.worker, "device");

  WorkerHello device;
  waitUntil([&] {
    device = dispatcher->workers().back().hello;
    return device.celsius != 0;
  });
  EXPECT_EQ(device.name, "device");
  EXPECT_EQ(device.celsius, 47);
  EXPECT_EQ(device.kilohertz, 3100000);

  // A configuration that the compiler refuses.
  work.trial = "job/0/1";
  work.attempt = 1;
  work.configuration.text = "nonsense";
  llvm::cantFail(dispatcher->build(work));
  Completion failed = next();
  EXPECT_EQ(failed.outcome, Outcome::BuildError);
  EXPECT_EQ(failed.message.find("configuration: "), 0u) << failed.message;
  EXPECT_EQ(builder.end(SIGTERM), 0);
  EXPECT_EQ(agent.end(SIGTERM), 0);
}

TEST_F(EndToEndTest, a_drifting_device_is_quarantined) {
  // Every sentinel time exceeds this limit.
  Program agent(agentWords({"--max-drift", "-1"}));
  std::vector<WorkerStatus> workers;
  waitUntil([&] {
    workers = dispatcher->workers();
    return !workers.empty() && workers[0].hello.isQuarantined;
  });
  ASSERT_EQ(workers.size(), 1u);
  EXPECT_TRUE(workers[0].hello.isQuarantined);
  EXPECT_EQ(workers[0].hello.reason.find("the sentinel kernel is "), 0u) << workers[0].hello.reason;
  EXPECT_EQ(dispatcher->capacity().devices.count("here"), 0u);
  EXPECT_EQ(agent.end(SIGTERM), 0);
}

} // namespace
