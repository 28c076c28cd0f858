/** How an army dies: one canvas over the board, without pointer events, that lives only while something falls. */

import { UNIT, viewBox } from './field.js';

/** @typedef {{x: number, y: number, vx: number, vy: number, size: number, turn: number, spin: number, life: number}} Shard */
/** @typedef {{gravity: number, speed: number, rise: number, life: number, count: number, draw: (context: CanvasRenderingContext2D, shard: Shard, size: number) => void}} Death */

/** @type {Record<string, Death>} */
const DEATHS = {
  // Bones break and drop.
  bone: {
    gravity: 520,
    speed: 90,
    rise: 70,
    life: 900,
    count: 9,
    draw(context, { size: s }) {
      context.lineCap = 'round';
      context.lineWidth = s * 0.35;
      context.beginPath();
      context.moveTo(-s, 0);
      context.lineTo(s, 0);
      context.stroke();
      context.beginPath();
      context.arc(-s, 0, s * 0.32, 0, 7);
      context.arc(s, 0, s * 0.32, 0, 7);
      context.fill();
    },
  },
  // The furnace bursts: square sparks.
  iron: {
    gravity: 320,
    speed: 210,
    rise: 60,
    life: 700,
    count: 12,
    draw(context, { size: s }) {
      context.fillRect(-s * 0.4, -s * 0.4, s * 0.8, s * 0.8);
    },
  },
  // The captured spirit gets away, upwards.
  idol: {
    gravity: -130,
    speed: 40,
    rise: 60,
    life: 1200,
    count: 8,
    draw(context, { size: s }) {
      context.beginPath();
      context.moveTo(0, -s * 1.4);
      context.quadraticCurveTo(s, 0, 0, s * 0.8);
      context.quadraticCurveTo(-s, 0, 0, -s * 1.4);
      context.fill();
    },
  },
  // Traces are cut: short lines that slide apart sideways.
  circuit: {
    gravity: 0,
    speed: 260,
    rise: 0,
    life: 520,
    count: 10,
    draw(context, { size: s }) {
      context.fillRect(-s * 1.6, -s * 0.12, s * 3.2, s * 0.24);
    },
  },
};

/**
 * @param {import('./board.js').Board} board
 * @param {string[]} squares
 * @param {string} tint
 */
export function deathShow(board, squares, tint) {
  const death = DEATHS[tint];
  const host = board.root.parentElement;
  if (!death || !host || squares.length === 0) return;
  const box = viewBox(board.shape, board.props.view);
  const bounds = board.root.getBoundingClientRect();
  const scale = bounds.width / box.width;
  const canvas = document.createElement('canvas');
  canvas.className = 'death';
  canvas.setAttribute('aria-hidden', 'true');
  canvas.width = bounds.width * devicePixelRatio;
  canvas.height = bounds.height * devicePixelRatio;
  const context = canvas.getContext('2d');
  if (!context) return;
  host.append(canvas);
  const color = getComputedStyle(document.documentElement).getPropertyValue(`--${tint}`);
  const shards = squares.flatMap((square) => shatter(death, board.corner(square), tint === 'circuit'));
  const began = performance.now();
  let last = began;
  const frame = (/** @type {number} */ now) => {
    const step = Math.min(0.05, Math.max(0, (now - last) / 1000));
    last = now;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    let alive = false;
    for (const shard of shards) {
      const left = 1 - (now - began) / shard.life;
      if (left <= 0) continue;
      alive = true;
      shard.vy += death.gravity * step;
      shard.x += shard.vx * step;
      shard.y += shard.vy * step;
      shard.turn += shard.spin * step;
      context.setTransform(
        scale * devicePixelRatio,
        0,
        0,
        scale * devicePixelRatio,
        (shard.x - box.x) * scale * devicePixelRatio,
        (shard.y - box.y) * scale * devicePixelRatio,
      );
      context.rotate(shard.turn);
      context.globalAlpha = Math.min(1, left * 1.6);
      context.fillStyle = color;
      context.strokeStyle = color;
      death.draw(context, shard, shard.size);
    }
    if (alive && document.visibilityState === 'visible') requestAnimationFrame(frame);
    else canvas.remove();
  };
  requestAnimationFrame(frame);
}

/** @param {Death} death @param {{x: number, y: number}} corner @param {boolean} flat @returns {Shard[]} */
function shatter(death, corner, flat) {
  return Array.from({ length: death.count }, () => {
    const angle = Math.random() * Math.PI * 2;
    const force = death.speed * (0.3 + Math.random() * 0.7);
    return {
      x: corner.x + UNIT * (0.25 + Math.random() * 0.5),
      y: corner.y + UNIT * (0.2 + Math.random() * 0.6),
      vx: Math.cos(angle) * force,
      vy: flat ? 0 : Math.sin(angle) * force * 0.6 - death.rise,
      size: 5 + Math.random() * 8,
      turn: flat ? 0 : angle,
      spin: flat ? 0 : (Math.random() - 0.5) * 8,
      life: death.life * (0.5 + Math.random() * 0.5),
    };
  });
}
