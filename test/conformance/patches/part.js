import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, runOurs, TALOS } from "../oracle.js";

/** Where we say more than Talos, on purpose. */
const STRICTER = [
  // 1.12 cuts fractions off, and takes a section for an address or a size that is not there.
  /^1\.12 .* (1\.5|\{\}|\[1\])$/,
  // It would set a kernel parameter of that name, and rebind nothing.
  /: another word than delete$/,
  /: PCIDriverRebindConfig without a name$/,
];

/** What we find wrong with patches and whole configs, beside what Talos does: we must not refuse what it takes. */
export async function patches(folder) {
  const oracles = [];
  for (const talos of TALOS) oracles.push(await goOracle("patches", talos));
  const homes = await Promise.all(TALOS.map(machinery));
  const said = [await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder, ...homes])];
  const [asked, refused] = [new Set(), new Set()];
  for (const [at, { minor }] of TALOS.entries()) {
    const file = join(folder, `${minor}.jsonl`);
    const questions = lines(readFileSync(file, "utf8"));
    said.push(`${minor}: ${compare(questions, lines(await execute(oracles[at], [file])))}`);
    for (const { patch, ours } of questions.filter((question) => question.patch !== undefined)) {
      asked.add(patch);
      if (ours.length > 0) refused.add(patch);
    }
  }
  // A patch that no minor, role or mode makes us refuse proves nothing.
  const silent = [...asked].filter((patch) => !refused.has(patch));
  if (silent.length > 0) throw new Error(`never refused:\n${silent.join("\n\n")}`);
  return said.join("\n");
}

function lines(text) {
  return text.trimEnd().split("\n").map(JSON.parse);
}

/** Where the sources of a minor's machinery are, which have configs for Talos's own tests among them. */
async function machinery({ modfile }) {
  const args = ["list", "-m", `-modfile=${modfile}`, "-f", "{{.Dir}}", "github.com/siderolabs/talos/pkg/machinery"];
  return join((await execute("go", args, { cwd: join(import.meta.dirname, "../../oracles") })).trim(), "config");
}

function compare(questions, answers) {
  const wrong = [];
  const counts = { values: 0, refused: 0, missed: 0, theirs: 0 };
  let always = [];
  for (const [at, { name, ours, exact, validate, theirs: isTheirs }] of questions.entries()) {
    const { refused, warned = [] } = answers[at];
    // Warnings about the base config are no matter of its patches.
    if (validate) always = warned;
    const theirs = refused ?? warned.find((one) => !always.includes(one));
    if (ours.length > 0 && theirs === undefined && !STRICTER.some((names) => names.test(name)))
      wrong.push(`${name}: Talos takes it, we do not: ${ours[0]}`);
    if (validate && theirs !== undefined) wrong.push(`${name}: Talos refuses it: ${theirs}`);
    if (isTheirs && refused === undefined) counts.theirs++;
    if (isTheirs) continue;
    if (exact) counts.values++;
    if (exact && refused !== undefined && ours.length === 0) counts.missed++;
    else if (!exact && ours.length > 0) counts.refused++;
    else if (!exact && theirs !== undefined && !validate) counts.missed++;
  }
  if (wrong.length > 0) throw new Error(`${wrong.slice(0, 50).join("\n")}\n${wrong.length} wrong`);
  const agreed = `${counts.values} values, ${counts.theirs} configs of Talos's own tests and ${counts.refused} refused patches agree`;
  return `${agreed}; ${counts.missed} that Talos alone refuses`;
}
