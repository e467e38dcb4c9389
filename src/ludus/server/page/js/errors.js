// What the server refuses, in the reader's language: sentences that are known by heart, and for all others what kind of refusal it is.

import { has, language, t } from "./i18n.js";

const KNOWN = [
  [/^the table is closed/, "closed"], [/^no chair is free/, "full"], [/^this table is not open/, "not-open"], [/^there is no such table/, "no-table"],
  [/^you do not sit at this table/, "not-seated"], [/^it is not your turn/, "not-your-turn"], [/^that hand is not being played|^the hand is over|^turn \d+ of the hand/, "too-late"],
  [/^you have no chips/, "no-chips"], [/^chips are bought between hands/, "between-hands"], [/^you are leaving/, "leaving"], [/^the sit-and-go has begun/, "begun"],
  [/^you are out/, "out"], [/^you have \d+ tables/, "too-many-tables"], [/^you are playing this hand/, "fair-play"], [/^there is no such hand/, "no-hand"],
  [/^another request has changed/, "again"], [/^the table could not keep that/, "again"],
];

export function inWords(status, detail) {
  if (status === 0) return t("errors.kind.offline");
  if (language === "en") return detail;
  const [, key] = KNOWN.find(([sentence]) => sentence.test(detail)) ?? [];
  if (key) return t(`errors.known.${key}`);
  const kind = status === 429 ? "too-fast" : status >= 500 ? "failed" : has(`errors.kind.${status}`) ? status : "refused";
  return kind === "refused" || status === 422 ? `${t(`errors.kind.${kind}`)} (${detail})` : t(`errors.kind.${kind}`);
}
