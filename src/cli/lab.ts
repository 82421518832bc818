import { Command, InvalidArgumentError, Option } from "commander";
import { type CommonFlags, command, plainCommand } from "./flags.ts";
import { faultCommand } from "./lab-fault.ts";
import { LAB_PLATFORMS, type LabPlatform, type SiteWish, usualPlatform } from "./lab-sites.ts";
import { addPlatformFlags } from "./platform-flags.ts";

const FOLDER = ["[environment]", "the folder of the environment that uses the lab", "environments/lab"] as const;

interface StartFlags extends CommonFlags, SiteWish {
  platform: LabPlatform;
  speed: number | "instant";
  seed: string;
  idle: number;
  private?: boolean;
  as?: string;
}

interface ServeFlags extends SiteWish {
  folder: string;
  platform: LabPlatform;
  speed: number | "instant";
  seed: string;
  address: string;
  idle: number;
  private?: boolean;
}

export function labCommand(): Command {
  const lab = plainCommand(
    "lab",
    "The embedded datacenter: a simulated Proxmox with Talos machines and their cluster, on loopback addresses.",
    "  talosmith lab start\n  talosmith lab status\n  talosmith lab stop",
  );
  for (const sub of [startCommand(), stopCommand(), statusCommand(), faultCommand()]) lab.addCommand(sub);
  return lab.addCommand(serveCommand(), { hidden: true });
}

function startCommand(): Command {
  const examples = `  talosmith lab start                          also writes environments/lab/config.yaml
  talosmith lab start environments/try --speed 1     in real time
  talosmith lab start environments/rented --platform vps`;
  const start = command("start", "Start a lab in the background, with an environment that uses it.", examples, "accepted")
    .argument(...FOLDER)
    .option("--speed <factor>", "how many times faster than real time, or 'instant'", speed, 20)
    .option("--seed <text>", "seed of random choices: the same seed gives the same lab", "talosmith")
    .option("--idle <minutes>", "stop after this many minutes without a call", minutes, 120)
    .addOption(platformOption());
  return addPlatformFlags(start, SITE_FLAGS)
    .option("--private", "nodes can be reached only through their hosts, by SSH (network.via: ssh)")
    .option(
      "--as <address>",
      "write .lab/wire.yaml, which redirects connections to the Proxmox at this address to the lab (see up --help)",
    )
    .option("--network <cidr>", "write .lab/wire.yaml, which redirects connections to this network of the nodes to the lab")
    .action(async (folder: string, flags: StartFlags, self: Command) => {
      const { inSession } = await import("./session.ts");
      const { startLabFor } = await import("./lab-start.ts");
      const args = ["--speed", String(flags.speed), "--seed", flags.seed, "--idle", String(flags.idle)];
      args.push(...(flags.private ? ["--private"] : []), ...siteArgs(self));
      const useWire = (file: string) => self.setOptionValue("wire", file);
      await inSession(flags, async (session) => {
        const exitCode = await startLabFor(session, folder, flags.platform, args, flags.private === true, useWire);
        const { as, network } = flags;
        if (as === undefined && network === undefined) return exitCode;
        const { writeLabWire } = await import("./lab-wire.ts");
        await writeLabWire(session, folder, { ...(as !== undefined && { as }), ...(network !== undefined && { network }) });
        return exitCode;
      });
    });
}

function stopCommand(): Command {
  return command("stop", "Stop a lab. Everything in it is lost.", "  talosmith lab stop", "accepted")
    .argument(...FOLDER)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { stopLabOf } = await import("./lab-stop.ts");
      await inSession(flags, (session) => stopLabOf(session, folder));
    });
}

function statusCommand(): Command {
  return command(
    "status",
    "Show whether a lab is running, and its addresses.",
    "  talosmith lab status\n  talosmith lab status --json",
    "accepted",
  )
    .argument(...FOLDER)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { showLab } = await import("./lab-status.ts");
      await inSession(flags, (session) => showLab(session, folder));
    });
}

/** The lab's own process; started by `lab start`, not by people. */
function serveCommand(): Command {
  const serve = new Command("serve")
    .requiredOption("--folder <folder>", "folder of lab.json")
    .option("--speed <factor>", "how many times faster than real time", speed, 20)
    .option("--seed <text>", "seed of random choices", "talosmith")
    .option("--address <prefix>", "the address block to try first", "127.80.1")
    .option("--idle <minutes>", "stop after this many minutes without a call", minutes, 120)
    .addOption(platformOption());
  return addPlatformFlags(serve, SITE_FLAGS)
    .option("--network <cidr>", "the machines' network")
    .option("--private", "machines are reached only through their hosts")
    .action(async (flags: ServeFlags) => {
      const { inSession } = await import("./session.ts");
      const { serveLabFor } = await import("./lab-serve.ts");
      await inSession({}, (session) => serveLabFor(session, flags));
    });
}

const SITE_FLAGS = LAB_PLATFORMS.map(({ lab }) => ({ name: "", flags: lab.flags }));

/** Flags about the site, for the lab's own process. */
function siteArgs(start: Command): string[] {
  const names = ["network", ...SITE_FLAGS.flatMap(({ flags }) => flags.map((flag) => new Option(flag.flags).name()))];
  return start.options.flatMap((option) => {
    const value: unknown = start.getOptionValue(option.attributeName());
    return names.includes(option.name()) && typeof value === "string" ? [`--${option.name()}`, value] : [];
  });
}

function platformOption(): Option {
  const names = LAB_PLATFORMS.map(({ name }) => name);
  const abouts = LAB_PLATFORMS.map(({ lab }) => lab.about);
  return new Option("--platform <platform>", `what the lab simulates: ${abouts.slice(0, -1).join(", ")} or ${abouts.at(-1)}`)
    .choices(names)
    .argParser(labPlatform)
    .default(usualPlatform(), JSON.stringify(usualPlatform().name));
}

function labPlatform(text: string): LabPlatform {
  const found = LAB_PLATFORMS.find(({ name }) => name === text);
  if (found) return found;
  throw new InvalidArgumentError(`Allowed choices are ${LAB_PLATFORMS.map(({ name }) => name).join(", ")}.`);
}

export function speed(text: string): number | "instant" {
  if (text === "instant") return text;
  const factor = Number(text);
  if (!(factor > 0 && factor <= 10_000)) throw new InvalidArgumentError("It must be a number above 0, or 'instant'.");
  return factor;
}

function minutes(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("It must be a number of minutes above 0.");
  return value;
}
