// The motion page in the explorer. While a hand drags, answers come over the live line; what was set is sent to Python when
// the hand lets go.

import { follow } from "../../../tsa/stage/browser/shared/follower.js";
import { unpack } from "../../../tsa/stage/browser/shared/unpack.js";
import { motionView } from "../../../tsa/stage/browser/motion/view.js";
import { mailbox } from "../shared/mailbox.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { MotionView } from "../../../tsa/stage/browser/motion/view.js" */
/** @import { Mailbox } from "../shared/mailbox.js" */

/** @typedef {MotionView & { box: Mailbox, listeners: Record<string, (event: any) => void> }} MotionPage */

/** @param {Mount} mount */
export default function (mount) {
  const self = follow(mount, create);
  const { session, obey } = self.follower.header;
  self.box.receive({ patch: "motion", session, obey, acknowledged: Infinity }, () => self.follower.send({}));
  for (const [name, listener] of Object.entries(self.listeners)) window.addEventListener(name, listener);
  self.find("sizes").hidden = !self.follower.header.sized;
  return () => {
    self.stop();
    self.box.close();
    for (const [name, listener] of Object.entries(self.listeners)) window.removeEventListener(name, listener);
  };
}

/** @param {ParentNode} root */
function create(root) {
  const view = motionView(root, (shown, done) => {
    if (done) shown.follower.send(shown.fields);
    else self.box.report(false);
  });
  const self = /** @type {MotionPage} */ (view);
  self.box = mailbox(view.find("world"), () => ({ ...view.fields }), true);
  self.listeners = {
    "tsa-stage": ({ detail: { revision, sequence, bytes } }) => {
      if (view.follower.offer(revision, sequence, unpack(bytes))) view.drawSoon();
    },
    "tsa-show": (event) => {
      const { revision, sequence, bytes } = event.detail;
      if (!view.follower.offer(revision, sequence, unpack(bytes))) return;
      view.drawSoon();
      event.preventDefault(); // says that it is shown
    },
  };
  return self;
}
