// Reads packed votes at the angle of the dial.

/** @import { Recognise } from "./recognise.js" */

/**
 * Texts, in Python's words. Lists without a remark have an entry for each distance.
 * @typedef {object} VotesWords
 * @property {string[]} sentences
 * @property {string} reason
 * @property {string} legend
 * @property {string} strip alternative text of the votes at all angles
 * @property {string[]} shares of the angles with the right answer
 * @property {[wrong: string, right: string]} marks beside an answer
 * @property {string[]} titles
 * @property {string[]} meanings
 * @property {Record<string, string>} templates
 */

/**
 * What `pack_votes` of recognise/__init__.py sends: D distances, T angles, k neighbours.
 * @typedef {object} Votes
 * @property {string[]} names of the distances
 * @property {("none" | "tangent" | "posterior")[]} alignments how the neighbours of each distance are turned
 * @property {number | null} only angle in degrees, if there are votes at one angle only
 * @property {number} steps T
 * @property {number} k
 * @property {number} side pixels of the digit
 * @property {number} imageSide pixels of a neighbour
 * @property {number} digit the label, or the most frequent answer of manifold distance
 * @property {VotesWords} words
 * @property {Uint8Array} picture
 * @property {Uint8Array} images of the neighbours
 * @property {Uint8Array} labels of the neighbours
 * @property {Uint16Array} degrees by which the images of the neighbours are stored turned
 * @property {Uint16Array} neighbours (D, T, k)
 * @property {Float32Array} turns degrees that align a neighbour, (D, T, k)
 * @property {Uint8Array} counts votes for each digit, (D, T, 10)
 * @property {Uint8Array} winners (D, T)
 * @property {Uint16Array} sentence place in `words.sentences`, (T,)
 */

/**
 * Index of the searched angle that is nearest to the dial.
 * @param {Recognise} self
 */
export const nearestTurn = ({ votes, angle }) => Math.round((angle * votes.steps) / 360) % votes.steps;

/**
 * That angle in degrees.
 * @param {Recognise} self
 */
export const lookedAt = (self) => self.votes.only ?? (nearestTurn(self) * 360) / self.votes.steps;

/** @type {(self: Recognise, distance: number) => number} */
const rowOf = (self, distance) => distance * self.votes.steps + nearestTurn(self);

/** @type {(self: Recognise, distance: number) => number} */
export const winnerOf = (self, distance) => self.votes.winners[rowOf(self, distance)];

/** @type {(self: Recognise, distance: number, digit: number) => number} */
export const votesFor = (self, distance, digit) => self.votes.counts[10 * rowOf(self, distance) + digit];

/**
 * The k neighbours, nearest first.
 * @param {Recognise} self
 * @param {number} distance
 */
export function* neighboursOf(self, distance) {
  const { k, neighbours, turns, labels, degrees } = self.votes;
  for (let i = 0; i < k; i++) {
    const place = rowOf(self, distance) * k + i;
    const which = neighbours[place];
    yield { which, label: labels[which], lies: degrees[which], turn: turns[place] };
  }
}
