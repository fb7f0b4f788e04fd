// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the common style of all HTML reports.

#include "Support/Page.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy {

std::string htmlText(llvm::StringRef text) {
  std::string clean;
  for (char c : text) {
    bool isControl = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    clean += isControl ? '?' : c;
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  llvm::printHTMLEscaped(clean, os);
  return result;
}

std::string pageHead(llvm::StringRef title, llvm::StringRef style) {
  return ("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE html>\n"
          "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>" +
          htmlText(title) +
          "</title>\n<style>body{font:14px sans-serif;margin:24px}"
          "table{border-collapse:collapse}"
          "td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}"
          "td.l,th.l{text-align:left}" +
          style + "</style></head>\n<body>\n")
      .str();
}

std::string pageTail() { return "</body></html>\n"; }

} // namespace convoy
