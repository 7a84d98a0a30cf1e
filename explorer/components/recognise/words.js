// The distances and the votes in words: always true of what is shown.

const DISTANCE = {
  ED: ["Euclidean", "Pixel by pixel, where they are: a turned digit is far from itself. Neighbours are shown as they lie."],
  TD: ["Tangent", "Both pictures may move along their tangents: right for small turns only. Neighbours are shown turned by what it found."],
  "√κ̂": ["Torus √κ̂", "Sizes of the coordinates in all subspaces, every phase free: turning changes nothing, and phases are forgotten. Neighbours are shown at their most probable turn."],
  MD: ["Manifold", "What is left after the best single turn. Neighbours are shown turned by it, the most probable angle given the pair."],
  bispectrum: ["Bispectrum", "Euclidean distance of a complete invariant: sizes, and phases tied to each other. Neighbours are shown at their most probable turn."],
};

const percent = (share) => `${share > 0 && share < 0.01 ? "< 1" : Math.floor(100 * share + 1e-9)} %`;
const often = (n) => (n === 2 ? "twice" : `${n} times`);

function opinion(self, name) {
  const { names, changes } = self.votes;
  const distance = names.indexOf(name);
  const says = `${DISTANCE[name][0]} distance says ${winnerOf(self, distance)}`;
  if (!changes[distance]) return `${says} at every angle`;
  return `${says} at ${lookedAt(self)}° and changes its mind ${often(changes[distance])} in a full turn`;
}

function say(self, find) {
  const { names, steps, known, digit, right } = self.votes;
  const [euclid, manifold] = [names.indexOf("ED"), names.indexOf("MD")];
  const [theirs, ours] = [percent(right[euclid]), percent(right[manifold])];
  setText(find("legend-right"), known ? `right: ${digit}` : `${digit}, as manifold distance says`);
  setText(find("angle"), `${self.angle}°`);
  if (steps === 1) {
    const [one, other] = [winnerOf(self, euclid), winnerOf(self, manifold)];
    setText(find("sentence"), `At ${lookedAt(self)}° Euclidean distance says ${one}, manifold distance ${other}.`);
    setText(find("because"), "Let go to hear about all angles.");
    return;
  }
  const rest = opinion(self, "MD");
  setText(find("sentence"), `${opinion(self, "ED")}; ${rest[0].toLowerCase()}${rest.slice(1)}.`);
  setText(
    find("because"),
    known
      ? `It is a ${digit}. Of the ${steps} angles looked at, Euclidean distance is right at ${theirs}, manifold distance at ${ours}.`
      : `Nobody has said what it is; we take what manifold distance says most often, ${digit}. Euclidean distance agrees at ${theirs} of the ${steps} angles looked at.`,
  );
}

function describeRow(self, { near, bars, row }, title, distance) {
  const found = [...neighboursOf(self, distance)];
  const counts = Array.from({ length: 10 }, (_, d) => [d, votesFor(self, distance, d)]).filter(([, n]) => n);
  near.setAttribute("aria-label", `Nearest under ${title} distance: ${found.map(({ label }) => label).join(", ")}.`);
  bars.setAttribute("aria-label", `Votes: ${counts.map(([d, n]) => `${n} for ${d}`).join(", ")}.`);
  row.dataset.winner = winnerOf(self, distance);
}

function describeRound(self, canvas) {
  const { names, changes, right, known, digit, steps } = self.votes;
  if (steps === 1) return canvas.setAttribute("aria-label", "The votes at all angles, known when you let go.");
  const each = names.map((name, i) => {
    const verb = known ? "right" : `says ${digit}`;
    return `${DISTANCE[name][0]}: ${verb} at ${percent(right[i])}, changes ${changes[i] ? often(changes[i]) : "never"}`;
  });
  canvas.setAttribute("aria-label", `The vote at ${steps} angles. ${each.join(". ")}.`);
}
