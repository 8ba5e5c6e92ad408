/* Constant script of every page: links within the app without a reload, copying an address, keys. No outside text. */
(() => {
  if (window.oncosearch) return;
  const go = (address) => {
    history.pushState({}, "", address);
    window.dispatchEvent(new PopStateEvent("popstate"));
  };
  const field = () => document.querySelector('[class*="st-key-focus_"] input');
  let keeping = 0;
  const focus = (tries = 40) => {
    if (keeping) return;
    const found = field();
    const active = document.activeElement;
    if (found && (!active || active === document.body)) found.focus({ preventScroll: true });
    if (document.activeElement !== field() && tries > 0) setTimeout(() => focus(tries - 1), 100);
  };
  const copy = async (link) => {
    try {
      await navigator.clipboard.writeText(link.href);
    } catch {
      const holder = document.createElement("textarea");
      holder.value = link.href;
      document.body.append(holder);
      holder.select();
      document.execCommand("copy");
      holder.remove();
    }
    const before = link.textContent;
    if (before === link.dataset.done) return;
    link.textContent = link.dataset.done;
    setTimeout(() => { link.textContent = before; }, 1600);
  };
  const twigs = () => [...document.querySelectorAll(".os-tree a.os-twig")];
  // The tree is drawn anew when a level opens: the focus goes back to the same node, and the page does not move.
  const keepPlace = (item, place) => {
    const main = document.querySelector("[data-testid=stMain]");
    const before = twigs();
    const top = main ? main.scrollTop : 0;
    const turn = ++keeping;
    let drawn = false;
    const wait = (left) => {
      if (turn !== keeping) return;
      const now = twigs();
      drawn = drawn || (now.length > 0 && (now[0] !== before[0] || now.length !== before.length));
      const active = document.activeElement;
      const lost = !active || active === document.body || !active.isConnected || active.closest?.(".os-tree");
      if (drawn && lost) {
        const found = now.find((twig) => item && twig.dataset.item === item) || now[Math.min(place, now.length - 1)];
        if (found && found !== active) {
          if (main) main.scrollTop = top;
          found.focus({ preventScroll: true });
          found.scrollIntoView({ block: "nearest" });
          left = Math.min(left, 10);
        }
      }
      if (left > 0) setTimeout(() => wait(left - 1), 100);
      else keeping = 0;
    };
    wait(60);
  };
  const walk = (event, twig) => {
    keeping = 0;
    const all = twigs();
    const to = (other) => { if (other) { event.preventDefault(); other.focus(); } };
    const at = all.indexOf(twig);
    const open = twig.getAttribute("aria-expanded");
    if (event.key === "ArrowDown") to(all[at + 1]);
    else if (event.key === "ArrowUp") to(all[at - 1]);
    else if (event.key === "Home") to(all[0]);
    else if (event.key === "End") to(all[all.length - 1]);
    else if (event.key === "ArrowRight") {
      if (open === "false") { event.preventDefault(); twig.click(); } else if (open === "true") to(all[at + 1]);
    } else if (event.key === "ArrowLeft") {
      if (open === "true" && twig.hasAttribute("aria-current")) { event.preventDefault(); twig.click(); }
      else to(twig.closest("li").parentElement.closest("li")?.querySelector("a.os-twig"));
    }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-inner]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.dataset.done) copy(link);
    else {
      const tree = link.closest(".os-tree");
      go(link.href);
      if (tree) keepPlace(link.dataset.item, [...tree.querySelectorAll("a.os-twig")].indexOf(link));
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const at = event.target;
    const typing = at.closest?.('input, textarea, select, [contenteditable="true"], [role="combobox"], [role="slider"]');
    if (typing) {
      if (event.key === "Escape") at.blur();
      return;
    }
    const twig = at.closest?.("a.os-twig");
    if (twig && /^(Arrow(Up|Down|Left|Right)|Home|End)$/.test(event.key)) { walk(event, twig); return; }
    const press = (selector) => {
      const found = document.querySelector(selector);
      if (!found) return;
      event.preventDefault();
      found.click();
    };
    if (event.key === "/") {
      const found = field();
      if (found) { event.preventDefault(); found.focus(); found.select(); }
    } else if (event.key === "?") press(".st-key-keys_help button");
    else if (/^[1-9]$/.test(event.key)) press(`[data-rank="${event.key}"] .os-title a`);
    else if (event.key === "b") press("a[data-key='back']");
    else if (event.key === "p") press("a[data-key='print']");
    else if (event.key === "f") press("details.os-filters > summary");
  });
  const reveal = (tries = 40) => {
    const name = location.hash.slice(1);
    const found = name && document.getElementById(name);
    if (found) found.scrollIntoView({ block: "start" });
    else if (name && tries > 0) setTimeout(() => reveal(tries - 1), 100);
  };
  // The heatmap is coloured on the server: a change of theme asks for the page again.
  const app = document.querySelector(".stApp");
  const scheme = () => getComputedStyle(app).colorScheme;
  if (app) {
    let last = scheme();
    new MutationObserver(() => {
      if (scheme() === last) return;
      last = scheme();
      setTimeout(() => window.dispatchEvent(new PopStateEvent("popstate")), 50);
    }).observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  }
  window.oncosearch = { go, focus, reveal };
})();
