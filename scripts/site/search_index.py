# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes the pages with source code from the search index, so that the results are documentation.

    search_index.py build/site/html
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = ".html"


def is_source(location):
    """True if the page shows a file of the repository that is no Markdown file."""
    path = location.split("#")[0]
    return path.endswith(PAGE) and os.path.isfile(os.path.join(ROOT, path[:-len(PAGE)]))


def main():
    path = os.path.join(sys.argv[1], "search", "search_index.json")
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    index["docs"] = [page for page in index["docs"] if not is_source(page["location"])]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
