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
    font: { color: look.ink, size: 15, face: "system-ui, sans-serif", strokeWidth: 4, strokeColor: look.paper,
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
    font: { color: look.ink, size: 11, strokeWidth: 4, strokeColor: look.paper, align: "middle" },
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
  // Labels reach beyond their nodes, so a little more than the nodes is shown.
  const show = () => {
    network.fit({ animation: false });
    network.moveTo({ scale: network.getScale() * 0.88, animation: false });
  };
  const still = () => { network.setOptions({ physics: false }); show(); root.dataset.ready = "yes"; };
  network.once("stabilizationIterationsDone", still);
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
      nodes.update(data.nodes.map((node) => nodeLook(node, look)));
      edges.update(data.edges.map((edge, index) => edgeLook(edge, index, look, named)));
    }).observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  } catch { /* outside the app the first scheme stays */ }
})();
