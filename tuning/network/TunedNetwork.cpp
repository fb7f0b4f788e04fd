// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles each composition of records to a library and times two libraries alternately: A B A B.

#include "tuning/network/TunedNetwork.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ResolveTarget.h"
#include "Support/MonotonicClock.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedError.h"
#include "convoy/compiler.h"
#include "io/ChildProcess.h"
#include "io/Files.h"
#include "io/InputData.h"
#include "tuning/dispatch/TaskResults.h"
#include "tuning/network/OpenRecords.h"
#include "tuning/records/RecordMeasurements.h"
#include "llvm/Support/FileSystem.h"
#include <sys/wait.h>

namespace json = llvm::json;

namespace convoy::tuning {
namespace {

/// The samples of one round; the deadline is checked between rounds.
constexpr int kRoundSamples = 5;
constexpr double kSampleMs = 10;
/// The time limit while the time of one inference is not known.
constexpr double kFirstTimeoutMs = 300000;
/// The number of pairs that decide between two compositions, and of the final comparison.
constexpr size_t kTryPairs = 10, kLastPairs = 30;
/// The time of the final comparison if the deadline has passed.
constexpr double kLastSeconds = 5;
/// The least gain of a kernel in isolation. Smaller gains are often noise, and they cost reorders
/// if layouts differ.
constexpr double kMargins[] = {0.95, 0.85};
/// The number of tasks whose configurations are tried again inside the network.
constexpr size_t kTriedTasks = 8;
/// A second configuration that is slower in isolation by more than this is not tried.
constexpr double kCloseSecond = 1.05;

std::string inputFile(llvm::StringRef folder, size_t index) {
  return inFolder(folder, "input_" + llvm::Twine(index) + ".raw");
}

/// Returns the path of the library, or of the program that it builds.
llvm::Expected<std::string> codeOf(const Artefact &artefact, const CompileRequest &request,
                                   const targets::Target &target) {
  if (request.output.emit == Emit::Library) {
    return artefact.files.library;
  }
  if (request.output.emit == Emit::Source) {
    std::string program = inFolder(request.output.folder, "program");
    llvm::Error error = driver::buildSourceProgram(
        {artefact.files.library, artefact.files.weightsAssembly}, target, program);
    return error ? llvm::Expected<std::string>(std::move(error)) : program;
  }
  const driver::MicroProgram *program = artefact.memory->program().micro();
  if (!program) {
    return llvm::createStringError("the network is no program for a microcontroller");
  }
  if (llvm::Error error = program->save(request.output.folder)) {
    return std::move(error);
  }
  return inFolder(request.output.folder, artefact.report.model + ".elf");
}

/// Compiles the network and writes its inputs. Returns the paths, or the error.
json::Object compiled(const Model &model, const CompileRequest &request,
                      const targets::Target &target, llvm::StringRef folder) {
  Result<Artefact> artefact = convoy::compileModel(model, request);
  if (!artefact) {
    std::string text;
    for (const Problem &problem : artefact.problems().all()) {
      text += (problem.isError() ? "error: " : "warning: ") + problem.text + "\n";
    }
    return json::Object{{"problem", json::fixUTF8(text)}};
  }
  llvm::Expected<std::string> code = codeOf(*artefact, request, target);
  if (!code) {
    return json::Object{{"problem", llvm::toString(code.takeError())}};
  }
  const CompileReport &report = artefact->report;
  json::Array inputs, outputs, kernels;
  for (auto [index, input] : llvm::enumerate(report.inputs)) {
    Tensor data = io::randomTensor(input.type, input.shape, index);
    llvm::StringRef bytes(static_cast<const char *>(data.raw()), data.bytes());
    if (llvm::Error error = io::writeFile(inputFile(folder, index), bytes)) {
      return json::Object{{"problem", llvm::toString(std::move(error))}};
    }
    inputs.push_back(input.bytes);
  }
  for (const TensorInfo &output : report.outputs) {
    outputs.push_back(output.bytes);
  }
  for (const KernelReport &layer : report.kernels) {
    kernels.push_back(
        json::fixUTF8(layer.kernel + " " + layer.config + " " + std::to_string(layer.block)));
  }
  kernels.push_back(std::to_string(report.reorders) + " reorders");
  return json::Object{{"library", *code},
                      {"symbol", report.model},
                      {"workspaceBytes", report.workspaceBytes},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"kernels", std::move(kernels)}};
}

/// Runs a function in a child process: the linker leaves threads running, and a process with
/// threads cannot fork to build candidates.
llvm::Expected<json::Object> inProcess(llvm::function_ref<json::Object()> work) {
  std::optional<io::ChildProcess> child = io::ChildProcess::start([&](int results) {
    io::writeToPipe(results, llvm::formatv("{0}", json::Value(work())).str());
  });
  if (!child) {
    return llvm::createStringError("cannot create a process");
  }
  std::string text;
  while (child->readMore(text)) {
  }
  int status = child->wait();
  llvm::Expected<json::Value> value = json::parse(text);
  if (value && value->getAsObject()) {
    return std::move(*value->getAsObject());
  }
  llvm::consumeError(value.takeError());
  // A child that could not write a file has printed the error and ends with this code.
  constexpr int kToldUser = 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kToldUser) {
    return llvm::createStringError("cannot compile the network: see the error above");
  }
  return createBug("the compiler ended " +
                   (WIFSIGNALED(status) ? "by signal " + llvm::Twine(WTERMSIG(status))
                                        : "with code " + llvm::Twine(WEXITSTATUS(status))) +
                   "; this is a bug in convoy");
}

int64_t wallNs(const Sample &sample) { return sample.wallNs / sample.runs; }
int64_t cpuNs(const Sample &sample) { return sample.cpuNs / sample.runs; }

void addPairs(std::vector<PairedSample> &pairs, const Measurement &before, const Measurement &after,
              bool isSingle) {
  size_t count = std::min(before.samples.size(), after.samples.size());
  size_t first = pairs.size();
  for (size_t i = 0; i < count; ++i) {
    const Sample &a = before.samples[i], &b = after.samples[i];
    if (a.isClean && b.isClean) {
      pairs.push_back({wallNs(a), wallNs(b)});
    }
  }
  // If no pair is undisturbed, use the CPU time of a single-threaded model.
  bool isNoisy = pairs.size() == first;
  for (size_t i = 0; isNoisy && i < count; ++i) {
    const Sample &a = before.samples[i], &b = after.samples[i];
    pairs.push_back(isSingle ? PairedSample{cpuNs(a), cpuNs(b)}
                             : PairedSample{wallNs(a), wallNs(b)});
  }
}

/// Returns after / before.
timing::Estimate ratioOf(llvm::ArrayRef<PairedSample> pairs) {
  std::vector<double> before, after;
  for (const PairedSample &pair : pairs) {
    before.push_back(static_cast<double>(pair.beforeNs));
    after.push_back(static_cast<double>(pair.afterNs));
  }
  return timing::ratioOfMedians(after, before);
}

/// Returns the median of one time of each pair.
double medianMs(llvm::ArrayRef<PairedSample> pairs, int64_t PairedSample::*member) {
  std::vector<double> times;
  for (const PairedSample &pair : pairs) {
    times.push_back(static_cast<double>(pair.*member) * 1e-6);
  }
  return timing::median(std::move(times));
}

bool isWhole(const PassedOver &entry) { return !entry.configuration; }

} // namespace

TunedNetwork::TunedNetwork(const Model &model, const CompileRequest &request, std::string records,
                           const ModelTasks &tasks, std::string folder, Measurer &measurer,
                           Policy policy)
    : model(model), request(request), records(std::move(records)), tasks(tasks),
      folder(std::move(folder)), measurer(measurer), policy(policy) {}

llvm::Expected<TunedNetwork::Built> TunedNetwork::build(const std::string &name,
                                                        const Composition *wanted) const {
  llvm::Expected<json::Object> facts = inProcess([&] {
    CompileRequest compile = request;
    compile.output.emit = target.toolchain                    ? Emit::Memory
                          : driver::isBuiltFromSource(target) ? Emit::Source
                                                              : Emit::Library;
    compile.output.folder = inFolder(folder, name);
    compile.output.name = "network";
    if (wanted) {
      Verdict verdict;
      verdict.passedOver = *wanted;
      auto opened = openRecords(records, compile, std::move(verdict));
      if (!opened) {
        return json::Object{{"problem", llvm::toString(opened.takeError())}};
      }
      compile.measurements = std::move(*opened);
    }
    return compiled(model, compile, target, folder);
  });
  if (!facts) {
    return facts.takeError();
  }
  if (std::optional<llvm::StringRef> problem = facts->getString("problem")) {
    return llvm::createStringError("cannot compile the network: " + *problem);
  }
  Built built;
  built.candidate.id = "network";
  built.candidate.library = facts->getString("library").value_or("").str();
  built.candidate.symbol = facts->getString("symbol").value_or("").str();
  built.candidate.workspaceBytes = facts->getInteger("workspaceBytes").value_or(0);
  for (auto [index, bytes] : llvm::enumerate(*facts->getArray("inputs"))) {
    built.candidate.inputs.push_back({inputFile(folder, index), bytes.getAsInteger().value_or(0)});
  }
  for (const json::Value &bytes : *facts->getArray("outputs")) {
    built.candidate.outputs.push_back({bytes.getAsInteger().value_or(0), ""});
  }
  for (const json::Value &kernel : *facts->getArray("kernels")) {
    built.kernels.push_back(kernel.getAsString().value_or("").str());
  }
  return built;
}

void TunedNetwork::remove(const Built &built) const {
  // Libraries contain all weights, so remove them early. The folder is removed at the end.
  [[maybe_unused]] std::error_code error = llvm::sys::fs::remove(built.candidate.library);
}

llvm::Error TunedNetwork::prepare() {
  llvm::Expected<driver::ResolvedTarget> found =
      driver::resolveTarget(request.target, /*isForMemory=*/false);
  if (!found) {
    return found.takeError();
  }
  target = std::move(found->machine);
  int64_t wanted = request.schedule.threads;
  threads = static_cast<int>(wanted == 0 ? target.cores : wanted);
  llvm::Expected<Built> built = build("default", nullptr);
  if (!built) {
    return built.takeError();
  }
  byDefault = std::move(*built);
  MeasurePlan plan;
  plan.policy = isCounted() ? policy : Policy::Warm;
  plan.threads = threads;
  plan.sampleMs = kSampleMs;
  plan.timeoutMs = kFirstTimeoutMs;
  llvm::Expected<std::vector<Measurement>> measured = measurer.measure({byDefault.candidate}, plan);
  if (!measured) {
    return measured.takeError();
  }
  const Measurement &one = measured->front();
  if (one.samples.empty()) {
    return llvm::createStringError("cannot measure the network with the default configurations: " +
                                   one.message);
  }
  std::vector<double> times;
  for (const Sample &sample : one.samples) {
    times.push_back(sample.nsPerRun() * 1e-9);
  }
  seconds = one.ns() > 0 ? one.ns() * 1e-9 : timing::median(std::move(times));
  return llvm::Error::success();
}

llvm::Expected<TunedNetwork::Pairs> TunedNetwork::compare(const Built &before, const Built &after,
                                                          size_t wanted) {
  MeasurePlan plan;
  plan.policy = isCounted() ? policy : Policy::Warm;
  plan.threads = threads;
  plan.samples = kRoundSamples;
  plan.sampleMs = kSampleMs;
  plan.isInterleaved = true;
  // Covers loading, the first runs and a few repetitions of each sample.
  plan.timeoutMs = 30000 + kRoundSamples * 8 * std::max(2 * seconds * 1e3, kSampleMs);
  if (isCounted()) {
    plan.timeoutMs = kFirstTimeoutMs;
    wanted = 1; // all runs are equal
  }
  Pairs pairs;
  while (pairs.size() < wanted && (pairs.empty() || clock() < deadline)) {
    llvm::Expected<std::vector<Measurement>> measured =
        measurer.measure({before.candidate, after.candidate}, plan);
    if (!measured) {
      return measured.takeError();
    }
    for (const Measurement &one : *measured) {
      if (one.samples.empty() || one.outcome == Outcome::Crash) {
        return llvm::createStringError("cannot measure the network: " + one.message);
      }
    }
    addPairs(pairs, (*measured)[0], (*measured)[1], threads == 1);
    if (isCounted()) {
      result.beforeCycles = (*measured)[0].samples.back().cpuNs;
      result.afterCycles = (*measured)[1].samples.back().cpuNs;
    }
  }
  return pairs;
}

std::vector<std::string> TunedNetwork::heaviestTasks(const Snapshot &snapshot) const {
  std::vector<std::pair<double, std::string>> weights;
  for (const ModelTask &task : tasks.tasks) {
    std::string key = task.task.key();
    double least = 0;
    for (const RankedConfiguration &choice : snapshot.choices(key)) {
      least = least == 0 ? choice.ns : std::min(least, choice.ns);
    }
    if (least > 0) {
      weights.emplace_back(-least * static_cast<double>(task.count), key);
    }
  }
  llvm::sort(weights);
  std::vector<std::string> result;
  for (const auto &[weight, key] : weights) {
    result.push_back(key);
  }
  return result;
}

std::vector<TunedNetwork::Composition> TunedNetwork::alternatives(const Snapshot &snapshot,
                                                                  const std::string &task) const {
  auto isOfTask = [&](const PassedOver &entry) { return entry.task == task; };
  bool isDefault = llvm::any_of(
      composition, [&](const PassedOver &entry) { return isOfTask(entry) && isWhole(entry); });
  Composition others = composition;
  llvm::erase_if(others, isOfTask);
  if (isDefault) {
    return {others}; // select the record again
  }
  std::vector<Composition> result(1, others);
  result[0].push_back({task, std::nullopt});
  // The next fastest configuration, with any layouts.
  const RankedConfiguration *first = nullptr, *second = nullptr;
  for (const RankedConfiguration &choice : snapshot.ranked(task)) {
    if (!first || choice.ns < first->ns) {
      second = first;
      first = &choice;
    } else if (!second || choice.ns < second->ns) {
      second = &choice;
    }
  }
  if (second && second->ns <= first->ns * kCloseSecond) {
    result.push_back(others);
    result.back().push_back({task, first->configuration});
  }
  return result;
}

TunedNetwork::Composition TunedNetwork::clearWins(const Snapshot &snapshot, double margin) const {
  Composition result;
  for (const ModelTask &task : tasks.tasks) {
    std::string key = task.task.key();
    double best = 0, own = 0;
    for (const RankedConfiguration &choice : snapshot.ranked(key)) {
      bool isOwn = choice.configuration == task.space.entries.front().configuration;
      own = isOwn ? choice.ns : own;
      best = best == 0 ? choice.ns : std::min(best, choice.ns);
    }
    if (own == 0 || best > margin * own) {
      result.push_back({key, std::nullopt});
    }
  }
  return result;
}

llvm::Error TunedNetwork::consider(Composition other) {
  llvm::Expected<Built> built = build("try" + std::to_string(builds++), &other);
  if (!built) {
    return built.takeError();
  }
  const Built &best = incumbent ? *incumbent : byDefault;
  if (built->kernels == best.kernels) {
    remove(*built);
    return llvm::Error::success();
  }
  ++result.tries;
  llvm::Expected<Pairs> pairs = compare(best, *built, kTryPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  // Accept only significant gains: among many tries, some win by noise.
  if (ratioOf(*pairs).high >= 1) {
    remove(*built);
    return llvm::Error::success();
  }
  if (incumbent) {
    remove(*incumbent);
  }
  incumbent = std::move(*built);
  composition = std::move(other);
  return llvm::Error::success();
}

llvm::Error TunedNetwork::improve(const Snapshot &snapshot) {
  for (double margin : kMargins) {
    if (clock() >= deadline) {
      return llvm::Error::success();
    }
    if (llvm::Error error = consider(clearWins(snapshot, margin))) {
      return error;
    }
  }
  std::vector<std::string> heavy = heaviestTasks(snapshot);
  if (!incumbent) {
    // All records together are slower: start from the default and add one task at a time.
    for (const std::string &task : heavy) {
      composition.push_back({task, std::nullopt});
    }
  }
  heavy.resize(std::min(heavy.size(), kTriedTasks));
  for (const std::string &task : heavy) {
    for (Composition &other : alternatives(snapshot, task)) {
      if (clock() >= deadline) {
        return llvm::Error::success();
      }
      if (llvm::Error error = consider(std::move(other))) {
        return error;
      }
    }
  }
  return llvm::Error::success();
}

Verdict TunedNetwork::verdictOf(const Pairs &pairs) const {
  std::map<std::string, int64_t> counts;
  for (const ModelTask &task : tasks.tasks) {
    counts[task.task.key()] += task.count;
  }
  Verdict verdict;
  verdict.id = newTrialId();
  verdict.network = networkKey(counts);
  verdict.target = target.fingerprint();
  verdict.policy = name(policy).str();
  verdict.templates = templatesText(selectionFor(verdict.target, verdict.policy).templateVersions);
  verdict.passedOver = composition;
  verdict.keepsDefault = ratioOf(pairs).value >= 1;
  verdict.samples = pairs;
  verdict.compiler = compilerVersion();
  verdict.unixUs = unixMicroseconds();
  return verdict;
}

double TunedNetwork::clock() const { return monotonicSeconds() - measurer.waitedSeconds(); }

llvm::Expected<NetworkResult> TunedNetwork::settle(RecordStore &store, double until) {
  deadline = until;
  llvm::Expected<Snapshot> snapshot =
      Snapshot::read(store, selectionFor(target.fingerprint(), name(policy)));
  if (!snapshot) {
    return snapshot.takeError();
  }
  llvm::Expected<Built> all = build("tuned", &composition);
  if (!all) {
    return all.takeError();
  }
  if (all->kernels == byDefault.kernels) {
    return result;
  }
  result.isChanged = true;
  llvm::Expected<Pairs> pairs = compare(byDefault, *all, kTryPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  if (ratioOf(*pairs).value < 1) {
    incumbent = *all;
  }
  if (llvm::Error error = improve(*snapshot)) {
    return std::move(error);
  }
  // The final comparison takes new samples: the samples that selected the composition are biased.
  if (!incumbent) {
    incumbent = std::move(*all);
    composition.clear();
  }
  deadline = std::max(deadline, clock() + kLastSeconds);
  pairs = compare(byDefault, *incumbent, kLastPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  result.ratio = ratioOf(*pairs);
  result.pairs = pairs->size();
  result.beforeMs = medianMs(*pairs, &PairedSample::beforeNs);
  result.afterMs = medianMs(*pairs, &PairedSample::afterNs);
  result.verdict = verdictOf(*pairs);
  if (llvm::Error error = store.append({}, {result.verdict}).takeError()) {
    return std::move(error);
  }
  return result;
}

} // namespace convoy::tuning
