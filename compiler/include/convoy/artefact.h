// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the British spelling of artifact.h for programs written for 0.2. Version 0.4 removes it.

#pragma once

#include "convoy/artifact.h"

namespace convoy {

using Artefact [[deprecated("use convoy::Artifact")]] = Artifact;
using ArtefactFiles [[deprecated("use convoy::ArtifactFiles")]] = ArtifactFiles;

} // namespace convoy
