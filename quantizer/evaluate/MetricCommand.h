// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A metric that a command of the user computes: `convoy run --data D --metric CMD`.

#pragma once

#include "Support/TemporaryFolder.h"
#include "quantizer/evaluate/Evaluate.h"
#include <mutex>
#include <optional>

namespace convoy::quantizer {

/// Collects the first output of each sample in a temporary .npy file and passes the file to a
/// command. The command line is `CMD OUTPUTS.npy [LABELS.npy]`; the shell splits CMD. The command
/// prints one number. Memory does not grow with the number of samples.
class MetricCommand {
public:
  explicit MetricCommand(std::string command) : command(std::move(command)) {}

  /// Makes an evaluation of `samples` samples write its outputs. This object must outlive the
  /// evaluation.
  llvm::Error collect(EvaluateOptions &options, size_t samples);

  /// Runs the command after the evaluation.
  llvm::Expected<double> run(const io::Dataset &data, const std::vector<size_t> &samples);

private:
  llvm::Error write(size_t index, const Tensor &output);
  llvm::Error begin(const Tensor &output);

  std::string command;
  TemporaryFolder folder;
  size_t count = 0;
  std::mutex mutex; // of the file
  std::unique_ptr<llvm::raw_fd_ostream> file;
  std::optional<Tensor> first; // its type and shape are those of all outputs
  size_t dataOffset = 0;
};

} // namespace convoy::quantizer
