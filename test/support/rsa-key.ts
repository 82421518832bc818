import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creating an RSA key of 4096 bits takes seconds, and few tests depend on the key: all tests of a run share this one. */
export default function setup(): (() => void) | undefined {
  // Every project calls this, and so do the runs for planted bugs.
  if (process.env.RSA_KEY !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "talosmith-rsa-"));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
  process.env.RSA_KEY = join(folder, "rsa.pem");
  writeFileSync(process.env.RSA_KEY, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return () => rmSync(folder, { recursive: true });
}
