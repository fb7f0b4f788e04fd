// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's protobuf classes, included in this one way only: Debian builds them
// with the ML domain.

#pragma once

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#include <onnx/onnx_pb.h>
#pragma clang diagnostic pop
