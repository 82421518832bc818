import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { contentOf, furnish, madePrivate, PASSPHRASE, RECIPIENT, talosmith } from "./environment.js";

/** age asks for a passphrase at a terminal only: `script` is one. */
function atTerminal(command, typed) {
  return execute("script", ["-qec", command, "/dev/null"], { input: typed.map((line) => `${line}\n`).join("") });
}

/** age and tar open what we wrote; we restore what they wrote. */
export async function byAge(home, age) {
  mkdirSync(join(home, "kept"), { recursive: true });
  const environment = furnish(home);
  const original = contentOf(environment);
  const at = (name) => join(home, name);
  const shell = (script) => execute("bash", ["-euo", "pipefail", "-c", script], { cwd: home });
  const newest = () => join("kept", readdirSync(at("kept")).sort().at(-1));

  await talosmith(["backup", environment, "--recipient", RECIPIENT, "--to", at("kept/")]);
  const names = await shell(`${age} -d -i key.txt ${newest()} | tee opened.tar.gz | tar -tz`);
  await shell("mkdir opened && tar -xzpf opened.tar.gz -C opened");
  const [cluster] = readdirSync(at("opened"));
  assert.ok(names.split("\n").includes(`${cluster}/.talosmith/backup.json`), names);
  assert.deepEqual(contentOf(join(at("opened"), cluster)), original);

  const restored = async (file, ...keys) => {
    rmSync(environment, { recursive: true });
    await talosmith(["restore", at(file), environment, "--yes", ...keys]);
    assert.deepEqual(contentOf(environment), madePrivate(original), file);
  };
  const formats = process.env.FULL === undefined ? ["gnu", "pax"] : ["gnu", "pax", "ustar"];
  for (const format of formats) {
    const excluded = "--exclude=.talosmith";
    const what = format === "gnu" ? `${excluded} homelab` : `${excluded} -C homelab .`;
    await shell(
      `tar -c --format=${format} ${what} | ${format === "pax" ? "cat" : "gzip"} | ${age} -r ${RECIPIENT} > ${format}.age`,
    );
    await restored(`${format}.age`, "--identity", at("key.txt"));
  }

  await talosmith(["backup", environment, "--passphrase-file", at("passphrase"), "--to", at("ours.age")]);
  await atTerminal(`${age} -d -o ${at("opened2.tar.gz")} ${at("ours.age")}`, [PASSPHRASE]);
  assert.equal(await shell("tar -tzf opened2.tar.gz | grep -c /config.yaml"), "1\n");
  await shell("tar -czf theirs.tar.gz --exclude=.talosmith homelab");
  await atTerminal(`${age} -p -o ${at("theirs.age")} ${at("theirs.tar.gz")}`, [PASSPHRASE, PASSPHRASE]);
  await restored("theirs.age", "--passphrase-file", at("passphrase"));
  return `${Object.keys(original).length} files through age and tar and back, ${formats.length} kinds of tar`;
}
