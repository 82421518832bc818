import * as z from "zod";
import { sshSection } from "../../../../config/schema/ssh.ts";
import { checked, leaves, list, section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";
import { pool } from "./machine.ts";
import { bridge, host, storage } from "./names.ts";
import { apiToken } from "./token.ts";

export const FINGERPRINT = /^([0-9a-fA-F]{2}:){31}[0-9a-fA-F]{2}$/;
/** The user may hold nearly anything, the realm is a plain word (docs/facts/proxmox.md#authentication). */
const USER = /^[^\s:/@!=]+@[A-Za-z][A-Za-z0-9._-]+$/;

const pinned = checked(
  section("Check of Proxmox's TLS certificate.", {
    fingerprint: text({
      about: "SHA-256 fingerprint of Proxmox's certificate.",
      example: '"AA:BB:CC:…"',
      pattern: FINGERPRINT,
      check: (value) =>
        FINGERPRINT.test(value)
          ? undefined
          : { says: "is not a SHA-256 fingerprint", hint: "write 32 pairs of hexadecimal digits joined by colons, in quotes" },
    }).optional(),
    ca: text({
      about: "File with the CA certificate that signed Proxmox's certificate.",
      example: "pve-root-ca.pem",
    }).optional(),
  }),
  ({ fingerprint, ca }): Wrong | undefined =>
    (fingerprint === undefined) === (ca === undefined)
      ? { says: "must have either fingerprint or ca", hint: "keep exactly one of the two" }
      : undefined,
);

export const proxmox = section("The Proxmox cluster or host to create machines on.", {
  url: text({ about: "URL of the Proxmox API, with the port.", example: "https://192.168.122.70:8006", check: apiUrl }),
  tls: z
    .union([z.literal("system"), pinned])
    .meta({
      description:
        "How to verify Proxmox's TLS certificate: { fingerprint }, { ca }, or system for the CAs that this computer trusts.",
    })
    .register(leaves, {
      example: '{ fingerprint: "AA:BB:CC:…" }',
      typeHint: 'write { fingerprint: "AA:BB:…" }, { ca: FILE } or system',
    }),
  token: text({
    about: `API token, user@realm!name=secret. Prefer a reference (\${env:NAME} or \${file:PATH}) to the token itself.`,
    example: `\${env:PROXMOX_TOKEN}`,
    check: apiToken,
  }).optional(),
  user: text({
    about: "Instead of token: user@realm for a login with password. Raw devices, affinity and hugepages need root@pam.",
    example: "root@pam",
    pattern: USER,
    check: (value) =>
      USER.test(value) ? undefined : { says: "is not a user with a realm", hint: "write both, such as root@pam or me@pve" },
  }).optional(),
  password: text({
    about: `Password of user. Prefer a reference (\${env:NAME} or \${file:PATH}) to the password itself.`,
    example: `\${env:PROXMOX_PASSWORD}`,
    check: (value) => (value === "" ? { says: "is empty", hint: "write the user's password" } : undefined),
  }).optional(),
  hosts: list(host("A host of the cluster, by its Proxmox name."), {
    about: "Proxmox hosts to use. Nodes are spread over them, unless a node sets host.",
    example: "[pve1, pve2]",
    check: (items) =>
      items.length === 0 ? { says: "is empty", hint: "name at least one host, such as [pve1]" } : words.noneTwice(items),
  }).optional(),
  host: host("The only host to use: short for hosts with one item.").optional(),
  storage: section("Proxmox storages.", {
    disks: storage("Storage for the machines' disks.", "local-lvm").optional(),
    images: storage("Storage for the Talos image; its content must include import.", "local").optional(),
  }).optional(),
  bridge: bridge("Bridge or virtual network of the machines.", "vmbr0").optional(),
  pool: pool("Resource pool of the machines."),
  ssh: sshSection(
    "SSH login as root on the hosts, for talosmith host prepare.",
    "Host to log in to. By default the one in proxmox.url.",
  ).optional(),
});

export function apiUrl(value: string): Wrong | undefined {
  const hint = "write scheme, host and port, such as https://192.168.122.70:8006";
  if (!URL.canParse(value)) return { says: "is not a web address", hint };
  const url = new URL(value);
  if (url.username !== "" || url.password !== "")
    return { says: "must not contain a user or password", hint: "the token goes into proxmox.token" };
  if (url.protocol !== "https:") return { says: "must begin with https://", hint };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return { says: "must end after the port", hint: `write ${url.origin}` };
  return undefined;
}
