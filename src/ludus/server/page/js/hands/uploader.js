// Choose or drop a file of hands from elsewhere; it is read and reviewed on the server.

import { api } from "../api.js";
import { go } from "../app.js";
import { field } from "../components/forms.js";
import { h, put } from "../dom.js";
import { number, t, when } from "../i18n.js";

const LIMIT = 2_000_000; // bytes

export function uploader() {
  const message = h("p", { class: "upload-message", role: "status" });
  const hero = h("input", { type: "text", maxlength: 40, autocomplete: "off", spellcheck: "false" });
  const file = h("input", { type: "file", class: "visually-hidden", accept: ".txt,.log,.phh,.phhs,text/plain", onchange: () => send(file.files[0]) });
  const earlier = h("div", {});

  async function send(chosen) {
    if (!chosen) return;
    file.value = "";
    if (chosen.size > LIMIT) { tell(t("hands.upload.big", { name: chosen.name, size: number(chosen.size / 1e6, 1), limit: LIMIT / 1e6 })); return; }
    if (!chosen.size) { tell(t("hands.upload.nothing", { name: chosen.name })); return; }
    put(message, h("span", { class: "spinner" }), " ", t("hands.upload.sending", { name: chosen.name }));
    const wanted = new URLSearchParams({ name: chosen.name.slice(0, 120) });
    if (hero.value.trim()) wanted.set("hero", hero.value.trim());
    try {
      const { id } = await api.post(`/uploads?${wanted}`, chosen.slice(0, chosen.size, "text/plain"));
      await go(`/uploads/${id}`);
    } catch (error) { tell(error.message); }
  }

  function tell(text) {
    put(message, h("span", { class: "bad" }, text));
  }

  const over = (on) => (event) => { event.preventDefault(); zone.classList.toggle("over", on); };
  const zone = h("div", {
    class: "drop-zone", ondragenter: over(true), ondragover: over(true), ondragleave: over(false),
    ondrop: (event) => { over(false)(event); send(event.dataTransfer.files[0]); },
  },
  h("p", {}, t("hands.upload.drop")),
  h("label", { class: "button" }, file, t("hands.upload.choose")),
  h("p", { class: "muted" }, t("hands.upload.kinds", { limit: LIMIT / 1e6 })));

  const panel = h("details", { class: "panel upload-panel", ontoggle: () => panel.open && list(earlier) },
    h("summary", {}, t("hands.upload.title")),
    h("p", { class: "muted" }, t("hands.upload.what")),
    field(t("hands.upload.hero"), hero, t("hands.upload.hero.help")),
    zone, message, earlier);
  return panel;
}

async function list(place) {
  const uploads = await api.get("/uploads");
  put(place, uploads.length ? [h("h3", {}, t("hands.upload.earlier")), h("ul", { class: "list" }, uploads.map((upload) =>
    h("li", {}, h("a", { href: `/uploads/${upload.id}` }, upload.name || t("hands.upload.unnamed")), " ",
      h("span", { class: "muted" }, [upload.created && when(upload.created), t(`upload.status.${upload.status}`)].filter(Boolean).join(" · ")))))] : []);
}
