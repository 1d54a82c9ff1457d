// Keys of the inbox: j and k move between rows, Enter opens, t takes.  The list works without it.
"use strict";

(() => {
  let at = -1;

  function move(by) {
    const rows = [...document.querySelectorAll("[data-row]")];
    if (rows.length === 0) return;
    at = Math.min(Math.max(at + by, 0), rows.length - 1);
    rows[at].querySelector("[data-open]").focus();
  }

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "t") {
      const row = document.activeElement.closest("[data-row]");
      const button = row && row.querySelector("[data-take]");
      if (button) button.click();
    }
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-row]");
    if (row) at = [...document.querySelectorAll("[data-row]")].indexOf(row);
  });
})();
