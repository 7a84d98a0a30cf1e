// Templates, whose {names} are filled in.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fill } from "../../tsa/stage/browser/shared/text.js";

test("every name is replaced, as often as it occurs", () => {
  assert.equal(fill("{n} of {all}: {n} %", { n: 3, all: "ten" }), "3 of ten: 3 %");
});

test("values are not templates", () => {
  assert.equal(fill("{a}{b}", { a: "{b}", b: "$&" }), "{b}$&");
});

test("a text without names stays", () => {
  assert.equal(fill("φ = ω·s {}", {}), "φ = ω·s {}");
});
