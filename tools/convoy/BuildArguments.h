// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that every verb that compiles has, and the few ways in which verbs differ.

#pragma once

#include "CommandLine.h"

namespace convoy::tool {

/// The differences between verbs in the shared flags.
struct BuildForm {
  bool hasModel = true;                         // one model; otherwise the verb has its own list
  std::vector<std::string> *targets = nullptr;  // a list of targets instead of one
  std::vector<int64_t> *threadCounts = nullptr; // a list of thread counts instead of one
  bool needsDevice = false;                     // --target is required and names a device
  /// The flags that name images. A flag about images needs one of these.
  std::vector<std::string> imageReaders = {"--calibrate"};
  bool hasImageInput = false; // --help shows the flags about images
  bool hasLimits = false;     // --ram and --flash
  const char *target = "Compile for this target; `convoy targets` lists the targets (default: "
                       "host).";
  const char *threads = "Run an inference on N threads; 0 uses every core available to the "
                        "process (default: 1).";
  const char *records = "Choose kernels by the tuning records in FILE, which `convoy tune` writes, "
                        "or by the records of a tuning service, service:URL (default: none).";
};

/// Returns the form of verbs that read images with --input.
BuildForm inputForm();
/// Returns the form of verbs that look at a device.
BuildForm deviceForm();

/// Adds MODEL and the flags that pin its inputs.
void addModel(CommandLine &line, CLI::App &verb, io::ModelFlags &flags);

/// Adds the shared flags. A verb has all of them, and refuses the flags that have no effect on it.
void addBuildFlags(CommandLine &line, CLI::App &verb, BuildFlags &flags,
                   const BuildForm &form = {});

/// Adds the model, the target and the flags about images, for a verb that reads a data set.
void addDatasetModelFlags(CommandLine &line, CLI::App &verb, BuildFlags &flags,
                          const BuildForm &form);

} // namespace convoy::tool
