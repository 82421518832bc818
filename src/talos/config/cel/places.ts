/**
 * The names and fields with their types that an expression may use in one place of a machine config, and the type of its result. Values of the type
 * "?" are not checked. From Talos's own sources (its package celenv), for all minors together.
 */
export interface CelPlace {
  readonly gives: "bool" | "double";
  readonly names: Readonly<Record<string, string>>;
  readonly functions: readonly string[];
  /** A valid expression for this place. */
  readonly example: string;
}

/** "uint: size io_size; bool: readonly" as names with their types. */
function typed(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("; ").flatMap((group) => {
      const [type = "", names = ""] = group.split(": ");
      return names.split(" ").map((name) => [name, type]);
    }),
  );
}

const SIZES = typed("uint: KiB MiB GiB TiB PiB EiB kB MB GB TB PB EB");
const CLASSES = typed("int: Besteffort Burstable Guaranteed Podruntime System");
const OPTIONAL = ["of", "none", "ofNonZeroValue", "hasValue", "value", "or", "orValue", "optMap", "optFlatMap", "unwrap"];
const OPTIONAL_LISTS = ["unwrapOpt", "first", "last"];

const pressure = (prefix: string) =>
  ["some", "full"].flatMap((kind) => ["avg10", "avg60", "avg300", "total"].map((time) => `${prefix}memory_${kind}_${time}`));
const usage = (prefix: string) => ["current", "peak", "max"].map((kind) => `${prefix}qos_memory_${kind}`);

/** Messages and their fields. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  disk: typed(
    "uint: size io_size sector_size; bool: readonly rotational cdrom; string: model serial modalias wwid bus_path sub_system transport dev_path pretty_size uuid firmware_version; list: secondary_disks symlinks",
  ),
  volume: typed(
    "uint: size sector_size io_size block_size filesystem_block_size probed_size partition_index offset; string: name uuid label partition_uuid partition_type partition_label type device_path parent dev_path parent_dev_path pretty_size",
  ),
  link: typed(
    "uint: index link_index flags mtu master_index; int: type operational_state speed_megabits port duplex; bytes: hardware_addr broadcast_addr permanent_addr; bool: link_state; string: queue_disc kind slave_kind bus_path pciid driver driver_version firmware_version product_id vendor_id product vendor alias; list: alt_names; ?: vlan bridge_master bond_master wireguard vrf_master veth",
  ),
};

export const CEL_PLACES = {
  /** Selects the disk of a volume. */
  disk: {
    gives: "bool",
    names: { disk: "disk", system_disk: "bool", ...SIZES },
    functions: ["glob"],
    example: "disk.size > 100u * GB && !system_disk",
  },
  /** Which volume that is there already. */
  volume: {
    gives: "bool",
    names: { volume: "volume", disk: "disk", ...SIZES },
    functions: [],
    example: 'volume.partition_label == "DATA"',
  },
  /** Selects the volumes of a group or an array. */
  member: {
    gives: "bool",
    names: { volume: "volume", disk: "disk", volume_id: "string", system_disk: "bool", ...SIZES },
    functions: ["glob"],
    example: 'volume_id == "r-data"',
  },
  link: { gives: "bool", names: { link: "link" }, functions: ["glob", "mac"], example: 'link.driver == "e1000"' },
  /** Decides whether memory is so short that processes must be killed. */
  trigger: {
    gives: "bool",
    names: {
      ...typed(`double: ${[...pressure(""), ...pressure("d_")].join(" ")}`),
      ...typed(`map: ${["qos_", "d_qos_"].flatMap(pressure).concat(usage(""), usage("d_")).join(" ")}`),
      ...{ time_since_trigger: "duration", optional: "?", ...SIZES, ...CLASSES },
    },
    functions: ["multiply_qos_vectors", ...OPTIONAL, ...OPTIONAL_LISTS],
    example: 'memory_full_avg10 > 75.0 && time_since_trigger > duration("10s")',
  },
  /** Ranks the groups of processes to kill. */
  ranking: {
    gives: "double",
    names: {
      ...typed("optional: memory_max memory_current memory_peak; string: path; int: class"),
      ...{ optional: "?", ...SIZES, ...CLASSES },
    },
    functions: [...OPTIONAL, ...OPTIONAL_LISTS],
    example: "double(memory_current.orValue(0u))",
  },
} as const satisfies Record<string, CelPlace>;
