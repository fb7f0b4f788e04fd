// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a NatsDispatcher: publishing work, handing over results and acknowledging them.

#include "service/queue/DispatcherImpl.h"

namespace convoy::service {

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

llvm::Error NatsDispatcher::Impl::describeTask(const TrialWork &work, WorkMessage &message) {
  llvm::Expected<std::string> task = blobOf(work.task, [&] { return work.task->text; });
  if (!task) {
    return task.takeError();
  }
  message.taskKey = *task;
  message.taskName = work.task->name;
  return llvm::Error::success();
}

llvm::Error NatsDispatcher::Impl::describeNetwork(const TrialWork &work, WorkMessage &message) {
  llvm::Expected<std::string> best =
      blobOf(work.network, [&] { return bestToText(work.network->best); });
  if (!best) {
    return best.takeError();
  }
  message.taskKey = message.model = work.network->model;
  message.taskName = work.network->name;
  message.bestBlob = *best;
  message.byDefault = work.byDefault;
  return llvm::Error::success();
}

llvm::Error NatsDispatcher::Impl::send(const TrialWork &work, WorkMessage message) {
  Connection nats = current();
  if (!nats || !nats->isConnected()) {
    return llvm::make_error<NatsError>(NatsProblem::Transient,
                                       "NATS at " + options.nats.url + " is not connected");
  }
  llvm::Error failure = work.network ? describeNetwork(work, message) : describeTask(work, message);
  if (failure) {
    return failure;
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
  message.targetBlob = *target;
  message.configuration = work.configuration;
  message.plan = work.plan;
  std::string subject = subjectOf(message), id = messageIdOf(message);
  bool isKnownClass = message.stage == WorkStage::Build;
  {
    Lock lock(mutex);
    if (!unpublished.empty()) { // the keeper publishes older work first
      return llvm::make_error<NatsError>(NatsProblem::Transient, publishProblem);
    }
    if (!table.add(message, subject, monotonicSeconds())) {
      return llvm::Error::success();
    }
    isKnownClass |= classPlaces.count(message.deviceClass) > 0;
    publishing[id] = message;
  }
  llvm::Error error =
      isKnownClass ? llvm::Error::success() : ensureClass(*nats, message.deviceClass, 0);
  if (!error) {
    error = nats->storeLater(subject, toText(message), id);
  }
  if (error) {
    Lock lock(mutex);
    publishing.erase(id);
    table.retract(message);
  }
  return error;
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
    std::unique_lock<std::mutex> lock(mutex);
    table.forget(job);
    // A message that NATS stores after the purge below would run.
    std::string prefix = (job + "/").str();
    arrival.wait_for(lock, std::chrono::duration<double>(kPingSeconds), [&] {
      auto first = publishing.lower_bound(prefix);
      return first == publishing.end() || !llvm::StringRef(first->first).starts_with(prefix);
    });
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

llvm::Error NatsDispatcher::measure(const TrialWork &work, const RunnableCandidate &candidate) {
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
