// Elements from code: h("p", {class: "note", onclick: f}, "text", child).

const shown = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

export function h(tag, properties = {}, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value); // never an attribute: the policy forbids those
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && ["value", "checked", "disabled", "selected", "indeterminate"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

export function put(parent, ...children) {
  parent.replaceChildren(...shown(children));
  return parent;
}

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// The key of a shortcut whatever the layout: "f" for the key where Latin layouts have F, "1" also where digits need Shift.
export function shortcut(event) {
  if (event.key.length > 1) return event.key;
  if (/^[a-z0-9]$/i.test(event.key)) return event.key.toLowerCase();
  const place = event.code?.match(event.shiftKey ? /^Key(.)$/ : /^(?:Key|Digit)(.)$/)?.[1];
  return place?.toLowerCase() ?? event.key;
}
