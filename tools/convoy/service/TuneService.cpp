// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy tune --service`: creates a job from the tasks of a model, watches it, and copies its
// records to a file.

#include "Driver/ResolveTarget.h"
#include "Support/NearestName.h"
#include "Support/TypedError.h"
#include "Targets/AllowedCommands.h"
#include "io/ExternalData.h"
#include "service/api/ApiJson.h"
#include "service/api/FileName.h"
#include "tools/convoy/Interrupt.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/service/NetworkFiles.h"
#include "tools/convoy/service/PrintJob.h"
#include "tools/convoy/service/Service.h"
#include "tools/convoy/service/ServiceClient.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/JsonLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace convoy::tool {
namespace {

using service::JobStatus;

// The limit of `convoy tune` without --time and --trials.
constexpr double kDefaultSeconds = 600;

/// Returns the job without its key.
service::JobSpec specOf(const TuneFlags &options, const tuning::ModelTasks &tasks,
                        const targets::Target &machine) {
  service::JobSpec spec;
  const tuning::NetworkSearch &search = options.search;
  spec.set_project(options.job.project);
  for (const tuning::ModelTask &task : tasks.tasks) {
    service::TaskSpec &added = *spec.add_tasks();
    added.set_name(task.task.name);
    added.set_text(task.task.text);
    added.set_count(task.count);
    added.set_weight(task.weight);
  }
  std::string ownClass = machine.toolchain ? machine.name : machine.cpu;
  spec.set_target_class(options.job.deviceClass.empty() ? ownClass : options.job.deviceClass);
  spec.set_target(targets::toJson(machine));
  spec.set_threads(options.build.threads);
  spec.set_latency_us(search.targetMs * 1e3);
  spec.set_max_trials(search.trials);
  bool isUnlimited = search.trials == 0 && search.seconds == 0;
  spec.set_max_wall_seconds(isUnlimited ? kDefaultSeconds : search.seconds);
  spec.set_max_device_seconds(options.job.deviceSeconds);
  spec.set_priority(options.job.priority);
  spec.set_searcher(search.searcher);
  spec.set_seed(search.seed);
  spec.set_batch(static_cast<int64_t>(search.batch));
  return spec;
}

/// Returns whether the service compiles the same network from the ONNX file as this machine: only
/// the target and the threads are given. The other flags concern the search and the job.
bool isPlainCompile(const TuneFlags &options) {
  static constexpr llvm::StringLiteral kPlain[] = {
      "--target",  "--threads",  "--records",       "--output",         "--trials",
      "--time",    "--batch",    "--seed",          "--target-latency", "--searcher",
      "--service", "--priority", "--device-class",  "--project",        "--device-time",
      "--detach",  "--json",     "--service-certs", "--allow-toolchain"};
  return llvm::all_of(options.build.given,
                      [](const std::string &flag) { return llvm::is_contained(kPlain, flag); });
}

class ServiceTuning {
public:
  ServiceTuning(const TuneFlags &options, service::TuningApi &api, Console &console)
      : options(options), api(api), console(console) {}

  /// Sends the model, so that the service builds and times the whole network. Without it, the job
  /// only tunes the kernels.
  void sendModel(const Model &model, service::JobSpec &spec, bool isCounted) {
    if (isCounted || !isPlainCompile(options)) {
      return;
    }
    if (io::hasExternalData(model)) {
      console.err << "warning: the service does not time the network: its weights are in other "
                     "files (external data), and the service takes one ONNX file\n";
      return;
    }
    ServiceFlags flags;
    flags.urls = options.job.urls;
    flags.certs = options.build.certs;
    llvm::Expected<std::string> blob = uploadModel(flags, options.build.model.path);
    if (!blob) {
      console.err << "warning: the service does not time the network: "
                  << llvm::toString(blob.takeError()) << "\n";
      return;
    }
    spec.set_model(*blob);
    spec.set_model_name(service::toFileName(model.name()));
  }

  /// Creates the job, or finds the job of an earlier call with the same model and flags.
  llvm::Error create(service::JobSpec spec) {
    llvm::Expected<JobStatus> created = send(spec);
    if (!created && !spec.model().empty()) {
      service::ApiError error = service::takeApiError(created.takeError());
      if (error.code != service::ErrorCode::Invalid) {
        return service::toError(error);
      }
      // An older service does not know the fields of the model.
      spec.clear_model();
      spec.clear_model_name();
      created = send(spec);
      if (created) {
        console.err << "warning: the service does not time the network: it refuses the model: "
                    << error.message << "\n";
      }
    }
    if (!created) {
      return created.takeError();
    }
    job = std::move(*created);
    if (!job.warning().empty()) {
      console.err << "warning: --target-latency: " << job.warning() << "\n";
    }
    return llvm::Error::success();
  }

  /// Warns of a class without devices: the job then waits for a device that may never come.
  void checkClass(const std::string &wanted) {
    llvm::Expected<service::DeviceList> devices = api.listDevices();
    if (!devices) {
      llvm::consumeError(devices.takeError()); // an older service, or no permission to list
      return;
    }
    std::set<std::string> classes;
    for (const service::DeviceStatus &device : devices->devices()) {
      classes.insert(device.device_class());
    }
    if (classes.count(wanted)) {
      return;
    }
    std::vector<std::string> known(classes.begin(), classes.end());
    std::string nearest = nearestName(wanted, known);
    console.err << "warning: --device-class: the service has no device of class '" << wanted << "'"
                << (known.empty() ? "" : " (its classes: " + llvm::join(known, ", ") + ")")
                << (nearest.empty() ? "." : "; did you mean " + nearest + "?")
                << " The job waits until a device of the class connects\n";
  }

  llvm::Error watch() {
    Interrupt interrupt;
    Progress progress(console);
    llvm::Error error = api.watchJob(job.id(), [&](const JobStatus &status) {
      bool isNew = status.trials_done() != job.trials_done() || status.state() != job.state();
      job = status;
      if (console.isTerminal) {
        progress.show(progressText(status));
      } else if (isNew && !options.json.isStdout() && !console.isQuiet) {
        console.err << progressText(status) << "\n";
      }
      return !Interrupt::isSet();
    });
    return error;
  }

  /// Adds the records of the job to the file of --records.
  llvm::Error copyRecords() {
    std::string lines;
    auto read = [&](llvm::StringRef part) {
      lines += part;
      return true;
    };
    service::RecordsQuery query;
    query.set_job(job.id());
    if (llvm::Error error = api.exportRecords(query, read)) {
      return error;
    }
    llvm::Expected<tuning::RecordStore> store =
        tuning::RecordStore::open(options.build.records, tuning::RecordStore::Access::Write);
    if (!store) {
      return withPrefix("--records: ", store.takeError());
    }
    llvm::Expected<tuning::Added> added =
        tuning::importLines(*store, lines, "the records of job " + job.id());
    return added.takeError();
  }

  ExitCode print() {
    return printResult(
        options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(job)); },
        [&](llvm::raw_ostream &) { printText(console.summary()); }, console);
  }

  JobStatus job;

private:
  llvm::Expected<JobStatus> send(service::JobSpec &spec) {
    spec.clear_idempotency_key();
    spec.set_idempotency_key(tuning::sha256(service::toJson(spec)));
    return api.createJob(spec);
  }

  void printText(llvm::raw_ostream &os) {
    printJob(os, job);
    std::string service = " --service " + options.job.urls;
    if (!options.build.certs.empty()) {
      service += " --service-certs " + options.build.certs;
    }
    if (!service::isEnded(job.state())) {
      os << "The job continues. To watch it: convoy service jobs watch " << job.id() << service
         << "\nTo end it: convoy service jobs cancel " << job.id() << service << "\n";
      return;
    }
    if (!job.network().files().empty()) {
      os << "To fetch the compiled network: convoy service jobs fetch " << job.id() << service
         << " -o DIR\n";
    }
    bool isRemote = options.build.records.empty();
    os << "To use the records: convoy compile " << options.build.model.path
       << (options.build.target == "host" ? "" : " --target " + options.build.target)
       << " --records " << (isRemote ? "service:" + options.job.urls : options.build.records)
       << (isRemote && !options.build.certs.empty() ? " --service-certs " + options.build.certs
                                                    : "")
       << (options.build.threads == 1 ? "" : " --threads " + std::to_string(options.build.threads))
       << "\n";
  }

  const TuneFlags &options;
  service::TuningApi &api;
  Console &console;
};

/// Checks that the file of --records can be written, before a job that may take hours.
llvm::Error checkFile(const std::string &path) {
  if (path.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<tuning::RecordStore> store =
      tuning::RecordStore::open(path, tuning::RecordStore::Access::Write);
  return store ? llvm::Error::success() : withPrefix("--records: ", store.takeError());
}

} // namespace

llvm::Error tuneByService(const TuneFlags &options, const Request &request,
                          const tuning::ModelTasks &tasks, ExitCode &printed, Console &console) {
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.compile.target, /*isForMemory=*/false);
  if (!target) {
    return target.takeError();
  }
  if (llvm::Error error = targets::checkMayRunAll(target->machine)) {
    return error; // the service would run them
  }
  bool isCounted = tuning::policyOf(target->machine) == tuning::Policy::Instructions;
  if (options.search.targetMs > 0 && isCounted) {
    return llvm::createStringError("--target-latency expects a time, and devices of target '" +
                                   target->name + "' count instructions; use --trials or --time");
  }
  if (llvm::Error error = checkFile(options.build.records)) {
    return error;
  }
  auto api = openService({options.job.urls, options.build.certs}, "--service");
  if (!api) {
    return api.takeError();
  }
  ServiceTuning tuning(options, **api, console);
  service::JobSpec spec = specOf(options, tasks, target->machine);
  tuning.checkClass(spec.target_class());
  tuning.sendModel(request.model, spec, isCounted);
  if (llvm::Error error = tuning.create(std::move(spec))) {
    return error;
  }
  bool isWatched = !options.job.isDetached;
  if (llvm::Error error = isWatched ? tuning.watch() : llvm::Error::success()) {
    return error;
  }
  bool isDone = service::isEnded(tuning.job.state());
  if (isDone && !options.build.records.empty()) {
    if (llvm::Error error = tuning.copyRecords()) {
      return error;
    }
  }
  printed = tuning.print();
  bool isFailed = tuning.job.state() == service::JobState::FAILED ||
                  tuning.job.state() == service::JobState::CANCELLED;
  if (printed == kDone && isFailed) {
    printed = kUserError;
  }
  return llvm::Error::success();
}

} // namespace convoy::tool
