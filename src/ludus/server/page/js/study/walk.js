// Where one is in a solution's tree: views are asked for once and kept.

import { api } from "../api.js";
import { isCard, wordsOf } from "./hands.js";

export class Walk {
  #kept = new Map();

  constructor(id) { this.id = id; }

  #ask(what, line) {
    const key = `${what} ${line}`;
    if (!this.#kept.has(key)) {
      const answer = api.get(`/spots/${this.id}/${what}`, { line });
      answer.catch(() => this.#kept.delete(key)); // another try may do better
      this.#kept.set(key, answer);
    }
    return this.#kept.get(key);
  }

  view(line) { return this.#ask("view", line); }
  runouts(line) { return this.#ask("runouts", line); }

  // Ask for what is likely wanted next; nobody waits for it.
  ahead(line) { this.view(line).catch(() => {}); }
}

export const above = (line) => wordsOf(line).slice(0, -1).join("-");
export const hasCards = (line) => wordsOf(line).some(isCard);
export const anyCard = (line) => wordsOf(line).map((word) => (isCard(word) ? "D" : word)).join("-");
