// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a NatsDispatcher. Two threads serve it. The receiver fetches results
// (DispatcherReceiver.cpp). The keeper holds the connection, creates streams and consumers, and
// examines work without a sign of life (DispatcherKeeper.cpp). Callbacks of NATS only note what
// they hear; WorkTable.h decides.

#pragma once

#include "Support/MonotonicClock.h"
#include "service/queue/NatsDispatcher.h"
#include "service/queue/WorkTable.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

namespace convoy::service {

using tuning::Capacity;
using tuning::Completion;
using tuning::Outcome;
using tuning::RunnableCandidate;
using tuning::TrialWork;
using tuning::WorkStage;

inline constexpr char kBuildStream[] = "BUILD";
inline constexpr char kMeasureStream[] = "MEASURE";
inline constexpr char kResultStream[] = "RESULT";
inline constexpr char kBuilders[] = "builders";
inline constexpr char kTuningd[] = "tuningd";
inline constexpr char kAdvisories[] = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>";
// A result that the caller has not acknowledged arrives again after this time.
inline constexpr double kResultAckSeconds = 30;
inline constexpr int64_t kResultsInHand = 20000;
inline constexpr int kBatch = 256;
inline constexpr double kFetchSeconds = 0.5;
inline constexpr double kKeepSeconds = 1;
inline constexpr double kPingSeconds = 2;
inline constexpr double kRetrySeconds = 0.25;
// The number of times that lost work is published again.
inline constexpr int64_t kMaxIssues = 3;
// Stores the text of a task again after this time, because blobs are collected.
inline constexpr double kBlobSeconds = 3600;
// A thread that makes no progress for this multiple of `stuckSeconds` hangs.
inline constexpr double kHangFactor = 3;
// A server that is just ending may break a TLS handshake, which looks like a refusal.
inline constexpr int kMaxRefusals = 3;
// Separates the parts of a completion's token.
inline constexpr char kTokenSeparator = '\t';

inline llvm::StringRef streamOf(WorkStage stage) {
  return stage == WorkStage::Build ? kBuildStream : kMeasureStream;
}

inline std::string consumerOf(const WorkMessage &message) {
  return message.stage == WorkStage::Build ? kBuilders : subjectToken(message.deviceClass);
}

inline std::string subjectOf(const WorkMessage &message) {
  std::string job = subjectToken(llvm::StringRef(message.trial).split('/').first);
  return message.stage == WorkStage::Build
             ? "build." + job
             : "measure." + subjectToken(message.deviceClass) + "." + job;
}

inline std::string messageIdOf(const WorkMessage &message) {
  return llvm::formatv("{0}/{1}/{2}/{3}/{4}", message.trial, name(message.stage), message.attempt,
                       message.epoch, message.issue);
}

class NatsDispatcher::Impl {
public:
  explicit Impl(NatsDispatcherOptions given)
      : options(std::move(given)), registry(options.heardSeconds) {
    if (options.staleSeconds <= 0) {
      options.staleSeconds = static_cast<double>(options.maxDeliver + 1) * options.ackWaitSeconds;
    }
  }
  ~Impl() { stop(); }

  llvm::Error start();
  llvm::Error send(const TrialWork &work, WorkMessage message);
  llvm::Expected<std::vector<Completion>> wait(double seconds);
  void acknowledge(llvm::ArrayRef<Completion> completions);
  void cancel(llvm::StringRef job);

  NatsDispatcherOptions options;
  mutable std::mutex mutex; // guards all that follows
  WorkerRegistry registry;
  DispatcherCounts counts;
  std::string trouble; // why NATS is not usable
  /// When the threads last made progress.
  std::atomic<double> keeperTick{monotonicSeconds()}, receiverTick{monotonicSeconds()};

private:
  using Lock = std::lock_guard<std::mutex>;
  using Connection = std::shared_ptr<NatsConnection>;

  void stop();
  Connection current() const {
    Lock lock(mutex);
    return connection;
  }
  bool isEnding() const {
    Lock lock(mutex);
    return isStopping;
  }
  /// Waits, or returns early at the end or when `wake()` was called.
  void rest(double seconds);
  void wakeKeeper() { keeperEvent.notify_all(); }
  void report(const std::string &text);

  // The keeper.
  void keep();
  llvm::Error connect();
  llvm::Error setUp(NatsConnection &nats, bool isNew);
  llvm::Error subscribe(NatsConnection &nats);
  llvm::Error ensureConsumer(NatsConnection &nats, const WorkConsumer &consumer);
  llvm::Error ensureConsumers(NatsConnection &nats, bool isAll);
  llvm::Error ensureClass(NatsConnection &nats, const std::string &deviceClass, int places);
  void checkConnection(const Connection &nats);
  void examine(NatsConnection &nats, const WorkTable::Work &work);
  void examineStale(NatsConnection &nats);
  void takeAdvisories(NatsConnection &nats);
  void giveUp(const WorkTable::Work &work, const std::string &why);
  llvm::Error reissue(NatsConnection &nats, const WorkMessage &message);
  void publishAgain(NatsConnection &nats);

  // The receiver.
  void receive();
  bool takeResult(NatsConnection &nats, const Delivery &delivery);

  // Callbacks.
  void hearHello(NatsConnection &nats, llvm::StringRef reply, llvm::StringRef body);
  void hearStarted(llvm::StringRef body);
  void hearStored(llvm::StringRef id, llvm::Expected<uint64_t> sequence);
  void hearAdvisory(llvm::StringRef body);

  /// Sets the fields of a message that name a task or a network.
  llvm::Error describeTask(const TrialWork &work, WorkMessage &message);
  llvm::Error describeNetwork(const TrialWork &work, WorkMessage &message);
  llvm::Expected<std::string> blobOf(const std::shared_ptr<const void> &owner,
                                     llvm::function_ref<std::string()> text);

  Connection connection;
  bool isStopping = false, isFirstSetUp = true;
  int64_t setUpCount = 0; // the connection's reconnectCount() at the last set-up
  int refusals = 0;       // successive
  double lastRoundTrip = 0, lastExamined = 0;
  WorkTable table;
  std::map<std::string, WorkMessage> publishing; // sent, by message id; NATS has not confirmed it
  std::vector<WorkMessage> unpublished;          // that NATS did not store
  std::string publishProblem;                    // why
  std::vector<Completion> arrived;
  std::condition_variable arrival, keeperEvent;
  bool isKeeperWanted = false;
  std::vector<std::pair<std::string, uint64_t>> advisories; // stream, sequence
  std::map<std::string, int> classPlaces;                   // the limit of each consumer of MEASURE
  int buildPlaces = -1;
  struct Stored {
    std::string name;
    double time = 0;
  };
  std::map<std::weak_ptr<const void>, Stored, std::owner_less<std::weak_ptr<const void>>> blobs;
  std::thread keeper, receiver;
};

} // namespace convoy::service
