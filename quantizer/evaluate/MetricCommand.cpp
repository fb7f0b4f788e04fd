// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes outputs at their offsets, because threads finish samples in any order, and runs a command
// through the shell.

#include "quantizer/evaluate/MetricCommand.h"
#include "Support/ShapeText.h"
#include "io/Files.h"
#include "io/Npy.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::quantizer {
namespace {

/// Returns the shape of the array of all outputs: a batch of 1 becomes the number of samples.
Shape arrayShape(size_t count, llvm::ArrayRef<int64_t> output) {
  Shape shape{static_cast<int64_t>(count)};
  llvm::append_range(shape, !output.empty() && output[0] == 1 ? output.drop_front() : output);
  return shape;
}

llvm::Error writeLabels(const std::string &path, const io::Dataset &data,
                        const std::vector<size_t> &samples) {
  Tensor labels(ElementType::I64, {static_cast<int64_t>(samples.size())});
  for (auto [i, sample] : llvm::enumerate(samples)) {
    labels.setInt(static_cast<int64_t>(i), data.label(sample).value_or(-1));
  }
  return io::writeNpy(path, labels);
}

std::string contentOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

} // namespace

llvm::Error MetricCommand::collect(EvaluateOptions &options, size_t samples) {
  count = samples;
  options.output = [this](size_t index, const Tensor &output) { return write(index, output); };
  return folder.createInSystem();
}

llvm::Error MetricCommand::begin(const Tensor &output) {
  if (!io::isNpyType(output.type())) {
    return llvm::createStringError("--metric: NumPy has no type for the output's " +
                                   name(output.type()) + "; add a Cast to the model");
  }
  std::error_code error;
  file = std::make_unique<llvm::raw_fd_ostream>(folder.file("outputs.npy"), error);
  if (error) {
    return llvm::createStringError(error, "--metric: cannot write '" + folder.file("outputs.npy") +
                                              "': " + error.message());
  }
  std::string header = io::encodeNpyHeader(output.type(), arrayShape(count, output.shape()));
  *file << header;
  dataOffset = header.size();
  first = Tensor(output.type(), output.shape());
  // pwrite only replaces bytes that the file has.
  for (size_t i = 0; i < count; ++i) {
    file->write_zeros(static_cast<unsigned>(output.bytes()));
  }
  return llvm::Error::success();
}

llvm::Error MetricCommand::write(size_t index, const Tensor &output) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!first) {
    if (llvm::Error error = begin(output)) {
      return error;
    }
  }
  if (output.type() != first->type() || output.shape() != first->shape()) {
    return llvm::createStringError(
        "--metric: the outputs of all samples must have one shape, got " +
        shapeText(first->shape()) + " and " + shapeText(output.shape()));
  }
  file->pwrite(output.data<char>(), output.bytes(), dataOffset + index * output.bytes());
  return llvm::Error::success();
}

llvm::Expected<double> MetricCommand::run(const io::Dataset &data,
                                          const std::vector<size_t> &samples) {
  file->close();
  if (file->has_error()) {
    std::string reason = file->error().message();
    file->clear_error();
    return llvm::createStringError("--metric: cannot write the outputs: " + reason);
  }
  std::string outputs = folder.file("outputs.npy"), labels = folder.file("labels.npy"),
              printed = folder.file("stdout.txt"), errors = folder.file("stderr.txt");
  std::string line = command + " \"$@\"";
  std::vector<llvm::StringRef> arguments{"/bin/sh", "-c", line, "sh", outputs};
  if (data.hasLabels()) {
    if (llvm::Error error = writeLabels(labels, data, samples)) {
      return error;
    }
    arguments.push_back(labels);
  }
  std::optional<llvm::StringRef> redirects[] = {"", printed, errors};
  std::string message;
  int code = llvm::sys::ExecuteAndWait("/bin/sh", arguments, /*Env=*/std::nullopt, redirects,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (code != 0) {
    std::string reason = message.empty() ? contentOf(errors) : message;
    return llvm::createStringError("--metric: '" + command + "' ended with exit code " +
                                   llvm::Twine(code) + (reason.empty() ? "" : ": " + reason));
  }
  double value = 0;
  std::string text = contentOf(printed);
  if (llvm::StringRef(text).getAsDouble(value)) {
    return llvm::createStringError("--metric: expected that '" + command +
                                   "' prints one number, got '" + text + "'");
  }
  return value;
}

} // namespace convoy::quantizer
