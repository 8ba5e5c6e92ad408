/* Draws the neighbourhood. All text reaches the canvas or textContent; nothing is ever parsed as HTML. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const said = document.getElementById("said");
  const root = document.documentElement;
  const hits = new Set(data.hits);
  const outer = window.parent;

  const open = (id) => {
    const address = data.addresses[id];
    if (!address) return;
    try {
      outer.history.pushState({}, "", address);
      outer.dispatchEvent(new outer.PopStateEvent("popstate"));
    } catch {
      window.top.location.href = address;
    }
  };

  const colours = () => {
    const style = getComputedStyle(root);
    const read = (name) => style.getPropertyValue(name).trim();
    return { ink: read("--ink"), line: read("--line"), paper: read("--paper") };
  };
  const followTheme = () => {
    try {
      const app = outer.document.querySelector(".stApp");
      if (app) root.dataset.scheme = outer.getComputedStyle(app).colorScheme.includes("dark") ? "dark" : "light";
    } catch { /* the scheme of the server stays */ }
  };

  // The font of the page around the frame, from the same server; without it the system's own.
  let face = "system-ui, sans-serif";
  const takeFont = async () => {
    const family = outer.getComputedStyle(outer.document.querySelector(".stApp")).fontFamily;
    const wanted = family.split(",")[0].replace(/["']/g, "").trim();
    for (const sheet of outer.document.styleSheets) {
      for (const rule of sheet.cssRules) {
        if (rule.type !== CSSRule.FONT_FACE_RULE) continue;
        const named = rule.style.getPropertyValue("font-family").replace(/["']/g, "").trim();
        const path = /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue("src"));
        if (named !== wanted || !path || rule.style.getPropertyValue("font-style") === "italic") continue;
        const from = new URL(path[1], rule.parentStyleSheet.href || outer.location.href);
        const font = new FontFace(wanted, `url("${from.href}")`, { weight: rule.style.getPropertyValue("font-weight") || "normal" });
        document.fonts.add(await font.load());
        face = `${wanted}, system-ui, sans-serif`;
        document.body.style.fontFamily = face;
        return;
      }
    }
  };

  const nodeLook = (node, look) => ({
    id: node.id,
    label: node.label,
    title: node.title,
    shape: node.shape,
    size: node.size,
    borderWidth: node.borderWidth,
    mass: node.id === data.centre ? 3 : 1,
    color: { background: node.color, border: hits.has(node.id) || node.id === data.centre ? look.ink : node.color,
      highlight: { background: node.color, border: look.ink }, hover: { background: node.color, border: look.ink } },
    font: { color: look.ink, size: 15, face, strokeWidth: 4, strokeColor: look.paper,
      multi: false, bold: false },
  });
  const edgeLook = (edge, index, look, named) => ({
    id: index,
    from: edge.from,
    to: edge.to,
    title: edge.title,
    dashes: edge.dashes,
    arrows: { to: { enabled: true, scaleFactor: 0.5 } },
    label: named && edge.dashes ? edge.title : undefined,
    font: { color: look.ink, size: 11, face, strokeWidth: 4, strokeColor: look.paper, align: "middle" },
    color: { color: edge.dashes ? "#7a929c" : look.line, highlight: look.ink, hover: look.ink },
    smooth: { enabled: true, type: "continuous", roundness: 0.3 },
  });

  followTheme();
  let look = colours();
  const named = data.edges.length <= 14;
  const nodes = new vis.DataSet(data.nodes.map((node) => nodeLook(node, look)));
  const edges = new vis.DataSet(data.edges.map((edge, index) => edgeLook(edge, index, look, named)));
  const network = new vis.Network(document.getElementById("picture"), { nodes, edges }, {
    layout: { randomSeed: 7, improvedLayout: data.nodes.length <= 120 },
    physics: {
      solver: "barnesHut",
      barnesHut: { gravitationalConstant: -14000, centralGravity: 0.25, springLength: 150, springConstant: 0.03, damping: 0.4, avoidOverlap: 0.7 },
      stabilization: { iterations: data.nodes.length > 120 ? 150 : 300, fit: true },
    },
    interaction: { hover: true, tooltipDelay: 120, navigationButtons: false,
      keyboard: { enabled: true, bindToWindow: false }, zoomSpeed: 0.6 },
    nodes: { shadow: false },
  });
  // A label stands below its node. What overlaps is pushed apart, in the shape of the frame, so that all can be read.
  const frame = document.getElementById("picture");
  const boxesNow = () => {
    const places = network.getPositions();
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `15px ${face}`;
    return data.nodes.map((node) => {
      const lines = node.label.split("\n");
      return { id: node.id, x: places[node.id].x, y: places[node.id].y, size: node.size,
        w: Math.max(2 * node.size, ...lines.map((line) => pen.measureText(line).width)) + 12, h: 2 * node.size + 18 * lines.length + 10 };
    });
  };
  const middle = (box) => box.y - box.size + box.h / 2;
  const spread = () => {
    const boxes = boxesNow();
    const span = (key) => Math.max(1, Math.max(...boxes.map((b) => b[key])) - Math.min(...boxes.map((b) => b[key])));
    // Room for all labels and as much again between them, in the shape of the frame.
    const room = 2.6 * boxes.reduce((sum, box) => sum + box.w * box.h, 0);
    const width = Math.sqrt(room * frame.clientWidth / frame.clientHeight), height = room / width;
    const widest = Math.max(...boxes.map((box) => box.w));
    const right = Math.max(widest / 2, width - widest) / span("x"), down = height / span("y");
    if (boxes.length > 2) for (const box of boxes) { box.x *= right; box.y *= down; }
    for (let round = 0; round < 120; round += 1) {
      let moved = false;
      for (let i = 0; i < boxes.length; i += 1) {
        for (let j = i + 1; j < boxes.length; j += 1) {
          const a = boxes[i], b = boxes[j];
          const across = (a.w + b.w) / 2 - Math.abs(a.x - b.x), down = (a.h + b.h) / 2 - Math.abs(middle(a) - middle(b));
          if (across <= 0 || down <= 0) continue;
          moved = true;
          if (down < across) { const by = down / 2 + 0.5, up = middle(a) < middle(b) || (middle(a) === middle(b) && i < j); a.y += up ? -by : by; b.y += up ? by : -by; }
          else { const by = across / 2 + 0.5, left = a.x < b.x; a.x += left ? -by : by; b.x += left ? by : -by; }
        }
      }
      if (!moved) break;
    }
    for (const box of boxes) network.moveNode(box.id, box.x, box.y);
  };
  // All nodes with their labels, as large as the frame allows.
  const show = () => {
    const boxes = boxesNow();
    const left = Math.min(...boxes.map((b) => b.x - b.w / 2)), right = Math.max(...boxes.map((b) => b.x + b.w / 2));
    const top = Math.min(...boxes.map((b) => b.y - b.size)), bottom = Math.max(...boxes.map((b) => b.y - b.size + b.h));
    const scale = Math.min(1.1, (frame.clientWidth - 16) / (right - left), (frame.clientHeight - 16) / (bottom - top));
    network.moveTo({ position: { x: (left + right) / 2, y: (top + bottom) / 2 }, scale, animation: false });
  };
  const redraw = () => {
    nodes.update(data.nodes.map((node) => nodeLook(node, look)));
    edges.update(data.edges.map((edge, index) => edgeLook(edge, index, look, named)));
  };
  const still = () => { network.setOptions({ physics: false }); spread(); show(); root.dataset.ready = "yes"; };
  network.once("stabilizationIterationsDone", async () => {
    try { await takeFont(); redraw(); } catch { /* the system's font stays */ }
    still();
  });
  const name = (id) => (data.nodes.find((node) => node.id === id) || {}).title || "";
  said.textContent = data.texts.hint;
  network.on("click", (event) => { if (event.nodes.length === 1 && event.nodes[0] !== data.centre) open(event.nodes[0]); });
  network.on("hoverNode", (event) => { said.textContent = name(event.node); });
  network.on("blurNode", () => { said.textContent = data.texts.hint; });
  network.on("hoverNode", () => { document.getElementById("picture").style.cursor = "pointer"; });
  network.on("blurNode", () => { document.getElementById("picture").style.cursor = ""; });
  document.getElementById("fit").addEventListener("click", show);
  document.addEventListener("keydown", (event) => {
    // The page's own keys also work while the picture has the focus; arrows and + − move the picture.
    if (event.ctrlKey || event.metaKey || event.altKey || !["/", "?", "b"].includes(event.key)) return;
    event.preventDefault();
    outer.focus();
    outer.document.body.dispatchEvent(new outer.KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
  });
  window.addEventListener("resize", show);
  window.oncosearchGraph = { open, network, nodes };

  try {
    const app = outer.document.querySelector(".stApp");
    new outer.MutationObserver(() => {
      const before = root.dataset.scheme;
      followTheme();
      if (root.dataset.scheme === before) return;
      look = colours();
      redraw();
    }).observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  } catch { /* outside the app the first scheme stays */ }
})();
