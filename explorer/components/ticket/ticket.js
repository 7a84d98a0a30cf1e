// The storage of a tab outlives a reload; a session of Streamlit does not. Here the tab keeps the ticket with which Python
// finds the models of its visitor again.

import { instance } from "../../../tsa/stage/browser/shared/mount.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */

const KEY = "tsa-models"; // in the storage of this tab

/** @param {Mount} mount */
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, () => ({ reported: "none" }));
  if (data.ticket) return store(data.ticket);
  const before = stored();
  if (before === self.reported || (!before && !data.asks)) return;
  self.reported = before;
  setStateValue("before", before);
}

function stored() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

/** @param {string} ticket */
function store(ticket) {
  try {
    sessionStorage.setItem(KEY, ticket);
  } catch {}
}
