// The desk's keys, drafts that survive a reload, and the length of a message.  The pages work without it.
"use strict";

(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")];
  let at = -1;

  function move(by) {
    const all = rows();
    if (all.length === 0) return;
    if (at < 0) at = all.findIndex((row) => row.classList.contains("here"));
    at = Math.min(Math.max(at + by, 0), all.length - 1);
    all[at].querySelector("[data-open]").focus();
  }

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (isTyping && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = event.target.closest("form");
      if (form) form.requestSubmit();
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const reply = document.querySelector(".compose textarea");
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "r" && reply && reply.checkVisibility()) {
      event.preventDefault();
      reply.focus();
    } else if (event.key === "t") {
      const row = document.activeElement.closest("[data-row]");
      const taking = [...document.querySelectorAll('form[action*="/take"] button')];
      const opened = taking.find((candidate) => !candidate.closest("[data-row]"));
      const button = row ? row.querySelector("[data-take]") : opened;
      if (button) button.click();
    }
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-row]");
    if (row) at = rows().indexOf(row);
  });

  // The title shows how many conversations wait, also beside an open one.
  function counted() {
    const list = document.getElementById("list");
    const title = document.title.replace(/^\(\d+\) /, "");
    const count = Number((list && list.dataset.count) || 0);
    document.title = count ? `(${count}) ${title}` : title;
  }
  document.addEventListener("htmx:afterSettle", () => {
    counted();
    // A message that was on its way is in the transcript by now.
    if (document.querySelector("[data-pending]") && document.querySelector("[data-changed]")) location.reload();
  });

  // GSM 03.38: seven bits a character, else UCS-2; the server bills by the same sets.
  const basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
  const extended = "\f^{}\\[~]|€";
  function segments(text) {
    const all = [...text];
    const isGsm = all.every((char) => basic.includes(char) || extended.includes(char));
    const sizes = all.map((char) => (isGsm ? 1 + extended.includes(char) : char.length));
    const [single, part] = isGsm ? [160, 153] : [70, 67];
    if (sizes.reduce((sum, size) => sum + size, 0) <= single) return 1;
    let count = 1;
    let left = part;
    for (const size of sizes) {
      if (size > left) [count, left] = [count + 1, part];
      left -= size;
    }
    return count;
  }

  function measure(area) {
    const meter = area.form && area.form.querySelector("[data-meter]");
    if (!meter) return;
    const length = [...area.value].length;
    const { longest, segments: bills } = meter.dataset;
    const parts = [`${length}${longest ? ` of ${longest}` : ""} characters`];
    if (bills !== undefined && length) parts.push(`${segments(area.value)} SMS`);
    meter.textContent = parts.join(" · ");
    meter.classList.toggle("s-fail", Boolean(longest) && length > Number(longest));
  }

  // A draft stays in this tab until its act is done; the page lists the reader's acts that are done.
  // After a refused act, the server sends its text back.
  const page = document.querySelector("[data-conversation]");
  const prefix = page && `draft ${page.dataset.conversation} `;
  const gap = /\u27e6[^\u27e6\u27e7]*\u27e7?|\u27e7/;
  const nameOf = (area) => prefix + area.form.getAttribute("action") + area.dataset.keep;
  const tried = " tried as";
  function dropDone() {
    const done = page.dataset.done.split(" ");
    for (const name of Object.keys(sessionStorage)) {
      if (!name.startsWith(prefix) || !name.endsWith(tried)) continue;
      if (!done.includes(sessionStorage.getItem(name))) continue;
      sessionStorage.removeItem(name);
      sessionStorage.removeItem(name.slice(0, -tried.length));
    }
  }
  document.addEventListener("submit", (event) => {
    if (!page || !event.target.dataset.act) return;
    for (const area of event.target.querySelectorAll("textarea[data-keep]")) {
      sessionStorage.setItem(nameOf(area) + tried, event.target.dataset.act);
    }
  });
  // A page from the back/forward cache shows an old state: reload it.
  addEventListener("pageshow", (event) => {
    if (page && event.persisted) location.reload();
  });
  function keep(area, isInserted) {
    const name = nameOf(area);
    const kept = sessionStorage.getItem(name);
    const isAsSent = area.value === area.defaultValue;
    if (!isInserted && kept && isAsSent && !document.querySelector("[role=alert]")) {
      area.value = kept;
      const folded = area.closest("details");
      if (folded) folded.open = true;
    }
    const judged = () => {
      measure(area);
      area.setCustomValidity(gap.test(area.value) ? "Write what belongs into the gap." : "");
    };
    const noted = () => {
      judged();
      if (area.value) sessionStorage.setItem(name, area.value);
      else sessionStorage.removeItem(name);
    };
    judged();
    area.addEventListener("input", noted);
    if (!isInserted) return;
    noted();
    area.focus();
    const first = gap.exec(area.value);
    if (first) area.setSelectionRange(first.index, first.index + first[0].length);
  }
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!page || !event.target.matches("[data-written]")) return;
    event.target.querySelectorAll("textarea[data-keep]").forEach((area) => keep(area, true));
  });
  document.addEventListener("DOMContentLoaded", () => {
    counted();
    if (!page) return;
    const newest = document.querySelector(".messages > li:last-child");
    if (newest && matchMedia("(max-width: 60rem)").matches) newest.scrollIntoView({ block: "center" });
    dropDone();
    document.querySelectorAll("textarea[data-keep]").forEach((area) => keep(area, false));
  });
})();
