import { flag, text, type Wrong } from "../../../../config/schema/value.ts";
import { serverSection } from "./rescue.ts";

/** How a rented server is reached and overwritten. */
export const serverSettings = {
  ssh: serverSection(
    "On vps: how to log in to this server's rescue system, where it differs from vps.ssh.",
    "Where it is logged in to. By default the node's address.",
  ).optional(),
  dhcp: flag({
    about: "On vps: whether its network tells the server its address; then it needs neither prefix nor gateway.",
    byDefault: false,
  }).optional(),
  eraseMembers: flag({
    about: "On vps: whether a disk may be overwritten that belongs to a RAID or to an LVM group.",
    byDefault: false,
  }).optional(),
};

function serverName(value: string): Wrong | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(value)) return undefined;
  return { says: "is no name or number of a server", hint: 'write it as the provider shows it, such as web-1 or "1234567"' };
}

/** What only one server can have. */
export const serverKeys = {
  server: text({
    about: "On vps: what the provider calls the server, its name or number. By default the one that has its address.",
    example: "node-1",
    check: serverName,
  }).optional(),
};
