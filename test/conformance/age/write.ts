import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgeIdentity, printAgeIdentity } from "@talosmith/lib/age/identity.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";

const COUNT = 10;

// Key files as a fresh environment gets them, and whom each is for by our own reckoning.
const world = realWorld();
const [folder = ""] = process.argv.slice(2);
const keys = Array.from({ length: COUNT }, (_, index) => {
  const identity = createAgeIdentity(world.random);
  const file = join(folder, `age-${index}.agekey`);
  writeFileSync(file, printAgeIdentity(identity, world.clock));
  return { file, recipient: identity.recipient };
});
console.log(JSON.stringify(keys));
