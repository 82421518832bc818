import type { World } from "@talosmith/lib/world/world.ts";
import { decodeUtf8 } from "@talosmith/lib/yaml/source.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { readBytes } from "./files.ts";
import { expandPath } from "./references.ts";
import type { Report } from "./report.ts";
import { holdsPrivateKey } from "./secrets.ts";
import type { Draft } from "./shape.ts";

/** The private keys to log in with, as text: to reach the nodes, and to be root on Proxmox's hosts. */
export interface SshKeys {
  readonly network: string | undefined;
  readonly proxmox: string | undefined;
  /** For rescue systems, by where they are written. */
  readonly rescue: ReadonlyMap<string, string>;
}

export function sshKeysOf(draft: Draft, world: World, folder: string, report: Report): SshKeys {
  const { network, proxmox } = draft;
  const keyOf = (written: string | undefined, path: Path) =>
    written === undefined ? undefined : privateKeyAt(written, path, { world, folder, report, hint: HINT });
  return {
    network: network?.via === "ssh" ? keyOf(network.ssh?.key, ["network", "ssh", "key"]) : undefined,
    proxmox: keyOf(proxmox?.ssh?.key, ["proxmox", "ssh", "key"]),
    rescue: new Map(
      rescueKeys(draft).flatMap(({ path, written }) => {
        const key = keyOf(written, path);
        return key === undefined ? [] : [[pathName(path), key] as const];
      }),
    ),
  };
}

/** Every key to a rescue system, wherever it is written. */
function rescueKeys({ platform, vps, defaults, nodes }: Draft): { path: Path; written: string | undefined }[] {
  if (platform !== "vps") return [];
  const groups = ["all", "controlplane", "worker"] as const;
  return [
    { path: ["vps", "ssh", "key"], written: vps?.ssh?.key },
    ...groups.map((group) => ({ path: ["defaults", group, "ssh", "key"], written: defaults?.[group]?.ssh?.key })),
    ...(nodes ?? []).map((node, index) => ({ path: ["nodes", index, "ssh", "key"], written: node?.ssh?.key })),
  ];
}

const HINT =
  "name a private key such as ~/.ssh/id_ed25519 (not the .pub file), or remove key to use the SSH agent and the usual files";

interface Reading {
  readonly world: World;
  readonly folder: string;
  readonly report: Report;
  readonly hint: string;
}

/** The key that is written there, or in the file it names; undefined when it cannot be used, which is then reported. */
export function privateKeyAt(written: string, at: Path, { world, folder, report, hint }: Reading): string | undefined {
  if (holdsPrivateKey(written)) return withLineEnd(written);
  const path = expandPath(written, world, folder);
  const bytes = path === undefined ? "has a ~ that stands for nothing, since HOME is not set" : readBytes(world.files, path);
  const text = typeof bytes === "string" ? undefined : decodeUtf8(bytes);
  if (text !== undefined && "text" in text && holdsPrivateKey(text.text)) return withLineEnd(text.text);
  const wrong = typeof bytes === "string" ? bytes : "holds no private key";
  report.problem(at, { message: `${pathName(at)} names a file that ${wrong}`, hint }, "CONFIG_VALUE");
  return undefined;
}

/** OpenSSH's own reader wants the last line ended; references cut that off. */
function withLineEnd(key: string): string {
  return key.endsWith("\n") ? key : `${key}\n`;
}
