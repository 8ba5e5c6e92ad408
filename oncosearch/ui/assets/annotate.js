/* Constant script of the annotation page: keys press the page's own buttons, one after another. No outside text. */
(() => {
  if (window.oncosearchAnnotate) return;
  const KEYS = {
    3: "grade_3", 2: "grade_2", 1: "grade_1", 0: "grade_0", "-": "grade_minus", "−": "grade_minus",
    u: "unsure", l: "later", z: "undo", d: "duplicate", i: "irrelevant", a: "add",
    j: "next", ArrowDown: "next", k: "previous", ArrowUp: "previous", t: "topic_next", T: "topic_previous",
    Enter: "finish",
  };
  const BESIDE = { ArrowUp: "up", ArrowDown: "down" };
  const SAYING = new Set(["grade_3", "grade_2", "grade_1", "grade_0", "grade_minus", "unsure", "later", "irrelevant"]);
  // After the last open card a grade too many would overwrite it: keys grade again once another card was opened.
  const resting = (name) => SAYING.has(name) && document.querySelector(".os-rest");
  const waiting = [];
  let busy = 0, opening = "", letting = 0;
  const find = (name) => document.querySelector(`.st-key-annot_${name} button`);
  const press = () => {
    if (busy || !waiting.length) return;
    const name = waiting.shift(), button = find(name);
    if (!button || button.disabled || resting(name)) { press(); return; }
    // What follows waits until this one is saved and drawn; a lost connection lets go after a while.
    busy = setTimeout(() => { busy = 0; waiting.length = 0; }, 8000);
    button.click();
  };
  // The server says that it has drawn the page anew.
  const drawn = (turn, finder) => {
    clearTimeout(busy);
    busy = 0;
    document.body.dataset.drawn = turn;
    if (finder) focusFinder();
    else if (opening === "finder" && !waiting.length) opening = "";
    place();
    press();
  };
  let shown = "";
  const place = () => {
    const card = document.querySelector(".os-annot-card");
    if (card && card.dataset.node !== shown) {
      shown = card.dataset.node;
      const box = scroller(card);
      if (box) box.scrollTop = 0;
    }
    showMore();
    const row = document.querySelector(".os-pool [aria-current]");
    const list = row && scroller(row);
    if (!list) return;
    const outer = list.getBoundingClientRect(), inner = row.getBoundingClientRect();
    if (inner.top < outer.top + 4) list.scrollTop -= outer.top - inner.top + 40;
    else if (inner.bottom > outer.bottom - 4) list.scrollTop += inner.bottom - outer.bottom + 40;
  };
  // Whether the card goes on below what is seen.
  const showMore = () => {
    const card = document.querySelector(".os-annot-card"), box = card && scroller(card);
    const holder = box && document.querySelector(".st-key-annot_pages");
    if (!holder) return;
    holder.toggleAttribute("data-below", box.scrollTop + box.clientHeight < box.scrollHeight - 6);
    holder.toggleAttribute("data-longer", box.clientHeight < box.scrollHeight - 6);
    if (!box.dataset.watched) {
      box.dataset.watched = "yes";
      box.addEventListener("scroll", showMore, { passive: true });
    }
  };
  addEventListener("resize", () => showMore());
  // Page up and down, and the space bar where no button has the focus, move the text of the card.
  const page = (event, at) => {
    const by = { PageDown: 1, PageUp: -1, " ": event.shiftKey ? -1 : 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || typing(at)) return false;
    if (event.key === " " && at.closest?.("button, a, summary")) return false;
    const card = document.querySelector(".os-annot-card"), box = card && scroller(card);
    if (!box) return false;
    event.preventDefault();
    box.scrollBy({ top: by * (box.clientHeight - 48) });
    return true;
  };
  // The box of the page that scrolls, never the page itself.
  const scroller = (from) => {
    for (let at = from.parentElement; at && at.dataset.testid !== "stMain"; at = at.parentElement) {
      if (/(auto|scroll)/.test(getComputedStyle(at).overflowY)) return at;
    }
    return null;
  };
  // "?" goes to the keys of the desk, and again back up.
  document.addEventListener("keydown", (event) => {
    const legend = document.querySelector(".st-key-annot_desk .st-key-annot_legend");
    if (event.key !== "?" || !legend || typing(event.target) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const place = legend.getBoundingClientRect(), away = place.bottom > innerHeight || place.top < 0;
    if (away) legend.scrollIntoView({ block: "end" });
    else document.querySelector(".os-annot-top")?.scrollIntoView({ block: "start" });
  }, true);
  const typing = (at) => at.closest?.('input, textarea, select, [contenteditable="true"], [role="combobox"], [role="slider"], [role="listbox"], [role="dialog"]');
  document.addEventListener("keydown", (event) => {
    if (!document.querySelector(".st-key-annot_desk") || event.defaultPrevented) return;
    const at = event.target;
    if (page(event, at) || event.repeat) return;
    if (walk(event, at)) return;
    if (typing(at) || event.ctrlKey || event.metaKey) return;
    // A field that was drawn anew while somebody typed in it: what follows is text, not grades.
    if (field && !field.isConnected) {
      const anew = reason();
      field = null;
      if (anew) { anew.focus(); return; }
    }
    if (event.key === "n" && !event.altKey) {
      event.preventDefault();
      hold("reason");
      focusReason();
      return;
    }
    if (event.key === "Enter" && at.closest?.("button, a, summary")) return;
    const name = event.altKey ? BESIDE[event.key] : KEYS[event.key];
    if (!name || !find(name)) return;
    event.preventDefault();
    if (opening) return;
    if (name === "duplicate" || name === "add") hold("finder");
    waiting.push(name);
    press();
  });
  // What is typed while a field opens is no grade.
  const hold = (what) => { opening = what; clearTimeout(letting); letting = setTimeout(() => { opening = ""; }, 3000); };
  const reason = () => document.querySelector('[class*="st-key-annot_reason"] textarea');
  const focusReason = (tries = 60) => {
    const found = reason();
    if (found && !busy && !waiting.length) { found.focus(); opening = ""; }
    else if (tries > 0) setTimeout(() => focusReason(tries - 1), 50);
  };
  let field = null;
  document.addEventListener("focusin", (event) => {
    field = event.target.closest?.('[class*="st-key-annot_reason"] textarea') || null;
  });
  // A field that is left lets go; one that was removed under the hands does not.
  document.addEventListener("focusout", (event) => setTimeout(() => { if (event.target.isConnected && field === event.target) field = null; }, 0));
  document.addEventListener("pointerdown", () => { field = null; }, true);
  // In the list of names found: from the field down to the buttons and back, Escape closes it.
  const walk = (event, at) => {
    const finder = at.closest?.(".st-key-annot_finder");
    if (!finder || event.altKey || event.ctrlKey || event.metaKey) return false;
    if (event.key === "Escape") { find("finder_close")?.click(); event.preventDefault(); return true; }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return false;
    const stops = [finder.querySelector("input"), ...finder.querySelectorAll('[class*="st-key-annot_take_"] button')];
    const next = stops[stops.indexOf(at) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
    return true;
  };
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest?.('[class*="st-key-annot_"] button');
    // The second click of a double click would fall on the card that has moved up.
    if (pressed && event.detail > 1) { event.preventDefault(); event.stopImmediatePropagation(); return; }
    const row = event.target.closest?.(".os-pool [data-place]");
    if (!row) return;
    const stops = document.querySelectorAll(".st-key-annot_go button");
    stops[Number(row.dataset.place)]?.click();
  }, true);
  const focusFinder = (tries = 30) => {
    const field = document.querySelector(".st-key-annot_finder input");
    if (field) { field.focus(); opening = ""; }
    else if (tries > 0) setTimeout(() => focusFinder(tries - 1), 50);
  };
  // A text that was typed and not sent yet is sent before the page is left: sent after it, it would ask for a part of
  // the page that is gone, and both would be lost.
  const TEXT = '[data-testid="stMain"] textarea, [data-testid="stMain"] input[type="text"]';
  let written = null, before = "", leftAt = 0, leaving = false;
  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.(TEXT)) { written = event.target; before = written.value; }
  });
  document.addEventListener("focusout", (event) => {
    if (event.target === written && written.value !== before) leftAt = Date.now();
  });
  const unsent = () => Date.now() - leftAt < 1000 || (written === document.activeElement && written?.value !== before);
  const running = () => document.querySelector("[data-testid=stApp]")?.getAttribute("data-test-script-state") === "running";
  const sent = (then) => {
    leaving = true;
    if (document.activeElement === written) written.blur();
    const began = Date.now();
    const wait = () => {
      const past = Date.now() - began;
      if (past < 250 || (running() && past < 8000)) { setTimeout(wait, 50); return; }
      leaving = false;
      leftAt = 0;
      written = null;
      then();
    };
    wait();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-inner]");
    if (!link || link.dataset.done || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!leaving && !unsent()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!leaving) sent(() => window.oncosearch.go(link.href));
  }, true);
  // Back and forward have changed the address already; the page there is opened anew.
  addEventListener("popstate", (event) => {
    if (!leaving && !unsent()) return;
    event.stopImmediatePropagation();
    const address = location.href;
    if (!leaving) sent(() => location.replace(address));
  }, true);
  window.oncosearchAnnotate = { drawn };
})();
