// npm run package: makes what users install, in dist/package/.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { binary } from "./binary.js";
import { npmPackage } from "./npm-package.js";

const HELP = `npm run package -- [options]

Makes what users install: the npm package with the built program and no dependencies, a bill of materials, and SHA256SUMS.

  --binary      make a single binary, too, which needs no Node
  --node FILE   the Node to put into the binary (the one that runs this); releases use Node 24
  --out FOLDER  where to write (dist/package)
  --help        this text
`;

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { binary: { type: "boolean" }, node: { type: "string" }, out: { type: "string" }, help: { type: "boolean" } },
});
if (values.help) {
  process.stdout.write(HELP);
} else {
  const out = resolve(values.out ?? join(root, "dist/package"));
  mkdirSync(out, { recursive: true });
  await npmPackage(root, out);
  if (values.binary) await binary(root, out, realpathSync(values.node ?? process.execPath));
  const made = readdirSync(out).filter((name) => name !== "SHA256SUMS" && statSync(join(out, name)).isFile());
  const sums = made.sort().map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex")}  ${name}`,
  );
  writeFileSync(join(out, "SHA256SUMS"), `${sums.join("\n")}\n`);
  process.stdout.write(`${[...made, "SHA256SUMS"].map((name) => join(out, name)).join("\n")}\n`);
}
