import { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface PrepareFlags extends CommonFlags {
  yes?: boolean;
  plan?: boolean;
  pci: string[];
  usb: string[];
  reboot: string[];
  withGuests?: boolean;
  nat?: string;
}

const EXAMPLES = `  talosmith host prepare environments/homelab                              role, user and token; image storage; devices
  talosmith host prepare environments/homelab --plan                       every command it would run, and nothing more
  talosmith host prepare environments/homelab --pci gpu0=pve2:0000:01:00   which card the mapping gpu0 is
  talosmith host prepare environments/homelab --reboot pve2                that host may be rebooted
  talosmith host prepare environments/homelab --nat vmbr10=10.10.0.0/24    a network of the nodes' own

Logs in by SSH as root, as proxmox.ssh says (default: root at the host of proxmox.url). \`down\` takes none of it back.`;

const several = (text: string, before: string[]) => [...before, text];

export function hostCommand(): Command {
  return new Command("host")
    .description("What only root on the Proxmox hosts can do.")
    .helpCommand(false)
    .addHelpText("after", "\nExamples:\n  talosmith host prepare environments/homelab")
    .addCommand(prepareCommand());
}

function prepareCommand(): Command {
  return command("prepare", "Prepare Proxmox hosts for this environment: shown first, then asked, then done.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask; reboots only what --reboot names")
    .option("--plan", "show what would be done; exit code 2 when there is something")
    .option("--pci <mapping=host:device>", "the PCI device a mapping of the config is on a host (repeatable)", several, [])
    .option(
      "--usb <mapping=host:vendor:product>",
      "the USB device a mapping of the config is on a host (repeatable)",
      several,
      [],
    )
    .option("--reboot <host>", "this host may be rebooted when it must be (repeatable; one at a time)", several, [])
    .option("--with-guests", "even while machines run on it: Proxmox shuts them down")
    .option("--nat <bridge=network[,dhcp]>", "make a bridge with a network of its own that leads out through its host")
    .action(async (folder: string, flags: PrepareFlags) => {
      const { inSession } = await import("./session.ts");
      const { planHosts, prepareHosts } = await import("../workflows/host-prepare.ts");
      const { readWish } = await import("../platforms/proxmox/host/wish.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agreeToAll } = await import("./agree.ts");
      await inSession(flags, async (session) => {
        const hosts = readWish(flags);
        if (flags.plan) return planHosts(session, folder, hosts);
        const confirm = () => agreeToAll("This is done as root on your hosts", flags, session.signal);
        return prepareHosts(session, folder, { hosts, confirm }, reportView());
      });
    });
}
