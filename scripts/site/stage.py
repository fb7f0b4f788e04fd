# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the input of MkDocs: the pages, the images and mkdocs.yml.

    stage.py --out build/site [--url https://...] [--repository https://...]

The pages keep their paths in the repository, so that links between them stay valid inside and
outside of docs/. A file of another type that a page links to becomes a page with its text: the
site needs no other server. docs/README.md gives the groups of the navigation.
"""

import argparse
import json
import os
import posixpath
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "scripts", "lint"))

import links  # noqa: E402
import site_markdown  # noqa: E402
import tree  # noqa: E402

IMAGES = (".svg", ".png", ".jpg")
LANGUAGES = {".py": "python", ".h": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".c": "c", ".td": "tablegen", ".sh": "bash", ".json": "json"}
LONGEST_TITLE = 40  # in the navigation, in letters
EXCLUDED = re.compile(r"\.github/")


class Site:
    def __init__(self, out):
        self.files = set(tree.list_files(ROOT))
        self.pages = {path: tree.read(ROOT, path) for path in self.files if path.endswith(".md") and not EXCLUDED.match(path)}
        self.folder = os.path.join(out, "pages")
        self.sources = set()  # the files that get a page with their text

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def target_on_site(self, target):
        """The path of the page that a link to a file or a folder shows."""
        if target in self.pages or target.endswith(IMAGES):
            return target
        page = links.page_of(target, self.pages)
        if page:
            return page
        self.sources.add(target)
        return source_page(target, target not in self.files)

    def rewrite_links(self, path, text):
        """Text with the links of the page `path` to files that have another path on the site."""
        base = posixpath.dirname(path)

        def replace(found):
            target = found.group(1)
            if links.OTHER_SITE.match(target):
                return found.group()
            name, _, anchor = target.partition("#")
            if not name or anchor in ("only-light", "only-dark"):
                return found.group()
            full = posixpath.normpath(posixpath.join(base, links.unquote(name)))
            shown = self.target_on_site(full)
            if shown == full:
                return found.group()
            anchor = f"#{anchor}" if anchor and shown in self.pages else ""
            return found.group().replace(f"({target}", f"({posixpath.relpath(shown, base or '.')}{anchor}")

        code = re.compile(r"(^```.*?^```|^~~~.*?^~~~|`[^`\n]*`)", re.M | re.S)
        parts = code.split(text)
        # A link may have code in its text: hide the code behind a name while replacing.
        kept = parts[1::2]
        hidden = "".join(part if index % 2 == 0 else f"\0{index // 2}\0" for index, part in enumerate(parts))
        return re.sub("\0(\\d+)\0", lambda found: kept[int(found.group(1))], links.LINK.sub(replace, hidden))

    def write_pages(self):
        for path, text in sorted(self.pages.items()):
            self.write(path, site_markdown.convert(self.rewrite_links(path, text)))
        for path in sorted(self.files):
            if path.startswith("docs/") and path.endswith(IMAGES):
                os.makedirs(os.path.dirname(os.path.join(self.folder, path)), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, path), os.path.join(self.folder, path))

    def write_sources(self):
        for target in sorted(self.sources):
            inside = sorted(path for path in self.files if path.startswith(target + "/"))
            for path in inside if target not in self.files else [target]:
                self.write(source_page(path), source_text(path))
            if target not in self.files:
                rows = [f"- [{path[len(target) + 1:]}]({posixpath.relpath(source_page(path), target)})" for path in inside]
                self.write(source_page(target, True), front_matter(target) + "\n".join(rows) + "\n")

    def write_style(self):
        shutil.copyfile(os.path.join(HERE, "site.css"), os.path.join(self.folder, "site.css"))


def source_page(path, is_folder=False):
    # MkDocs ignores folders that begin with a period.
    return posixpath.join(path, "index.md") if is_folder else path.lstrip(".") + ".md"


def front_matter(path):
    return f"---\ntitle: {json.dumps(path)}\n---\n# `{path}`\n\n"


def source_text(path):
    text = tree.read(ROOT, path)
    fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`+", text)])
    language = LANGUAGES.get(os.path.splitext(path)[1], "text")
    return f"{front_matter(path)}{fence}{language}\n{text.rstrip()}\n{fence}\n"


def navigation(pages):
    """The groups of docs/README.md, and below each index of a folder the other pages of its folder."""
    index = pages[links.INDEX]
    groups = [(title, body) for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", index, re.M | re.S)]
    listed = [[link.path for link in links.links(links.INDEX, body) if not link.anchor] for _, body in groups]
    seen = {links.FRONT, links.INDEX} | {path for paths in listed for path in paths}
    entries = [{"Home": [{"Convoy": links.FRONT}, {"All pages": links.INDEX}]}]
    for (title, _), paths in zip(groups, listed):
        group = []
        for path in dict.fromkeys(links.page_of(path, pages) for path in paths):
            if not path or any(path in _flat(entry) for entry in entries + group):
                continue
            inside = [other for other in sorted(pages) if posixpath.dirname(other) == posixpath.dirname(path) and other not in seen]
            if path.startswith("docs/") and path.endswith("/README.md") and inside:
                seen |= set(inside)
                group.append({nav_title(pages[path]): [{"Overview": path}] + [{nav_title(pages[other]): other} for other in inside]})
            else:
                group.append(path)
        entries.append({title: titled(group, pages)})
    return entries


def titled(group, pages):
    """The entries with titles; the pages of folders of code are one entry."""
    folders = [path for path in group if isinstance(path, str) and path.endswith("/README.md") and not path.startswith("docs/")]
    if len(folders) < 4:
        folders = []
    entries = [entry if isinstance(entry, dict) else {nav_title(pages[entry]): entry} for entry in group if entry not in folders]
    return entries + ([{"Folders": [{posixpath.dirname(path): path} for path in folders]}] if folders else [])


def _flat(entry):
    if isinstance(entry, str):
        return [entry]
    values = entry.values() if isinstance(entry, dict) else entry
    return [path for value in values for path in _flat(value)]


def nav_title(text):
    """The heading of a page; a long one without what follows a comma or a colon."""
    title = re.search(r"^# (.+)$", text, re.M).group(1).replace("`", "")
    return title if len(title) <= LONGEST_TITLE else re.split("[,:] ", title)[0]


def toggle(scheme, media, icon, name):
    return {"scheme": scheme, "media": f"(prefers-color-scheme: {media})", "primary": "indigo", "accent": "indigo",
            "toggle": {"icon": f"material/{icon}", "name": name}}


def configuration(site, args):
    return {
        "site_name": "Convoy",
        "site_description": "A compiler from ONNX to libraries, C and accelerators",
        "site_url": args.url,
        "docs_dir": "pages",
        "site_dir": "html",
        "strict": True,
        "use_directory_urls": False,  # the pages open from a folder too
        "nav": navigation(site.pages),
        "extra_css": ["site.css"],
        "extra": {
            "generator": False,
            "homepage": "index.html",
            # `repo_url` would make each page fetch figures from the host of the repository.
            "social": [{"icon": "fontawesome/brands/git-alt", "link": args.repository, "name": "Repository"}] if args.repository else [],
        },
        "plugins": ["search"],
        "theme": {
            "name": "material",
            "font": False,  # Material would load fonts from another server
            "features": ["navigation.tabs", "navigation.top", "search.highlight"],
            "palette": [toggle("default", "light", "weather-night", "Use dark mode"),
                        toggle("slate", "dark", "weather-sunny", "Use light mode")],
        },
        "markdown_extensions": [
            "attr_list", "md_in_html", "sane_lists", "tables", "pymdownx.superfences", "pymdownx.magiclink", "pymdownx.highlight",
            {"toc": {"permalink": True}}],
    }


def main():
    parser = argparse.ArgumentParser(description="Writes the input of MkDocs.")
    parser.add_argument("--out", required=True)
    parser.add_argument("--url", default="", help="the address of the published site")
    parser.add_argument("--repository", default="", help="the address of the repository")
    args = parser.parse_args()
    site = Site(args.out)
    shutil.rmtree(site.folder, ignore_errors=True)
    site.write_pages()
    site.write_sources()
    site.write_style()
    # JSON is YAML.
    with open(os.path.join(args.out, "mkdocs.yml"), "w", encoding="utf-8") as file:
        json.dump(configuration(site, args), file, indent=1)


if __name__ == "__main__":
    main()
