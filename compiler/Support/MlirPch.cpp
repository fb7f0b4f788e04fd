// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intentionally empty: gives the precompiled header a CMake target.
