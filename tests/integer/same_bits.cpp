// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quantised model as an integer graph: every target gives the reference's bytes,
// for the inputs of golden folders and for random ones.
//
//     same_bits MODEL GOLDENS COUNT TARGET...

#include "tools/convoy/InputData.h"
#include "tools/convoy/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace convoy;
using namespace convoy::driver;

namespace {

/// A model compiled for a target as an integer graph in an arithmetic; null after a message.
std::unique_ptr<Session> compile(const import::Model &model, const import::ImportOptions &options,
                                 const Target &target, const quantize::Arithmetic &arithmetic) {
  auto session = std::make_unique<Session>();
  OwningOpRef<ModuleOp> module = session->import(model, options);
  TargetOptions targetOptions;
  targetOptions.threads = 1;
  targetOptions.isInteger = true;
  targetOptions.arithmetic = arithmetic;
  if (!module || failed(session->compile(std::move(module), target, targetOptions))) {
    session->log().print(llvm::outs());
    return nullptr;
  }
  return session;
}

/// What is wrong with `actual`, or nothing.
std::string whyDifferent(const std::vector<Datum> &actual, const std::vector<Datum> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor &a = actual[i].tensor;
    const Tensor &b = expected[i].tensor;
    if (a.type() != b.type() || a.bytes() != b.bytes()) {
      return "output " + std::to_string(i) + " has another type or size";
    }
    if (std::memcmp(a.raw(), b.raw(), b.bytes()) != 0) {
      return "output " + std::to_string(i) + " has other bytes";
    }
  }
  return "";
}

/// The inputs of each folder in `goldens`, then `count` random ones.
std::vector<NamedData> collectInputs(const import::Model &model, llvm::StringRef goldens,
                                     uint64_t count) {
  std::vector<NamedData> list;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(goldens, error), end; !error && it != end;
       it.increment(error)) {
    if (!llvm::sys::fs::exists(it->path() + "/input_0.pb")) {
      continue;
    }
    llvm::Expected<NamedData> inputs = readGoldenInputs(it->path(), model);
    if (inputs) {
      list.push_back(std::move(*inputs));
    } else {
      llvm::outs() << llvm::toString(inputs.takeError()) << "\n";
    }
  }
  NamedData like = list.empty() ? NamedData() : list.front();
  for (uint64_t seed = 1; seed <= count && !like.empty(); ++seed) {
    NamedData random;
    for (const auto &[name, datum] : like) {
      random[name] = randomTensor(datum.tensor.type(), datum.tensor.shape(), seed);
    }
    list.push_back(std::move(random));
  }
  return list;
}

/// Runs all inputs on one target; the number of wrong results.
int compare(Session &session, llvm::StringRef name, const std::vector<NamedData> &inputs,
            const std::vector<std::vector<Datum>> &expected) {
  int wrong = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    FailureOr<std::vector<Datum>> actual = session.run(inputs[i]);
    std::string problem = failed(actual) ? "cannot run" : whyDifferent(*actual, expected[i]);
    if (!problem.empty()) {
      llvm::outs() << "FAILED " << name << ", input " << i << ": " << problem << "\n";
      ++wrong;
    }
  }
  return wrong;
}

/// What the reference gives in one arithmetic at a time; most targets share one.
class Expectations {
public:
  Expectations(const import::Model &model, const import::ImportOptions &options,
               const std::vector<NamedData> &inputs)
      : model(model), options(options), inputs(inputs) {}

  /// Null after a message.
  const std::vector<std::vector<Datum>> *in(const quantize::Arithmetic &wanted) {
    if (outputs.empty() || arithmetic != wanted) {
      outputs.clear();
      arithmetic = wanted;
      std::unique_ptr<Session> reference = compile(model, options, *createReference(), wanted);
      for (const NamedData &data : inputs) {
        FailureOr<std::vector<Datum>> result = failure();
        if (!reference || failed(result = reference->run(data))) {
          return nullptr;
        }
        outputs.push_back(std::move(*result));
      }
    }
    return &outputs;
  }

private:
  const import::Model &model;
  const import::ImportOptions &options;
  const std::vector<NamedData> &inputs;
  quantize::Arithmetic arithmetic;
  std::vector<std::vector<Datum>> outputs;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    llvm::outs() << "usage: same_bits MODEL GOLDENS COUNT TARGET...\n";
    return 2;
  }
  llvm::Expected<import::Model> model = import::readModel(argv[1]);
  if (!model) {
    llvm::outs() << llvm::toString(model.takeError()) << "\n";
    return 1;
  }
  std::vector<NamedData> inputs = collectInputs(*model, argv[2], std::stoull(argv[3]));
  if (inputs.empty()) {
    llvm::outs() << "no inputs in " << argv[2] << "\n";
    return 1;
  }
  import::ImportOptions options;
  pinShapes(options, inputs.front());
  Expectations expectations(*model, options, inputs);
  int wrong = 0;
  for (int i = 4; i < argc; ++i) {
    llvm::Expected<std::unique_ptr<Target>> target = findTarget(argv[i]);
    if (!target) {
      llvm::outs() << argv[i] << ": " << llvm::toString(target.takeError()) << "\n";
      return 1;
    }
    quantize::Arithmetic arithmetic = (*target)->arithmetic();
    const std::vector<std::vector<Datum>> *expected = expectations.in(arithmetic);
    std::unique_ptr<Session> session =
        expected ? compile(*model, options, **target, arithmetic) : nullptr;
    if (!session) {
      llvm::outs() << argv[i] << ": cannot compile or the reference cannot run\n";
      return 1;
    }
    wrong += compare(*session, argv[i], inputs, *expected);
  }
  llvm::outs() << inputs.size() << " inputs on " << argc - 4 << " targets, " << wrong
               << " results differ from the reference\n";
  return wrong == 0 ? 0 : 1;
}
