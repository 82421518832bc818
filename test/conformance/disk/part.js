import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { execute } from "../execute.js";
import { goModule, runOurs } from "../oracle.js";

/** Disks with a config volume or a network in META, before the libraries with which Talos reads and grows them. */
export async function disk(folder) {
  const oracle = await goModule("disk");
  const image = join(folder, "image");
  mkdirSync(folder, { recursive: true });
  await execute(oracle, ["image", image]);
  const lines = (await runOurs(join(import.meta.dirname, "write.ts"), folder, [folder, image])).trim().split("\n");
  const cases = lines.map((line) => JSON.parse(line));
  const input = cases.map(({ file, grow }) => JSON.stringify({ file, grow })).join("\n");
  const answers = (await execute(oracle, ["check"], { input })).trim().split("\n");
  assert.equal(answers.length, cases.length);
  for (const [at, one] of cases.entries()) check(one, JSON.parse(answers[at]));
  return `${cases.length} disks`;
}

function check({ what, bytes, id, config, keys, network }, seen) {
  const named = (name, parts = seen.partitions) => parts.find((part) => part.name === name);
  assert.equal(seen.table, "gpt", what);
  assert.deepEqual(seen.meta.keys, keys, what);
  if (network !== undefined) assert.deepEqual(only(parse(seen.meta.network), network), network, what);
  if (config === undefined) {
    assert.equal(named("metal-iso"), undefined, what);
    return;
  }
  assert.equal(seen.backup, true, `${what}: the table at the end`);
  assert.equal(seen.mbr, Math.min(bytes / 512 - 1, 0xffff_ffff), what);
  assert.deepEqual(seen.config.files, { "config.yaml": config }, what);
  assert.equal(seen.partitions.filter(({ name }) => name === "metal-iso").length, 1, what);
  const volume = named("metal-iso");
  assert.deepEqual(
    { id: volume.id, type: volume.type, filesystem: volume.filesystem, label: volume.label },
    { id, type: "0fc63daf-8483-4772-8e79-3d69d8477de4", filesystem: "iso9660", label: "metal-iso" },
    what,
  );
  // What Talos adds at its first start goes into the gap, and nothing that was there is called differently afterwards.
  for (const { number, name, offset, size } of seen.partitions) {
    const grown = named(name, seen.grown);
    assert.deepEqual(
      { number: grown.number, offset: grown.offset, size: grown.size },
      { number, offset, size },
      `${what}: ${name}`,
    );
  }
  const last = named("EPHEMERAL", seen.grown);
  assert.equal(named("STATE", seen.grown).number, 5, what);
  assert.equal(last.number, 6, what);
  assert.equal(last.offset + last.size, volume.offset, `${what}: the whole gap is used`);
  assert.equal(seen.growth, volume.size, `${what}: what EPHEMERAL gets when the volume is dropped`);
}

/** Of what Go prints, which is every field there is, those that were said; lists are whole. */
function only(value, said) {
  if (Array.isArray(value)) return value.map((one, at) => only(one, said?.[at]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(said ?? value).map((key) => [key, only(value[key], said?.[key])]));
}
