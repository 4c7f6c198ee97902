"""Opens a page in headless Chromium at a given width, measures where its text lies, and takes pictures.

Chromium's windows are at least 500 px wide, so the page is shown in a frame of the wanted width, whose media queries
and layout are those of a screen of that width.
"""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
MEASURE = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
FRAME = """<!doctype html><meta charset="utf-8"><style>body{margin:0}iframe{border:0;display:block}</style>
<iframe src="inner.html" width="%d" height="%d"></iframe><pre id="result" hidden></pre>
<script>addEventListener("message", e => { document.getElementById("result").textContent = e.data })</script>"""


def find() -> str | None:
    """Return the browser's path, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def command(profile: Path, *options: str) -> list[str]:
    """Return the command that starts the browser without a window, a network name service or a profile of its own."""
    quiet = ("background-networking", "component-update", "sync", "gpu", "quic", "dev-shm-usage")
    flags = [
        "--headless",
        "--no-sandbox",
        "--no-first-run",
        "--hide-scrollbars",
        *(f"--disable-{name}" for name in quiet),
    ]
    return [str(find()), *flags, "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", *options]


def prepare(page: str, folder: Path, width: int, height: int) -> Path:
    """Write a copy of the page that measures itself, inside a frame."""
    copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    script = f"<script>{MEASURE}</script></body>"
    (folder / "inner.html").write_text(copy.replace("</body>", script), encoding="utf-8")
    outer = folder / "outer.html"
    outer.write_text(FRAME % (width, height), encoding="utf-8")
    return outer


def measure(page: str, folder: Path, width: int, height: int = 900) -> dict:
    """Return what the script found: overlaps, cut texts, requests, size."""
    outer = prepare(page, folder, width, height)
    options = (f"--window-size={max(width, 500)},{height}", "--virtual-time-budget=20000", "--dump-dom")
    done = subprocess.run(
        command(folder / "profile", *options, outer.as_uri()), capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r'<pre id="result"[^>]*>(.*?)</pre>', done.stdout, flags=re.DOTALL)
    return json.loads(html.unescape(found[1])) if found and found[1] else {}


def picture(page: str, folder: Path, width: int, height: int, target: Path, *options: str) -> None:
    """Take a screenshot of the first `height` pixels."""
    outer = prepare(page, folder, width, height)
    size = f"--window-size={max(width, 500)},{height}"
    arguments = command(folder / "profile", *options, size, f"--screenshot={target}", outer.as_uri())
    subprocess.run(arguments, capture_output=True, timeout=120, check=True)
