import { EXTENSIONS } from "../../factory/extensions.ts";
import type { TalosOnDisk } from "../../factory/image.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { type Called, configOf } from "../api/caller.ts";
import { timeServersOf } from "../api/time.ts";
import { value } from "../config/machine-config.ts";
import { localEtcd } from "../etcd/cluster.ts";
import { isRunning } from "../machine/services.ts";
import { statusOf } from "../machine/status.ts";
import { madeWith } from "../schematic.ts";
import { talosState } from "../state.ts";
import { minorOf } from "../versions.ts";
import { type Described, described, type ResourceSource } from "./resource.ts";

/** The extensions of an image sorted by name, followed by its schematic. */
function extensionStatuses(lab: Lab, { schematic, version }: TalosOnDisk): Described[] {
  const known = (name: string) => (EXTENSIONS[name] ?? "").replace("VERSION", version);
  const built = madeWith(lab, schematic).extensions.map((name) => ({
    file: name.replace("siderolabs/", "ghcr.io-siderolabs-"),
    metadata: {
      name: name.replace("siderolabs/", ""),
      version: known(name),
      author: "Sidero Labs",
      description: `Official extension ${name}.`,
      compatibility: { talos: { version: ">= v1.0.0" } },
    },
  }));
  const virtual = {
    file: "ghcr.io-siderolabs-schematic",
    metadata: {
      name: "schematic",
      version: schematic,
      author: "Image Factory",
      description: "Virtual extension which specifies the schematic of the image built with Image Factory.",
      compatibility: { talos: { version: ">= 1.0.0" } },
      extraInfo: "customization: {}\n",
    },
  };
  return [...built, virtual].map(({ file, metadata }, index) => [
    String(index),
    { image: `${String(index).padStart(3, "0")}.${file}.sqsh`, metadata },
  ]);
}

/** Values that Talos sets, with the kernel's defaults. */
const SYSCTLS: Readonly<Record<string, readonly [current: string, standard: string]>> = {
  "proc.sys.fs.aio-max-nr": ["1048576", "65536"],
  "proc.sys.fs.inotify.max_user_instances": ["8192", "128"],
  "proc.sys.kernel.ctrl-alt-del": ["0", "0"],
  "proc.sys.kernel.panic": ["10", "0"],
  "proc.sys.kernel.pid_max": ["262144", "32768"],
  "proc.sys.net.bridge.bridge-nf-call-ip6tables": ["1", "1"],
  "proc.sys.net.bridge.bridge-nf-call-iptables": ["1", "1"],
  "proc.sys.net.ipv4.icmp_echo_ignore_broadcasts": ["1", "1"],
  "proc.sys.net.ipv4.icmp_ignore_bogus_error_responses": ["1", "1"],
  "proc.sys.net.ipv4.ip_forward": ["1", "0"],
  "proc.sys.net.ipv4.ip_local_reserved_ports": ["50000,50001", ""],
  "proc.sys.net.ipv4.tcp_keepalive_intvl": ["60", "75"],
  "proc.sys.net.ipv4.tcp_keepalive_time": ["600", "7200"],
  "proc.sys.net.ipv6.conf.default.accept_ra": ["2", "1"],
  "proc.sys.net.ipv6.conf.default.forwarding": ["1", "0"],
  "proc.sys.vm.overcommit_memory": ["1", "0"],
  // Hardening, which a node in a container does not have.
  "proc.sys.dev.tty.ldisc_autoload": ["0", "1"],
  "proc.sys.dev.tty.legacy_tiocsti": ["0", "0"],
  "proc.sys.fs.protected_fifos": ["2", "0"],
  "proc.sys.fs.protected_hardlinks": ["1", "0"],
  "proc.sys.fs.protected_regular": ["2", "0"],
  "proc.sys.fs.protected_symlinks": ["1", "0"],
  "proc.sys.fs.suid_dumpable": ["0", "0"],
  "proc.sys.kernel.dmesg_restrict": ["1", "1"],
  "proc.sys.kernel.kptr_restrict": ["2", "0"],
  "proc.sys.kernel.perf_event_paranoid": ["3", "2"],
  "proc.sys.kernel.randomize_va_space": ["2", "2"],
  "proc.sys.kernel.unprivileged_bpf_disabled": ["1", "2"],
  "proc.sys.kernel.yama.ptrace_scope": ["2", "1"],
  "proc.sys.net.core.bpf_jit_harden": ["2", "0"],
  "proc.sys.user.max_user_namespaces": ["0", "15000"],
  "proc.sys.vm.unprivileged_userfaultfd": ["0", "0"],
};

function sysctlsOf(called: Called): Record<string, readonly [current: string, standard: string]> {
  const config = configOf(called);
  const given = Object.entries((config ? value(config, "machine.sysctls") : undefined) ?? {});
  const own = given.map(([key, set]) => [`proc.sys.${key}`, [String(set), ""]] as const);
  return { ...SYSCTLS, ...Object.fromEntries(own) };
}

/** Resources of the namespace runtime, and related ones. */
export const runtimeSources: readonly ResourceSource[] = [
  described(
    "MachineStatuses.runtime.talos.dev",
    "runtime.MachineStatusController",
    "1 stage stage  2 status { 1 ready bool  2 unmetConditions { 1 name text  2 reason text }* }",
    ({ lab, machine }) => {
      const { stage, ready, unmet } = statusOf(lab, machine);
      return [["machine", { stage, status: { ready, unmetConditions: unmet } }]];
    },
  ),
  described("Versions.runtime.talos.dev", "runtime.VersionController", "2@13 name text  1 version text", ({ boot }) => [
    ["version", { name: "Talos", version: boot.system.version }],
  ]),
  described(
    "Services.v1alpha1.talos.dev",
    "v1alpha1.ServiceController",
    "1 running bool  2 healthy bool  3 unknown bool",
    ({ boot }) =>
      Object.entries(boot.services)
        .filter(([, service]) => service.state === "Running")
        .map(([id, { healthy }]) => [id, { running: true, healthy: healthy === true, unknown: healthy === undefined }]),
  ),
  described(
    "ExtensionStatuses.runtime.talos.dev",
    "runtime.ExtensionStatusController",
    `1 image text
     2 metadata { 1 name text  2 version text  3 author text  4 description text
                  5 compatibility { 1 talos { 1 version text } }  6 extraInfo? text }`,
    ({ lab, boot }) => extensionStatuses(lab, boot.system),
  ),
  described("Diagnostics.runtime.talos.dev", "runtime.DiagnosticsController", "1 message text  2 details text*", () => []),
  described(
    "TimeStatuses.v1alpha1.talos.dev",
    "time.SyncController",
    "1 synced bool  2 epoch number  3 syncDisabled bool",
    () => [["node", { synced: true, epoch: 1 }]],
  ),
  described(
    "TimeServerStatuses.net.talos.dev",
    "network.TimeServerSpecController",
    "1 timeServers text*  2@14 useNTS bool",
    (called) => [["timeservers", { timeServers: timeServersOf(called) }]],
  ),
  described(
    "PlatformMetadatas.talos.dev",
    "network.PlatformConfigApplyController",
    `1 platform? text  2 hostname? text  3 region? text  4 zone? text  5 instanceType? text  6 instanceId? text  7 providerId? text
     8 spot? bool  9 internalDNS? text  10 externalDNS? text  11 tags? map`,
    ({ boot, machine }) => {
      const { hostname } = machine.platform;
      const instance = machine.vmid === undefined ? {} : { instanceId: String(machine.vmid) };
      return [["platformmetadata", { platform: boot.system.platform, ...(hostname !== undefined && { hostname }), ...instance }]];
    },
  ),
  described(
    "SecurityStates.talos.dev",
    "runtime.SecurityStateController",
    `1 secureBoot bool  2 ukiSigningKeyFingerprint? text  3 pcrSigningKeyFingerprint? text  4 selinuxState? selinux  6 fipsState? fips
     5 bootedWithUKI? bool  7 moduleSignatureEnforced? bool`,
    ({ boot }) => [
      [
        "securitystate",
        {
          secureBoot: boot.secureBoot === true,
          bootedWithUKI: true,
          selinuxState: "enabled, permissive",
          moduleSignatureEnforced: true,
        },
      ],
    ],
  ),
  described("MetaKeys.runtime.talos.dev", "", "1 value text", ({ lab, boot }) => {
    if (boot.disk === undefined) return [];
    const written = { 6: "A", ...talosState(lab).disks[boot.disk]?.meta };
    return Object.entries(written).map(([key, value]) => [`0x${Number(key).toString(16).padStart(2, "0")}`, { value }]);
  }),
  described("MetaLoads.runtime.talos.dev", "", "1 done bool", () => [["meta-loaded", { done: true }]]),
  described(
    "KernelParamStatuses.runtime.talos.dev",
    "runtime.KernelParamSpecController",
    "1 current text  2 default text  3 unsupported bool",
    (called) => Object.entries(sysctlsOf(called)).map(([id, [current, standard]]) => [id, { current, default: standard }]),
  ),
  described(
    "ImageCacheConfigs.cri.talos.dev",
    "cri.ImageCacheConfigController",
    "1 status imageCache  3 copyStatus imageCacheCopy  2 roots text*",
    (called) => (configOf(called) ? [["image-cache", { status: "disabled", copyStatus: "skipped", roots: [] }]] : []),
  ),
  described("BootIDs.runtime.talos.dev", "runtime.BootIDController", "1 bootID text", ({ boot }) =>
    minorOf(boot.system.version) >= 14 ? [["boot-id", { bootID: boot.id }]] : [],
  ),
  described(
    "SystemInformations.hardware.talos.dev",
    "hardware.SystemInfoController",
    `1 manufacturer? text  2 productName? text  3 version? text  4 serialnumber? text  5 uuid? text  6 wakeUpType? text  7 skuNumber? text
     8@14 biosVersion? text`,
    ({ machine }) => {
      const { uuid, manufacturer, product } = machine.hardware;
      const of = { manufacturer, productName: product, version: "pc-q35-9.2+pve1", serialnumber: "", uuid };
      return [["systeminformation", { ...of, wakeUpType: "Power Switch", biosVersion: "4.2025.02-4" }]];
    },
  ),
  described(
    "Processors.hardware.talos.dev",
    "hardware.SystemInfoController",
    `1 socket? text  2 manufacturer? text  3 productName? text  4 maxSpeedMhz? number  5 bootSpeedMhz? number  6 status? number
     7 serialNumber? text  8 assetTag? text  9 partNumber? text  10 coreCount? number  11 coreEnabled? number  12 threadCount? number`,
    ({ machine }) => {
      const { manufacturer, cores } = machine.hardware;
      const speed = { maxSpeedMhz: 2000, bootSpeedMhz: 2000, status: 65 };
      return [["CPU-0", { socket: "CPU 0", manufacturer, ...speed, coreCount: cores, coreEnabled: cores, threadCount: cores }]];
    },
  ),
  described(
    "MemoryModules.hardware.talos.dev",
    "hardware.SystemInfoController",
    `1 sizeMiB? number  2 deviceLocator? text  3 bankLocator? text  4 speed? number  5 manufacturer? text  6 serialNumber? text
     7 assetTag? text  8 productName? text`,
    ({ machine }) => {
      const { manufacturer, memoryMiB } = machine.hardware;
      return [["DIMM-0", { sizeMiB: memoryMiB, deviceLocator: "DIMM 0", manufacturer }]];
    },
  ),
  described("EtcdMembers.etcd.talos.dev", "etcd.MemberController", "1 memberID text", ({ lab, machine, boot }) => {
    const member = isRunning(boot, "etcd") ? localEtcd(lab, machine)?.member : undefined;
    return member ? [["local", { memberID: member.id }]] : [];
  }),
];
