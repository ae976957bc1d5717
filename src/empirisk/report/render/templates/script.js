"use strict";
(() => {
  document.documentElement.classList.add("js");
  const byId = (id) => document.getElementById(id);

  // Section menu: open beside the text on wide screens, closed after a choice on narrow ones.
  const menu = byId("menu"), wide = matchMedia("(min-width: 64rem)");
  const links = [...menu.querySelectorAll("a")];
  const fit = () => { menu.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
  menu.addEventListener("click", (e) => { if (e.target.closest("a") && !wide.matches) menu.open = false; });
  const seen = new IntersectionObserver((entries) => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      for (const a of links) {
        if (a.hash === "#" + e.target.id) a.setAttribute("aria-current", "true");
        else a.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((s) => seen.observe(s));

  // Tables that sort by a click on a heading.
  const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent.trim();
  const order = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    return isNaN(a) || isNaN(b) ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((th, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const up = th.getAttribute("aria-sort") !== "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [value(row, i), row]);
        rows.sort(([a], [b]) => (a === "" || b === "" || up ? order(a, b) : order(b, a)));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  // Cost of a threshold from the binned counts; the same formula as empirisk.report.costs.
  const form = byId("slider");
  if (form) {
    const s = JSON.parse(byId("scores").textContent), z = Number(form.dataset.z);
    const sum = (a, i) => a.slice(i).reduce((t, v) => t + v, 0);
    const P = sum(s.positive, 0), N = sum(s.negative, 0), n = P + N;
    const wilson = (p) => {
      const half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)), d = 1 + z * z / n;
      return [(p + z * z / (2 * n) - half) / d, (p + z * z / (2 * n) + half) / d];
    };
    const fixed = (v, k) => v.toLocaleString("en", { minimumFractionDigits: k, maximumFractionDigits: k });
    const show = () => {
      const i = Number(byId("thr").value);
      const a = Math.max(0, Number(byId("c-fa").value)), b = Math.max(0, Number(byId("c-fr").value));
      const fa = sum(s.negative, i), fr = P - sum(s.positive, i), p = fa / n, q = fr / n;
      const r = p > 0 && q > 0 && p < 1 && q < 1 ? -Math.sqrt(p * q / ((1 - p) * (1 - q))) : 0;
      const [pl, pu] = wilson(p), [ql, qu] = wilson(q), mean = a * p + b * q;
      const reach = (x, y) => Math.sqrt(Math.max(0, (a * x) ** 2 + (b * y) ** 2 + 2 * r * a * b * x * y));
      const low = Math.max(0, mean - reach(p - pl, q - ql)), high = mean + reach(pu - p, qu - q);
      const k = high > low ? Math.min(12, Math.max(0, -1 - Math.floor(Math.log10(high - low)))) : 2;
      const [m, l, h] = [mean, low, high].map((v) => fixed(100 * v, k));
      byId("thr-v").textContent = s.edges[i];
      byId("thr").setAttribute("aria-valuetext", `threshold ${s.edges[i]}`);
      byId("cost").innerHTML = `<b>${m}</b> [${l}, ${h}]<span class="block">expected cost per 100 rows</span>` +
        `<span class="sub block">${fixed(fa, 0)} of ${fixed(N, 0)} accepted wrongly, ` +
        `${fixed(fr, 0)} of ${fixed(P, 0)} missed</span>`;
    };
    form.hidden = false;
    form.addEventListener("input", show);
    form.addEventListener("submit", (e) => e.preventDefault());
    show();
  }
})();
