// The posterior in words and numbers: always true of what is shown.

const degrees = (radians) => Math.round((radians * 180) / Math.PI) % 360;
const COUNT = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

const MEANING = {
  uncertainty: ["Uncertainty", "Entropy of the posterior over whole degrees. 0 bits: one turn for certain. 8.5 bits: any of 360."],
  evidence: ["Log evidence", "log p(y | x), averaged over all turns the prior allows, in nats. Higher: some turn explains y better."],
  torus: ["Torus distance", "What is left between x and y if every subspace may turn on its own: their shared invariants differ by this."],
  manifold: ["Manifold distance", "What is left between x and y after the best single turn. 0: y is x, turned."],
  euclid: ["Euclidean distance", "Between x and y as they are, without turning. Never less than the two before it."],
};

function say(self, find) {
  const found = modes(self);
  const list = found.map((mode) => `${degrees(mode.angle)}°`).join(", ");
  const even = found.length > 1 && Math.min(...found.map((m) => m.mass)) > 0.8 / found.length;
  if (isFlat(self)) {
    setText(find("sentence"), "Every turn explains this pair about equally well.");
    const shared = self.sweep.unexplained[row(self)] > 0.6;
    const alone = "The patch is empty, or looks the same however it is turned.";
    setText(find("because"), shared ? "x and y share no weight that tells one turn from another." : alone);
    return;
  }
  let rest = speakers(self);
  const count = COUNT[found.length] ?? found.length;
  if (self.sweep.unexplained[row(self)] > 0.6) {
    const closest = found.length === 1 ? "The one that comes closest is" : `${count} come about as close as any:`;
    setText(find("sentence"), `No turn explains this pair well. ${closest} ${list}.`);
  } else if (found.length === 1) {
    setText(find("sentence"), `One turn explains this pair: ${list}.`);
  } else {
    setText(find("sentence"), `${count} turns explain this pair ${even ? "equally well" : "to some degree"}: ${list}.`);
    const hidden = COUNT[found.length - 1]?.toLowerCase() ?? found.length - 1;
    rest += ` A single best answer would have hidden ${hidden} of them.`;
  }
  setText(find("because"), rest);
}

// Which weights say something: why a square, whose weights are multiples of four, has four answers.
function speakers(self) {
  const { pooled, harmonics } = self.sweep;
  const loud = [];
  for (let k = 1; k <= harmonics; k++) {
    const at = 2 * (row(self) * harmonics + k - 1);
    loud.push([k, Math.hypot(pooled[at], pooled[at + 1])]);
  }
  const total = loud.reduce((sum, [, kappa]) => sum + kappa, 0);
  const heard = loud.filter(([, kappa]) => kappa > 0.04 * total).map(([k]) => k);
  const names = heard.length > 1 ? `${heard.slice(0, -1).join(", ")} and ${heard.at(-1)}` : `${heard[0]}`;
  return !heard.length || heard.length > 4 ? "" : `Only weight${heard.length > 1 ? "s" : ""} ${names} speak${heard.length > 1 ? "" : "s"}.`;
}

// Built once; afterwards only the values change.
function tabulate(self, find) {
  const table = find("numbers");
  if (!table.children.length) {
    for (const [name, [label, meaning]] of Object.entries(MEANING)) {
      const cell = document.createElement("div");
      cell.tabIndex = 0;
      cell.dataset.meaning = meaning;
      cell.setAttribute("aria-description", meaning);
      cell.innerHTML = `<dt>${label}</dt><dd class="${name}"></dd>`;
      table.append(cell);
    }
  }
  const { entropy, evidence, distances } = self.sweep;
  const bits = Math.max(0, (entropy[row(self)] - Math.log(TURN / 360)) / Math.LN2); // surer than one degree is sure
  setText(find("uncertainty"), `${bits.toFixed(1)} of 8.5 bits`);
  setText(find("evidence"), evidence[row(self)].toFixed(1).replace("-", "−"));
  for (const [i, name] of ["torus", "manifold", "euclid"].entries()) {
    setText(find(name), distances[3 * row(self) + i].toFixed(2));
  }
}

// The pictures in words, for those who do not see them. Not drawn with every frame: see `describe` of the stage.
function describe(self, find) {
  const { size, copy, weights, lines } = self.sweep;
  const label = (name, text) => find(name).setAttribute("aria-label", text);
  const turned = copy ? `x turned by ${self.angle}°` : `a picture of its own, turned by ${self.angle}°`;
  label("seen-x", `x as the model sees it, ${size} by ${size} pixels.`);
  label("fine-y", `The patch y: ${turned}.`);
  label("seen-y", `y as the model sees it, ${size} by ${size} pixels.`);
  label("strip-canvas", posteriorInWords(self, find));
  const told = weights.map((weight, j) => subspaceInWords(self, weight, j));
  listOptions(find("circles-canvas"), told, self.selected);
  const j = self.selected;
  const whose = `of subspace ${j + 1}, weight ${weights[j]}`;
  label("filter-a", lines[j] ? `The filter ${whose}.` : `Real part of the filter ${whose}.`);
  label("filter-b", `Imaginary part of the filter ${whose}.`);
  label("arrows-canvas", `x and y as arrows in a plane. ${told[j]}`);
  label("sum-canvas", `Arrows head to tail: ${find("sum-text").textContent}.`);
}

function posteriorInWords(self, find) {
  const where = self.sweep.copy ? "The true turn" : "The turn of y";
  const peaks = modes(self).map((mode) => `${degrees(mode.angle)}° with ${Math.round(100 * mode.mass)} % of the probability`);
  const shape = isFlat(self) ? "nearly flat, no turn stands out" : `peaks at ${peaks.join(", ")}`;
  return `Posterior over the turn s, from 0° to 360°: ${shape}. ${where} is ${self.angle}°. Uncertainty ${find("uncertainty").textContent}.`;
}

function subspaceInWords(self, weight, j) {
  const { mu, sure } = subspace(self, j);
  const says = sure < 0.03 ? "says nothing" : `points to ${(degrees(mu) + 360) % 360}°, certainty ${Math.round(100 * sure)} %`;
  return `Subspace ${j + 1}, weight ${weight}: ${says}.`;
}
