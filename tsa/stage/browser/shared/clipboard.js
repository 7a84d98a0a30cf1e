// Copying text.

import { setText } from "./text.js";

/** @import { Find } from "./mount.js" */

/**
 * Copy to the clipboard, which only secure pages have; elsewhere by selecting the text in a field.
 * @param {string} text
 */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => copyFromField(text));
  copyFromField(text);
}

/** @param {string} text */
function copyFromField(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/**
 * Let the button `link` copy the address of the page, once it has the angle that is on screen.
 * @param {Find} find
 * @param {() => number} commit sends the angle to Python, and returns it
 */
export function copyAddress(find, commit) {
  const link = find("link");
  link.onclick = async () => {
    const angle = commit();
    for (let tries = 0; tries < 20; tries++) {
      if (Number(new URLSearchParams(window.location.search).get("angle") ?? 30) === angle) break;
      await new Promise((done) => setTimeout(done, 100));
    }
    await copy(window.location.href);
    link.textContent = link.dataset.copied;
    setText(find("spoken"), link.dataset.spoken);
    setTimeout(() => (link.textContent = link.dataset.label), 1500);
  };
}
