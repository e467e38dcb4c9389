// What lessons are made of: titled sections of short paragraphs, figures, and runs that are asked for again.

import { toast } from "../components/shell.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";

export const says = (...keys) => keys.map((key) => h("p", {}, t(key)));

export const section = (title, ...children) => h("section", {}, h("h2", {}, t(title)), children);

export const figure = (caption, ...children) => h("figure", { class: "panel" }, children, caption && h("figcaption", {}, t(caption)));

export const remember = (...keys) => h("ul", { class: "remember" }, keys.map((key) => h("li", {}, t(key))));

// Only the answer to the last question counts; what the server refuses is said to the reader.
export function asker(busy) {
  let turn = 0;
  return async (question, use) => {
    const mine = ++turn;
    busy?.classList.add("stale");
    try {
      const answer = await question();
      if (mine === turn) use(answer);
    } catch (error) {
      if (mine === turn) toast(error.message, "bad");
    } finally {
      if (mine === turn) busy?.classList.remove("stale");
    }
  };
}

// Numbers of axes that run over many powers of ten: 0.001, 1, 10 000.
export const count = (value) => (value < 0.01 && value > 0 ? number(value, Math.min(8, Math.ceil(-Math.log10(value)) + 1)) : number(value));
