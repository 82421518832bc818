import { join } from "node:path";
import { runOurs } from "../oracle.js";
import { HELM_VERSION, realHelm } from "./binary.js";
import { charts } from "./charts.js";
import { onDemo } from "./demo.js";

/** The product's command by the real helm on the lab's cluster, the lab's helm beside it, and every chart of the lab's by both. */
export async function helm(folder) {
  const program = await realHelm();
  const play = runOurs(join(import.meta.dirname, "play.ts"), join(folder, "play"), [program, join(folder, "home")]);
  const onCharts = async () => {
    const rendered = await charts(folder);
    await onDemo(program, join(folder, "demo"), join(folder, "charts", "cilium-1.20.1"));
    return rendered;
  };
  const [told, rendered] = await Promise.all([play, onCharts()]);
  const { refusals } = JSON.parse(told);
  return `helm ${HELM_VERSION}: installs, upgrades, ${refusals} refusals, list, status, get, history, rollback, uninstall; ${rendered.charts} charts rendered ${rendered.cases} times`;
}
