import { text } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";

/** Names of hosts, storages and bridges in Proxmox. */

const HOST = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;
const STORAGE = /^[a-zA-Z][a-zA-Z0-9._-]*[a-zA-Z0-9]$/;
const BRIDGE = /^[a-zA-Z][a-zA-Z0-9_.-]{0,14}$/;

export const host = (about: string) =>
  text({
    about,
    example: "pve1",
    pattern: HOST,
    check: words.named(HOST, "a Proxmox host", "pve1, as the Proxmox UI shows it in its tree"),
  });
export const storage = (about: string, byDefault?: string) =>
  text({
    about,
    example: "local-lvm",
    pattern: STORAGE,
    check: words.named(STORAGE, "a Proxmox storage", "local-lvm"),
    ...(byDefault !== undefined && { byDefault }),
  });
export const bridge = (about: string, byDefault?: string) =>
  text({
    about,
    example: "vmbr0",
    pattern: BRIDGE,
    check: words.named(BRIDGE, "a bridge", "vmbr0"),
    ...(byDefault !== undefined && { byDefault }),
  });
