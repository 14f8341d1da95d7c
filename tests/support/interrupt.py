"""interrupt.py TIMES COMMAND...: the command on a terminal of its own, where Ctrl-C is typed so often, a second apart, once
it has said "ready". Passes on what it says, and ends as it does: 128 more where that was a signal; 99 after 60 s."""
import os
import pty
import select
import sys
import time

times, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
said, typed, next_at, began = b"", 0, None, time.monotonic()


def heard() -> bytes:
    """What is there within a moment."""
    if not select.select([terminal], [], [], 0.05)[0]:
        return b""
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody has it open any more
        return b""


while time.monotonic() - began < 60:
    said += heard()
    now = time.monotonic()
    if b"ready" in said and next_at is None:
        next_at = now + 0.2
    if next_at is not None and now >= next_at and typed < times:
        os.write(terminal, b"\x03")
        typed, next_at = typed + 1, now + 1
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        code = os.waitstatus_to_exitcode(status)
        break
else:
    os.kill(pid, 9)
    code = 99
while more := heard():  # what it said last, before it ended
    said += more
sys.stdout.buffer.write(said.replace(b"\r", b""))
sys.stdout.flush()
os._exit(code if code >= 0 else 128 - code)
