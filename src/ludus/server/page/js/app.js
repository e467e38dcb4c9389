// The shell: language, theme, navigation. A page is a module with show(root, parameters, query) => clean-up or nothing.

import { api } from "./api.js";
import { put, h } from "./dom.js";
import { choose, t } from "./i18n.js";
import { header, toast } from "./components/shell.js";

const PAGES = [ // path, module
  [/^\/$/, "lobby"],
  [/^\/table\/(?<id>[\w-]+)$/, "table"],
  [/^\/hands$/, "hands"],
  [/^\/hands\/(?<id>[\w-]+)$/, "hand"],
  [/^\/uploads\/(?<id>[\w-]+)$/, "upload"],
  [/^\/statistics$/, "statistics"],
  [/^\/study$/, "study"],
  [/^\/study\/(?<id>[\w-]+)$/, "spot"],
  [/^\/drill$/, "drill"],
  [/^\/learn$/, "learn"],
  [/^\/learn\/(?<lesson>[\w-]+)$/, "learn"],
  [/^\/rps$/, "rps"],
  [/^\/account$/, "account"],
];

export const session = { me: null };
let leave = null, turn = 0;

export async function go(address, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  await show();
}

export async function show() {
  const mine = ++turn, main = document.getElementById("main");
  const { pathname, searchParams } = new URL(location.href);
  const found = PAGES.map(([path, name]) => [pathname.match(path), name]).find(([match]) => match);
  leave?.();
  leave = null;
  const name = found?.[1] ?? "missing";
  document.body.dataset.page = name;
  header(session, pathname);
  const page = await import(`./pages/${name}.js`);
  if (mine !== turn) return;
  put(main);
  window.scrollTo(0, 0);
  try {
    const cleanUp = await page.show(main, found?.[0].groups ?? {}, searchParams);
    if (mine === turn) leave = cleanUp ?? null; else cleanUp?.();
  } catch (error) {
    console.error(error);
    put(main, h("section", { class: "panel narrow" }, h("h1", {}, t("shell.broken")), h("p", {}, error.message)));
  }
  document.title = [main.querySelector("h1")?.textContent, t("shell.name")].filter(Boolean).join(" · ");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || link.target || link.hasAttribute("download") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", show);
window.addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason), "bad"));

async function begin() {
  const [me] = await Promise.all([api.get("/me"), choose()]);
  session.me = me;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  await show();
}
begin();
