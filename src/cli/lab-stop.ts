import { labFolder } from "./lab-folder.ts";
import { noLab } from "./lab-status.ts";
import type { CommandSession } from "./session.ts";

export async function stopLabOf({ world, bus }: CommandSession, folder: string): Promise<number> {
  const { readLab } = await import("@talosmith/lab/host/lab-file.ts");
  const { stopLab } = await import("@talosmith/lab/host/stop.ts");
  const lab = readLab(world, labFolder(folder));
  if (!lab) throw noLab(folder);
  const how = await stopLab(world, lab);
  bus.emit({
    type: "notice",
    level: "info",
    message: how === "stopped" ? "the lab is stopped; everything in it is lost" : "the lab did not answer and was killed",
  });
  return 0;
}
