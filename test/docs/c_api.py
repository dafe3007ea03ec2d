#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference part of docs/c-api.md, from the public headers.

  c_api.py check INCLUDE FILE    exit 1 where FILE differs from what it would be
  c_api.py update INCLUDE FILE   rewrites it

INCLUDE is the folder that holds normc/. The part lies between <!-- reference … --> and <!-- end -->. A declaration is what stands between blank lines, with the
comment before it as its contract; a header with code that this does not understand is an error, so that nothing public is left out.
"""
import os
import re
import sys

# The order of the page; other headers follow.
ORDER = ["normc.h", "abi.h", "status.h", "exec.h", "runtime.h", "dlpack.h", "dispatch.h", "version.h", "export.h", "adapters/openmp.h", "adapters/onetbb.h", "adapters/function.h"]
PLUMBING = re.compile(r'#(?:ifndef|define) NORMC_\w+_H\b|#include|#ifn?def __cplusplus|#ifndef _OPENMP|#if !defined\(DLPACK_DLPACK_H_\)|#if !?__has_include|#if defined\(__has_include\)|#endif|#error|extern "C" \{$|\} /\* extern|namespace normc \{$|\} // namespace')


def comment_text(comment):
    """A comment without its frame."""
    if comment.lstrip().startswith("//"):
        lines = [re.sub(r"^\s*///? ?", "", line) for line in comment.splitlines()]
    else:
        lines = [re.sub(r"^\s*\* ?", "", line) for line in re.sub(r"^/\*+ ?|\s*\*/\s*$", "", comment.strip()).splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip()


def pieces(text):
    """(comment, code) for each declaration of a header, the licence head left out; conditions that choose between spellings stay together."""
    comment, code, depth, found = "", [], 0, []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if not code and not line.strip():
            comment = ""  # a comment of its own
        elif not code and re.match(r"\s*/\*", line) or (not code and line.startswith("//")):
            begin = at
            if line.startswith("//"):
                while at + 1 < len(lines) and lines[at + 1].startswith("//"):
                    at += 1
            else:
                while "*/" not in lines[at]:
                    at += 1
            comment = "\n".join(lines[begin:at + 1])
        elif not code and not comment and PLUMBING.match(line):
            pass
        else:
            code.append(line)
            if line.startswith(("#if", "#ifdef", "#ifndef")):
                depth += 1
            if line.startswith("#endif"):
                depth -= 1
            last = at + 1 == len(lines) or not lines[at + 1].strip()
            if last and depth == 0:
                found.append((comment_text(comment) if comment else "", "\n".join(code)))
                comment, code = "", []
        at += 1
    if code:
        sys.exit("c_api.py: a declaration does not end:\n" + "\n".join(code))
    return found


def without_body(code):
    """Inline functions as prototypes: how they do it is not part of the contract."""
    if re.match(r"(template <.*>\n)?(static )?inline ", code):
        return re.sub(r" \{\n.*", ";", code, count=1, flags=re.S)
    return re.sub(r"^NORMC_API ", "", code, flags=re.M)


def names(code):
    """What a piece declares, for its heading."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    if code.startswith(("#", "\n#")):
        return list(dict.fromkeys(re.findall(r"^#define (NORMC_\w+)", code, re.M)))
    found = re.findall(r"^typedef uint\d+_t (\w+);", code, re.M)
    if found:
        return found
    for pattern in (r"^\} (\w+);", r"^typedef void \(\*(\w+)\)", r"^(?:static inline |NORMC_API |inline )[^(]*?(\w+)\(", r"^struct (\w+);"):
        found = re.findall(pattern, code, re.M)
        if found:
            return found
    return re.findall(r"\b(NORMC_[A-Z0-9_]+)(?= =)", code)


def section(include, header):
    with open(os.path.join(include, "normc", header), encoding="utf-8") as f:
        text = f.read()
    head = re.match(r"/\* Part of normc.*?\*/\n", text, re.S)
    if not head:
        sys.exit("c_api.py: %s has no licence head" % header)
    about = comment_text(head.group(0)).split("\n\n", 1)[1]
    about = re.sub(r"^normc/\S+: ", "", about)
    about = about[0].upper() + about[1:]
    lines = ["### normc/" + header, "", about, ""]
    for comment, code in pieces(text[head.end():]):
        found = names(code)
        if not found:
            sys.exit("c_api.py: normc/%s declares something that this does not know:\n%s" % (header, code))
        scope = "normc::" if code.startswith("template") else ""
        lines.append("#### " + ", ".join("`%s%s`" % (scope, name) for name in found))
        lines.append("")
        if comment:
            lines += [comment, ""]
        lines += ["```" + ("cpp" if re.search(r"template|nullptr", code) and not code.startswith("#") else "c"), without_body(code), "```", ""]
    return "\n".join(lines)


def reference(include):
    there = sorted(os.path.relpath(os.path.join(folder, name), os.path.join(include, "normc"))
                   for folder, _, files in os.walk(os.path.join(include, "normc")) for name in files if name.endswith(".h"))
    if not set(ORDER) <= set(there):
        sys.exit("c_api.py: expected the headers %s below %s, found %s" % (" ".join(ORDER), include, " ".join(there)))
    return "\n".join(section(include, header) for header in ORDER + [header for header in there if header not in ORDER])


def main(argv):
    if len(argv) != 3 or argv[0] not in ("check", "update"):
        sys.exit(__doc__.strip())
    what, include, path = argv
    with open(path, encoding="utf-8") as f:
        text = f.read()
    parts = re.match(r"(.*^<!-- reference[^\n]*-->\n)(.*)(^<!-- end -->\n.*)$", text, re.M | re.S)
    if not parts:
        sys.exit("c_api.py: %s has no part <!-- reference --> … <!-- end -->" % path)
    renewed = parts.group(1) + reference(include) + parts.group(3)
    if what == "update":
        with open(path, "w", encoding="utf-8") as f:
            f.write(renewed)
    elif renewed != text:
        sys.exit("%s is not what the headers say: run %s update %s %s" % (path, sys.argv[0], include, path))


if __name__ == "__main__":
    main(sys.argv[1:])
