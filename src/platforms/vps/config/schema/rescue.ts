import { host, login } from "../../../../config/schema/ssh.ts";
import { section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";

/** What stands for whichever key a server shows first. */
export const FIRST = "first";

function hostKeyOrFirst(value: string): Wrong | undefined {
  const wrong = value === FIRST ? undefined : words.hostKey(value);
  return wrong && { ...wrong, hint: `${wrong.hint}\nor write first: then whichever key the server shows is believed` };
}

const rescueLogin = {
  ...login,
  hostKey: text({
    about:
      "Key of the rescue system: its SHA256 fingerprint, or the public key in full; or first, when it makes a new one at every start: then whoever answers is believed. By default what ~/.ssh/known_hosts says.",
    example: '"SHA256:…"',
    check: hostKeyOrFirst,
  }).optional(),
};

/** How to log in to rescue systems, in general and to one of them. */
export const rescueSection = (about: string) => section(about, rescueLogin);
export const serverSection = (about: string, hostAbout: string) => section(about, { host: host(hostAbout), ...rescueLogin });
