// SHA-256 (FIPS 180-4) of a text, as hex. The browser's own is missing on pages served without TLS.

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32) >>> 0; // the first 32 bits of the fractional part
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const turn = (x, by) => (x >>> by) | (x << (32 - by));

function padded(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64, block = new DataView(new ArrayBuffer(length));
  bytes.forEach((byte, at) => block.setUint8(at, byte));
  block.setUint8(bytes.length, 0x80);
  block.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  block.setUint32(length - 4, (bytes.length * 8) >>> 0);
  return block;
}

function digestBlock(state, block, at) {
  const words = new Uint32Array(64);
  for (let i = 0; i < 16; i++) words[i] = block.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15], late = words[i - 2];
    const low = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3), high = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]) >>> 0);
}

export function sha256(text) {
  const block = padded(new TextEncoder().encode(text));
  let state = START;
  for (let at = 0; at < block.byteLength; at += 64) state = digestBlock(state, block, at);
  return state.map((word) => word.toString(16).padStart(8, "0")).join("");
}
