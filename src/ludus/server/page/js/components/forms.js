// Labelled controls. Choices are [{value, label, name? for who listens, help?, disabled?}]; every control calls onchange(value).

import { h, put } from "../dom.js";

let made = 0;
const name = (kind) => `${kind}-${++made}`;

// A label, its control and a line of help; element.problem(text) marks it as wrong, problem("") as right again.
export function field(label, control, help) {
  const single = control.matches("input, select, textarea");
  const target = single ? control : control.querySelector("input[type=range]");
  const id = name("field"), helpId = `${id}-help`, problemId = `${id}-problem`;
  const problem = h("p", { class: "problem", id: problemId, "aria-live": "polite" });
  const described = [help && helpId, problemId].filter(Boolean).join(" ");
  if (target) { target.id ||= id; target.setAttribute("aria-describedby", described); }
  else { control.setAttribute("aria-labelledby", `${id}-label`); control.setAttribute("aria-describedby", described); }
  const element = h("div", { class: "field" },
    target ? h("label", { for: target.id }, label) : h("span", { class: "label", id: `${id}-label` }, label),
    control, help && h("p", { class: "help", id: helpId }, help), problem);
  element.control = control;
  element.problem = (text = "") => {
    put(problem, text);
    (target ?? control).setAttribute("aria-invalid", String(Boolean(text)));
  };
  return element;
}

export function input({ type = "text", value = "", onchange, oninput, ...rest } = {}) {
  return h("input", { type, value, ...rest, onchange: onchange && ((event) => onchange(event.target.value)), oninput: oninput && ((event) => oninput(event.target.value)) });
}

// A number; onchange gets NaN while the text is no number.
export function numberInput({ value, min, max, step = 1, onchange, ...rest }) {
  return h("input", { type: "number", inputmode: Number.isInteger(step) ? "numeric" : "decimal", value: String(value), min, max, step, ...rest,
    oninput: (event) => onchange?.(event.target.value.trim() === "" ? NaN : Number(event.target.value)) });
}

export function select(choices, value, onchange, label) {
  const element = h("select", { "aria-label": label, onchange: () => onchange?.(choices[element.selectedIndex].value) },
    choices.map((choice) => h("option", { value: String(choice.value), disabled: choice.disabled }, choice.label)));
  element.selectedIndex = Math.max(0, choices.findIndex((choice) => choice.value === value));
  return element;
}

// A range with its value beside it; format(value) says it. oninput while it moves, onchange when it stands.
export function slider({ min, max, step = 1, value, oninput, onchange, format = String, label }) {
  const output = h("output", {}, format(value));
  const range = h("input", { type: "range", min, max, step, "aria-label": label, "aria-valuetext": format(value),
    oninput() { show(Number(range.value)); oninput?.(Number(range.value)); }, onchange: () => onchange?.(Number(range.value)) });
  const show = (to) => { put(output, format(to)); range.setAttribute("aria-valuetext", format(to)); };
  range.value = value;
  const element = h("div", { class: "slider" }, range, output);
  element.set = (to) => { range.value = to; show(to); };
  return element;
}

// A few choices side by side, one of them taken (radio buttons). element.set(value) takes one silently.
export function segmented(choices, value, onchange, { label, fill = false, wrap = false } = {}) {
  const group = name("choice");
  const element = h("div", { class: `segmented${fill ? " fill" : ""}${wrap ? " wrap" : ""}`, role: "radiogroup", "aria-label": label },
    choices.map((choice) => h("label", { title: choice.help },
      h("input", { type: "radio", name: group, "aria-label": choice.name, checked: choice.value === value, disabled: choice.disabled, onchange: () => onchange?.(choice.value) }),
      h("span", {}, choice.label))));
  element.set = (to) => element.querySelectorAll("input").forEach((radio, i) => { radio.checked = choices[i].value === to; });
  return element;
}

export function toggle(label, value, onchange, help) {
  const box = h("input", { type: "checkbox", role: "switch", checked: value, onchange: () => onchange?.(box.checked) });
  const element = h("label", { class: "toggle" }, box, h("span", {}, label, help && h("span", { class: "help" }, help)));
  element.set = (to) => { box.checked = to; };
  return element;
}

export const button = (label, onclick, kind = "", rest = {}) => h("button", { type: "button", class: `button ${kind}`.trim(), onclick, ...rest }, label);
