import type { Shell } from "../shell.ts";
import { ABILITIES, type Packing, type There } from "./commands.ts";

/** The ways in which a server can write an image. */
export interface Abilities {
  /** The programs that download, unpack and hash on the server; absent when one is missing. */
  readonly there?: Pick<There, "get" | "packing" | "sum">;
  readonly unpacksGzip: boolean;
  readonly sum?: There["sum"];
}

const PROGRAMS: readonly [Packing, string][] = [
  ["zst", "zstd"],
  ["xz", "xz"],
  ["gz", "gzip"],
];

export async function abilitiesOf(shell: Shell, signal?: AbortSignal): Promise<Abilities> {
  const { stdout } = await shell.run(ABILITIES, signal ? { signal } : {});
  const has = new Set(stdout.split("\n").map((word) => word.trim()));
  const first = <T extends string>(...names: T[]) => names.find((name) => has.has(name));
  const sum = first("sha256sum", "openssl");
  const get = first("curl", "wget");
  const [packing] = PROGRAMS.find(([, program]) => has.has(program)) ?? [];
  const rest = ["mkfifo", "mktemp", "tee", "fullblock"].every((name) => has.has(name));
  return {
    ...(rest && get && sum && packing && { there: { get, packing, sum } }),
    unpacksGzip: has.has("gzip"),
    ...(sum && { sum }),
  };
}
