// Where things lie on the table, in pixels of its box. Place 0 is the bottom centre; the others follow clockwise.

const SHAPE = 2.6; // 2 is an ellipse, more is rounder at the corners

const overlaps = (a, b, gap = 2) =>
  Math.abs(a.x - b.x) * 2 < a.w + b.w + 2 * gap && Math.abs(a.y - b.y) * 2 < a.h + b.h + 2 * gap;

// Points of a rounded oval, starting at the bottom centre, clockwise as one sees it from above.
function oval(cx, cy, a, b, power, points = 720) {
  return Array.from({ length: points }, (_, i) => {
    const angle = Math.PI / 2 + (2 * Math.PI * i) / points, cos = Math.cos(angle), sin = Math.sin(angle);
    return { x: cx + a * Math.sign(cos) * Math.abs(cos) ** (2 / power), y: cy + b * Math.sign(sin) * Math.abs(sin) ** (2 / power) };
  });
}

// Points spread evenly, where a step is measured in widths and heights of a seat.
function spread(points, count, w, h) {
  const steps = points.map((point, i) => {
    const next = points[(i + 1) % points.length];
    return Math.hypot((next.x - point.x) / w, (next.y - point.y) / h);
  });
  const total = steps.reduce((sum, step) => sum + step, 0), places = [];
  let gone = 0;
  for (let i = 0; i < points.length && places.length < count; i++) {
    if (gone >= (places.length * total) / count - 1e-9) places.push(points[i]);
    gone += steps[i];
  }
  return places;
}

// Sizes of the parts by the room there is.
function sizes(width, height, count) {
  const compact = width < 560 || height < 440, tall = compact && width < height * 1.05;
  const between = (low, value, high) => Math.max(low, Math.min(high, value)), crowd = count > 6;
  const card = compact ? between(28, Math.min((width - 172) / 5.1, height / 7.5), 50) : Math.min(96, width / 13, height / 6.4);
  const pod = compact ? { w: crowd ? 78 : 90, h: height < 320 ? 36 : 42 } : { w: between(138, width / 8, 176), h: between(46, height / 12, 62) };
  const small = compact ? between(20, height / 13, crowd ? 27 : 31) : Math.min(64, card * (crowd ? 0.6 : 0.68));
  const own = compact ? between(32, Math.min(width / 6.2, height / 6.5), 66) : Math.min(108, card * 1.18);
  return { tall, compact, card, pod, small, own };
}

export function arrange(count, width, height, holeCards = 2) {
  const size = sizes(width, height, count), { tall, pod, small, own, card } = size;
  const rise = small * 1.22, ownRise = own * 1.3; // how far cards stand out above their seat
  const top = pod.h / 2 + rise + (size.compact ? 4 + 0.2 * small : 0.3 * small), side = pod.w / 2 + (tall ? 3 : 10), bottom = pod.h / 2 + 8;
  const cx = width / 2, a = width / 2 - side, cy = (top + height - bottom) / 2;
  const b = Math.min((height - top - bottom) / 2, a * (size.compact ? 2 : 0.72)); // one shape: never a square
  const seats = spread(oval(cx, cy, a, b, SHAPE), count, pod.w, pod.h + rise);
  const centre = { x: cx, y: Math.min(cy - (tall ? 0.1 : 0.06) * b, cy + b - pod.h / 2 - ownRise - card * 1.6) };
  const boxes = seats.map((seat, i) => {
    const up = i ? rise : ownRise, w = i ? pod.w : Math.max(pod.w, holeCards * own * 1.06);
    return { x: seat.x, y: seat.y - up / 2, w, h: pod.h + up };
  });
  const middle = { x: cx, y: centre.y - 12, w: card * 5.35, h: card * 1.38 + 36 }; // pot and board
  const bets = [];
  seats.forEach((seat, i) => bets.push(betPlace(boxes[i], { x: cx, y: centre.y }, [...boxes, middle, ...bets], size, width)));
  return { ...size, seats, bets, centre, middle: { x: cx, y: cy }, rim: path(oval(cx, cy, a, b, SHAPE, 120)) };
}

// In front of a seat: just beyond its edge on the way to the middle, or as near to that as nothing else lies.
function betPlace(box, centre, taken, size, width) {
  const w = size.compact ? 44 : 78, h = size.compact ? 24 : 30, far = Math.hypot(centre.x - box.x, centre.y - box.y) || 1;
  const to = { x: (centre.x - box.x) / far, y: (centre.y - box.y) / far };
  const put = (along, aside) => ({ x: box.x + to.x * along - to.y * aside, y: box.y + to.y * along + to.x * aside, w, h });
  let edge = 0, best = null;
  while (edge < far && overlaps(put(edge, 0), box, 4)) edge += 2;
  for (let along = 0; along < far; along += 4) {
    for (let aside = -120; aside <= 120; aside += 4) {
      const place = put(along, aside), cost = Math.hypot(along - edge, aside);
      if ((best && cost >= best.cost) || place.x < w / 2 || place.x > width - w / 2) continue;
      if (!taken.some((other) => overlaps(place, other))) best = { ...place, cost };
    }
  }
  return best ?? put(edge, 0);
}

const path = (points) => `M${points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}Z`;
