// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Downloads candidates and counts them with CountMeasurer.h.

#include "service/worker/CountAgent.h"
#include "service/worker/DownloadCandidate.h"
#include "tuning/measure/CountMeasurer.h"

using namespace convoy::tuning;

namespace convoy::service {
namespace {

class CountStation : public WorkStation {
public:
  CountStation(const BoardOptions &options, std::unique_ptr<CountMeasurer> measurer,
               std::shared_ptr<BlobClient> blobs)
      : measurer(std::move(measurer)), blobs(std::move(blobs)) {
    greeting.name = options.name;
    greeting.role = "agent";
    greeting.deviceClass = options.deviceClass;
    greeting.cpu = options.target.cpu;
  }

  WorkerHello hello() override { return greeting; }

  llvm::Error run(const WorkMessage &work, ResultMessage &result) override {
    Completion &completion = result.completion;
    if (work.plan.policy != Policy::Instructions) {
      completion.outcome = completion.measurement.outcome = Outcome::Crash;
      completion.message = completion.measurement.message =
          "the device '" + greeting.name + "' counts instructions and cannot measure '" +
          name(work.plan.policy).str() + "'";
      return llvm::Error::success();
    }
    RunnableCandidate candidate = work.candidate;
    if (llvm::Error error = downloadCandidate(candidate, *blobs)) {
      return error;
    }
    llvm::Expected<std::vector<Measurement>> measured = measurer->measure({candidate}, work.plan);
    if (!measured) {
      return measured.takeError();
    }
    completion.measurement = std::move(measured->front());
    completion.outcome = completion.measurement.outcome;
    completion.message = completion.measurement.message;
    return llvm::Error::success();
  }

private:
  std::unique_ptr<CountMeasurer> measurer;
  std::shared_ptr<BlobClient> blobs;
  WorkerHello greeting;
};

} // namespace

llvm::Expected<std::unique_ptr<WorkStation>> makeCountStation(BoardOptions options,
                                                              std::shared_ptr<BlobClient> blobs) {
  CountOptions counting;
  counting.target = options.target;
  llvm::Expected<std::unique_ptr<CountMeasurer>> measurer =
      CountMeasurer::create(std::move(counting));
  if (!measurer) {
    return measurer.takeError();
  }
  return std::make_unique<CountStation>(options, std::move(*measurer), std::move(blobs));
}

} // namespace convoy::service
