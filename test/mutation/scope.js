import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** The core: code whose mistakes cost a cluster, its data or its secrets. */
const CORE = {
  engine: ["src/engine"],
  maintenance: ["src/maintenance"],
  "lock and files": ["src/environment", "packages/lib/durable.ts", "packages/lib/world"],
  takeover: ["src/takeover/judge"],
  "machine end": ["src/platforms/proxmox/machine-end.ts"],
  ssh: ["packages/lib/ssh"],
  tls: ["packages/lib/http", "packages/lib/x509", "packages/lib/world/net.ts", "packages/lib/world/pinned.ts"],
  redaction: ["packages/lib/redact", "packages/lib/secret.ts"],
  backup: [
    "src/environment/backup",
    "src/workflows/backup.ts",
    "src/workflows/backup-keys.ts",
    "src/workflows/backup-list.ts",
    "src/workflows/backup-places.ts",
    "src/workflows/restore.ts",
    "packages/lib/age",
    "packages/lib/tar",
  ],
};

const isBelow = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/** The part of the core that a file belongs to: the one that names it most closely. */
export function partOf(path) {
  const [first] = Object.entries(CORE)
    .flatMap(([part, folders]) => folders.filter((folder) => isBelow(path, folder)).map((folder) => ({ part, folder })))
    .sort((a, b) => b.folder.length - a.folder.length);
  return first?.part;
}

const isSource = (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("/testing/");

function filesBelow(path) {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path)).flatMap((name) => filesBelow(`${path}/${name}`));
}

/** The files of the core, with their texts; `only` keeps those below one of these paths. */
export function coreFiles(only = []) {
  const paths = [...new Set(Object.values(CORE).flat().flatMap(filesBelow))].filter(isSource).sort();
  return paths
    .filter((path) => only.length === 0 || only.some((one) => isBelow(path, one.replace(/\/$/, ""))))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** The tests beside the sources; those of `test/` take too long to be run for every mutant. */
export const testFiles = () => ["src", "packages"].flatMap(filesBelow).filter((path) => path.endsWith(".test.ts"));
