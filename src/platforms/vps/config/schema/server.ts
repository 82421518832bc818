import { flag, text, type Wrong } from "../../../../config/schema/value.ts";
import { serverSection } from "./rescue.ts";

/** How a rented server is reached and overwritten. */
export const serverSettings = {
  ssh: serverSection(
    "On vps: SSH login to this server's rescue system; its keys override those of vps.ssh.",
    "Host to log in to. By default the node's address.",
  ).optional(),
  dhcp: flag({
    about: "On vps: whether the server gets its address by DHCP; then it needs neither prefix nor gateway.",
    byDefault: false,
  }).optional(),
  eraseMembers: flag({
    about: "On vps: whether a disk that belongs to a RAID or an LVM volume group may be overwritten.",
    byDefault: false,
  }).optional(),
};

function serverName(value: string): Wrong | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(value)) return undefined;
  return { says: "is not a server name or number", hint: 'write it as the provider shows it, such as web-1 or "1234567"' };
}

/** Keys of a single server. */
export const serverKeys = {
  server: text({
    about: "On vps: the server's name or number at the provider. By default the server that has the node's address.",
    example: "node-1",
    check: serverName,
  }).optional(),
};
