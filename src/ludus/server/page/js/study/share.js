// Spots as text: links, TOML and JSON.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { dialog, toast } from "../components/shell.js";
import { segmented } from "../components/forms.js";

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("study.copied"), "good");
  } catch { // no clipboard without https or permission: show it to be copied by hand
    const area = h("textarea", { class: "export-text", rows: "4", readonly: true, "aria-label": t("study.copy-by-hand") });
    area.value = text;
    setTimeout(() => area.select());
    await dialog({ title: t("study.copy-by-hand"), body: area, actions: [{ label: t("study.close"), value: null, kind: "primary" }] });
  }
}

export const linkTo = (id, line) => `${location.origin}/study/${id}${line ? `?${new URLSearchParams({ line })}` : ""}`;

const quoted = (value) => JSON.stringify(String(value));
const plain = (value) => (typeof value === "number" ? String(value) : quoted(value));

// The spot as the file that `ludus solve` reads.
export function toToml(spot) {
  const { sizes = {}, lock = [], ...rest } = spot;
  const lines = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined).map(([key, value]) => `${key} = ${plain(value)}`);
  const table = (name, values) => {
    const own = Object.entries(values).filter(([, value]) => typeof value !== "object");
    if (own.length) lines.push("", `[${name}]`, ...own.map(([key, value]) => `${key} = ${plain(value)}`));
    for (const [key, value] of Object.entries(values)) if (value && typeof value === "object") table(`${name}.${key}`, value);
  };
  for (const [street, values] of Object.entries(sizes)) table(`sizes.${street}`, values);
  for (const { line, play, hands } of lock) {
    lines.push("", "[[lock]]", `line = ${quoted(line)}`, `play = {${Object.entries(play).map(([word, share]) => `${word} = ${share}`).join(", ")}}`);
    if (hands) lines.push(`hands = ${quoted(hands)}`);
  }
  return `${lines.join("\n")}\n`;
}

export async function exportSpot(spot, name) {
  const area = h("textarea", { class: "export-text", rows: "16", readonly: true, spellcheck: "false", "aria-label": t("study.export.text") });
  let form = "toml";
  const forms = { toml: () => toToml(spot), json: () => `${JSON.stringify(spot, null, 2)}\n` };
  const show = (value) => { form = value; area.value = forms[form](); };
  show(form);
  const body = h("div", { class: "stack" },
    segmented([{ value: "toml", label: "TOML" }, { value: "json", label: "JSON" }], form, show), area,
    h("p", { class: "muted" }, t("study.export.help")));
  const chosen = await dialog({ title: t("study.export.title"), body, actions: [
    { label: t("study.close"), value: null }, { label: t("study.download"), value: "download" }, { label: t("study.copy"), value: "copy", kind: "primary" }] });
  if (chosen === "copy") copyText(area.value);
  if (chosen === "download") download(`${(name || "spot").replace(/[^\w-]+/g, "-").toLowerCase()}.${form}`, area.value);
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A spot from pasted JSON; the promise gives null where nothing came of it.
export async function importSpot() {
  const area = h("textarea", { class: "export-text", rows: "12", spellcheck: "false", "aria-label": t("study.import.text"),
    placeholder: '{"board": "Ks Th 6h", …}' });
  const chosen = await dialog({ title: t("study.import.title"), body: h("div", { class: "stack" }, h("p", {}, t("study.import.help")), area),
    actions: [{ label: t("study.close"), value: null }, { label: t("study.import.use"), value: "use", kind: "primary" }] });
  if (chosen !== "use" || !area.value.trim()) return null;
  try {
    const spot = JSON.parse(area.value);
    if (spot && typeof spot === "object" && !Array.isArray(spot)) return spot;
  } catch { /* said below */ }
  toast(t("study.import.bad"), "bad");
  return null;
}

