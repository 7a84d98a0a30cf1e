// What the path means for the group, in words: always true of what is shown.

const times = (n) => (n === 0 ? "not at all" : n === 1 ? "once" : n === 2 ? "twice" : `${n} times`);
const neat = (x) => `${Math.round(10 * x) / 10}`;

// Turns of s until the path closes, exactly where they are a fraction.
function duration({ wholeTurns, kernel, period }) {
  if (wholeTurns === null) return `${period.toFixed(3)} turns`;
  if (kernel > 1) return `${wholeTurns}/${kernel} of a turn`;
  return wholeTurns === 1 ? "one turn" : `${wholeTurns} turns`;
}

// The angle that does nothing: exactly, or said to be rounded.
function stepWords({ wholeTurns, kernel, period }) {
  if (wholeTurns === null) return `about ${neat(360 * period)}°`;
  return (3600 * wholeTurns) % kernel ? `${360 * wholeTurns}°/${kernel}` : `${neat(360 * period)}°`;
}

function windingWords({ windings: [p, q] }, start) {
  if (!p || !q) {
    return `${start} winds ${times(p || q)} around one way; the other phase, of weight 0, stands still.`;
  }
  return `${start} winds ${times(p)} around one way while it winds ${times(q)} around the other.`;
}

// [sentence, because, meaning]
function explain(self) {
  const { facts, still, labels, weights } = self;
  if (still) {
    return [
      "Nothing moves: both weights are 0.",
      "The path is a single point, and every turn acts as the identity.",
      "A subspace of weight 0 does not change when the picture turns: an invariant. It tells what the picture is, never how it was turned.",
    ];
  }
  if (!facts.windings) {
    return [
      "The path never closes, and comes as close as one likes to every point of the torus.",
      `The ratio ${labels[0]} : ${labels[1]} is irrational, so no two values of s give the same pair of phases: a representation of the line, not of the circle.`,
      "Its closure is the whole torus, the maximal torus on which both phases are free. Coupling them by one s then rules nothing out: one might as well use the paper's decoupled model.",
    ];
  }
  if (facts.wholeTurns === null) {
    return [
      `The path closes after ${duration(facts)} of s, but no number of whole turns brings it back.`,
      `${windingWords(facts, "Until then it")} It is a circle, but the picture's turns do not fit it.`,
      `A representation of the line that runs around a circle. Only whole weights make R(s + 360°) = R(s), as a turn of the picture must: so the paper asks for integers.`,
    ];
  }
  if (facts.wholeTurns > 1) {
    const after = weights.map((weight) => `${Math.round(360 * fraction(weight))}°`).join(", ");
    return [
      `The path closes after ${duration(facts)} of s, but one whole turn does not bring it back.`,
      `${windingWords(facts, "Until then it")} After one turn the picture is back, and the phases are at (${after}).`,
      "Not a representation of the rotation group, but of its double cover, as for a spin. The paper asks for integers, so that R(s + 360°) = R(s).",
    ];
  }
  if (facts.kernel === 1) {
    return [
      "The path closes after one turn of s, and not before.",
      `${windingWords(facts, "It")} It is a circle inside the torus: a representation of the rotation group in which no two turns act alike.`,
      "Of all pairs of phases only those on this circle are turns of the picture. That is what the coupled model knows, and the maximal torus does not.",
    ];
  }
  const step = stepWords(facts);
  const square = facts.kernel === 4 && Math.max(...weights) === 8 && Math.min(...weights) === 4;
  return [
    `The path closes after ${duration(facts)}: it is run through ${times(facts.kernel)} while s goes round once.`,
    `${windingWords(facts, "Each time it")} Turns by ${step} act as the identity here: the kernel has order ${facts.kernel}.`,
    `These two subspaces cannot tell s from s + ${step}, so every answer of theirs comes ${times(facts.kernel)}. ` +
      (square
        ? "That is why a square, of which only the weights 4 and 8 speak, has four answers."
        : `In a picture with ${facts.kernel}-fold symmetry only such weights speak: multiples of ${facts.kernel}.`),
  ];
}

function say(self, find) {
  const words = explain(self);
  ["sentence", "because", "meaning"].forEach((name, i) => setText(find(name), words[i]));
  const { facts, still, labels } = self;
  setText(find("closes"), still ? "does not move" : facts.windings ? duration(facts) : "never");
  setText(find("winds"), facts.windings ? facts.windings.map((n) => `${n} ×`).join(" and ") : "without end");
  const kernel = still ? "all turns" : facts.windings ? `multiples of ${stepWords(facts)}` : "none but 0";
  setText(find("identity"), kernel);
  const seen = `weights ${labels[0]} and ${labels[1]}. ${words[0]}`;
  find("flat-canvas").setAttribute("aria-label", `The path on the torus cut open to a square, ${seen}`);
  find("torus-canvas").setAttribute("aria-label", `The same path on a torus in space, ${seen} Arrow keys turn the torus.`);
  find("dials-canvas").setAttribute(
    "aria-label",
    `Three circles: the turn s of the picture, and the phases of weights ${labels[0]} and ${labels[1]}, which turn that many times as fast.`,
  );
}

// For every pair of phases the path shown has met one whose faster phase is right and whose slower one is off by this.
function sayGap(self, find) {
  const { facts, still, weights } = self;
  const windings = facts.windings ? Infinity : Math.floor((self.s / TURN) * Math.max(...weights) + 1e-9);
  const gap = facts.gaps.filter(([n]) => n <= windings).at(-1);
  const half = gap && neat(Math.ceil(5 * gap[1] - 1e-6) / 10);
  setText(find("within"), still || !gap ? "–" : facts.windings ? `${half}°` : `${half}° so far`);
}
