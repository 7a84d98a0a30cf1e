// Hue is angle, in every picture.

export const TURN = 2 * Math.PI;

/** The colours of the whole degrees as sRGB bytes: OKLCH with lightness 0.7 and chroma 0.13 all around. */
export const WHEEL = Array.from({ length: 360 }, (_, d) => {
  const [a, b] = [0.13 * Math.cos(((d + 15) * Math.PI) / 180), 0.13 * Math.sin(((d + 15) * Math.PI) / 180)];
  const [l, m, s] = [
    0.7 + 0.3963377774 * a + 0.2158037573 * b,
    0.7 - 0.1055613458 * a - 0.0638541728 * b,
    0.7 - 0.0894841775 * a - 1.291485548 * b,
  ].map((v) => v ** 3);
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((v) => Math.round(255 * Math.min(1, Math.max(0, v > 0.0031308 ? 1.055 * v ** (1 / 2.4) - 0.055 : 12.92 * v))));
});

/**
 * The colour of an angle.
 * @param {number} radians
 */
export function hue(radians, alpha = 1) {
  const [r, g, b] = WHEEL[((Math.round((radians * 180) / Math.PI) % 360) + 360) % 360];
  return `rgba(${r},${g},${b},${alpha})`;
}

/**
 * A gradient with the hues of the angles (radians) along it.
 * @param {CanvasGradient} gradient
 * @param {(share: number) => number} angleAt angle at a share of the gradient's length
 */
export function withStops(gradient, angleAt, alpha = 1) {
  for (let i = 0; i <= 36; i++) gradient.addColorStop(i / 36, hue(angleAt(i / 36), alpha));
  return gradient;
}
