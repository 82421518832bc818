/**
 * Starts the program from its parts, and keeps their compiled code beside them: compiling is most of the work of a short command.
 * Copied to dist/<stamp>/cli.js. Node's own modules only.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

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
  const cachedData = compiledCode(name);
  const script = new Script(`${HEAD}${readFileSync(parts + name, "utf8")}\n})`, {
    filename: parts + name.slice(2),
    columnOffset: -HEAD.length,
    cachedData,
  });
  if (!cachedData || script.cachedDataRejected) outdated = true;
  scripts.set(name, script);
  script.runInThisContext()(module.exports, load, module, parts);
  return module.exports;
}

function compiledCode(name) {
  try {
    return readFileSync(compiled + name);
  } catch {
    return undefined;
  }
}

/** At the end it has every function that ran, and those which earlier commands used. */
function keepCompiledCode() {
  if (!outdated) return;
  try {
    if (!existsSync(compiled)) mkdirSync(compiled);
    for (const [name, script] of scripts) {
      const temporary = `${compiled}${name}-${process.pid}`;
      writeFileSync(temporary, script.createCachedData());
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
