#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every relative link in the project's .md files leads to a file, and its #part to a heading of that file; every page of docs/ is named in docs/README.md; and a
block after <!-- source: FILE --> is a part of that file, line by line.

usage: check_pages.py ROOT
"""
import os
import re
import sys

FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
QUOTE = re.compile(r"^<!-- source: (\S+) -->\n```\w*\n(.*?)^```$", re.M | re.S)
QUOTE_MARK = re.compile(r"^<!-- source:", re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages(root):
    for folder, folders, names in os.walk(root):
        # Build folders and what is not the project's own text.
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build")) and name != "node_modules")
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def whole(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read(path):
    return FENCE.sub("", whole(path))


def wrong_quotes(root, page):
    text = whole(page)
    quotes = QUOTE.findall(text)
    if len(quotes) != len(QUOTE_MARK.findall(text)):
        yield "%s: a mark <!-- source: FILE --> does not stand before a block" % os.path.relpath(page, root)
    for source, body in quotes:
        if not os.path.isfile(os.path.join(root, source)) or body not in whole(os.path.join(root, source)):
            yield "%s: this is not in %s:\n%s" % (os.path.relpath(page, root), source, body)


def anchors(path):
    """The #parts of a page, as GitHub makes them from headings."""
    seen, found = {}, set()
    for heading in re.findall(r"^#+ +(.*?) *$", read(path), re.M):
        heading = LINK.sub(lambda m: m.group(0)[1:m.group(0).index("]")], heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[anchor] = seen.get(anchor, -1) + 1
        found.add(anchor if seen[anchor] == 0 else "%s-%d" % (anchor, seen[anchor]))
    return found


def main(root):
    bad, links, linked_from_index = [], 0, set()
    index = os.path.join(root, "docs", "README.md")
    all_pages = list(pages(root))
    for page in all_pages:
        for target in LINK.findall(re.sub(r"`[^`\n]*`", "", read(page))):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            path, _, part = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if page == index:
                linked_from_index.add(path)
            where = "%s: %s" % (os.path.relpath(page, root), target)
            if not os.path.exists(path):
                bad.append(where + " leads to nothing")
            elif part and path.endswith(".md") and part not in anchors(path):
                bad.append("%s: no such heading, expected one of %s" % (where, ", ".join(sorted(anchors(path)))))
    for page in all_pages:
        bad.extend(wrong_quotes(root, page))
        if page.startswith(os.path.join(root, "docs") + os.sep) and page != index and page not in linked_from_index:
            bad.append("docs/README.md does not name " + os.path.relpath(page, root))
    if links < 20:
        bad.append("found %d links, hardly all" % links)
    if bad:
        sys.exit("\n".join(bad))
    print("%d links in %d pages" % (links, len(all_pages)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(os.path.abspath(sys.argv[1]))
