/**
 * Starts the program from its parts, and keeps their compiled code beside them: compiling is most of the work of a short command.
 * Copied to dist/<stamp>/cli.js. Node's own modules only.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/**
 * For commands of a second: code is optimised after four times as much work as usual, and the young generation does not grow. Long work is no slower.
 * By the release of Node: V8 complains about flags that it does not know.
 */
const FLAGS = {
  20: ["--interrupt-budget=500000", "--semi-space-growth-factor=1"],
  24: ["--invocation-count-for-maglev=1600", "--invocation-count-for-turbofan=12000", "--semi-space-growth-factor=1"],
};
const [release] = process.versions.node.split(".");
for (const flag of FLAGS[release] ?? []) setFlagsFromString(flag);

const parts = `${import.meta.dirname}/parts/`;
/** Compiled code fits only the V8 that compiled it. */
const compiled = `${import.meta.dirname}/compiled-${process.versions.v8}-${process.arch}/`;
const HEAD = "(function (exports, require, module, __dirname) {";
const requireFromNode = createRequire(import.meta.url);

const modules = new Map();
const scripts = new Map();
/** The compiled code of a part is missing or was made by a V8 with other flags. */
let outdated = false;

function load(name) {
  if (!name.startsWith("./")) return requireFromNode(name);
  const loaded = modules.get(name);
  if (loaded) return loaded.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const source = readFileSync(parts + name, "utf8");
  const cachedData = compiledCode(name, source);
  const script = new Script(`${HEAD}${source}\n})`, {
    filename: parts + name.slice(2),
    columnOffset: -HEAD.length,
    cachedData,
  });
  if (!cachedData || script.cachedDataRejected) outdated = true;
  scripts.set(name, { script, source });
  script.runInThisContext()(module.exports, load, module, parts);
  return module.exports;
}

/** V8 checks the length of the source and not the compiled code itself, which must not be damaged or of another release: a checksum of both precedes it. */
function compiledCode(name, source) {
  try {
    const kept = readFileSync(compiled + name);
    const code = kept.subarray(CHECKSUM);
    return kept.readUInt32LE() === checksum(source, code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes before the code, which V8 uses in place only at a multiple of eight. */
const CHECKSUM = 8;
const checksum = (source, code) => crc32(code, crc32(source));

/** At the end it has every function that ran, and those which earlier commands used. */
function keepCompiledCode() {
  if (!outdated) return;
  try {
    if (!existsSync(compiled)) mkdirSync(compiled);
    for (const [name, { script, source }] of scripts) {
      const temporary = `${compiled}${name}-${process.pid}-${Date.now()}`;
      const code = script.createCachedData();
      const sum = Buffer.alloc(CHECKSUM);
      sum.writeUInt32LE(checksum(source, code));
      writeFileSync(temporary, Buffer.concat([sum, code]));
      renameSync(temporary, compiled + name);
    }
  } catch {
    // An installation we may only read works all the same.
  }
}

// Node itself reads source maps only for what it loads itself.
if (process.sourceMapsEnabled) {
  requireFromNode("./parts/cli.js");
} else {
  process.on("exit", keepCompiledCode);
  load("./cli.js");
}
