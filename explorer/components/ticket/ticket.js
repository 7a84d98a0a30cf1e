// The storage of a tab outlives a reload; a session of Streamlit does not. Here the tab keeps the ticket with which Python
// finds the models of its visitor again: after a reload, and after the server was lost, as another may have taken over.

import { instance } from "../../../tsa/stage/browser/shared/mount.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */

const KEY = "tsa-models"; // in the storage of this tab

/** @param {Mount} mount */
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, () => {
    // Values of controls that a server has not drawn are left out: it draws the page now, before the next gesture.
    const back = () => {
      self.reported = "none";
      self.setStateValue("before", stored());
    };
    window.addEventListener("tsa-reconnected", back);
    return { reported: "none", setStateValue, leave: () => window.removeEventListener("tsa-reconnected", back) };
  });
  self.setStateValue = setStateValue;
  if (data.ticket) store(data.ticket);
  else if (stored() !== self.reported && (stored() || data.asks)) {
    self.reported = stored();
    setStateValue("before", self.reported);
  }
  return self.leave;
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
