import { hasCode, isTransient, messageOf } from "@talosmith/lib/errors.ts";
import { readContext, type Session } from "../../../engine/context.ts";
import { waitUntil } from "../../../engine/until.ts";
import { BACK_WITHIN_MS } from "./restart.ts";
import type { Root } from "./root.ts";

/**
 * Opens root's shells and waits for offline hosts that may be rebooted: an interrupted run may have rebooted them. A host that stays offline is
 * reported by the steps that need it.
 */
export async function rootOnceBack(session: Session, mayReboot: readonly string[], open: () => Promise<Root>): Promise<Root> {
  if (mayReboot.length === 0) return open();
  let found: Root | undefined;
  const condition = {
    name: `Proxmox shows ${mayReboot.join(" and ")} as online`,
    timeoutMs: BACK_WITHIN_MS,
    poll: async () => {
      try {
        const root = await open();
        const off = root.members.filter(({ name, online }) => !online && mayReboot.includes(name)).map(({ name }) => name);
        if (off.length === 0) {
          found = root;
          return true;
        }
        root.close();
        return { reason: `${off.join(", ")} ${off.length === 1 ? "is" : "are"} off` };
      } catch (error) {
        if (!isTransient(error)) throw error;
        return { reason: messageOf(error) };
      }
    },
  };
  const tell = (reason: string) =>
    session.bus.emit({ type: "notice", level: "info", message: `${reason}, perhaps for a reboot: waiting` });
  try {
    await waitUntil(condition, readContext(session, "host/online", new Map(), new Map()), tell);
  } catch (error) {
    if (!hasCode(error, "TIMEOUT")) throw error;
  }
  return found ?? open();
}
