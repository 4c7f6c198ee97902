// Runs in a test copy of the page. Finds texts that overlap, are cut, or stick out, and anything fetched.
"use strict";
addEventListener("load", () => {
  const folded = [...document.querySelectorAll("details")];
  const problems = { overlaps: [], cut: [], outside: [], small: [], faint: [] };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const [a, b] = [rgb(getComputedStyle(element).color), behind(element)].map(luminance).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const clipped = (element) => {
    const head = element.closest("thead");
    return head !== null && getComputedStyle(head).clipPath !== "none";
  };
  const check = () => {
    const boxes = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || parent.closest("script, style, title, desc, thead.visually-hidden")) continue;
      if (!parent.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) {
        if (r.width < 1 || r.height < 1) continue;
        // A line's box is as tall as the font allows; letters fill its middle.
        const pad = r.height * 0.17;
        const box = { node, text: node.data.trim().slice(0, 60), left: r.left, right: r.right, top: r.top + pad, bottom: r.bottom - pad };
        if (clipped(parent)) continue;
        boxes.push(box);
        if (contrast(parent) < 4.5) problems.faint.push(`${box.text}: ${contrast(parent).toFixed(2)}`);
        if (box.left < -1 || box.right > innerWidth + 1) problems.outside.push(box.text);
        const svg = parent.closest("svg");
        if (svg) {
          const frame = svg.getBoundingClientRect();
          if (r.left < frame.left - 1.5 || r.right > frame.right + 1.5 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
            problems.cut.push(`${box.text} sticks out of ${svg.querySelector("title").textContent.slice(0, 60)}`);
          const scale = svg.getScreenCTM().a * parseFloat(getComputedStyle(parent).fontSize);
          if (scale < 9.5) problems.small.push(`${box.text}: ${scale.toFixed(1)} px`);
        }
      }
    }
    boxes.sort((a, b) => a.top - b.top);
    for (let i = 0; i < boxes.length; i++) {
      for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom - 1; j++) {
        const a = boxes[i], b = boxes[j];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (a.node !== b.node && wide > 1 && high > 1) problems.overlaps.push(`${a.text} | ${b.text}`);
      }
    }
    for (const element of document.querySelectorAll("body *")) {
      const style = getComputedStyle(element);
      if (element.closest("svg") || clipped(element) || style.display === "inline") continue;
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        problems.cut.push(`${element.tagName} ${element.className}: ${element.scrollWidth} > ${element.clientWidth} ${element.textContent.trim().slice(0, 40)}`);
    }
  };
  const height = document.documentElement.scrollHeight;
  check();
  folded.forEach((item) => { item.open = true; });
  check();
  folded.forEach((item) => { item.open = false; });
  const unique = (list) => [...new Set(list)];
  parent.postMessage(JSON.stringify({
    width: innerWidth,
    height,
    scrollWidth: document.documentElement.scrollWidth,
    first: document.getElementById("decision").getBoundingClientRect().bottom,
    overlaps: unique(problems.overlaps),
    cut: unique(problems.cut),
    outside: unique(problems.outside),
    small: unique(problems.small),
    faint: unique(problems.faint),
    name: window.name,
    requests: performance.getEntriesByType("resource").map((entry) => entry.name),
  }), "*");
});
