"""Take away what Windows lacks, from the first line of every process that has this folder on its path."""

import builtins
import io
import os
import signal
import subprocess
import sys
from multiprocessing import popen_fork

sys.modules.update(dict.fromkeys(("fcntl", "pwd", "grp", "resource", "termios")))  # None: an ImportError
for name in ("getuid", "geteuid", "fork", "forkpty", "sched_getaffinity", "getloadavg", "mkfifo"):
    delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGQUIT", "pthread_sigmask", "pthread_kill", "setitimer"):
    delattr(signal, name)
# Python's own modules for POSIX kill by SIGKILL, its modules for Windows as here.
subprocess.Popen.kill = subprocess.Popen.terminate
popen_fork.Popen.kill = popen_fork.Popen.terminate

_open = io.open


def _open_without_proc(file, *arguments, **options):
    if str(file).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", str(file))
    return _open(file, *arguments, **options)


builtins.open = io.open = _open_without_proc
