// Three doors; they are plain links.

import { finder } from "../../../../tsa/stage/browser/shared/mount.js";

/** @import { Mount } from "../../../../tsa/stage/browser/shared/mount.js" */

/** @param {Mount} mount */
export default function ({ data, parentElement }) {
  const find = finder(parentElement);
  find("count").textContent = `${data.lessons}`;
  find("home").dataset.drawn = "true";
}
