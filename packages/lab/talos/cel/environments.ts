/** Names and their types. A type "T." is a message: its fields are in `FIELDS`. */
export interface Environment {
  names: Readonly<Record<string, string>>;
  functions: readonly ("glob" | "mac" | "multiply_qos_vectors" | "optional")[];
}

const UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50, EiB: 2 ** 60 };
const METRIC = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, EB: 1e18 };

/** Factors of size units. */
export const SIZES: Readonly<Record<string, number>> = { ...UNITS, ...METRIC };

const sizes = Object.fromEntries(Object.keys(SIZES).map((name) => [name, "uint"]));

const CLASSES = Object.fromEntries("Besteffort Burstable Guaranteed Podruntime System".split(" ").map((name) => [name, "int"]));

/** memory_some_avg10 and similar names: in total, by class, and as differences. */
function pressures(): Record<string, string> {
  const kinds = ["some", "full"].flatMap((kind) => ["avg10", "avg60", "avg300", "total"].map((of) => `memory_${kind}_${of}`));
  const uses = ["current", "peak", "max"].map((of) => `memory_${of}`);
  const all: [string, string][] = [
    ...kinds.map((name): [string, string] => [name, "double"]),
    ...[...kinds, ...uses].map((name): [string, string] => [`qos_${name}`, "map(int, double)"]),
  ];
  return Object.fromEntries(all.flatMap(([name, type]) => [[name, type] as const, [`d_${name}`, type] as const]));
}

export const ENVIRONMENTS = {
  oomTrigger: {
    names: { ...pressures(), time_since_trigger: "duration", ...sizes, ...CLASSES },
    functions: ["multiply_qos_vectors", "optional"],
  },
  oomRanking: {
    names: {
      memory_max: "optional_type(uint)",
      memory_current: "optional_type(uint)",
      memory_peak: "optional_type(uint)",
      path: "string",
      class: "int",
      ...sizes,
      ...CLASSES,
    },
    functions: ["optional"],
  },
  disk: { names: { disk: "disk", system_disk: "bool", ...sizes }, functions: ["glob"] },
  volume: { names: { volume: "volume", disk: "disk", ...sizes }, functions: [] },
  link: { names: { link: "link" }, functions: ["glob", "mac"] },
} as const satisfies Record<string, Environment>;

function fields(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("; ").flatMap((group) => {
      const [type = "", names = ""] = group.split(": ");
      return names.split(" ").map((name) => [name, type]);
    }),
  );
}

/** api/resource/definitions: DiskSpec, DiscoveredVolumeSpec, LinkStatusSpec. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  disk: fields(
    "uint: size io_size sector_size; bool: readonly rotational cdrom; string: model serial modalias wwid bus_path sub_system transport dev_path pretty_size uuid firmware_version; list(string): secondary_disks symlinks",
  ),
  volume: fields(
    "uint: size sector_size io_size block_size filesystem_block_size probed_size partition_index offset; string: name uuid label partition_uuid partition_type partition_label type device_path parent dev_path parent_dev_path pretty_size",
  ),
  link: fields(
    "uint: index link_index flags mtu master_index; int: type operational_state speed_megabits port duplex; bytes: hardware_addr broadcast_addr permanent_addr; bool: link_state; string: queue_disc kind slave_kind bus_path pciid driver driver_version firmware_version product_id vendor_id product vendor alias; list(string): alt_names; dyn: vlan bridge_master bond_master wireguard vrf_master veth",
  ),
};

/** Names of message types in errors. */
export const MESSAGES: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
  disk: "talos.resource.definitions.block.DiskSpec",
  volume: "talos.resource.definitions.block.DiscoveredVolumeSpec",
  link: "talos.resource.definitions.network.LinkStatusSpec",
};
