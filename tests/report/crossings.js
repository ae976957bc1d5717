// Labels of pictures that lie on another label, or on a line that no plate behind the words hides.
() => {
  const found = [];
  const shrunk = (b, k) => ({ left: b.left + k, right: b.right - k, top: b.top + k, bottom: b.bottom - k });
  const shared = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
  for (const svg of document.querySelectorAll("figure svg")) {
    const where = svg.closest("figure").id;
    const texts = [...svg.querySelectorAll("text")]
      .map((t) => ({ said: t.textContent, box: t.getBoundingClientRect() })).filter((t) => t.said.trim() && t.box.width);
    texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
      const [x, y] = shared(a.box, b.box);
      if (x > 1 && y > 3) found.push(`${where}: "${a.said}" lies on "${b.said}"`);
    }));
    const paths = [...svg.querySelectorAll("path")].filter((p) => !p.closest("defs"));
    const filled = paths.filter((p) => getComputedStyle(p).fill !== "none");
    for (const line of paths) {
      const look = getComputedStyle(line), place = line.getScreenCTM(), length = line.getTotalLength();
      if (look.fill !== "none" || look.stroke === "none" || !place || !length) continue;
      for (const t of texts) {
        const b = shrunk(t.box, 3);
        const hidden = filled.some((p) => {
          const q = p.getBoundingClientRect();
          return (line.compareDocumentPosition(p) & 4) && q.left <= b.left && q.right >= b.right
            && q.top <= b.top + 2 && q.bottom >= b.bottom - 2;
        });
        let inside = 0;
        for (let at = 0; !hidden && at <= length; at += 1) {
          const p = line.getPointAtLength(at).matrixTransform(place);
          inside += p.x > b.left && p.x < b.right && p.y > b.top && p.y < b.bottom;
        }
        if (inside > 2) found.push(`${where}: a line crosses "${t.said}"`);
      }
    }
  }
  return found;
}
