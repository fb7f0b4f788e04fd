// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a NatsDispatcher hears: results, hellos, announcements and advisories.

#include "service/queue/DispatcherImpl.h"
#include "service/queue/JsonFields.h"

namespace convoy::service {

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
    bool isOvertaken = false;
    for (const Delivery &delivery : *deliveries) {
      isOvertaken |= !takeResult(*nats, delivery);
    }
    if (isOvertaken) {
      pause();
    }
  }
}

/// Returns false if the result is for a later leader.
bool NatsDispatcher::Impl::takeResult(NatsConnection &nats, const Delivery &delivery) {
  llvm::Expected<ResultMessage> result = resultFromText(delivery.body);
  if (!result) {
    options.say("dropped a result: " + llvm::toString(result.takeError()));
    llvm::consumeError(nats.publish(delivery.ackSubject, kAck));
    return true;
  }
  if (result->token.epoch > options.epoch) { // for the leader that follows this one
    llvm::consumeError(nats.publish(delivery.ackSubject, kNak));
    return false;
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
      return true;
    }
  }
  llvm::consumeError(nats.publish(delivery.ackSubject, kAck));
  return true;
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

void NatsDispatcher::Impl::hearStored(llvm::StringRef id, llvm::Expected<uint64_t> sequence) {
  Lock lock(mutex);
  auto found = publishing.find(id.str());
  if (found == publishing.end()) {
    llvm::consumeError(sequence.takeError());
    return;
  }
  if (sequence) {
    table.setSequence(found->second, *sequence);
    ++counts.published;
  } else {
    publishProblem = llvm::toString(sequence.takeError());
    unpublished.push_back(found->second);
  }
  publishing.erase(found);
  arrival.notify_all(); // cancel() may wait for it
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

} // namespace convoy::service
