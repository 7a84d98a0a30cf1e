// Hue is angle. That the wheel equals Python's is checked in tests/stage/test_join.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TURN, WHEEL, hue } from "../../tsa/stage/browser/shared/colour.js";

test("an angle has the colour of its whole degree, however often it goes round", () => {
  const [r, g, b] = WHEEL[90];
  for (const turns of [-2, -1, 0, 3]) assert.equal(hue(TURN / 4 + turns * TURN, 0.5), `rgba(${r},${g},${b},0.5)`);
  assert.equal(hue(-1e-9), hue(0));
  assert.equal(hue(TURN * (359.6 / 360)), hue(0));
});

test("colours are bytes, and differ all around", () => {
  assert.ok(WHEEL.flat().every((value) => Number.isInteger(value) && value >= 0 && value <= 255));
  assert.equal(new Set(WHEEL.map(String)).size, 360);
});
