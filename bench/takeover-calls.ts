import { realNet } from "@talosmith/lib/world/net.ts";
import { ALL_STAGES } from "../src/workflows/stages.ts";
import { folderWith } from "../test/lifecycle/commands.ts";
import { RentedScene } from "../test/lifecycle/rented-scene.ts";
import type { Figure } from "./figure.ts";

const SSH = 2222;

/**
 * Commands of a takeover, and the bytes sent through our own connection: on a server that downloads the image itself, and on one that has only dd.
 */
export async function takeoverCalls(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, tools] of [
    ["it downloads itself", "debian"],
    ["it has hardly any programs", "busybox"],
  ] as const) {
    const scene = await RentedScene.open("bench", [{ name: "vps-1", address: 11, tools }]);
    try {
      let sent = 0;
      let logins = 0;
      scene.net = {
        ...realNet,
        dial: async (to, signal) => {
          const socket = await realNet.dial(to, signal);
          if (to.port !== SSH) return socket;
          logins++;
          socket.once("close", () => {
            sent += socket.bytesWritten;
          });
          return socket;
        },
      };
      const files = folderWith(scene.config());
      const up = await scene.up(files, { stages: ALL_STAGES });
      if (up.exitCode !== 0) throw new Error(`up ${up.exitCode}`);
      const commands = scene.lab.recorder.calls().filter(({ service, site }) => service === "rescue" && site === "exec").length;
      figures.push(
        { name: `takeover, ${what}: logins, commands`, value: `${logins}, ${commands}`, limit: "" },
        { name: "  KiB through our line, of an image of 3072", value: String(Math.round(sent / 1024)), limit: "" },
      );
      const before = logins;
      const { plan } = await scene.plan(files, undefined, ALL_STAGES);
      figures.push({ name: "  empty plan: calls, logins", value: `${plan?.calls}, ${logins - before}`, limit: "no login" });
    } finally {
      await scene.close();
    }
  }
  return figures;
}
