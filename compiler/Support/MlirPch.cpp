// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing: this file exists so that the precompiled header has a target.
