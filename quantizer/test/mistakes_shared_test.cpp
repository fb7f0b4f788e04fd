// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds mistakes of preprocessing on trained models and CIFAR-10, and expects that each is named
// and that the right preprocessing gives no warning. The argument is the folder of the shared
// files.

#include "Support/TemporaryFolder.h"
#include "io/Files.h"
#include "io/Image.h"
#include "io/Npy.h"
#include "quantizer/mistakes/Mistakes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>
#include <string>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

constexpr int64_t kImages = 1000, kBytes = 32 * 32 * 3;

/// A kind of mistake and the change that seeds it. No kind: the right preprocessing.
struct Seed {
  std::string name;
  std::optional<MistakeKind> kind;
  std::function<void(io::DatasetFlags &)> change;
};

std::vector<size_t> allOf(const io::Dataset &data) {
  std::vector<size_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

class Program {
public:
  explicit Program(std::string shared) : shared(std::move(shared)) {}

  bool run() {
    llvm::cantFail(folder.createInSystem());
    writeData();
    io::ImageFlags bytes, imagenet;
    bytes.scale = {1};
    imagenet.mean = {0.485, 0.456, 0.406};
    imagenet.std = {0.229, 0.224, 0.225};
    for (bool hasLabels : {true, false}) {
      if (hasLabels) {
        check("mlperf_tiny_ic_resnet8_fp32", bytes, hasLabels);
      }
      check("resnet20_cifar10", imagenet, hasLabels);
    }
    llvm::outs() << (isRight ? "all mistakes are named\n" : "FAILED\n");
    return isRight;
  }

private:
  /// Writes the first images as rows x columns x channels and in planar order, and their labels.
  void writeData() {
    io::Image image = llvm::cantFail(io::readImage(shared + "/data/cifar10_test_10000x32x32.png"));
    auto labels = llvm::cantFail(io::readFile(shared + "/data/cifar10_test_labels.u8"));
    Tensor rows(ElementType::U8, {kImages, 32, 32, 3}), planar = rows;
    Tensor classes(ElementType::U8, {kImages}), shifted = classes;
    for (int64_t i = 0; i < kImages; ++i) {
      for (int64_t k = 0; k < kBytes; ++k) {
        uint8_t byte = image.pixels[i * kBytes + k];
        rows.mutableData<uint8_t>()[i * kBytes + k] = byte;
        planar.mutableData<uint8_t>()[i * kBytes + k % 3 * 1024 + k / 3] = byte;
      }
      int64_t label = labels->getBuffer()[i];
      classes.setInt(i, label);
      shifted.setInt(i, (label + 1) % 10);
    }
    for (auto [name, tensor] : {std::pair("rows", &rows),
                                {"planar", &planar},
                                {"labels", &classes},
                                {"shifted", &shifted}}) {
      llvm::cantFail(io::writeNpy(folder.file(llvm::Twine(name) + ".npy"), *tensor));
    }
  }

  std::vector<Seed> seeds(bool isBytes, bool hasLabels) const {
    double unit = isBytes ? 1 : 1.0 / 255;
    std::vector<Seed> list = {
        {"none", std::nullopt, [](io::DatasetFlags &) {}},
        {"range", MistakeKind::Range,
         [=](io::DatasetFlags &flags) { flags.image.scale = {isBytes ? 1.0 / 255 : 1}; }},
        {"mean and standard deviation", MistakeKind::MeanStd,
         [=](io::DatasetFlags &flags) {
           flags.image = {};
           if (isBytes) {
             flags.image.mean = flags.image.std = {0.5};
           }
         }},
        {"sign", MistakeKind::Signedness,
         [=](io::DatasetFlags &flags) {
           flags.image.mean.resize(3);
           for (double &mean : flags.image.mean) {
             mean += 128 * unit;
           }
         }},
        {"layout", MistakeKind::Layout,
         [=](io::DatasetFlags &flags) { flags.data = folder.file("planar.npy"); }},
    };
    if (hasLabels) {
      list.push_back({"channel order", MistakeKind::ChannelOrder,
                      [](io::DatasetFlags &flags) { flags.image.color = io::Color::Bgr; }});
      list.push_back({"size", MistakeKind::Size, [](io::DatasetFlags &flags) {
                        flags.image.resize = *io::parseResize("48");
                      }});
      list.push_back({"labels", MistakeKind::Labels,
                      [=](io::DatasetFlags &flags) { flags.labels = folder.file("shifted.npy"); }});
    }
    return list;
  }

  void check(const std::string &name, const io::ImageFlags &image, bool hasLabels) {
    Result<Model> model = Model::read(shared + "/models/onnx/" + name + ".onnx");
    for (const Seed &seed : seeds(!image.scale.empty(), hasLabels)) {
      io::DatasetFlags flags;
      flags.data = folder.file("rows.npy");
      flags.labels = hasLabels ? folder.file("labels.npy") : "";
      flags.image = image;
      seed.change(flags);
      Problems problems;
      auto data = io::openDataset(flags, *model, {}, "--data", problems);
      Result<std::vector<Mistake>> found = findMistakes(*model, {}, *data, allOf(*data), {});
      llvm::outs() << name << (hasLabels ? "" : " without labels") << ", seeded: " << seed.name
                   << "\n";
      for (const Mistake &mistake : *found) {
        llvm::outs() << "  found " << nameOf(mistake.kind) << ": " << mistake.text << "\n";
      }
      llvm::erase_if(*found, [](const Mistake &m) { return m.severity == Severity::Note; });
      bool isNamed =
          seed.kind ? found->size() == 1 && found->front().kind == *seed.kind : found->empty();
      if (!isNamed) {
        llvm::outs() << "  WRONG\n";
      }
      llvm::outs().flush();
      isRight &= isNamed;
    }
  }

  std::string shared;
  TemporaryFolder folder;
  bool isRight = true;
};

/// Prints the mistakes of a data set. Returns false after an error.
bool printMistakes(const std::string &path, const std::string &data) {
  Result<Model> model = Model::read(path);
  Problems problems = model.problems();
  io::DatasetFlags flags;
  flags.data = data;
  auto opened = model ? io::openDataset(flags, *model, {}, "--data", problems) : nullptr;
  if (!opened) {
    llvm::errs() << problems.firstError() << "\n";
    return false;
  }
  Result<std::vector<Mistake>> found = findMistakes(*model, {}, *opened, allOf(*opened), {});
  for (const Mistake &mistake : found ? *found : std::vector<Mistake>()) {
    llvm::outs() << (mistake.severity == Severity::Note ? "note, " : "warning, ")
                 << nameOf(mistake.kind) << ": " << mistake.text << "\n";
  }
  llvm::outs() << (found ? std::to_string(found->size()) + " mistakes"
                         : found.problems().firstError())
               << "\n";
  return bool(found);
}

} // namespace

int main(int argc, char **argv) {
  bool isRight = argc == 2   ? Program(argv[1]).run()
                 : argc == 3 ? printMistakes(argv[1], argv[2])
                             : false;
  return isRight ? 0 : 1;
}
