import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Write } from "../engine/step.ts";
import { checkSectors, type DiskWrite, tailOf } from "./disk/disk-write.ts";
import type { Shell } from "./shell.ts";
import type { SurveyedDisk } from "./survey.ts";
import { HEAD_BYTES, RESTART } from "./write/commands.ts";
import type { ImageSource, Written } from "./write/image-source.ts";
import { readRange, sectorBytesOf, writeRanges } from "./write/ranges.ts";
import { type Seed, sow } from "./write/seed.ts";
import { writeImage } from "./write/write-image.ts";

export interface TakeoverPlan {
  /** The node of the disk, for the journal. */
  readonly node: string;
  readonly disk: Pick<SurveyedDisk, "path" | "bytes" | "serial">;
  readonly image: ImageSource;
  readonly seed: Seed;
  /** Saves durably the data that is lost from now on: called before the first byte is written. */
  keep(tables: readonly DiskWrite[]): void | Promise<void>;
  /** Checks the image that was written, before the disk is made bootable; throws when it is the wrong one. */
  agree?(image: TakenOver): void;
  /** Records durably that the server starts from the disk: called right before the restart. */
  restarting(image: TakenOver): void | Promise<void>;
}

/** The image on the disk, and the way it was transferred. */
export type TakenOver = Omit<Written, "head">;

const MIB = 1024 * 1024;

/**
 * Writes Talos to a server's disk and restarts it. The first bytes of the disk are cleared first and written last: when this is interrupted, the
 * server does not start from an incomplete image, nor without its config, and the takeover can be repeated from the beginning.
 */
export async function takeOver(shell: Shell, plan: TakeoverPlan, c: Write): Promise<TakenOver> {
  const { path, bytes } = plan.disk;
  const change = <R extends Json | undefined>(what: string, call: () => Promise<R>) =>
    c.mutate({ key: `disk ${plan.disk.serial ?? path} of ${plan.node}`, what }, call);
  const write = (what: string, writes: readonly DiskWrite[]) =>
    change(what, () => writeRanges(shell, path, writes, c.signal).then(() => undefined));

  const disk = { path, bytes, sectorBytes: await sectorBytesOf(shell, path, c.signal) };
  checkSectors(disk);
  await plan.keep(await tablesOf(shell, plan.disk, c.signal));
  await write("clear its partition tables", cleared(bytes));

  let head: Buffer = Buffer.alloc(0);
  const image = await change("write the image", async () => {
    const { head: first, ...written } = await writeImage(shell, path, plan.image, c);
    head = first;
    return { ...written };
  });
  plan.agree?.(image);

  c.say(plan.seed.is === "config" ? "putting the config beside the image" : "putting the network into the image");
  const sown = await sow(shell, disk, head, plan.seed, c);
  await write(plan.seed.is === "config" ? "put its config on it" : "put its network on it", sown.behind);
  await write("make it bootable", [{ offset: 0, bytes: sown.head }]);

  await plan.restarting(image);
  c.say("restarting the server");
  await change("restart its server", () => leave(shell, c.signal).then(() => undefined));
  return image;
}

async function tablesOf(shell: Shell, { path, bytes }: TakeoverPlan["disk"], signal: AbortSignal): Promise<DiskWrite[]> {
  const saved: DiskWrite[] = [];
  for (const range of tailOf(bytes)) saved.push({ offset: range.offset, bytes: await readRange(shell, path, range, signal) });
  return saved;
}

/** Zeros for the positions of tables and boot code, and of signatures of RAIDs and pools. */
function cleared(bytes: number): DiskWrite[] {
  return [
    { offset: 0, bytes: Buffer.alloc(HEAD_BYTES) },
    { offset: bytes - MIB, bytes: Buffer.alloc(MIB) },
  ];
}

/** Restarts the server. Its response may be lost. */
export async function leave(shell: Shell, signal?: AbortSignal): Promise<void> {
  try {
    await shell.run(RESTART, signal ? { signal } : {});
  } catch (error) {
    if (!(error instanceof TalosmithError && error.code === "SSH_COMMAND_LOST")) throw error;
  }
}
