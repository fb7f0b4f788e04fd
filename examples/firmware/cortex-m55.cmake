# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles for a Cortex-M55 without an operating system, with Debian's gcc-arm-none-eabi.
# begin snippet
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m55)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -O3")
# end snippet
