import type { Shell } from "../shell.ts";
import type { Survey } from "../survey.ts";
import { type BlockDevices, blockDevices } from "./block-devices.ts";
import { DISKS, NETWORK, type Peek, reading, type Stretch, SYSTEM } from "./commands.ts";
import { contentsOf } from "./contents.ts";
import { partitionsOf, realDisks, surveyedDisks } from "./disks.ts";
import { networkOf } from "./network.ts";
import { peeksOf, stretchesOf } from "./readings.ts";
import { linesOf, type Sections, sectionsOf, unreadable } from "./sections.ts";
import { systemOf } from "./system.ts";

/** A command line has to fit into 128 KiB. */
const AT_ONCE = 400;

/** Surveys a server in four commands, or more for very many disks. Changes nothing there. */
export async function surveyServer(shell: Shell, signal: AbortSignal): Promise<Survey> {
  const ask = (command: string) => answer(shell, command, signal);
  const system = await ask(SYSTEM);
  const disks = await ask(DISKS);
  const network = await ask(NETWORK);
  const devices = blockDevices(disks);
  if (devices.all.length === 0) throw unreadable(shell.target.host, "/sys/block shows no device at all");
  const pieces = piecesOf(devices, disks);
  const bytes: string[] = [];
  for (let at = 0; at < pieces.length; at += AT_ONCE)
    bytes.push(...linesOf(await ask(reading(pieces.slice(at, at + AT_ONCE))), "bytes"));
  const facts = systemOf(system, devices, shell.target.host);
  return {
    ...facts,
    disks: surveyedDisks(devices, { system, disks, bytes }),
    network: networkOf(network, facts.cmdline),
  };
}

/** The pieces of disks to read. A disk is checked for zeros only when nothing else was found on it. */
function piecesOf(devices: BlockDevices, disks: Sections): (Stretch | Peek)[] {
  const contents = contentsOf(disks);
  return realDisks(devices).flatMap((disk) => {
    const partitions = partitionsOf(disk, devices);
    const unknown = [disk, ...partitions].filter(({ name }) => contents.get(name)?.filesystem === undefined);
    const isPlain = partitions.length === 0 && unknown.length > 0;
    return [...(isPlain ? stretchesOf(disk) : []), ...unknown.flatMap(peeksOf)];
  });
}

/** Runs a command and parses its sections; its exit code means nothing, since most parts may fail. */
async function answer(shell: Shell, command: string, signal: AbortSignal): Promise<Sections> {
  const { code, stdout, stderr } = await shell.run(command, { signal });
  const sections = sectionsOf(stdout);
  if (sections !== undefined) return sections;
  const said = (stderr.trim() || stdout.trim()).split("\n").slice(-3).join(" / ").slice(0, 300);
  throw unreadable(shell.target.host, `a command ended with exit code ${code}${said === "" ? "" : `: ${said}`}`);
}
