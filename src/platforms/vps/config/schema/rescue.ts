import { host, login } from "../../../../config/schema/ssh.ts";
import { section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";

/** The value of `hostKey` that trusts the first key that a server presents. */
export const FIRST = "first";

function hostKeyOrFirst(value: string): Wrong | undefined {
  const wrong = value === FIRST ? undefined : words.hostKey(value);
  return wrong && { ...wrong, hint: `${wrong.hint}\nor write first, to trust whichever key the server presents` };
}

const rescueLogin = {
  ...login,
  hostKey: text({
    about:
      "Host key of the rescue system: its SHA256 fingerprint or the full public key; or first for a rescue system with a new key at every start, to trust whichever key it presents. By default the one in ~/.ssh/known_hosts.",
    example: '"SHA256:…"',
    check: hostKeyOrFirst,
  }).optional(),
};

/** How to log in to rescue systems, in general and to one of them. */
export const rescueSection = (about: string) => section(about, rescueLogin);
export const serverSection = (about: string, hostAbout: string) => section(about, { host: host(hostAbout), ...rescueLogin });
