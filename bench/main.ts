import { join } from "node:path";
import { Scene } from "../test/lifecycle/scene.ts";
import { ROOT } from "../test/support/child.ts";
import { coldStart } from "./cold-start.ts";
import { criticalPath } from "./critical-path.ts";
import { type Figure, planCalls } from "./plan-calls.ts";

const figures: Figure[] = [coldStart(join(ROOT, "talosmith"))];
const scene = await Scene.open("bench");
figures.push(...(await planCalls(scene, scene.lab.snapshot())));
await scene.close();
figures.push(await criticalPath());

const width = Math.max(...figures.map((figure) => figure.name.length));
for (const { name, value, limit } of figures) console.log(`${name.padEnd(width)}   ${value}   (${limit})`);
