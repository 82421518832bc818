import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The packages of others in a build, by esbuild's metafile: `{ name, version, license, text }`, sorted by name. */
export function bundledPackages(root, metafile) {
  const inputs = new Map();
  for (const path of Object.keys(metafile.inputs)) {
    const [folder] = PACKAGE.exec(path) ?? [];
    if (folder) inputs.set(folder, [...(inputs.get(folder) ?? []), join(root, path)]);
  }
  const all = [...inputs].map(([folder, files]) => packageIn(join(root, folder), files));
  return all.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

function packageIn(folder, sources) {
  const { name, version, licenses, ...rest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const license = rest.license ?? licenses?.[0]?.type;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  // Some packages have it only at the head of their sources.
  if (texts.length === 0) texts.push(...new Set(sources.flatMap(copyrightOf)));
  if (license === undefined || texts.length === 0) throw new Error(`${name} has no license text: it may not be shipped`);
  return { name, version, license, text: texts.join("\n\n") };
}

function copyrightOf(source) {
  const lines = readFileSync(source, "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  const head = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ""));
  return head.some((line) => /copyright/i.test(line)) ? [head.join("\n")] : [];
}

/** The licenses under which the packages inside the program are distributed, which ask to be passed on. */
export function licenseTexts(packages) {
  const parts = packages.map(
    ({ name, version, license, text }) => `## ${name} ${version}\n\n${license}\n\n\`\`\`\n${text}\n\`\`\`\n`,
  );
  return `# Software of others in this program\n\n${parts.join("\n")}`;
}

/** A software bill of materials (CycloneDX 1.6) of what is inside the program. */
export function billOfMaterials({ name, version, license }, packages) {
  const component = (type, one) => ({
    type,
    "bom-ref": `pkg:npm/${one.name}@${one.version}`,
    name: one.name,
    version: one.version,
    licenses: [{ expression: one.license }],
    purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`,
  });
  const components = packages.map((one) => component("library", one));
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", { name, version, license }) },
    components,
  };
  return `${JSON.stringify({ ...bom, serialNumber: serialNumber(bom) }, null, 2)}\n`;
}

/** Follows from the content, so that the same sources give the same bytes. */
function serialNumber(bom) {
  const hex = createHash("sha256").update(JSON.stringify(bom)).digest("hex");
  return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-")}`;
}
