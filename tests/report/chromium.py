"""Opens a page in headless Chromium at a given width, measures where its text lies, and takes pictures.

Chromium's windows are at least 500 px wide, so the page is shown in a frame of the wanted width, whose media queries
and layout are those of a screen of that width.
"""

import html
import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import axe_core_python

NAMES = ("chromium", "chromium-browser", "google-chrome")
MEASURE = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
AXE = (Path(axe_core_python.__path__[0]) / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """
addEventListener("load", () => axe.run(document, {iframes: false}).then((told) => parent.postMessage(JSON.stringify({
  name: %s,
  found: told.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 80)}`)),
}), "*")));
"""
FRAME = """<!doctype html><meta charset="utf-8"><style>body{margin:0}iframe{border:0;display:block}</style>
<pre id="result" hidden></pre>
<script>addEventListener("message", e => { document.getElementById("result").textContent += e.data + "\\n" })</script>
%s"""


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


# How a page is looked at: at a desk, on a telephone, and where the system asks for dark colours.
LOOKS = ((1280, "light"), (390, "light"), (1280, "dark"))
DARK = "@media screen and (prefers-color-scheme: dark)"
A4 = 680  # pixels of the text of a sheet, margins off


def prepare(page: str, folder: Path, width: int, height: int, name: str = "inner") -> str:
    """Write a copy of the page that measures itself, and return the frame that shows it; A4 means as it is printed."""
    copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    if width == A4:
        copy = copy.replace("@media print", "@media all").replace("@media screen", "@media speech")
    script = f"<script>{MEASURE}</script></body>"
    (folder / f"{name}.html").write_text(copy.replace("</body>", script), encoding="utf-8")
    return f'<iframe name="{name}" src="{name}.html" width="{width}" height="{height}"></iframe>'


def measure(
    pages: dict[str, str], folder: Path, widths: tuple[int, ...], height: int = 900
) -> dict[tuple[str, int], dict]:
    """Return what the script found on each page at each width, in one start of the browser."""
    places = {f"p{i}-{width}": (name, width) for i, name in enumerate(pages) for width in widths}
    frames = "".join(prepare(pages[name], folder, width, height, key) for key, (name, width) in places.items())
    outer = folder / "outer.html"
    outer.write_text(FRAME % frames, encoding="utf-8")
    results = _told(outer, folder, f"--window-size=1400,{height}")
    return {places[result["name"]]: result for result in results}


def _told(outer: Path, folder: Path, *options: str) -> list[dict]:
    """Return what the scripts in the frames of a page sent it."""
    options = (*options, "--virtual-time-budget=60000", "--dump-dom")
    done = subprocess.run(
        command(folder / "profile", *options, outer.as_uri()), capture_output=True, text=True, timeout=300, check=True
    )
    found = re.search(r'<pre id="result"[^>]*>(.*?)</pre>', done.stdout, flags=re.DOTALL)
    return [json.loads(line) for line in html.unescape(found[1] if found else "").splitlines() if line]


def refused(
    pages: dict[str, str], folder: Path, looks: tuple[tuple[int, str], ...] = LOOKS[:1]
) -> dict[tuple[str, int, str], list[str]]:
    """Return what axe-core finds serious or critical, as rule and element: of each page, everything unfolded.

    Each page is shown in each of the `looks`, a width and "light" or "dark", in one start of the browser.
    """
    frames, places = [], {f"axe-{i}": place for i, place in enumerate(product(pages, looks))}
    for key, (name, (width, scheme)) in places.items():
        copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", pages[name])
        copy = copy.replace("<details", "<details open")
        copy = copy.replace(DARK, "@media all") if scheme == "dark" else copy
        script = f"<script>{AXE}</script><script>{RUN_AXE % json.dumps(key)}</script></body>"
        (folder / f"{key}.html").write_text(copy.replace("</body>", script), encoding="utf-8")
        frames.append(f'<iframe src="{key}.html" width="{width}" height="900"></iframe>')
    outer = folder / "outer.html"
    outer.write_text(FRAME % "".join(frames), encoding="utf-8")
    told = _told(outer, folder, "--window-size=1400,900")
    return {(places[one["name"]][0], *places[one["name"]][1]): one["found"] for one in told}


def picture(page: str, folder: Path, width: int, height: int, target: Path, *options: str) -> None:
    """Take a screenshot of the first `height` pixels."""
    outer = folder / "outer.html"
    outer.write_text(FRAME % prepare(page, folder, width, height), encoding="utf-8")
    size = f"--window-size={max(width, 500)},{height}"
    arguments = command(folder / "profile", *options, size, f"--screenshot={target}", outer.as_uri())
    subprocess.run(arguments, capture_output=True, timeout=120, check=True)


def sheets(page: str, folder: Path) -> int:
    """Return on how many sheets of A4 the page is printed."""
    source, target = folder / "print.html", folder / "print.pdf"
    source.write_text(page, encoding="utf-8")
    arguments = command(folder / "profile", "--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri())
    subprocess.run(arguments, capture_output=True, timeout=120, check=True)
    return len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))
