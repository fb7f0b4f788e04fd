// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers tasks and candidates between blobs and a build process.

#include "service/worker/BuildWorker.h"
#include "tuning/records/Record.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace convoy::tuning;

namespace convoy::service {
namespace {

constexpr double kBuildTimeoutSeconds = 20;
// The server may collect blobs that are not used. Uploading again marks them as used.
constexpr std::chrono::hours kUploadAge(1);

class BuildStation : public WorkStation {
public:
  BuildStation(BuilderOptions given, BuildProcess process, std::shared_ptr<BlobClient> blobs)
      : process(std::move(process)), blobs(std::move(blobs)) {
    greeting.name = std::move(given.name);
    greeting.role = "builder";
    greeting.cpu = std::move(given.cpu);
  }

  WorkerHello hello() override { return greeting; }
  std::string whyBroken() override { return hasEnded ? "a build process has ended" : ""; }

  llvm::Error run(const WorkMessage &work, ResultMessage &result) override {
    return work.model.empty() ? runTask(work, result) : runNetwork(work, result);
  }

private:
  llvm::Error runTask(const WorkMessage &work, ResultMessage &result) {
    llvm::Expected<std::string> task = textOf(work.taskKey);
    if (!task) {
      return task.takeError();
    }
    llvm::Expected<std::string> target = textOf(work.targetBlob);
    if (!target) {
      return target.takeError();
    }
    llvm::Expected<BuildAnswer> answer =
        process.build(*task, *target, work.configuration, kBuildTimeoutSeconds);
    if (!answer) {
      hasEnded = true;
      return answer.takeError();
    }
    Completion &completion = result.completion;
    completion.outcome = answer->outcome;
    completion.message = answer->message;
    if (answer->outcome != Outcome::Ok) {
      return llvm::Error::success();
    }
    completion.candidate = std::move(answer->candidate);
    completion.candidate.id =
        work.taskName + " " + work.configuration.text + " " + work.configuration.inputLayout;
    std::string path = completion.candidate.library;
    llvm::Expected<std::string> library = upload(completion.candidate, BlobKind::Library);
    [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove(path);
    if (!library) {
      return library.takeError();
    }
    completion.artifact = *library;
    return llvm::Error::success();
  }

  llvm::Error runNetwork(const WorkMessage &work, ResultMessage &result) {
    llvm::Expected<std::string> model = blobs->fetch(work.model);
    if (!model) {
      return model.takeError();
    }
    llvm::Expected<std::string> best = textOf(work.bestBlob);
    if (!best) {
      return best.takeError();
    }
    llvm::Expected<std::string> target = textOf(work.targetBlob);
    if (!target) {
      return target.takeError();
    }
    llvm::Expected<BuildAnswer> answer =
        process.buildNetwork({*model, work.taskName, *target, *best, work.plan.threads});
    if (!answer) {
      hasEnded = true;
      return answer.takeError();
    }
    Completion &completion = result.completion;
    completion.outcome = answer->outcome;
    completion.message = answer->message;
    completion.candidate = std::move(answer->candidate);
    completion.network = std::move(answer->network);
    return completion.outcome == Outcome::Ok ? uploadNetwork(completion) : llvm::Error::success();
  }

  /// Users fetch the files later, so none of them is a short-lived candidate.
  llvm::Error uploadNetwork(Completion &completion) {
    BuiltNetwork &network = *completion.network;
    for (std::vector<NetworkFile> *files : {&network.files, &network.defaultFiles}) {
      for (NetworkFile &file : *files) {
        if (llvm::Error error = uploadData(file.file)) {
          return error;
        }
      }
    }
    if (!network.byDefault.library.empty()) {
      if (llvm::Error error = upload(network.byDefault, BlobKind::Data).takeError()) {
        return error;
      }
    }
    llvm::Expected<std::string> library = upload(completion.candidate, BlobKind::Data);
    if (!library) {
      return library.takeError();
    }
    completion.artifact = *library;
    return llvm::Error::success();
  }

  llvm::Expected<std::string> textOf(const std::string &name) {
    llvm::Expected<std::string> path = blobs->fetch(name);
    if (!path) {
      return path.takeError();
    }
    auto buffer = llvm::MemoryBuffer::getFile(*path);
    if (!buffer) {
      return llvm::createStringError("cannot read '" + *path + "': " + buffer.getError().message());
    }
    return (*buffer)->getBuffer().str();
  }

  /// Replaces the paths of a candidate by blobs. Returns the blob of the library.
  llvm::Expected<std::string> upload(RunnableCandidate &candidate, BlobKind kind) {
    llvm::Expected<std::string> library = blobs->putFile(candidate.library, kind);
    if (!library) {
      return library.takeError();
    }
    candidate.library = kBlobPrefix + *library;
    for (RunnableCandidate::Input &input : candidate.inputs) {
      if (llvm::Error error = uploadData(input.file)) {
        return std::move(error);
      }
    }
    for (RunnableCandidate::Output &output : candidate.outputs) {
      if (llvm::Error error = uploadData(output.expected)) {
        return std::move(error);
      }
    }
    return library;
  }

  /// Uploads a file of the task's data, unless this station has uploaded it.
  llvm::Error uploadData(std::string &path) {
    if (path.empty()) {
      return llvm::Error::success();
    }
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(path, status)) {
      return llvm::createStringError("cannot read '" + path + "': " + error.message());
    }
    // A path may get other bytes when the build process has dropped a task.
    auto time = status.getLastModificationTime().time_since_epoch().count();
    std::string key = path + " " + std::to_string(time);
    auto now = std::chrono::steady_clock::now();
    Uploaded &blob = uploaded[key];
    if (blob.name.empty() || now - blob.time > kUploadAge) {
      llvm::Expected<std::string> name = blobs->putFile(path);
      if (!name) {
        return name.takeError();
      }
      blob = {*name, now};
    }
    path = kBlobPrefix + blob.name;
    return llvm::Error::success();
  }

  WorkerHello greeting;
  BuildProcess process;
  std::shared_ptr<BlobClient> blobs;
  struct Uploaded {
    std::string name; // the SHA-256
    std::chrono::steady_clock::time_point time;
  };
  std::map<std::string, Uploaded> uploaded; // by path and time of the file
  bool hasEnded = false;                    // the build process
};

} // namespace

std::unique_ptr<WorkStation> makeBuildStation(BuilderOptions options, BuildProcess process,
                                              std::shared_ptr<BlobClient> blobs) {
  return std::make_unique<BuildStation>(std::move(options), std::move(process), std::move(blobs));
}

} // namespace convoy::service
