// Short lessons, three for beginners and three that lead from regret to equilibria; /learn lists them.

import { style } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";

const BASICS = ["ranks", "odds", "position"], LESSONS = [...BASICS, "rps", "kuhn", "leduc"];
const text = (lesson, part) => (BASICS.includes(lesson) ? t(`basics.${lesson}.${part}`) : t(`learn.${lesson}.${part}`));

export async function show(root, { lesson }) {
  await style("learn");
  if (!lesson) return index(root);
  if (!LESSONS.includes(lesson)) {
    put(root, h("section", { class: "panel narrow" }, h("h1", {}, t("learn.missing")), h("p", {}, h("a", { href: "/learn" }, t("learn.all")))));
    return undefined;
  }
  const { lessonPage } = await import(`../learn/${lesson}.js`);
  const article = h("article", { class: "lesson" });
  put(root, article);
  const leave = await lessonPage(article);
  article.append(neighbours(lesson));
  return leave;
}

function index(root) {
  put(root, h("h1", {}, t("shell.learn")), h("p", {}, t("learn.lead")),
    [["basics.rules", BASICS], ["basics.learning", LESSONS.slice(BASICS.length)]].map(([title, lessons]) => [h("h2", {}, t(title)),
      h("ol", { class: "lessons" }, lessons.map((lesson) => h("li", {}, h("a", { class: "panel lesson-card", href: `/learn/${lesson}` },
        h("span", { class: "lesson-number", "aria-hidden": "true" }, String(LESSONS.indexOf(lesson) + 1)),
        h("span", {}, h("strong", {}, text(lesson, "title")), h("span", { class: "muted" }, text(lesson, "short")))))))]),
    h("p", { class: "muted" }, t("learn.then"),
      [["/rps", "learn.play.rps"], ["/study", "learn.study"], ["/drill", "learn.drill"], ["/programs", "basics.programs.link"]].flatMap(([to, words], at) => [at ? ", " : " ", h("a", { href: to }, t(words))]), "."));
}

function neighbours(lesson) {
  const at = LESSONS.indexOf(lesson);
  const link = (key, sign) => (key ? h("a", { class: "button", href: `/learn/${key}` }, sign, " ", text(key, "title")) : h("span", {}));
  return h("nav", { class: "row spread neighbours", "aria-label": t("shell.learn") },
    link(LESSONS[at - 1], "←"), at + 1 < LESSONS.length ? h("a", { class: "button primary", href: `/learn/${LESSONS[at + 1]}` }, text(LESSONS[at + 1], "title"), " →")
      : h("a", { class: "button primary", href: "/study" }, t("learn.study.button")));
}
