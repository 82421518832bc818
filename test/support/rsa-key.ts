import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An RSA key of 4096 bits costs seconds, and hardly a test is about which one it is: all of a run share this one. */
export default function setup(): (() => void) | undefined {
  // Every project asks, and so do the runs that planted bugs get.
  if (process.env.RSA_KEY !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "talosmith-rsa-"));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
  process.env.RSA_KEY = join(folder, "rsa.pem");
  writeFileSync(process.env.RSA_KEY, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return () => rmSync(folder, { recursive: true });
}
