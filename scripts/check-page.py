#!/usr/bin/env python3
"""Looks at a report page as a person does, in headless Chromium: nothing is wider than the window, the
search, the filters and the sorting of the table of rules do what they say, links lead somewhere. Then
axe-core, which npm fetches, has no serious objection to it, in light and in dark.

    scripts/check-page.py target/parallax/report.html

What there is no Chromium or no axe-core for is skipped with a word."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

WIDTHS = [1400, 800, 400]
LARGEST = 3_000_000

# What is done with the page; what it finds is left in an attribute.
SCRIPT = """
<script>
addEventListener("load", () => {
  const found = {};
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const wide = (element) => element.getBoundingClientRect().right > innerWidth + 1;
  const seen = (element) => element.getClientRects().length > 0;
  found.width = innerWidth;
  found.wider = document.documentElement.scrollWidth > innerWidth;
  found.beyond = Array.from(document.querySelectorAll("main *")).filter((e) => seen(e) && wide(e))
    .slice(0, 5).map((e) => e.outerHTML.slice(0, 120));
  found.cut = Array.from(document.querySelectorAll("main td, main th, main dd, main p, main figcaption"))
    .filter((e) => seen(e) && e.scrollWidth > e.clientWidth + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 120));
  const table = document.getElementById("rule-table");
  const form = document.getElementById("filters");
  const rows = Array.from(table.tBodies[0].rows);
  const shown = () => Array.from(table.tBodies[0].rows).filter(seen);
  found.rows = rows.length;
  found.different = new Set(rows.map((row) => row.id)).size;
  found.links = Array.from(document.querySelectorAll('a[href^="#"]'))
    .filter((a) => !document.getElementById(a.getAttribute("href").slice(1))).length;
  const apply = (values) => new Promise((done) => {
    form.reset();
    for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
    form.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(done, 400);
  });
  (async () => {
    await apply({ search: "saturat overflow" });
    const has = (row, word) => row.textContent.toLowerCase().includes(word);
    found.searched = shown().length;
    found.search = shown().every((row) => has(row, "saturat") && has(row, "overflow"));
    await apply({ document: "g45-instructions", level: "must" });
    found.filtered = shown().length;
    found.filter = shown().every((row) => row.cells[7].textContent === "g45-instructions"
      && row.cells[3].textContent === "must");
    await apply({ unit: "ADD" });
    found.units = shown().length;
    const headings = table.tHead.rows[0].cells;
    headings[6].querySelector("button").click();
    headings[6].querySelector("button").click();
    const hits = shown().map((row) => Number(row.cells[6].textContent.replaceAll(",", "")));
    found.sorted = hits.every((number, at) => at === 0 || hits[at - 1] >= number);
    found.sorting = headings[6].getAttribute("aria-sort");
    document.querySelector("a[data-show*='state=']").click();
    await new Promise((done) => setTimeout(done, 400));
    found.counted = shown().length;
    const link = document.querySelector("a[data-show*='state=']");
    found.count = Number(link.textContent.replaceAll(",", ""));
    location.hash = rows.find((row) => row.hidden)?.id ?? rows[0].id;
    await new Promise((done) => setTimeout(done, 400));
    found.followed = seen(document.getElementById(decodeURIComponent(location.hash.slice(1))));
    document.querySelectorAll("details").forEach((details) => { details.open = false; });
    // Of a page with findings: each is opened, and its first rule followed to the table.
    const seenAfter = async (link) => {
      link.click();
      await new Promise((done) => setTimeout(done, 400));
      return seen(document.getElementById(link.getAttribute("href").slice(1)));
    };
    found.findings = true;
    for (const suspect of Array.from(document.querySelectorAll("section.card[id] > .suspect:first-of-type > a")).slice(0, 20)) {
      found.findings = await seenAfter(suspect) && found.findings;
    }
    const decisions = Array.from(document.querySelectorAll("details section[id^='D-']"));
    found.decisions = decisions.length;
    location.hash = decisions[decisions.length - 1]?.id ?? "";
    await new Promise((done) => setTimeout(done, 400));
    found.unfolded = decisions.length > 0 && decisions[decisions.length - 1].getClientRects().length > 0;
    parent.document.body.setAttribute("data-found", JSON.stringify(found));
  })();
});
</script>
"""

# What axe-core says of all that is on the page, but of the rules only of some: they are all alike.
AXE = """
<script>
addEventListener("load", async () => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  Array.from(document.getElementById("rule-table").tBodies[0].rows).slice(50).forEach((row) => row.remove());
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const found = violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, number: nodes.length, first: nodes[0].html.slice(0, 120),
    why: (nodes[0].any[0] ?? nodes[0].all[0] ?? nodes[0].none[0])?.message ?? "",
  }));
  document.body.setAttribute("data-found", JSON.stringify(found));
});
</script>
"""


def axe_core(folder):
    """The text of axe-core, or why there is none."""
    npm = shutil.which("npm")
    if not npm:
        return None, "there is no npm"
    packed = subprocess.run([npm, "pack", "axe-core@4", "--silent", "--fetch-retries=0"], cwd=folder, capture_output=True, text=True)
    if packed.returncode:
        return None, "npm does not come to axe-core"
    with tarfile.open(folder / packed.stdout.split()[-1]) as package:
        return package.extractfile("package/axe.min.js").read().decode(), None


# Windows are no narrower than this: a narrower page stands in a frame of a wider one.
NARROWEST = 500


def framed(page, width):
    """A page that has another one in a frame of a width."""
    frame = page.with_name("frame.html")
    frame.write_text(f'<!doctype html><body style="margin: 0"><iframe src="{page.name}" title="page"'
                     f' style="border: 0; width: {width}px; height: 1000px"></iframe></body>')
    return frame


def look(browser, page, width, budget=20_000):
    """What the page's script finds in a window of a width."""
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu",
               "--allow-file-access-from-files", f"--window-size={width},1000",
               f"--virtual-time-budget={budget}", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout
    found = re.search(r'data-found="([^"]*)"', dom)
    if not found:
        sys.exit(f"at {width} pixels the page's script did not come to its end")
    return json.loads(html.unescape(found.group(1)))


def runs(browser):
    """Whether the browser shows an empty page."""
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", "about:blank"]
    try:
        return subprocess.run(command, capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def wrong(found):
    """What is not as it should be."""
    problems = []
    if found["wider"] or found["beyond"]:
        problems.append(f"wider than the window: {found['beyond']}")
    if found["cut"]:
        problems.append(f"wider than its place: {found['cut']}")
    if found["rows"] != found["different"] or found["rows"] < 7000:
        problems.append(f"{found['rows']} rows of {found['different']} rules")
    if found["links"]:
        problems.append(f"{found['links']} links lead nowhere")
    for name in ["search", "filter", "sorted", "followed", "findings", "unfolded"]:
        if not found[name]:
            problems.append(f"{name} does not do what it says")
    for name in ["searched", "filtered", "units"]:
        if not 0 < found[name] < found["rows"]:
            problems.append(f"{name}: {found[name]} of {found['rows']} rules")
    if found["counted"] != found["count"]:
        problems.append(f"a sum of {found['count']} leads to {found['counted']} rules")
    if found["sorting"] != "descending":
        problems.append("the heading does not say how rows are sorted")
    return problems


def is_accessible(browser, page, folder):
    """Whether axe-core has no serious objection, or cannot be asked."""
    axe, reason = axe_core(folder)
    if axe is None:
        print(f"axe-core: SKIPPED: {reason}")
        return True
    good = True
    for scheme, wanted in [("light", page), ("dark", page.replace("prefers-color-scheme: dark", "prefers-color-scheme: light"))]:
        copy = folder / f"{scheme}.html"
        copy.write_text(wanted.replace("</body>", f"<script>{axe}</script>{AXE}</body>"))
        found = look(browser, copy, 1400, budget=600_000)
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        for each in found:
            print(f"  {each['impact']}: {each['id']}: {each['help']}: {each['number']}, first {each['first']}: {each['why']}")
        print(f"axe-core, {scheme}: {len(serious)} serious objections")
        good = good and not serious
    return good


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("SKIPPED: there is no Chromium")
        return
    if not runs(browser):
        print(f"SKIPPED: {browser} does not show an empty page")
        return
    page = pathlib.Path(sys.argv[1]).read_text()
    if len(page.encode()) > LARGEST:
        sys.exit(f"the page has {len(page.encode()):,} bytes, more than {LARGEST:,}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "page.html"
        copy.write_text(page.replace("</body>", SCRIPT + "</body>"))
        for width in WIDTHS:
            found = look(browser, framed(copy, width) if width < NARROWEST else copy, width)
            problems = wrong(found)
            if found["width"] != width:
                problems.append(f"looked at in {found['width']} pixels")
            print(f"{width} pixels: {'; '.join(problems) or 'as it should be'}")
            if problems:
                sys.exit(1)
        if not is_accessible(browser, page, pathlib.Path(folder)):
            sys.exit(1)


if __name__ == "__main__":
    main()
