import { text, type Wrong } from "../../../../config/schema/value.ts";

/** The user may hold nearly anything, realm and token name are plain words (docs/facts/proxmox.md#authentication). */
export const TOKEN = /^([^\s:/@!=]+@[A-Za-z][A-Za-z0-9._-]+)![A-Za-z][A-Za-z0-9._-]*=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function apiToken(value: string): Wrong | undefined {
  if (TOKEN.test(value)) return undefined;
  return {
    says: "is not an API token",
    hint: "a token looks like user@realm!name=01234567-89ab-cdef-0123-456789abcdef; Proxmox shows it only once, when the token is created",
  };
}

/** The token of a driver. Anyone with access to the cluster can read it, so it must not be the one that creates machines. */
export const driverToken = text({
  about: `API token of a separate Proxmox user, user@realm!name=secret. Prefer a reference (\${env:NAME} or \${file:PATH}) to the token itself.`,
  example: `\${env:CSI_TOKEN}`,
  check: apiToken,
});
