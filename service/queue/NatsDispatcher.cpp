// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads serve the dispatcher. The receiver fetches results. The keeper holds the connection,
// creates streams and consumers, and examines work without a sign of life. Callbacks of NATS only
// note what they hear; WorkTable.h decides.

#include "service/queue/NatsDispatcher.h"
#include "service/queue/JsonFields.h"
#include "service/queue/WorkTable.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <set>
#include <thread>

using namespace convoy::tuning;

namespace convoy::service {
namespace {

constexpr char kBuildStream[] = "BUILD";
constexpr char kMeasureStream[] = "MEASURE";
constexpr char kResultStream[] = "RESULT";
constexpr char kBuilders[] = "builders";
constexpr char kTuningd[] = "tuningd";
constexpr char kAdvisories[] = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>";
// A result that the caller has not acknowledged arrives again after this time.
constexpr double kResultAckSeconds = 30;
constexpr int64_t kResultsInHand = 20000;
constexpr int kBatch = 256;
constexpr double kFetchSeconds = 0.5;
constexpr double kKeepSeconds = 1;
constexpr double kPingSeconds = 2;
constexpr double kRetrySeconds = 0.25;
// The number of times that lost work is published again.
constexpr int64_t kMaxIssues = 3;
// Stores the text of a task again after this time, because blobs are collected.
constexpr double kBlobSeconds = 3600;
// A thread that makes no progress for this multiple of `stuckSeconds` hangs.
constexpr double kHangFactor = 3;
// A server that is just ending may break a TLS handshake, which looks like a refusal.
constexpr int kMaxRefusals = 3;
// Separates the parts of a completion's token.
constexpr char kTokenSeparator = '\t';

double monotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

llvm::StringRef streamOf(WorkStage stage) {
  return stage == WorkStage::Build ? kBuildStream : kMeasureStream;
}

std::string consumerOf(const WorkMessage &message) {
  return message.stage == WorkStage::Build ? kBuilders : subjectToken(message.deviceClass);
}

std::string subjectOf(const WorkMessage &message) {
  std::string job = subjectToken(llvm::StringRef(message.trial).split('/').first);
  return message.stage == WorkStage::Build
             ? "build." + job
             : "measure." + subjectToken(message.deviceClass) + "." + job;
}

std::string messageIdOf(const WorkMessage &message) {
  return llvm::formatv("{0}/{1}/{2}/{3}/{4}", message.trial, name(message.stage), message.attempt,
                       message.epoch, message.issue);
}

} // namespace

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
  llvm::Error ensureConsumers(NatsConnection &nats, bool isAll);
  llvm::Error ensureClass(NatsConnection &nats, const std::string &deviceClass, int places);
  void checkConnection(const Connection &nats);
  void examine(NatsConnection &nats, const WorkTable::Work &work);
  void examineStale(NatsConnection &nats);
  void takeAdvisories(NatsConnection &nats);
  void giveUp(const WorkTable::Work &work, const std::string &why);
  llvm::Error reissue(NatsConnection &nats, const WorkMessage &message);

  // The receiver.
  void receive();
  void takeResult(NatsConnection &nats, const Delivery &delivery);

  // Callbacks.
  void hearHello(NatsConnection &nats, llvm::StringRef reply, llvm::StringRef body);
  void hearStarted(llvm::StringRef body);
  void hearAdvisory(llvm::StringRef body);

  llvm::Expected<std::string> blobOf(const std::shared_ptr<const void> &owner,
                                     llvm::function_ref<std::string()> text);

  Connection connection;
  bool isStopping = false, isFirstSetUp = true;
  int64_t setUpCount = 0; // the connection's reconnectCount() at the last set-up
  int refusals = 0;       // successive
  double lastRoundTrip = 0, lastExamined = 0;
  WorkTable table;
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

llvm::Error NatsDispatcher::Impl::start() {
  if (llvm::Error error = connect()) {
    if (isProblem(error, NatsProblem::Refused)) {
      return error;
    }
    report(llvm::toString(std::move(error)));
  }
  keeper = std::thread([this] { keep(); });
  receiver = std::thread([this] { receive(); });
  return llvm::Error::success();
}

void NatsDispatcher::Impl::stop() {
  {
    Lock lock(mutex);
    isStopping = true;
  }
  keeperEvent.notify_all();
  arrival.notify_all();
  for (std::thread *thread : {&keeper, &receiver}) {
    if (thread->joinable()) {
      thread->join();
    }
  }
  connection.reset();
}

void NatsDispatcher::Impl::rest(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  keeperEvent.wait_for(lock, std::chrono::duration<double>(seconds),
                       [&] { return isStopping || isKeeperWanted; });
  isKeeperWanted = false;
}

/// Notes why NATS is not usable; says each reason once.
void NatsDispatcher::Impl::report(const std::string &text) {
  {
    Lock lock(mutex);
    if (trouble == text) {
      return;
    }
    trouble = text;
  }
  options.say(text.empty() ? "NATS is usable" : text);
}

llvm::Error NatsDispatcher::Impl::connect() {
  llvm::Expected<Connection> made = NatsConnection::connect(options.nats);
  if (!made) {
    return made.takeError();
  }
  if (llvm::Error error = setUp(**made, /*isNew=*/true)) {
    return error;
  }
  {
    Lock lock(mutex);
    connection = *made;
    lastRoundTrip = monotonicSeconds();
    setUpCount = (*made)->reconnectCount();
    refusals = 0;
    table.touch(lastRoundTrip);
  }
  report("");
  return llvm::Error::success();
}

llvm::Error NatsDispatcher::Impl::setUp(NatsConnection &nats, bool isNew) {
  for (WorkQueue queue :
       {WorkQueue{kBuildStream, "build.>"}, WorkQueue{kMeasureStream, "measure.>"},
        WorkQueue{kResultStream, "result.>"}}) {
    queue.duplicatesSeconds = options.duplicatesSeconds;
    if (llvm::Error error = nats.ensure(queue)) {
      return error;
    }
  }
  if (isFirstSetUp && options.isPurging) {
    for (llvm::StringRef stream : {kBuildStream, kMeasureStream}) {
      if (llvm::Error error = nats.purge(stream)) {
        return error;
      }
    }
  }
  isFirstSetUp = false;
  WorkConsumer results{kResultStream, kTuningd, "", kResultAckSeconds, -1, kResultsInHand};
  if (llvm::Error error = nats.ensure(results)) {
    return error;
  }
  if (llvm::Error error = ensureConsumers(nats, /*isAll=*/true)) {
    return error;
  }
  return isNew ? subscribe(nats) : llvm::Error::success();
}

llvm::Error NatsDispatcher::Impl::subscribe(NatsConnection &nats) {
  using llvm::StringRef;
  if (llvm::Error error =
          nats.subscribe("hello.>", [this, &nats](StringRef, StringRef reply, StringRef body) {
            hearHello(nats, reply, body);
          })) {
    return error;
  }
  if (llvm::Error error = nats.subscribe(
          "started.>", [this](StringRef, StringRef, StringRef body) { hearStarted(body); })) {
    return error;
  }
  return nats.subscribe(kAdvisories,
                        [this](StringRef, StringRef, StringRef body) { hearAdvisory(body); });
}

llvm::Error NatsDispatcher::Impl::ensureClass(NatsConnection &nats, const std::string &deviceClass,
                                              int places) {
  std::string token = subjectToken(deviceClass);
  if (llvm::Error error = nats.ensure(WorkConsumer{kMeasureStream, token, "measure." + token + ".>",
                                                   options.ackWaitSeconds, options.maxDeliver,
                                                   std::max(places, 1)})) {
    return error;
  }
  Lock lock(mutex);
  classPlaces[deviceClass] = places;
  return llvm::Error::success();
}

/// Adapts the limits of the consumers to the number of workers. If `isAll`, also writes limits
/// that have not changed.
llvm::Error NatsDispatcher::Impl::ensureConsumers(NatsConnection &nats, bool isAll) {
  Capacity wanted;
  std::map<std::string, int> known;
  int knownBuilds = 0;
  {
    Lock lock(mutex);
    wanted = registry.leases(monotonicSeconds());
    known = classPlaces;
    knownBuilds = buildPlaces;
  }
  if (isAll || wanted.builds != knownBuilds) {
    if (llvm::Error error =
            nats.ensure(WorkConsumer{kBuildStream, kBuilders, "", options.ackWaitSeconds,
                                     options.maxDeliver, std::max(wanted.builds, 1)})) {
      return error;
    }
    Lock lock(mutex);
    buildPlaces = wanted.builds;
  }
  for (const auto &[deviceClass, places] : known) {
    wanted.devices.try_emplace(deviceClass, 0);
  }
  for (const auto &[deviceClass, places] : wanted.devices) {
    auto found = known.find(deviceClass);
    if (isAll || found == known.end() || found->second != places) {
      if (llvm::Error error = ensureClass(nats, deviceClass, places)) {
        return error;
      }
    }
  }
  return llvm::Error::success();
}

void NatsDispatcher::Impl::keep() {
  for (; !isEnding(); rest(kKeepSeconds)) {
    keeperTick = monotonicSeconds();
    Connection nats = current();
    if (!nats) {
      if (llvm::Error error = connect()) {
        bool isRefused = isProblem(error, NatsProblem::Refused);
        report(llvm::toString(std::move(error)));
        Lock lock(mutex);
        refusals = isRefused ? refusals + 1 : 0;
      }
      continue;
    }
    checkConnection(nats);
    if (nats != current() || !nats->isConnected()) {
      continue;
    }
    if (llvm::Error error = ensureConsumers(*nats, /*isAll=*/false)) {
      report(llvm::toString(std::move(error)));
      continue;
    }
    takeAdvisories(*nats);
    examineStale(*nats);
  }
}

/// Repeats the set-up after a reconnect and replaces a connection that is stuck.
void NatsDispatcher::Impl::checkConnection(const Connection &nats) {
  llvm::Error error = nats->ping(kPingSeconds);
  double now = monotonicSeconds();
  if (error) {
    report(llvm::toString(std::move(error)));
    Lock lock(mutex);
    if (now - lastRoundTrip > options.stuckSeconds) {
      connection.reset();
      ++counts.reconnects;
    }
    return;
  }
  int64_t count = nats->reconnectCount();
  if (count != setUpCount) {
    // The server may have lost its data.
    if (llvm::Error problem = setUp(*nats, /*isNew=*/false)) {
      report(llvm::toString(std::move(problem)));
      return;
    }
  }
  {
    Lock lock(mutex);
    lastRoundTrip = now;
    if (count != setUpCount) {
      counts.reconnects += count - setUpCount;
      setUpCount = count;
      table.touch(now);
    }
  }
  report("");
}

void NatsDispatcher::Impl::takeAdvisories(NatsConnection &nats) {
  std::vector<std::pair<std::string, uint64_t>> now;
  {
    Lock lock(mutex);
    now.swap(advisories);
  }
  for (const auto &[stream, sequence] : now) {
    llvm::Expected<std::string> body = nats.read(stream, sequence);
    if (!body) { // acknowledged late, or the server went away: examineStale() finds it
      llvm::consumeError(body.takeError());
      continue;
    }
    llvm::Expected<WorkMessage> message = workFromText(*body);
    std::optional<WorkTable::Work> work;
    if (message) {
      Lock lock(mutex);
      if (const WorkTable::Work *found = table.find(*message)) {
        work = *found;
        work->sequence = sequence;
      }
    } else {
      llvm::consumeError(message.takeError());
    }
    if (work) {
      giveUp(*work, llvm::formatv("no worker finished the {0} after {1} deliveries",
                                  name(work->message.stage), options.maxDeliver));
    } else {
      llvm::consumeError(nats.remove(stream, sequence));
    }
  }
}

/// Gives the caller a result for work that no worker finishes.
void NatsDispatcher::Impl::giveUp(const WorkTable::Work &work, const std::string &why) {
  Completion completion;
  completion.stage = work.message.stage;
  completion.trial = work.message.trial;
  completion.attempt = work.message.attempt;
  completion.outcome = completion.measurement.outcome = Outcome::Crash;
  completion.worker = work.lastWorker;
  completion.message =
      why + (work.lastWorker.empty() ? "" : "; the last worker was '" + work.lastWorker + "'");
  completion.measurement.message = completion.message;
  completion.token =
      workKey(completion.stage, completion.trial) + kTokenSeparator + std::to_string(work.sequence);
  options.say("trial " + completion.trial + ": " + completion.message);
  Lock lock(mutex);
  table.exhaust(work.message, monotonicSeconds());
  ++counts.exhausted;
  arrived.push_back(std::move(completion));
  arrival.notify_all();
}

void NatsDispatcher::Impl::examineStale(NatsConnection &nats) {
  double now = monotonicSeconds();
  std::vector<WorkTable::Work> stale;
  {
    Lock lock(mutex);
    if (now - lastExamined < options.staleSeconds / 4) {
      return;
    }
    lastExamined = now;
    stale = table.findStale(now, options.staleSeconds);
  }
  for (const WorkTable::Work &work : stale) {
    examine(nats, work);
  }
}

/// Finds out whether work waits for a worker, was lost, or was given up by NATS.
void NatsDispatcher::Impl::examine(NatsConnection &nats, const WorkTable::Work &work) {
  llvm::StringRef stream = streamOf(work.message.stage);
  llvm::Expected<ConsumerState> consumer = nats.state(stream, consumerOf(work.message));
  if (!consumer) {
    llvm::consumeError(consumer.takeError());
    return;
  }
  llvm::Expected<std::string> body = nats.read(stream, work.sequence);
  bool isLost = false;
  if (!body) {
    llvm::Error error = body.takeError();
    isLost = isProblem(error, NatsProblem::NotFound);
    llvm::consumeError(std::move(error));
    if (!isLost) {
      return;
    }
  } else if (work.sequence > consumer->deliveredSequence) {
    return; // no worker was free
  }
  if (work.message.issue + 1 >= kMaxIssues) {
    giveUp(work, "the work was lost repeatedly");
    return;
  }
  if (!isLost) {
    llvm::consumeError(nats.remove(stream, work.sequence));
  }
  if (llvm::Error error = reissue(nats, work.message)) {
    report(llvm::toString(std::move(error)));
  }
}

llvm::Error NatsDispatcher::Impl::reissue(NatsConnection &nats, const WorkMessage &message) {
  WorkMessage again;
  {
    Lock lock(mutex);
    if (!table.find(message)) {
      return llvm::Error::success(); // its result has arrived
    }
    again = table.reissue(message, monotonicSeconds());
    ++counts.republished;
  }
  options.say("trial " + message.trial + ": published the " + name(message.stage).str() +
              " again, because its message or its worker was lost");
  llvm::Expected<uint64_t> sequence =
      nats.store(subjectOf(again), toText(again), messageIdOf(again));
  Lock lock(mutex);
  // After an error, the sequence 1 makes the table examine the work again.
  table.setSequence(again, sequence ? *sequence : 1);
  return sequence.takeError();
}

void NatsDispatcher::Impl::receive() {
  std::shared_ptr<NatsConnection> nats;
  std::unique_ptr<PullConsumer> consumer;
  while (!isEnding()) {
    receiverTick = monotonicSeconds();
    Connection now = current();
    if (now != nats) {
      consumer.reset();
      nats = now;
    }
    auto pause = [] { std::this_thread::sleep_for(std::chrono::duration<double>(kRetrySeconds)); };
    if (!nats || !nats->isConnected()) {
      consumer.reset();
      pause();
      continue;
    }
    if (!consumer) {
      llvm::Expected<std::unique_ptr<PullConsumer>> made = nats->pull(kResultStream, kTuningd);
      if (!made) {
        llvm::consumeError(made.takeError()); // the keeper reports and repairs
        pause();
        continue;
      }
      consumer = std::move(*made);
    }
    llvm::Expected<std::vector<Delivery>> deliveries = consumer->fetch(kBatch, kFetchSeconds);
    if (!deliveries) {
      llvm::consumeError(deliveries.takeError());
      consumer.reset();
      pause();
      continue;
    }
    for (const Delivery &delivery : *deliveries) {
      takeResult(*nats, delivery);
    }
  }
}

void NatsDispatcher::Impl::takeResult(NatsConnection &nats, const Delivery &delivery) {
  llvm::Expected<ResultMessage> result = resultFromText(delivery.body);
  if (!result) {
    options.say("dropped a result: " + llvm::toString(result.takeError()));
    llvm::consumeError(nats.publish(delivery.ackSubject, kAck));
    return;
  }
  if (result->token.epoch > options.epoch) { // for the leader that follows this one
    llvm::consumeError(nats.publish(delivery.ackSubject, kNak));
    std::this_thread::sleep_for(std::chrono::duration<double>(kRetrySeconds));
    return;
  }
  Completion &completion = result->completion;
  WorkTable::Verdict verdict;
  {
    Lock lock(mutex);
    verdict = table.judge(*result, delivery.sequence, monotonicSeconds());
    counts.stale += verdict == WorkTable::Verdict::Stale ? 1 : 0;
    counts.repeated += verdict == WorkTable::Verdict::Repeated ? 1 : 0;
    if (verdict == WorkTable::Verdict::Deliver) {
      completion.token =
          workKey(completion.stage, completion.trial) + kTokenSeparator + delivery.ackSubject;
      arrived.push_back(std::move(completion));
      arrival.notify_all();
      return;
    }
  }
  llvm::consumeError(nats.publish(delivery.ackSubject, kAck));
}

void NatsDispatcher::Impl::hearHello(NatsConnection &nats, llvm::StringRef reply,
                                     llvm::StringRef body) {
  llvm::Expected<WorkerHello> hello = helloFromJson(body);
  if (!hello) {
    options.say("dropped a hello: " + llvm::toString(hello.takeError()));
    return;
  }
  WorkerState state = WorkerState::Active;
  {
    Lock lock(mutex);
    double now = monotonicSeconds();
    for (const std::string &trial : hello->busy) {
      table.noteBusy(trial, now);
    }
    state = registry.hear(std::move(*hello), now);
    if (registry.takeNews()) { // the limits of the consumers change
      isKeeperWanted = true;
      wakeKeeper();
    }
  }
  if (!reply.empty()) {
    nlohmann::json answer{{"state", name(state).str()}, {"epoch", options.epoch}};
    llvm::consumeError(nats.publish(reply, dump(answer)));
  }
}

void NatsDispatcher::Impl::hearStarted(llvm::StringRef body) {
  llvm::Expected<StartedMessage> started = startedFromText(body);
  if (!started) {
    llvm::consumeError(started.takeError());
    return;
  }
  Lock lock(mutex);
  table.noteStarted(*started, monotonicSeconds());
}

void NatsDispatcher::Impl::hearAdvisory(llvm::StringRef body) {
  llvm::Expected<nlohmann::json> advisory = parseObject(body, "an advisory");
  if (!advisory) {
    llvm::consumeError(advisory.takeError());
    return;
  }
  JsonFields fields(*advisory);
  std::string stream = fields.text("stream", "");
  int64_t sequence = fields.integer("stream_seq", 0);
  if ((stream == kBuildStream || stream == kMeasureStream) && sequence > 0) {
    Lock lock(mutex);
    advisories.emplace_back(stream, static_cast<uint64_t>(sequence));
    isKeeperWanted = true;
    wakeKeeper();
  }
}

/// Stores a text once per owner and returns its SHA-256.
llvm::Expected<std::string> NatsDispatcher::Impl::blobOf(const std::shared_ptr<const void> &owner,
                                                         llvm::function_ref<std::string()> text) {
  double now = monotonicSeconds();
  {
    Lock lock(mutex);
    auto found = blobs.find(owner);
    if (found != blobs.end() && now - found->second.time < kBlobSeconds) {
      return found->second.name;
    }
  }
  llvm::Expected<std::string> stored = options.putBlob(text());
  if (!stored) {
    return stored.takeError();
  }
  Lock lock(mutex);
  for (auto it = blobs.begin(); it != blobs.end();) {
    it = it->first.expired() ? blobs.erase(it) : std::next(it);
  }
  blobs[owner] = {*stored, now};
  return *stored;
}

llvm::Error NatsDispatcher::Impl::send(const TrialWork &work, WorkMessage message) {
  Connection nats = current();
  if (!nats || !nats->isConnected()) {
    return llvm::make_error<NatsError>(NatsProblem::Transient,
                                       "NATS at " + options.nats.url + " is not connected");
  }
  llvm::Expected<std::string> task = blobOf(work.task, [&] { return work.task->text; });
  if (!task) {
    return task.takeError();
  }
  llvm::Expected<std::string> target =
      blobOf(work.target, [&] { return targets::toJson(*work.target); });
  if (!target) {
    return target.takeError();
  }
  message.trial = work.trial;
  message.attempt = work.attempt;
  message.epoch = options.epoch;
  message.deviceClass = work.deviceClass;
  message.taskKey = *task;
  message.taskName = work.task->name;
  message.targetBlob = *target;
  message.configuration = work.configuration;
  message.plan = work.plan;
  std::string subject = subjectOf(message);
  bool isKnownClass = message.stage == WorkStage::Build;
  {
    Lock lock(mutex);
    if (!table.add(message, subject, monotonicSeconds())) {
      return llvm::Error::success();
    }
    isKnownClass |= classPlaces.count(message.deviceClass) > 0;
  }
  llvm::Error error =
      isKnownClass ? llvm::Error::success() : ensureClass(*nats, message.deviceClass, 0);
  llvm::Expected<uint64_t> sequence(0);
  if (!error) {
    sequence = nats->store(subject, toText(message), messageIdOf(message));
    error = sequence.takeError();
  }
  Lock lock(mutex);
  if (error) {
    table.retract(message);
    return error;
  }
  table.setSequence(message, *sequence);
  ++counts.published;
  return llvm::Error::success();
}

llvm::Expected<std::vector<Completion>> NatsDispatcher::Impl::wait(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  arrival.wait_for(lock, std::chrono::duration<double>(seconds),
                   [&] { return isStopping || !arrived.empty(); });
  if (arrived.empty() && refusals >= kMaxRefusals) {
    return llvm::make_error<NatsError>(NatsProblem::Refused, trouble);
  }
  counts.completed += static_cast<int64_t>(arrived.size());
  std::vector<Completion> completions;
  completions.swap(arrived);
  return completions;
}

void NatsDispatcher::Impl::acknowledge(llvm::ArrayRef<Completion> completions) {
  Connection nats = current();
  for (const Completion &completion : completions) {
    auto [key, answer] = llvm::StringRef(completion.token).split(kTokenSeparator);
    {
      Lock lock(mutex);
      table.acknowledge(key.str());
    }
    // If an acknowledgement is lost, the result arrives again and counts as repeated.
    uint64_t sequence = 0;
    if (!nats || answer.empty()) {
      continue;
    }
    if (answer.getAsInteger(10, sequence)) {
      llvm::consumeError(nats->publish(answer, kAck));
    } else if (sequence != 0) {
      llvm::consumeError(nats->remove(streamOf(completion.stage), sequence));
    }
  }
}

void NatsDispatcher::Impl::cancel(llvm::StringRef job) {
  {
    Lock lock(mutex);
    table.forget(job);
  }
  Connection nats = current();
  if (!nats || !nats->isConnected()) {
    return; // workers do the work, and the caller ignores the results
  }
  std::string token = subjectToken(job);
  llvm::consumeError(nats->publish("cancel." + token, job));
  llvm::consumeError(nats->purge(kBuildStream, "build." + token));
  llvm::consumeError(nats->purge(kMeasureStream, "measure.*." + token));
}

NatsDispatcher::NatsDispatcher(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
NatsDispatcher::~NatsDispatcher() = default;

llvm::Expected<std::unique_ptr<NatsDispatcher>>
NatsDispatcher::create(NatsDispatcherOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  if (llvm::Error error = impl->start()) {
    return std::move(error);
  }
  return std::unique_ptr<NatsDispatcher>(new NatsDispatcher(std::move(impl)));
}

llvm::Error NatsDispatcher::build(const TrialWork &work) {
  WorkMessage message;
  message.stage = WorkStage::Build;
  return impl->send(work, std::move(message));
}

llvm::Error NatsDispatcher::measure(const TrialWork &work, const Candidate &candidate) {
  WorkMessage message;
  message.stage = WorkStage::Measure;
  message.candidate = candidate;
  return impl->send(work, std::move(message));
}

llvm::Expected<std::vector<Completion>> NatsDispatcher::wait(double seconds) {
  return impl->wait(seconds);
}

llvm::Error NatsDispatcher::acknowledge(llvm::ArrayRef<Completion> completions) {
  impl->acknowledge(completions);
  return llvm::Error::success();
}

void NatsDispatcher::cancel(llvm::StringRef job) { impl->cancel(job); }

Capacity NatsDispatcher::capacity() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->registry.capacity(monotonicSeconds());
}

std::vector<WorkerStatus> NatsDispatcher::workers() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->registry.list(monotonicSeconds());
}

void NatsDispatcher::setState(llvm::StringRef worker, WorkerState state) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  impl->registry.setState(worker, state);
}

DispatcherCounts NatsDispatcher::counts() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->counts;
}

bool NatsDispatcher::isStuck() const {
  double limit = monotonicSeconds() - kHangFactor * impl->options.stuckSeconds;
  return impl->keeperTick < limit || impl->receiverTick < limit;
}

std::string NatsDispatcher::problem() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->trouble;
}

} // namespace convoy::service
