// The public JSON API, as any program uses it. Errors carry the server's sentence, or what it means in the reader's language.

import { inWords } from "./errors.js";

export class ApiError extends Error {
  constructor(status, detail) {
    super(inWords(status, typeof detail === "string" ? detail : JSON.stringify(detail)));
    this.status = status;
  }
}

const TRIES = 3, PATIENCE = 5; // of what changes nothing, when the server is busy for a moment or cannot be reached; seconds to wait at most
const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function answerTo(path, options, tries = options.method === "GET" ? TRIES : 1) {
  let answer = null;
  try { answer = await fetch(path, options); } catch (error) { if (tries === 1) throw new ApiError(0, error.message); }
  const wait = answer ? Number(answer.headers.get("Retry-After") ?? 0) : 1;
  if (tries === 1 || (answer && (![429, 502, 503].includes(answer.status) || wait > PATIENCE))) return answer;
  await pause(wait || 1);
  return answerTo(path, options, tries - 1);
}

async function call(method, path, body) {
  const options = { method, headers: {}, credentials: "same-origin" };
  if (body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await answerTo(`/api${path}`, options);
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => null);
  if (!answer.ok) throw new ApiError(answer.status, data?.detail ?? answer.statusText);
  return data;
}

export const api = {
  get: (path, query) => call("GET", query ? `${path}?${new URLSearchParams(query)}` : path),
  post: (path, body = {}) => call("POST", path, body),
  put: (path, body) => call("PUT", path, body),
  patch: (path, body) => call("PATCH", path, body),
  delete: (path) => call("DELETE", path),
};

// A socket that comes back by itself. on: {message(data), open(), lost()}. Returns {send(data), close()};
// what is sent while it connects goes off as soon as it has.
export function connect(path, on) {
  let socket, timer, wait = 300, ended = false;
  const early = [];
  const open = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api${path}`);
    socket.onopen = () => { wait = 300; on.open?.(); for (const text of early.splice(0)) socket.send(text); };
    socket.onmessage = (event) => on.message(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (ended) return;
      on.lost?.(event);
      if (event.code >= 4000 && event.code < 4500) return; // refused for good
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 1.7, 8000);
    };
  };
  open();
  return {
    send(data) {
      if (socket.readyState === WebSocket.CONNECTING) early.push(JSON.stringify(data));
      else if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(data));
      else return false;
      return true;
    },
    close() { ended = true; clearTimeout(timer); socket.close(); },
  };
}
