/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The source of the op in custom_ops.json. The importer does not read it.
 */
