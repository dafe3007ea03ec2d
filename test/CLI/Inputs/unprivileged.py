#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unprivileged.py COMMAND...: runs the command under the permissions that files have for their owner, also where root runs the tests.

Root passes over permissions by two capabilities. Dropping these rather than changing the user leaves the build folder readable.
"""
import ctypes
import os
import sys

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2

if os.geteuid() == 0:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            sys.exit("cannot drop capability %d: %s" % (capability, os.strerror(ctypes.get_errno())))
os.execvp(sys.argv[1], sys.argv[1:])
