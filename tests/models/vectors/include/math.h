/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions that emitted C calls, for a machine without a C library here. */

#ifndef CONVOY_TEST_MATH_H
#define CONVOY_TEST_MATH_H

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()

float fmaf(float a, float b, float c);
float sqrtf(float x);
float rintf(float x);
float floorf(float x);
float ceilf(float x);
float fabsf(float x);
double fma(double a, double b, double c);
double sqrt(double x);
double rint(double x);
double floor(double x);
double ceil(double x);
double fabs(double x);

#endif
