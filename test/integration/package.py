#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages that cpack makes: the archive unpacked anywhere holds a normc that works, the Debian package names what it needs.

usage: package.py BUILD OUT
"""
import os
import shutil
import subprocess
import sys


def run(*command):
    print("$ " + " ".join(command), flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        sys.exit("package.py: exit status %d" % done.returncode)
    return done.stdout


def expect(holds, message):
    if not holds:
        sys.exit("package.py: " + message)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    build, out = (os.path.abspath(path) for path in sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    run("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", "TGZ;DEB", "-B", out)
    packages = {os.path.splitext(name)[1]: os.path.join(out, name) for name in os.listdir(out) if name.endswith((".gz", ".deb"))}
    expect(set(packages) == {".gz", ".deb"}, "expected one .tar.gz and one .deb, found %s" % sorted(packages.values()))

    run("tar", "-xzf", packages[".gz"], "-C", out, "--strip-components=1", "--one-top-level=prefix")
    normc = os.path.join(out, "prefix", "bin", "normc")
    folder = os.path.join(out, "lib")
    run(normc, "build", "layer_norm", "--hidden", "64", "--target", "x86-64-v2", "--name", "ln64", "-o", folder)
    expect(os.path.exists(os.path.join(folder, "libln64.a")), "the unpacked normc built no library")

    if shutil.which("dpkg-deb"):
        depends = [line for line in run("dpkg-deb", "-I", packages[".deb"]).splitlines() if line.startswith(" Depends:")]
        expect(depends and "libllvm22" in depends[0], "the Debian package does not depend on libllvm22")
    else:
        print("skipped: there is no dpkg-deb to read the Debian package with")


main()
