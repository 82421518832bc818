import * as ip from "./ip-words.ts";
import { section, text, whole } from "./value.ts";
import * as words from "./words.ts";

/** Port, user and key of a login. */
export const login = {
  port: whole({ about: "Port of the SSH server.", example: "22", from: 1, to: 65_535, byDefault: 22 }).optional(),
  user: text({
    about: "User name for the login.",
    example: "root",
    byDefault: "root",
    pattern: words.LOGIN,
    check: words.login,
  }).optional(),
  key: text({
    about: `File with the private key, or \${env:NAME} or \${file:PATH} with the key itself. By default the SSH agent's keys, then the usual files in ~/.ssh.`,
    example: "~/.ssh/id_ed25519",
  }).optional(),
};

export const host = (about: string) => text({ about, example: "192.168.122.70", check: ip.hostAlone }).optional();

/** A section with an SSH login. */
export const sshSection = (about: string, hostAbout: string) =>
  section(about, {
    host: host(hostAbout),
    ...login,
    hostKey: text({
      about: "Host key: its SHA256 fingerprint or the full public key. By default the one in ~/.ssh/known_hosts.",
      example: '"SHA256:…"',
      check: words.hostKey,
    }).optional(),
  });
