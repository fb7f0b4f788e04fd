# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages that MkDocs wrote, because its strict mode checks no anchors.

1. The target of each link of a page to the same site exists, with its anchor.
2. A page loads scripts, styles, fonts and images only from the site, so that it works offline.

    check_site.py build/site/html
"""

import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "srcset"), ("iframe", "src"), ("object", "data")}
URL_OF_STYLE = re.compile(r"url\(\s*[\"']?(https?:)?//|@import\s+[\"'](https?:)?//")


class Page(HTMLParser):
    """The identifiers, the links and the loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        is_canonical = tag == "link" and attributes.get("rel") == "canonical"
        for name, value in attributes.items():
            if (tag, name) in LOADED and value and not is_canonical:
                self.loaded.append(value)
            if (tag, name) == ("a", "href") and value:
                self.targets.append(value)


def problem_of(target, path, root, pages):
    """What is wrong with a link of the page `path`, or None."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return None
    name = unquote(parts.path)
    full = os.path.normpath(os.path.join(root, name.lstrip("/")) if name.startswith("/") else os.path.join(os.path.dirname(path), name))
    if not name:
        full = path
    if os.path.isdir(full):
        full = os.path.join(full, "index.html")
    if not os.path.exists(full):
        return f"link to {target}, which does not exist"
    if full in pages and parts.fragment and unquote(parts.fragment) not in pages[full].ids:
        return f"link to {target}, which has no such anchor"
    return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(root):
    files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
    pages = {path: Page(read(path)) for path in files if path.endswith(".html")}
    for path, page in sorted(pages.items()):
        shown = os.path.relpath(path, root)
        for target in page.targets:
            # The page of missing addresses is shown at any address, with absolute links.
            problem = problem_of(target, path, root, pages)
            if problem:
                yield f"{shown}: {problem}"
        for loaded in page.loaded:
            if urlsplit(loaded).scheme in ("http", "https") or loaded.startswith("//"):
                yield f"{shown}: loads {loaded} from another server"
    for path in files:
        if path.endswith(".css") and URL_OF_STYLE.search(read(path)):
            yield f"{os.path.relpath(path, root)}: loads a file from another server"


def main():
    root = os.path.normpath(sys.argv[1])
    findings = list(check(root))
    for finding in findings:
        print(finding)
    if not os.path.exists(os.path.join(root, "index.html")):
        findings.append("")
        print(f"{root} has no index.html")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
