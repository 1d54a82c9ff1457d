// Keys that tick conversations of the inbox, and how many are ticked.  The form works without it.
"use strict";

(() => {
  const boxes = () => [...document.querySelectorAll("[data-tick]")];
  let last = null;

  function count() {
    const said = document.querySelector("[data-ticked]");
    const many = boxes().filter((box) => box.checked).length;
    if (said) said.textContent = many ? `${many} ticked:` : "With what is ticked:";
  }

  // All ticks from the last one to this one get the state of this one.
  function range(to) {
    const all = boxes();
    const ends = [all.indexOf(last), all.indexOf(to)].sort((a, b) => a - b);
    if (ends[0] < 0) return;
    for (const box of all.slice(ends[0], ends[1] + 1)) box.checked = to.checked;
  }

  function tick(box, isRange) {
    box.checked = isRange || !box.checked;
    if (isRange && last) range(box);
    last = box;
    count();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.closest("[data-tick]")) event.preventDefault();
    const isTyping = event.target.closest("input:not([data-tick]), textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "x" && event.key !== "X") return;
    const row = document.activeElement.closest("[data-row]");
    const box = row && row.querySelector("[data-tick]");
    if (!box) return;
    event.preventDefault();
    tick(box, event.shiftKey);
  });

  document.addEventListener("click", (event) => {
    const box = event.target.closest("[data-tick]");
    if (!box) return;
    if (event.shiftKey && last) range(box);
    last = box;
    count();
  });
  document.addEventListener("htmx:afterSettle", count);
})();
