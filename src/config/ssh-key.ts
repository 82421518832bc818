import type { World } from "../lib/world/world.ts";
import { decodeUtf8 } from "../lib/yaml/source.ts";
import { readBytes } from "./files.ts";
import { expandPath } from "./references.ts";
import type { Report } from "./report.ts";
import { holdsPrivateKey } from "./secrets.ts";
import type { Draft } from "./shape.ts";

/** The private key that `via: ssh` logs in with, as text. undefined when none is named, or when it cannot be used, which is then reported. */
export function sshKeyOf(draft: Draft, world: World, folder: string, report: Report): string | undefined {
  const { via, ssh } = draft.network ?? {};
  const written = ssh?.key;
  if (via !== "ssh" || written === undefined) return undefined;
  if (holdsPrivateKey(written)) return withLineEnd(written);
  const path = expandPath(written, world, folder);
  const bytes = path === undefined ? "has a ~ that stands for nothing, since HOME is not set" : readBytes(world.files, path);
  const text = typeof bytes === "string" ? undefined : decodeUtf8(bytes);
  if (text !== undefined && "text" in text && holdsPrivateKey(text.text)) return withLineEnd(text.text);
  const wrong = typeof bytes === "string" ? bytes : "holds no private key";
  report.problem(
    ["network", "ssh", "key"],
    {
      message: `network.ssh.key names a file that ${wrong}`,
      hint: "name a private key such as ~/.ssh/id_ed25519 (not the .pub file), or remove key to use the SSH agent and the usual files",
    },
    "CONFIG_VALUE",
  );
  return undefined;
}

/** OpenSSH's own reader wants the last line ended; references cut that off. */
function withLineEnd(key: string): string {
  return key.endsWith("\n") ? key : `${key}\n`;
}
