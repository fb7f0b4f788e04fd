// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes ONNX's protobuf classes. Every file includes them through this
// header, because Debian builds them with the ML domain enabled.

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
