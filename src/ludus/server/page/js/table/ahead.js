// Check or fold, decided before it is one's turn; for one hand.

import { h } from "../dom.js";
import { t } from "../i18n.js";

// act(view, action) sends it. Returns {element, update(view) -> whether it has acted, toggle()}.
export function ahead(act) {
  let hand = null, on = false;
  const box = h("input", { type: "checkbox", onchange: () => { on = box.checked; } });
  const element = h("label", { class: "ahead button small" }, box, t("table.ahead"), h("kbd", { "aria-hidden": "true" }, "F"));

  function set(value) {
    on = value;
    box.checked = value;
  }

  function update(view) {
    if (view.hand?.id !== hand || view.hand?.over) set(false);
    hand = view.hand?.id ?? null;
    if (!on || !view.hand?.legal) return false;
    const { fold } = view.hand.legal;
    if (fold) set(false);
    return act(view.hand, fold ? "fold" : "call");
  }

  return { element, update, toggle: () => set(!on) };
}
