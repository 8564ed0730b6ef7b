"""Two processes that do the same at the same moment."""

import subprocess
import sys


def start_together(program: str, *arguments: str) -> list[subprocess.Popen[str]]:
    """Two runs of a Python program that prints "ready" and waits for a line; both have just been given it."""
    command = [sys.executable, "-c", program, *arguments]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return both


def require_well_ended(both: list[subprocess.Popen[str]]) -> None:
    """Waits for both; each must have ended with 0 and without a traceback."""
    for process in both:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert "Traceback" not in said
