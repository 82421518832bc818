import { readFileSync } from "node:fs";

/** Checks facts in turn, each named by what must be true, and gives their names. The first that is not fails, with the last words of every node. */
export async function checkInTurn(facts, nodes) {
  for (const [name, check] of Object.entries(facts)) {
    const started = performance.now();
    await check().catch((error) => {
      throw new Error(`${name}: ${error.message}\n${nodes.map(lastWords).join("\n")}`);
    });
    console.log(`  ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  return Object.keys(facts);
}

function lastWords({ name, log }) {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const last = lines.filter((line) => !line.includes("/dev/kmsg")).slice(-10);
  return `== ${name}\n${last.join("\n")}`;
}
