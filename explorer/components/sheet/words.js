// How weights, phases and verdicts are said.

const number = (value, digits = 1) => `${Number(value.toFixed(digits))}`.replace("-", "−");
const label = (weight) => (Array.isArray(weight) ? `(${weight.map((w) => number(w)).join(", ")})` : number(weight));
const speed = (weight) => (Array.isArray(weight) ? Math.hypot(...weight) : Math.abs(weight));
const size = (weight) => Math.round(speed(weight)); // as the histogram counts it
const negated = (weight) => (Array.isArray(weight) ? weight.map((w) => -w) : -weight);
const positive = (weight) => ([weight].flat().find((w) => w) < 0 ? negated(weight) : weight);
const remainder = (value, period) => ((value % period) + period) % period;

// What is done to the picture when the plane of this weight is at phase φ = ω·s.
function movement({ rotation, shape }, weight, phi) {
  if (!speed(weight)) return rotation ? "Weight 0: no turn of the picture changes it." : "Weight 0: no shift changes it.";
  const axis = Array.isArray(weight) ? weight.findIndex((w) => w) : 1;
  const rate = [weight].flat().find((w) => w);
  const all = rotation ? 360 : shape[axis];
  const period = all / Math.abs(rate);
  const s = number(remainder((phi * all) / 360 / rate, period));
  const more = Math.abs(rate) > 1 ? ` (or ${number(period)}${rotation ? "°" : ""} more)` : "";
  const how = rotation ? `turned by s = ${s}°` : `shifted by s = ${s} pixels ${axis ? "to the right" : "down"}`;
  return `φ = ω·s: the ${shape[0] > 1 ? "picture" : "signal"} ${how}${more}.`;
}

function verdict({ runner, runnerHeight, frequencies, weights, own, purity }, j) {
  const [weight, sure, next] = [weights[j], purity[j], runnerHeight[j]];
  const how = sure > 0.9 ? "Clearly" : sure > 0.6 ? "Mostly" : "Perhaps";
  const rest = next > 0.005 ? ` The next, weight ${label(frequencies[runner[j]])}, has ${(100 * next).toFixed(1)} %.` : " Nothing else comes near.";
  const both = own[j][0] !== own[j][1] ? " (a real filter shows ± its weight, half each)" : "";
  return `${how} weight ${label(weight)}: ${(100 * sure).toFixed(1)} % of it${both}.${rest}`;
}
