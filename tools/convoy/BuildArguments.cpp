// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared flags: model, target, numerics, images, threads, tuning, plug-ins.

#include "BuildArguments.h"
#include "Service.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tool {
namespace {

constexpr Range kThreads{0, 1024};

void addPins(CommandLine &line, CLI::App &verb, io::ModelFlags &o) {
  Flags everyday = line.everyday(verb), rare = line.rare(verb);
  everyday.texts("--input-shape", o.inputShapes, "NAME:SHAPE",
                 "Set the shape of an input, for example data:1x3x224x224 (default: the shape "
                 "in the model).");
  rare.texts("--dim", o.dims, "NAME=SIZE",
             "Set the size of a named dimension, for example batch=1 (default: none).");
  rare.texts("--const", o.constants, "NAME=FILE",
             "Replace an input by the constant in a .pb or .npy file (default: none).");
}

/// Adds the shared flags to one verb.
struct Adder {
  Flags everyday, rare;
  BuildFlags &flags;
  const BuildForm &form;

  void target() {
    if (form.targets) {
      everyday.words("--target", *form.targets, "NAME[,NAME..]",
                     "Compile for each of these targets; `convoy targets` lists the targets "
                     "(default: host).");
    } else if (form.needsDevice) {
      everyday
          .text("--target", flags.target, "NAME",
                "Place ops on this device; `convoy targets` lists the devices (required).")
          ->required();
    } else {
      everyday.text("--target", flags.target, "NAME", form.target);
    }
    rare.text("--cpu", flags.cpu, "NAME",
              "Compile the ops outside the device for this CPU, a target or a .json description; "
              "needs a device as --target (default: host).");
  }

  void placement() {
    everyday.choice("--place", flags.placement.policy,
                    {{"all", PlacePolicy::All}, {"fastest", PlacePolicy::Fastest}},
                    "Place on the device every op that it supports, or only regions that are "
                    "estimated to be faster there than on one CPU core (default: all).");
    everyday.flag("--require-device", flags.placement.requiresDevice,
                  "Fail with exit code 2 if no op runs on the device (default: warn).");
  }

  /// Adds --optimize, which is a parameter of the device in the name of the target.
  void optimize() {
    const std::vector<std::string> goals = {"latency", "memory"};
    auto set = [&o = flags, list = form.targets, goals](size_t i) {
      std::string parameter = ":optimize=" + goals[i];
      o.target += parameter;
      for (size_t k = 0; list && k < list->size(); ++k) {
        (*list)[k] += parameter;
      }
    };
    everyday.word("--optimize", goals, set,
                  "Compile for a short inference or for little device memory, on devices that "
                  "have the choice (default: latency).");
  }

  void numerics() {
    rare.choice("--math", flags.math, {{"fast", Math::Fast}, {"strict", Math::Strict}},
                "Allow Winograd convolution if fast, only direct convolution if strict (default: "
                "fast).");
    rare.choice("--integer", flags.isInteger, {{"on", true}, {"off", false}},
                "Compute quantised layers in integers if on, in float as ONNX defines them if off "
                "(default: on).");
    everyday.text("--calibrate", flags.calibrate, "DIR",
                  "Quantise a float model to 8 bits with the samples in DIR: one file per sample "
                  "of a single input, or one folder of input_N.pb per sample (default: off).");
  }

  void resize(Flags &shown) {
    auto read = [&o = flags.image](const std::string &text) {
      std::optional<io::Resize> resize = io::parseResize(text);
      if (!resize) {
        refuseValue("--resize", "a short side such as 256, a size such as 320x240, none or auto",
                    text);
      }
      o.resize = *resize;
    };
    shown.value("--resize", read, "SIZE",
                "Resize an image before the crop: 256 sets the short side, 320x240 both sides, "
                "none keeps the size, auto fits the input (default: auto).");
  }

  void image() {
    Flags &shown = form.hasImageInput ? everyday : rare;
    io::ImageFlags &o = flags.image;
    resize(shown);
    shown.choice("--color", o.color,
                 {{"rgb", io::Color::Rgb}, {"bgr", io::Color::Bgr}, {"gray", io::Color::Gray}},
                 "Set the channel order of the input (default: gray for one channel, else rgb).");
    shown.numbers("--mean", o.mean,
                  "Subtract X from each scaled pixel, one value or one per channel (default: 0; "
                  "128 for int8 inputs).");
    shown.numbers(
        "--std", o.std,
        "Divide each pixel by X after --mean, one value or one per channel (default: 1).");
    shown.numbers("--scale", o.scale,
                  "Multiply each pixel by X before --mean, one value or one per channel (default: "
                  "1/255 for float inputs, else 1).");
    rare.choice("--crop", o.crop, {{"center", io::Crop::Center}, {"none", io::Crop::None}},
                "Crop an image to the size of the input around its center, or not at all "
                "(default: center).");
    rare.choice("--image-layout", o.layout,
                {{"nchw", io::DimOrder::Nchw}, {"nhwc", io::DimOrder::Nhwc}},
                "Set the dimension order of the input (default: derived from its shape).");
  }

  void threads() {
    if (form.threadCounts) {
      everyday.counts("--threads", *form.threadCounts, {1, kThreads.most},
                      "Measure with each of these numbers of threads (default: 1).");
    } else {
      everyday.count("--threads", flags.threads, kThreads, form.threads);
    }
  }

  void tuning() {
    everyday.text("--records", flags.records, "FILE", form.records);
    rare.text("--service-certs", flags.certs, "DIR", kServiceCertsHelp);
    rare.text("--kernel-times", flags.kernelTimes, "FILE",
              "Schedule several threads by the kernel times in FILE, which `convoy bench --layers "
              "--json=FILE` writes (default: estimated times).");
    rare.choice("--localise", flags.localise,
                {{"on", Localise::On}, {"off", Localise::Off}, {"always", Localise::Always}},
                "Run consecutive layers in bands of rows that fit into a core's cache: on "
                "where the estimate is faster, always wherever possible (default: off; for a "
                "microcontroller, row by row where this needs less memory).");
  }

  void memory() {
    rare.choice("--io", flags.io,
                {{"caller", IoPlace::Caller}, {"arena", IoPlace::Arena}, {"rows", IoPlace::Rows}},
                "Place inputs and outputs of emitted C in buffers of the caller, or in the "
                "workspace, where a run overwrites the inputs; with rows, a run fetches the rows "
                "of inputs from functions of the caller (default: caller).");
    if (form.hasLimits) {
      rare.size("--ram", flags.limits.ramBytes,
                "Fail if the workspace, the inputs and outputs and the stack exceed SIZE on a "
                "microcontroller; the error says what helps (default: the memory of the target).");
      rare.size("--flash", flags.limits.flashBytes,
                "Fail if the program with its weights exceeds SIZE on a microcontroller; the "
                "error says what helps (default: the memory of the target).");
    }
  }

  void plugins() {
    rare.texts("--load-pass-plugin", flags.faults.plugins, "FILE",
               "Load an MLIR pass plug-in for --plant (default: none).");
    rare.texts("--plant", flags.faults.faults, "AFTER:PASS",
               "Run a plug-in pass after each run of the pass AFTER, to test that `convoy check` "
               "finds an injected bug (default: none).");
  }
};

/// Refuses flags about images if no flag names images.
void checkImageFlags(const CLI::App &verb, const std::vector<std::string> &readers) {
  auto isGiven = [&](const std::string &flag) { return verb.count(flag) > 0; };
  for (const char *flag :
       {"--resize", "--color", "--mean", "--std", "--scale", "--crop", "--image-layout"}) {
    if (isGiven(flag) && llvm::none_of(readers, isGiven)) {
      throw CLI::ValidationError(flag, "expects images, and no flag names an image; add " +
                                           llvm::join(readers, " or "));
    }
  }
}

/// Refuses certificates if no flag names a tuning service.
void checkServiceCerts(const CLI::App &verb, const BuildFlags &flags) {
  const CLI::Option *service = verb.get_option_no_throw("--service");
  bool isService = isServiceRecords(flags.records) || (service && service->count() > 0);
  if (verb.count("--service-certs") > 0 && !isService) {
    throw CLI::ValidationError(
        "--service-certs", std::string("expects a tuning service, and no flag names one; add ") +
                               (service ? "--service URL" : "--records service:URL"));
  }
}

} // namespace

BuildForm inputForm() {
  BuildForm form;
  form.imageReaders = {"--calibrate", "--input", "--data"};
  form.hasImageInput = true;
  return form;
}

BuildForm deviceForm() {
  BuildForm form;
  form.needsDevice = true;
  return form;
}

void addModel(CommandLine &line, CLI::App &verb, io::ModelFlags &flags) {
  line.everyday(verb).positional("model", flags.path, "MODEL", "Read this ONNX model (required).");
  addPins(line, verb, flags);
}

void addBuildFlags(CommandLine &line, CLI::App &verb, BuildFlags &flags, const BuildForm &form) {
  flags.needsDevice = form.needsDevice;
  Adder adder{line.everyday(verb), line.rare(verb), flags, form};
  if (form.hasModel) {
    addModel(line, verb, flags.model);
  } else {
    addPins(line, verb, flags.model);
  }
  adder.target();
  adder.placement();
  adder.optimize();
  adder.numerics();
  adder.image();
  adder.threads();
  adder.tuning();
  adder.memory();
  adder.plugins();
  verb.callback([&flags, &verb, readers = form.imageReaders] {
    checkImageFlags(verb, readers);
    checkServiceCerts(verb, flags);
    for (const CLI::Option *option : verb.get_options()) {
      if (option->count() > 0 && !option->get_lnames().empty()) {
        flags.given.insert("--" + option->get_lnames().front());
      }
    }
  });
}

void addDatasetModelFlags(CommandLine &line, CLI::App &verb, BuildFlags &flags,
                          const BuildForm &form) {
  Adder adder{line.everyday(verb), line.rare(verb), flags, form};
  addModel(line, verb, flags.model);
  adder.target();
  adder.image();
}

} // namespace convoy::tool
