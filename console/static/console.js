// Times in the reader's own zone, keys, and pages that renew themselves.  Every page works without it.
"use strict";

(() => {
  const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

  // On the desk's pages, times have no seconds, and today's have no date.
  function brief(at) {
    return at.toDateString() === new Date().toDateString() ? clock.format(at) : short.format(at);
  }

  function localTimes(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (!Number.isNaN(at.getTime())) time.textContent = time.closest(".panes") ? brief(at) : shown.format(at);
    }
  }

  // An element with data-renew="10" reloads its page every 10 seconds, while it is visible and no one
  // writes in it; the server answers 304 where nothing has changed.  The focus stays on its row: htmx
  // restores the focus to the element with the same id.
  function renew() {
    for (const element of document.querySelectorAll("[data-renew]")) {
      const due = Number(element.dataset.due || 0);
      const next = Date.now() + 1000 * Number(element.dataset.renew);
      if (!due) element.dataset.due = next;
      const focus = document.activeElement;
      const isInUse = element.contains(focus) && !focus.closest("[data-row]");
      const isBusy = isInUse || element.querySelector("[data-tick]:checked");
      if (!due || document.visibilityState !== "visible" || isBusy || Date.now() < due) continue;
      element.dataset.due = next;
      htmx.trigger(element, "renew");
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    localTimes(document);
    renew();
    setInterval(renew, 1000);
    document.addEventListener("visibilitychange", renew);
  });

  const tags = new Map();
  document.addEventListener("htmx:configRequest", (event) => {
    const { path, verb, headers } = event.detail;
    if (verb === "get" && tags.has(path)) headers["If-None-Match"] = tags.get(path);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const tag = event.detail.xhr.getResponseHeader("ETag");
    if (tag && event.detail.xhr.status === 200) tags.set(event.detail.requestConfig.path, tag);
  });
  document.addEventListener("htmx:afterSwap", (event) => localTimes(event.detail.target.parentNode || document));

  // Keys of every page: / finds, ? lists the keys.
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.querySelector('input[type="search"]');
    const list = document.getElementById("keys");
    if (event.key === "/" && search) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "?" && list && !list.open) list.showModal();
  });

  // A form is sent once: a second click waits for the first one's answer.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
    setTimeout(() => delete form.dataset.sent, 5000);
  });
})();
