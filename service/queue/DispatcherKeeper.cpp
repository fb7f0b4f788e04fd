// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keeper of a NatsDispatcher: connection, streams, consumers, and work that is lost or that no
// worker finishes.

#include "service/queue/DispatcherImpl.h"

namespace convoy::service {

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
    for (auto &[id, message] : publishing) { // the old connection took the answers with it
      unpublished.push_back(std::move(message));
    }
    publishing.clear();
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
  if (llvm::Error error = ensureConsumer(nats, results)) {
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
  nats.onStored([this](StringRef id, llvm::Expected<uint64_t> sequence) {
    hearStored(id, std::move(sequence));
  });
  return nats.subscribe(kAdvisories,
                        [this](StringRef, StringRef, StringRef body) { hearAdvisory(body); });
}

/// Returns whether a consumer skips messages. A server that was killed, or whose disk was full, may
/// restore a stream without its newest messages, but the consumer with its newest state. Until the
/// stream reaches the old sequence again, that consumer delivers nothing.
static llvm::Expected<bool> skipsMessages(NatsConnection &nats, const WorkConsumer &consumer) {
  llvm::Expected<ConsumerState> state = nats.state(consumer.stream, consumer.name);
  if (!state) {
    llvm::Error error = state.takeError();
    if (!isProblem(error, NatsProblem::NotFound)) {
      return std::move(error);
    }
    llvm::consumeError(std::move(error));
    return false;
  }
  llvm::Expected<StreamState> stream = nats.state(consumer.stream);
  if (!stream) {
    return stream.takeError();
  }
  // The server may also restore results whose acknowledgement it has not written. They would stay
  // in the stream for ever. A result that comes again by mistake counts as repeated.
  uint64_t expected = state->waiting + static_cast<uint64_t>(state->unacknowledged);
  bool hasRemains = consumer.stream == kResultStream && stream->messages > expected;
  return state->deliveredSequence > stream->lastSequence || hasRemains;
}

/// Creates or updates a consumer. A consumer that skips messages is replaced; the new consumer
/// delivers all messages of the stream.
llvm::Error NatsDispatcher::Impl::ensureConsumer(NatsConnection &nats,
                                                 const WorkConsumer &consumer) {
  llvm::Expected<bool> isSkipping = skipsMessages(nats, consumer);
  if (!isSkipping) {
    return isSkipping.takeError();
  }
  if (*isSkipping) {
    options.say("NATS lost messages or acknowledgements of the stream " + consumer.stream +
                "; replacing the consumer " + consumer.name);
    if (llvm::Error error = nats.removeConsumer(consumer.stream, consumer.name)) {
      return error;
    }
  }
  return nats.ensure(consumer);
}

llvm::Error NatsDispatcher::Impl::ensureClass(NatsConnection &nats, const std::string &deviceClass,
                                              int places) {
  std::string token = subjectToken(deviceClass);
  WorkConsumer consumer{kMeasureStream,
                        token,
                        "measure." + token + ".>",
                        options.ackWaitSeconds,
                        options.maxDeliver,
                        std::max(places, 1)};
  if (llvm::Error error = ensureConsumer(nats, consumer)) {
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
            ensureConsumer(nats, {kBuildStream, kBuilders, "", options.ackWaitSeconds,
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
    publishAgain(*nats);
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

/// Publishes the work that NATS did not store. Its message id makes a second copy impossible.
void NatsDispatcher::Impl::publishAgain(NatsConnection &nats) {
  std::vector<WorkMessage> messages;
  {
    Lock lock(mutex);
    messages.swap(unpublished);
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    {
      Lock lock(mutex);
      if (!table.find(messages[i])) {
        continue; // canceled, or its result has arrived
      }
    }
    llvm::Expected<uint64_t> sequence =
        nats.store(subjectOf(messages[i]), toText(messages[i]), messageIdOf(messages[i]));
    Lock lock(mutex);
    if (!sequence) {
      publishProblem = llvm::toString(sequence.takeError());
      unpublished.insert(unpublished.end(), messages.begin() + static_cast<ptrdiff_t>(i),
                         messages.end());
      return;
    }
    table.setSequence(messages[i], *sequence);
    ++counts.published;
  }
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
  completion.outcome = completion.measurement.outcome = Outcome::TimeOut;
  completion.isLost = true;
  completion.worker = work.lastWorker;
  completion.message =
      why + (work.lastWorker.empty() ? "" : "; the last worker was '" + work.lastWorker + "'");
  completion.measurement.message = completion.message;
  completion.token =
      workKey(completion.stage, completion.trial) + kTokenSeparator + std::to_string(work.sequence);
  Lock lock(mutex);
  if (!table.find(work.message)) {
    return; // its result has arrived, or the caller has started another attempt
  }
  options.say("trial " + completion.trial + ": " + completion.message);
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

/// Returns whether the stream has the message of work. A server that has lost its data gives the
/// sequence to another message.
static llvm::Expected<bool> isInStream(NatsConnection &nats, llvm::StringRef stream,
                                       const WorkTable::Work &work) {
  if (work.sequence == 0) {
    return false;
  }
  llvm::Expected<std::string> body = nats.read(stream, work.sequence);
  if (!body) {
    llvm::Error error = body.takeError();
    if (!isProblem(error, NatsProblem::NotFound)) {
      return std::move(error);
    }
    llvm::consumeError(std::move(error));
    return false;
  }
  llvm::Expected<WorkMessage> message = workFromText(*body);
  if (!message) {
    llvm::consumeError(message.takeError());
    return false;
  }
  return messageIdOf(*message) == messageIdOf(work.message);
}

/// Finds out whether work waits for a worker, was lost, or was given up by NATS.
void NatsDispatcher::Impl::examine(NatsConnection &nats, const WorkTable::Work &work) {
  llvm::StringRef stream = streamOf(work.message.stage);
  llvm::Expected<ConsumerState> consumer = nats.state(stream, consumerOf(work.message));
  if (!consumer) {
    llvm::consumeError(consumer.takeError());
    return;
  }
  llvm::Expected<bool> isStored = isInStream(nats, stream, work);
  if (!isStored) {
    llvm::consumeError(isStored.takeError());
    return;
  }
  bool isLost = !*isStored;
  if (!isLost && work.sequence > consumer->deliveredSequence) {
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
  // Work without a sequence is published again when it is stale.
  table.setSequence(again, sequence ? *sequence : 0);
  return sequence.takeError();
}

} // namespace convoy::service
