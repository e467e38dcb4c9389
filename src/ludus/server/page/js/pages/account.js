// The person: name, account, preferences, tokens for programs.

import { api } from "../api.js";
import { session, show as again } from "../app.js";
import { h, put } from "../dom.js";
import { language, LANGUAGES, t, when } from "../i18n.js";
import { adopt, prefer, preferences } from "../preferences.js";
import { button, field, input, segmented, select, toggle } from "../components/forms.js";
import { copy, dialog, header, icon, speak, style, toast } from "../components/shell.js";

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{2,39}$/, SHORTEST = 8;

export async function show(root) {
  const [tokens] = await Promise.all([api.get("/tokens"), style("account")]);
  const { me } = session;
  put(root, h("h1", {}, t("account.title")), h("div", { class: "account" },
    h("div", { class: "stack" }, profile(me), ...(me.account ? [passwordPanel()] : [entry()])),
    h("div", { class: "stack" }, likes(), tokenPanel(tokens))));
}

// Another person is here now: a new account, a log-in, a log-out.
function become(me) {
  session.me = me;
  adopt(me.preferences);
  return again();
}

const panel = (title, ...children) => h("section", { class: "panel stack" }, h("h2", {}, title), ...children);

// A form that sends once at a time and shows the server's sentence when it is refused. checks: [[field, () => problem]].
function form(label, fields, checks, send, more) {
  const problem = h("p", { class: "bad tiny", role: "alert" }), submit = h("button", { class: "button", type: "submit" }, label);
  const element = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    put(problem);
    for (const [one, wrong] of checks) one.problem(wrong());
    const first = element.querySelector("[aria-invalid=true]");
    if (first) return first.focus();
    submit.disabled = true;
    try { await send(); } catch (error) { put(problem, error.message); } finally { submit.disabled = false; }
  } }, fields, problem, h("div", { class: "row" }, submit, more));
  return element;
}

function profile(me) {
  const name = field(t("account.name"), input({ value: me.name, maxlength: 40, autocomplete: "nickname" }), t("account.name.help"));
  const save = async () => {
    session.me = await api.patch("/me", { name: name.control.value.trim() });
    header(session, location.pathname);
    toast(t("account.saved"), "good");
  };
  return panel(me.account ? t("account.of", { username: me.username }) : t("account.guest"),
    !me.account && h("p", { class: "muted" }, t("account.guest.help")),
    form(t("common.save"), name, [[name, () => (name.control.value.trim() ? "" : t("account.wrong.name"))]], save),
    me.account && h("div", { class: "row" }, button(t("account.logOut"), () => logOut(false)), button(t("account.logOut.everywhere"), () => logOut(true), "quiet")));
}

async function logOut(everywhere) {
  if (everywhere && !(await dialog({ title: t("account.logOut.everywhere"), body: h("p", {}, t("account.logOut.why")), actions: [
    { label: t("common.cancel"), value: false }, { label: t("account.logOut.everywhere"), value: true, kind: "danger" }] }))) return;
  await api.delete(`/session${everywhere ? "?everywhere=true" : ""}`);
  await become(await api.get("/me"));
}

// Make an account out of the guest, or log in to one.
function entry() {
  const place = h("div", {});
  const draw = (kind) => put(place, kind === "new" ? newAccount() : logIn());
  draw("new");
  return panel(t("account.title"),
    segmented([{ value: "new", label: t("account.make") }, { value: "old", label: t("account.logIn") }], "new", draw, { label: t("account.title"), fill: true }), place);
}

const nameField = (help) => field(t("account.username"), input({ autocomplete: "username", autocapitalize: "none", spellcheck: "false", maxlength: 40 }), help);
const passwordField = (label, autocomplete, help) => field(label, input({ type: "password", autocomplete, maxlength: 200 }), help);
const shortPassword = (one) => () => (one.control.value.length < SHORTEST ? t("account.wrong.password", { least: SHORTEST }) : "");

function newAccount() {
  const username = nameField(t("account.username.help")), password = passwordField(t("account.password"), "new-password", t("account.password.help", { least: SHORTEST }));
  return form(t("account.make"), [username, password],
    [[username, () => (USERNAME.test(username.control.value) ? "" : t("account.wrong.username"))], [password, shortPassword(password)]],
    async () => { await become(await api.post("/accounts", { username: username.control.value, password: password.control.value })); toast(t("account.made"), "good"); });
}

function logIn() {
  const username = nameField(), password = passwordField(t("account.password"), "current-password");
  let bring = true;
  return form(t("account.logIn"), [username, password, toggle(t("account.logIn.bring"), bring, (value) => { bring = value; }, t("account.logIn.help"))],
    [[username, () => (username.control.value ? "" : t("account.wrong.empty"))], [password, () => (password.control.value ? "" : t("account.wrong.empty"))]],
    async () => { await become(await api.post("/session", { username: username.control.value, password: password.control.value, bring })); });
}

function passwordPanel() {
  const old = passwordField(t("account.password.old"), "current-password"), fresh = passwordField(t("account.password.new"), "new-password", t("account.password.help", { least: SHORTEST }));
  const whose = h("input", { type: "text", value: session.me.username, autocomplete: "username", hidden: true }); // for the browser's keeper of passwords
  const element = form(t("account.password.change"), [whose, old, fresh], [[old, () => (old.control.value ? "" : t("account.wrong.empty"))], [fresh, shortPassword(fresh)]], async () => {
    session.me = await api.put("/me/password", { old: old.control.value, new: fresh.control.value });
    element.reset();
    toast(t("account.password.changed"), "good");
  });
  return panel(t("account.password.change"), element);
}

function likes() {
  const choice = (key, values, name = `account.likes.${key}`) => field(t(name),
    segmented(values.map((value) => ({ value, label: t(`${name}.${value}`) })), preferences[key], (value) => prefer({ [key]: value }), { fill: true, wrap: true }));
  return panel(t("account.likes"),
    field(t("account.likes.language"), select(Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })), language, speak)),
    choice("theme", ["auto", "light", "dark"]),
    choice("deck", ["four", "two"]),
    choice("amounts", ["bb", "chips"]),
    choice("speed", ["slow", "normal", "fast", "off"], "table.speed"));
}

function tokenPanel(tokens) {
  const list = h("div", {}), label = field(t("account.tokens.label"), input({ maxlength: 80, placeholder: t("account.tokens.example") }));
  const password = session.me.account ? passwordField(t("account.password"), "current-password", t("account.tokens.password")) : null;
  const draw = () => put(list, tokens.length ? h("ul", { class: "list" }, tokens.map((token) => h("li", { class: "row" },
    h("div", { class: "grow" }, h("div", {}, token.label || t("account.tokens.nameless")),
      h("div", { class: "muted tiny" }, [t("account.tokens.made", { date: when(token.created) }), token.used ? t("account.tokens.used", { date: when(token.used) }) : t("account.tokens.unused")].join(" · "))),
    button(t("account.tokens.withdraw"), () => withdraw(token), "small danger")))) : null);
  async function withdraw(token) {
    await api.delete(`/tokens/${token.id}`);
    tokens = tokens.filter(({ id }) => id !== token.id);
    draw();
  }
  async function make() {
    const { token, ...made } = await api.post("/tokens", { label: label.control.value.trim(), ...(password && { password: password.control.value }) });
    tokens = [...tokens, made];
    for (const one of [label, password]) if (one) one.control.value = "";
    draw();
    await dialog({ title: t("account.tokens.new"), body: [h("p", {}, t("account.tokens.once")), h("div", { class: "row token" }, h("code", { class: "grow" }, token), button([icon("copy"), t("table.copy")], () => copy(token), "small"))] });
  }
  draw();
  return panel(t("account.tokens"), h("p", { class: "muted tiny" }, t("account.tokens.help"), " ", h("a", { href: "/programs" }, t("basics.programs.title")), "."), list,
    form(t("account.tokens.make"), [label, password], password ? [[password, () => (password.control.value ? "" : t("account.wrong.empty"))]] : [], make));
}
