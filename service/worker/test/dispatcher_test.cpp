// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dispatcher and emulated workers on a real NATS server: each trial gives one result, also
// if workers and servers fail.

#include "Support/TemporaryFolder.h"
#include "TestTrials.h"
#include "tuning/records/Record.h"

using namespace convoy;
using namespace convoy::service;
using namespace convoy::service::test;
using tuning::Completion;
using tuning::Outcome;

namespace {

Servers *servers = Servers::add("nats");

/// The arguments of convoy-agent with emulated devices.
std::vector<std::string> agentWords(const std::string &table, const std::string &name, int count,
                                    std::vector<std::string> more = {}) {
  std::vector<std::string> words{std::string(CONVOY_BIN) + "/convoy-agent",
                                 "--nats",
                                 servers->value("NATS_URL"),
                                 "--certs",
                                 servers->value("CONVOY_CERTS"),
                                 "--class",
                                 kClass,
                                 "--emulate",
                                 table,
                                 "--name",
                                 name,
                                 "--count",
                                 std::to_string(count),
                                 "--seconds",
                                 "0.02"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class DispatcherTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(folder.createInSystem());
    table = folder.file("table.json");
    task.writeTable(table);
    tables = std::make_shared<const EmulationTables>(llvm::cantFail(EmulationTables::read(table)));
  }

  NatsDispatcherOptions options() {
    NatsDispatcherOptions options;
    options.nats = natsOf(*servers, "tuningd");
    options.epoch = ++lastEpoch;
    // A worker that has no time to renew its lease loses work, but never the last delivery.
    options.ackWaitSeconds = 1;
    options.maxDeliver = 1000;
    options.staleSeconds = 4;
    options.putBlob = [](llvm::StringRef bytes) { return tuning::sha256(bytes); };
    options.say = [](const std::string &text) {
      fprintf(stderr, "dispatcher: %s\n", text.c_str());
    };
    return options;
  }
  static std::unique_ptr<NatsDispatcher> create(NatsDispatcherOptions options) {
    llvm::Expected<std::unique_ptr<NatsDispatcher>> made =
        NatsDispatcher::create(std::move(options));
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError());
      return nullptr;
    }
    return std::move(*made);
  }
  static std::unique_ptr<TestWorkers> startBuilders(int count = 4) {
    return std::make_unique<TestWorkers>(builderOptions(*servers), emulatedBuilders(count, 0.01));
  }
  std::unique_ptr<TestWorkers> startDevices(int count, EmulationOptions emulation = {}) {
    emulation.name = emulation.name.empty() ? "device" : emulation.name;
    emulation.seconds = 0.02;
    return std::make_unique<TestWorkers>(agentOptions(*servers),
                                         emulatedDevices(count, emulation, tables));
  }
  /// Waits until the dispatcher knows so many devices.
  static bool waitForDevices(NatsDispatcher &dispatcher, int count) {
    return waitUntil([&] { return dispatcher.capacity().devices[kClass] == count; });
  }
  /// Waits until the dispatcher knows so many places of builders.
  static bool waitForBuilders(NatsDispatcher &dispatcher, int count) {
    return waitUntil([&] { return dispatcher.capacity().builds == count; });
  }
  /// Checks one result per trial, with the time of the table.
  void expectEachOnce(const TrialRunner &runner, int count) {
    EXPECT_EQ(runner.built.size(), static_cast<size_t>(count));
    EXPECT_EQ(runner.measured.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      std::string trial = task.work("job", i).trial;
      EXPECT_EQ(runner.measured.at(trial), 1) << trial;
      const Completion &completion = runner.results.at(trial);
      if (TestTask::isKnown(i)) {
        EXPECT_NEAR(completion.measurement.ns(), TestTask::seconds(i) * 1e9, 1) << trial;
      } else {
        EXPECT_EQ(completion.outcome, Outcome::BuildError);
        EXPECT_EQ(completion.message, "the table has no time for this configuration");
      }
    }
  }

  static int64_t lastEpoch;
  TemporaryFolder folder;
  TestTask task;
  std::string table;
  std::shared_ptr<const EmulationTables> tables;
};

int64_t DispatcherTest::lastEpoch = 0;

TEST_F(DispatcherTest, each_trial_gives_one_result) {
  NatsDispatcherOptions settings = options();
  settings.ackWaitSeconds = kDeadlineSeconds; // no worker loses its lease
  std::unique_ptr<NatsDispatcher> dispatcher = create(settings);
  auto builders = startBuilders();
  auto devices = startDevices(8);
  ASSERT_TRUE(waitForDevices(*dispatcher, 8));
  EXPECT_TRUE(waitForBuilders(*dispatcher, 4));
  TrialRunner runner(*dispatcher, task, "job", 500, 40);
  EXPECT_TRUE(runner.run());
  expectEachOnce(runner, 500);
  EXPECT_EQ(runner.workers.size(), 12u) << "all workers take part";
  EXPECT_EQ(dispatcher->counts().stale, 0);
  EXPECT_EQ(builders->stop(), WorkerEnd::Stopped);
  EXPECT_EQ(devices->stop(), WorkerEnd::Stopped);
}

/// A builder whose error message is larger than a message of NATS may be.
class LoudBuilder : public WorkStation {
public:
  llvm::Error run(const WorkMessage &, ResultMessage &result) override {
    result.completion.outcome = Outcome::BuildError;
    result.completion.message = std::string(2 << 20, 'x');
    return llvm::Error::success();
  }
  WorkerHello hello() override {
    WorkerHello hello;
    hello.name = "loud";
    hello.role = "builder";
    return hello;
  }
};

TEST_F(DispatcherTest, a_long_message_is_shortened) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  std::vector<std::unique_ptr<WorkStation>> stations;
  stations.push_back(std::make_unique<LoudBuilder>());
  TestWorkers builder(builderOptions(*servers), std::move(stations));
  ASSERT_TRUE(waitForBuilders(*dispatcher, 1));
  llvm::cantFail(dispatcher->build(task.work("job", 0)));
  std::vector<Completion> completions = firstResults(*dispatcher);
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].outcome, Outcome::BuildError);
  EXPECT_EQ(completions[0].message, std::string(64 << 10, 'x') + " ... (2031616 bytes left out)");
  llvm::cantFail(dispatcher->acknowledge(completions));
}

TEST_F(DispatcherTest, trials_of_a_killed_agent_run_elsewhere) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  auto builders = startBuilders();
  Program first(agentWords(table, "first", 4)), second(agentWords(table, "second", 4));
  ASSERT_TRUE(waitForDevices(*dispatcher, 8));
  TrialRunner runner(*dispatcher, task, "job", 200, 40);
  ASSERT_TRUE(runner.runSome(20)); // the kill comes in the middle
  EXPECT_EQ(first.end(SIGKILL), 128 + SIGKILL);
  EXPECT_TRUE(runner.run());
  expectEachOnce(runner, 200);
  EXPECT_EQ(second.end(SIGTERM), 0);
}

TEST_F(DispatcherTest, work_goes_on_after_a_restart_of_nats) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  auto builders = startBuilders();
  auto devices = startDevices(8);
  ASSERT_TRUE(waitForDevices(*dispatcher, 8));
  TrialRunner runner(*dispatcher, task, "job", 200, 40);
  ASSERT_TRUE(runner.runSome(20));
  servers->kill("nats");
  double end = now() + kDeadlineSeconds;
  EXPECT_FALSE(runner.runUntil([&] { return !dispatcher->problem().empty() || now() >= end; }));
  EXPECT_NE(dispatcher->problem(), "");
  ASSERT_EQ(servers->start(), 0);
  EXPECT_TRUE(runner.run()) << dispatcher->problem();
  expectEachOnce(runner, 200);
  EXPECT_TRUE(waitUntil([&] { return dispatcher->problem().empty(); })) << dispatcher->problem();
  EXPECT_GE(dispatcher->counts().reconnects, 1);
}

TEST_F(DispatcherTest, work_goes_on_after_nats_lost_the_newest_messages) {
  NatsDispatcherOptions settings = options();
  std::mutex mutex;
  std::string said;
  settings.say = [&](const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    said += text + "\n";
  };
  std::unique_ptr<NatsDispatcher> dispatcher = create(settings);
  auto builders = startBuilders();
  auto devices = startDevices(8);
  ASSERT_TRUE(waitForDevices(*dispatcher, 8));
  TrialRunner before(*dispatcher, task, "before", 200, 40);
  ASSERT_TRUE(before.run());
  // A killed server may lose the state of its consumers, too.
  servers->stop("nats");
  // The streams begin again at sequence 1. The consumers keep their state.
  for (const char *stream : {"BUILD", "MEASURE", "RESULT"}) {
    ASSERT_FALSE(llvm::sys::fs::remove_directories(
        servers->folder() + "/nats/jetstream/$G/streams/" + stream + "/msgs"));
  }
  ASSERT_EQ(servers->start(), 0);
  TrialRunner runner(*dispatcher, task, "job", 40, 40);
  EXPECT_TRUE(runner.run()) << dispatcher->problem();
  expectEachOnce(runner, 40);
  EXPECT_EQ(dispatcher->counts().republished, 0);
  std::lock_guard<std::mutex> lock(mutex);
  EXPECT_NE(said.find("NATS lost messages or acknowledgements of the stream BUILD; replacing the "
                      "consumer builders\n"),
            std::string::npos)
      << said;
}

TEST_F(DispatcherTest, a_late_result_is_dropped) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  auto builders = startBuilders();
  EmulationOptions hanging;
  hanging.name = "hanging";
  hanging.hangEvery = 1;
  hanging.hangSeconds = 2;
  auto slow = startDevices(1, hanging);
  auto devices = startDevices(2);
  ASSERT_TRUE(waitForDevices(*dispatcher, 3));
  TrialRunner runner(*dispatcher, task, "job", 40, 20);
  EXPECT_TRUE(runner.run());
  // The hanging device answers and acknowledges after its lease; NATS accepts both.
  EXPECT_TRUE(waitUntil([&] {
    EXPECT_TRUE(llvm::cantFail(dispatcher->wait(0.1)).empty());
    return dispatcher->counts().stale > 0;
  }));
  expectEachOnce(runner, 40);
}

TEST_F(DispatcherTest, work_that_no_worker_finishes_ends_with_an_outcome_slow) {
  NatsDispatcherOptions settings = options();
  settings.maxDeliver = 2;
  std::unique_ptr<NatsDispatcher> dispatcher = create(settings);
  EmulationOptions hanging;
  hanging.hangEvery = 1;
  hanging.hangSeconds = 3;
  // NATS notices the last expired lease when a third device asks for work.
  auto devices = startDevices(3, hanging);
  ASSERT_TRUE(waitForDevices(*dispatcher, 3));
  llvm::cantFail(dispatcher->measure(task.work("job", 0), {}));
  std::vector<Completion> completions = firstResults(*dispatcher);
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].outcome, Outcome::TimeOut);
  EXPECT_TRUE(completions[0].isLost);
  EXPECT_EQ(completions[0].message.find("no worker finished the measure after 2 deliveries; the "
                                        "last worker was 'device-"),
            0u)
      << completions[0].message;
  llvm::cantFail(dispatcher->acknowledge(completions));
  auto nats = llvm::cantFail(NatsConnection::connect(natsOf(*servers, "tuningd")));
  ConsumerState state = llvm::cantFail(nats->state("MEASURE", kClass));
  llvm::Error gone = nats->read("MEASURE", state.deliveredSequence).takeError();
  EXPECT_TRUE(isProblem(gone, NatsProblem::NotFound));
  llvm::consumeError(std::move(gone));
  EXPECT_EQ(dispatcher->counts().exhausted, 1);
}

TEST_F(DispatcherTest, lost_work_is_published_again_slow) {
  NatsDispatcherOptions settings = options();
  settings.staleSeconds = 1;
  std::unique_ptr<NatsDispatcher> dispatcher = create(settings);
  llvm::cantFail(dispatcher->measure(task.work("job", 3), {}));
  auto nats = llvm::cantFail(NatsConnection::connect(natsOf(*servers, "tuningd")));
  ASSERT_TRUE(waitUntil([&] { return dispatcher->counts().published == 1; }));
  llvm::cantFail(nats->purge("MEASURE"));
  auto devices = startDevices(1);
  std::vector<Completion> completions = firstResults(*dispatcher);
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].outcome, Outcome::Ok);
  EXPECT_EQ(dispatcher->counts().republished, 1);
  llvm::cantFail(dispatcher->acknowledge(completions));
}

TEST_F(DispatcherTest, results_for_an_old_leader_are_dropped) {
  NatsDispatcherOptions settings = options();
  auto nats = llvm::cantFail(NatsConnection::connect(natsOf(*servers, "tuningd")));
  std::unique_ptr<NatsDispatcher> dispatcher = create(settings);
  llvm::cantFail(dispatcher->build(task.work("job", 0)));
  ResultMessage old;
  old.token = {settings.epoch - 1, 1, 0, 1};
  old.completion.trial = task.work("job", 0).trial;
  llvm::cantFail(nats->store("result.build.builder", toText(old), "old"));
  EXPECT_TRUE(waitUntil([&] {
    EXPECT_TRUE(llvm::cantFail(dispatcher->wait(0.1)).empty());
    return dispatcher->counts().stale == 1;
  }));
}

TEST_F(DispatcherTest, unacknowledged_results_stay_in_the_queue) {
  {
    std::unique_ptr<NatsDispatcher> dispatcher = create(options());
    auto builders = startBuilders(1);
    llvm::cantFail(dispatcher->build(task.work("gone", 0)));
    std::vector<Completion> completions = firstResults(*dispatcher);
    ASSERT_EQ(completions.size(), 1u);
  }
  auto nats = llvm::cantFail(NatsConnection::connect(natsOf(*servers, "tuningd")));
  EXPECT_EQ(llvm::cantFail(nats->state("RESULT", "tuningd")).unacknowledged, 1);
  // NATS delivers it again after 30 s. The test removes it for the tests that follow.
  llvm::cantFail(nats->purge("RESULT"));
}

TEST_F(DispatcherTest, operators_drain_devices) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  dispatcher->setState("device-0", WorkerState::Drain);
  auto devices = startDevices(2);
  ASSERT_TRUE(waitForDevices(*dispatcher, 1));
  ASSERT_TRUE(waitUntil([&] { return dispatcher->workers().size() == 2; }));
  for (int i = 0; i < 10; ++i) {
    llvm::cantFail(dispatcher->measure(task.work("job", i), {}));
  }
  std::set<std::string> workers;
  int results = 0;
  for (double end = now() + kDeadlineSeconds; now() < end && results < 10;) {
    std::vector<Completion> completions = llvm::cantFail(dispatcher->wait(0.5));
    for (const Completion &completion : completions) {
      workers.insert(completion.worker);
      ++results;
    }
    llvm::cantFail(dispatcher->acknowledge(completions));
  }
  EXPECT_EQ(results, 10);
  EXPECT_LE(workers.count("device-0"), 0u);
  std::vector<WorkerStatus> list = dispatcher->workers();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].state, WorkerState::Drain);
  EXPECT_FALSE(list[0].takesWork());
  EXPECT_TRUE(list[1].takesWork());
}

TEST_F(DispatcherTest, canceled_work_does_not_start) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  llvm::cantFail(dispatcher->measure(task.work("job", 0), {}));
  llvm::cantFail(dispatcher->measure(task.work("other", 1), {}));
  dispatcher->cancel("job");
  auto devices = startDevices(1);
  std::vector<Completion> completions = firstResults(*dispatcher);
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].trial, "other/0/1");
  llvm::cantFail(dispatcher->acknowledge(completions));
  EXPECT_TRUE(llvm::cantFail(dispatcher->wait(0.3)).empty());
}

TEST_F(DispatcherTest, certificates_without_permission_are_refused) {
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  llvm::cantFail(dispatcher->measure(task.work("job", 0), {}));
  // A builder may not take work of devices.
  WorkerOptions wrong = agentOptions(*servers);
  wrong.nats = natsOf(*servers, "builder");
  wrong.nats.timeoutSeconds = 1;
  std::string said;
  wrong.say = [&](const std::string &text) { said += text + "\n"; };
  TestWorkers worker(wrong, emulatedDevices(1, {}, tables));
  EXPECT_EQ(worker.wait(), WorkerEnd::Refused);
  EXPECT_NE(said.find("Permissions Violation"), std::string::npos) << said;
  EXPECT_NE(said.find("permissions of 'builder' in the server's configuration"), std::string::npos)
      << said;
}

TEST_F(DispatcherTest, unknown_certificates_are_refused) {
  NatsDispatcherOptions settings = options();
  settings.nats.tls = TlsFiles::inFolder(servers->value("CONVOY_CERTS"), "client");
  std::string unknown = llvm::toString(NatsDispatcher::create(settings).takeError());
  EXPECT_NE(unknown.find("cannot connect to NATS at tls://"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("check the certificate"), std::string::npos) << unknown;
  settings.nats.tls.key = "/nowhere.key";
  EXPECT_EQ(llvm::toString(NatsDispatcher::create(settings).takeError()),
            "cannot read the certificate file '/nowhere.key': No such file or directory");
}

TEST_F(DispatcherTest, an_agent_with_a_stuck_connection_ends_slow) {
  Program agent(agentWords(table, "stuck", 1, {"--stuck-seconds", "3"}));
  std::unique_ptr<NatsDispatcher> dispatcher = create(options());
  ASSERT_TRUE(waitForDevices(*dispatcher, 1));
  dispatcher.reset();
  int nats = 0;
  std::ifstream(servers->folder() + "/nats.pid") >> nats;
  ASSERT_GT(nats, 0);
  kill(nats, SIGSTOP);
  EXPECT_EQ(agent.wait(), 4);
  kill(nats, SIGCONT);
}

} // namespace
