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
  const waiting = [];
  let busy = 0, opening = "", letting = 0;
  const find = (name) => document.querySelector(`.st-key-annot_${name} button`);
  const press = () => {
    if (busy || !waiting.length) return;
    const button = find(waiting.shift());
    if (!button || button.disabled) { press(); return; }
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
    const row = document.querySelector(".os-pool [aria-current]");
    const list = row && scroller(row);
    if (!list) return;
    const outer = list.getBoundingClientRect(), inner = row.getBoundingClientRect();
    if (inner.top < outer.top + 4) list.scrollTop -= outer.top - inner.top + 40;
    else if (inner.bottom > outer.bottom - 4) list.scrollTop += inner.bottom - outer.bottom + 40;
  };
  // The box of the page that scrolls, never the page itself.
  const scroller = (from) => {
    for (let at = from.parentElement; at && at.dataset.testid !== "stMain"; at = at.parentElement) {
      if (/(auto|scroll)/.test(getComputedStyle(at).overflowY)) return at;
    }
    return null;
  };
  const typing = (at) => at.closest?.('input, textarea, select, [contenteditable="true"], [role="combobox"], [role="slider"], [role="listbox"], [role="dialog"]');
  document.addEventListener("keydown", (event) => {
    if (!document.querySelector(".st-key-annot_desk") || event.defaultPrevented || event.repeat) return;
    const at = event.target;
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
  window.oncosearchAnnotate = { drawn };
})();
