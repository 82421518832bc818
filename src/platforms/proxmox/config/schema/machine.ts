import * as z from "zod";
import { sizeText } from "../../../../config/schema/size.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong, whole } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";

const CPU = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** Those Proxmox lets a machine's own config name: CPUFlags.pm of qemu-server. nested-virt came with Proxmox VE 9. */
const CPU_FLAGS =
  "aes amd-no-ssb amd-ssbd hv-evmcs hv-tlbflush ibpb md-clear nested-virt pcid pdpe1gb spec-ctrl ssbd virt-ssbd".split(" ");
const CPU_FLAG = new RegExp(`^[+-](${CPU_FLAGS.join("|")})$`);
const MACHINE = /^(q35|i440fx|pc|pc-(q35|i440fx)-\d+\.\d+(\.\d+)?(\+pve\d+)?)$/;
const CORES = /^\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*$/;
const POOL = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+){0,2}$/;
/** Proxmox takes 8 KiB, of which our mark and the encoding of what is not ASCII take some. */
const LONGEST_NOTES = 4096;

export const pool = (about: string) =>
  text({
    about,
    example: "talos",
    pattern: POOL,
    check: words.named(POOL, "a resource pool", "talos, as the Proxmox UI shows it under Datacenter, Permissions, Pools"),
  }).optional();

function cpuType(value: string): Wrong | undefined {
  const [type = "", flags] = value.split(/,flags=/);
  if (flags === undefined || !CPU.test(type)) return words.named(CPU, "a processor type", "host or x86-64-v3")(value);
  return { says: "contains flags", hint: `write\ncpu: ${type}\ncpuFlags: [${flags.replaceAll(";", ", ")}]` };
}

function cpuFlag(value: string): Wrong | undefined {
  if (CPU_FLAG.test(value)) return undefined;
  const bare = value.replace(/^[+-]/, "");
  return CPU_FLAGS.includes(bare)
    ? { says: "has no + or - in front", hint: `write +${bare} or -${bare}` }
    : { says: "is not a processor flag that Proxmox allows for machines", hint: `use + or - and one of ${CPU_FLAGS.join(", ")}` };
}

function hostCores(value: string): Wrong | undefined {
  const backwards = value.split(",").some((part) => {
    const [from, to = from] = part.split("-").map(Number);
    return Number(to) < Number(from);
  });
  return CORES.test(value) && !backwards
    ? undefined
    : { says: "is not a list of host cores", hint: 'write numbers and ranges, in quotes: "0-3,8"' };
}

function notes(value: string): Wrong | undefined {
  if (value.split("\n").some((line) => line.startsWith("talosmith:")))
    return {
      says: "has a line that begins with talosmith:, which is reserved for the machine's mark",
      hint: "begin that line with something else",
    };
  if (value.length > LONGEST_NOTES)
    return { says: "is too long", hint: `use at most ${LONGEST_NOTES} characters: Proxmox keeps no more` };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u0009\u000b-\u001f\u007f]/.test(value))
    return { says: "contains a control character", hint: "use plain text and line breaks" };
  return undefined;
}

const startup = checked(
  section("Order and delays when the machine starts and stops with its host.", {
    order: whole({
      about: "Position: machines with lower numbers start earlier and stop later.",
      example: "1",
      from: 0,
      to: 100_000,
    }).optional(),
    up: whole({
      about: "Seconds to wait after starting this machine before starting the next.",
      example: "30",
      from: 0,
      to: 86_400,
    }).optional(),
    down: whole({ about: "Seconds to wait for the machine to stop.", example: "60", from: 0, to: 86_400 }).optional(),
  }),
  (all) => (Object.keys(all).length === 0 ? { says: "is empty", hint: "add order, up or down, or remove it" } : undefined),
);

/** Settings of a virtual machine's hardware and options. */
export const machineSettings = {
  cpu: text({
    about: "CPU type; custom-NAME for one defined in Proxmox. By default host with one Proxmox host, x86-64-v2-AES with several.",
    example: "host",
    pattern: CPU,
    check: cpuType,
  }).optional(),
  cpuFlags: list(text({ about: "A flag with + or -.", example: "+aes", pattern: CPU_FLAG, check: cpuFlag }), {
    about: "CPU flags to add to the type (+) or to remove from it (-).",
    example: "[+aes, -pcid]",
    byDefault: [],
    check: (items) => words.noneTwice(items.map((item) => item.slice(1))),
  }).optional(),
  sockets: whole({
    about: "CPU sockets; each has the number of cores that cores sets.",
    example: "2",
    from: 1,
    to: 8,
    byDefault: 1,
  }).optional(),
  numa: flag({ about: "Whether each socket has its own memory (NUMA). By default only with hugepages." }).optional(),
  cpuUnits: whole({
    about: "CPU weight relative to the other machines of the host. By default Proxmox's own, 100.",
    example: "200",
    from: 1,
    to: 10_000,
  }).optional(),
  affinity: text({
    about: "Cores of the host that the machine may use. Needs the password of root@pam.",
    example: '"0-3,8"',
    pattern: CORES,
    check: hostCores,
  }).optional(),
  balloon: z
    .union([z.literal(false), sizeText("Minimum memory.", "2GiB", words.size)])
    .meta({ description: "Minimum memory that ballooning leaves to the machine, or false for no ballooning.", default: false })
    .register(leaves, { example: "2GiB", typeHint: "write false, or a size such as 2GiB", numberSays: "has no unit" })
    .optional(),
  hugepages: z
    .union([flag({ about: "Pages of any size." }), choice({ about: "Size of the pages.", of: ["2MiB", "1GiB"] })])
    .meta({
      description: "Huge pages for the machine's memory: true for any size, or 2MiB or 1GiB. Needs the password of root@pam.",
      default: false,
    })
    .register(leaves, { example: "1GiB", choices: ["2MiB", "1GiB"], typeHint: "write true, 2MiB or 1GiB" })
    .optional(),
  machine: text({
    about: "Machine type: q35, i440fx, or one pinned to a QEMU version such as pc-q35-9.2.",
    example: "q35",
    byDefault: "q35",
    pattern: MACHINE,
    check: words.named(MACHINE, "a machine type", "q35, i440fx or pc-q35-9.2"),
  }).optional(),
  firmware: choice({
    about: "Firmware. By default ovmf (UEFI) with pci devices or image.secureboot, else seabios.",
    of: ["seabios", "ovmf"],
  }).optional(),
  tpm: flag({ about: "Whether the machine has a TPM, for encryption by tpm.", byDefault: false }).optional(),
  serial: flag({ about: "Whether the machine has a serial console.", byDefault: true }).optional(),
  display: choice({
    about: "Graphics card. By default Proxmox's own choice, std.",
    of: ["std", "virtio", "virtio-gl", "qxl", "vmware", "cirrus", "serial0", "none"],
  }).optional(),
  agent: flag({
    about: "Whether Proxmox uses the QEMU guest agent. By default when the image has the extension siderolabs/qemu-guest-agent.",
  }).optional(),
  onboot: flag({ about: "Whether the machine starts when its host does.", byDefault: true }).optional(),
  startup: startup.optional(),
  pool: pool("Resource pool of the machine. By default proxmox.pool."),
  protection: flag({
    about: "Whether the machine is protected from removal, by Proxmox and by talosmith.",
    byDefault: false,
  }).optional(),
  description: text({ about: "Notes of the machine in Proxmox.", example: "the node under the stairs", check: notes }).optional(),
};
