import * as ip from "./ip-words.ts";
import { section, text, whole } from "./value.ts";
import * as words from "./words.ts";

/** How to log in somewhere by SSH. */
export const sshSection = (about: string, host: string) =>
  section(about, {
    host: text({ about: host, example: "192.168.122.70", check: ip.hostAlone }).optional(),
    port: whole({ about: "Port of its SSH server.", example: "22", from: 1, to: 65_535, byDefault: 22 }).optional(),
    user: text({
      about: "Who to log in as.",
      example: "root",
      byDefault: "root",
      pattern: words.LOGIN,
      check: words.login,
    }).optional(),
    key: text({
      about: `File with the private key, or \${env:NAME} or \${file:PATH} that hold the key itself. By default the SSH agent's keys, then the usual files in ~/.ssh.`,
      example: "~/.ssh/id_ed25519",
    }).optional(),
    hostKey: text({
      about: "The host's key: its SHA256 fingerprint, or the public key in full. By default what ~/.ssh/known_hosts says.",
      example: '"SHA256:…"',
      check: words.hostKey,
    }).optional(),
  });
