// A link to a hand: whoever has it sees the replay, with or without names and hole cards.

import { api } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { button, toggle } from "./forms.js";
import { copy, dialog, toast } from "./shell.js";

export function shareDialog(id) {
  const wish = { names: true, cards: true }, field = h("input", { type: "text", readonly: true, "aria-label": t("share.link"), onfocus: (event) => event.target.select() });
  const open = h("a", { class: "button", target: "_blank", rel: "noopener" }, t("share.open")), back = h("div", {});
  const made = button(t("table.copy"), () => copy(field.value), "primary");
  async function draw() {
    made.disabled = true;
    try {
      const share = await api.post(`/hands/${id}/shares`, wish);
      field.value = open.href = `${location.origin}/shared/${share.id}`;
      made.disabled = false;
      put(back, button(t("share.take-back"), () => takeBack(share.id), "quiet small"));
    } catch (error) { toast(error.message, "bad"); }
  }
  async function takeBack(share) {
    try { await api.delete(`/shared/${share}`); toast(t("share.gone-now"), "good"); put(back); field.value = ""; made.disabled = true; } catch (error) { toast(error.message, "bad"); }
  }
  const choice = (name) => toggle(t(`share.${name}`), wish[name], (value) => { wish[name] = value; draw(); }, t(`share.${name}.help`));
  draw();
  return dialog({
    title: t("share.title"), body: [h("p", {}, t("share.why")), choice("names"), choice("cards"),
      h("div", { class: "row" }, h("div", { class: "grow" }, field), made, open), back],
    actions: [{ label: t("table.done"), value: null }],
  });
}
