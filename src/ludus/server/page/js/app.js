// The shell: language, theme, navigation. A page is a module with show(root, parameters, query) => clean-up or nothing.

import { api, ApiError } from "./api.js";
import { put, h } from "./dom.js";
import { choose, language, t } from "./i18n.js";
import { adopt } from "./preferences.js";
import { header, toast } from "./components/shell.js";

const PAGES = [ // path, module
  [/^\/$/, "lobby"],
  [/^\/table\/(?<id>[\w-]+)$/, "table"],
  [/^\/hands$/, "hands"],
  [/^\/hands\/(?<id>[\w-]+)$/, "hand"],
  [/^\/shared\/(?<id>[\w-]+)$/, "shared"],
  [/^\/uploads\/(?<id>[\w-]+)$/, "upload"],
  [/^\/statistics$/, "statistics"],
  [/^\/study$/, "study"],
  [/^\/study\/charts$/, "charts"],
  [/^\/study\/flops$/, "flops"],
  [/^\/study\/(?<id>[\w-]+)$/, "spot"],
  [/^\/drill$/, "drill"],
  [/^\/learn$/, "learn"],
  [/^\/learn\/(?<lesson>[\w-]+)$/, "learn"],
  [/^\/rps$/, "rps"],
  [/^\/account$/, "account"],
  [/^\/programs$/, "programs"],
];

function pageAt(pathname) {
  for (const [path, name] of PAGES) { const match = pathname.match(path); if (match) return { name, parameters: match.groups ?? {} }; }
  return { name: "missing", parameters: {} };
}

export const session = { me: null };
let leave = null, turn = 0, shown = null;
const address = () => location.pathname + location.search;

export async function go(to, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  await show();
}

export async function show() {
  const mine = ++turn, main = document.getElementById("main");
  const { pathname, searchParams } = new URL(location.href);
  const { name, parameters } = pageAt(pathname);
  const moved = shown !== null && shown !== address();
  shown = address();
  leave?.();
  leave = null;
  document.body.dataset.page = name;
  header(session, pathname);
  main.setAttribute("aria-busy", "true");
  try {
    const page = await import(`./pages/${name}.js`).catch(() => { throw new ApiError(0, ""); });
    if (mine !== turn) return;
    put(main);
    window.scrollTo(0, 0);
    const cleanUp = await page.show(main, parameters, searchParams);
    if (mine !== turn) { cleanUp?.(); return; }
    leave = cleanUp ?? null;
  } catch (error) {
    if (mine !== turn) return;
    console.error(error);
    broken(main, t(error.status === 0 ? "shell.unreachable" : "shell.broken"), error.message, show);
  }
  main.removeAttribute("aria-busy");
  arrived(main, moved);
}

// The title, and for those who listen: after a move the focus stands on the new page's heading.
function arrived(main, moved) {
  const heading = main.querySelector("h1");
  document.title = [heading?.textContent, t("shell.name")].filter(Boolean).join(" · ");
  if (!moved || main.contains(document.activeElement) || document.querySelector("dialog[open]")) return;
  heading?.setAttribute("tabindex", "-1");
  (heading ?? main).focus({ preventScroll: true });
}

function broken(main, title, why, again) {
  put(main, h("section", { class: "panel narrow stack" }, h("h1", {}, title), h("p", {}, why),
    h("div", {}, h("button", { class: "button primary", onclick: () => again() }, t("shell.retry")))));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || link.target || link.hasAttribute("download") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", () => { if (shown !== address()) show(); }); // a jump within the page is none of ours
window.addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason), "bad"));

async function begin() {
  const main = document.getElementById("main");
  import(`./pages/${pageAt(location.pathname).name}.js`).catch(() => {}); // on its way while we ask who we are
  try {
    const [me] = await Promise.all([api.get("/me"), choose()]);
    session.me = me;
    adopt(me.preferences);
    const spoken = me.preferences?.language;
    if (spoken && spoken !== language && !localStorage.getItem("language")) await choose(spoken);
  } catch (error) {
    await choose().catch(() => {});
    header(session, location.pathname);
    return broken(main, t("shell.unreachable"), error.message, begin);
  }
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  await show();
}
begin();
