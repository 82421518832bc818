import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileParts } from "../build/bundle.js";
import { billOfMaterials, bundledPackages, licenseTexts } from "./notices.js";

/** Documents for users; those about the code are in the repository. */
export const SHIPPED = ["docs/guides", "docs/reference", "docs/runbooks", "docs/glossary.md", "schema"];
const COPIED = [...SHIPPED, "docs/demo.svg", "LICENSE", "CHANGELOG.md", "SECURITY.md", "environments/README.md"];
/** About tests in the repository. */
const LEFT_OUT = ["docs/reference/conformance.md"];

const BIN = `#!/usr/bin/env node
import { requireNode } from "./node-version.js";

requireNode();
await import("../dist/cli.js");
`;

/** Makes the npm package: the built program with everything in it, no dependencies. Returns the path of the archive. */
export async function npmPackage(root, out) {
  const esbuild = await import("esbuild");
  const folder = join(out, "npm");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  const { metafile } = compileParts(esbuild, root, join(folder, "dist"), { sourcemap: false, metafile: true });

  const { name, version, description, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = bundledPackages(root, metafile);
  const manifest = { name, version, description, license, type: "module", bin: { talosmith: "bin/talosmith.js" }, engines };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "bin/talosmith.js"), BIN, { mode: 0o755 });
  cpSync(join(root, "build/node-version.js"), join(folder, "bin/node-version.js"));
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const path of LEFT_OUT) rmSync(join(folder, path));
  for (const example of ["proxmox", "metal", "vps"].map((one) => `environments/${one}-example`))
    cpSync(join(root, example), join(folder, example), { recursive: true });
  writeFileSync(join(folder, "README.md"), readmeForUsers(readFileSync(join(root, "README.md"), "utf8")));
  writeFileSync(join(folder, "THIRD_PARTY_LICENSES.md"), licenseTexts(packages));
  const bill = billOfMaterials({ name, version, license }, packages);
  for (const path of [join(folder, "sbom.cdx.json"), join(out, `${name}-${version}.sbom.cdx.json`)]) writeFileSync(path, bill);

  execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return join(out, `${name}-${version}.tgz`);
}

/** Without the section for contributors: what it links to is in the repository. */
function readmeForUsers(readme) {
  return readme.replace(/^## Develop\n[\s\S]*?(?=^Apache-2\.0)/m, "");
}
