/** Names of Talos's enum values (its `nethelpers`, `block` and `runtime` packages). */
export const names: Record<string, Record<string, number>> = {
  addressSort: counted("v1 v2"),
  bondMode: counted("balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb balance-alb"),
  bondHash: counted("layer2 layer3+4 layer2+3 encap2+3 encap3+4"),
  lacpRate: counted("slow fast"),
  arpValidate: counted("none active backup all filter filter-active filter-backup"),
  arpTargets: counted("any all"),
  primaryReselect: counted("always better failure"),
  failOverMac: counted("none active follow"),
  adSelect: counted("stable bandwidth count"),
  chainHook: counted("prerouting input forward output postrouting"),
  // Talos has no names for these two.
  chainPriority: { "NfTablesChainPriority(-140)": -140, "NfTablesChainPriority(-110)": -110 },
  conntrack: { invalid: 1, established: 2, related: 4, new: 8 },
  matchOperator: counted("== !="),
  protocol: { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 },
  verdict: counted("drop accept"),
  duplex: { Half: 0, Full: 1, Unknown: 255 },
  port: { "Twisted Pair": 0, AUI: 1, MII: 2, FIBRE: 3, BNC: 4, DA: 5, None: 239, Other: 255 },
  configLayer: counted("default cmdline platform operator configuration"),
  family: { inet4: 2, inet6: 10 },
  filesystem: { none: 0, xfs: 1, vfat: 2, ext4: 3, iso9660: 4, swap: 5, swapi: 5, virtiofs: 6, btrfs: 7 },
  encryption: counted("none luks2"),
  fips: { disabled: 0, enabled: 1, "enabled, strict": 2 },
  imageCache: counted("unknown disabled preparing ready"),
  imageCacheCopy: counted("unknown skipped copying ready"),
  linkType: { netrom: 0, ether: 1, void: 65_535, loopback: 772, none: 65_534 },
  moduleState: counted("live loading unloading built-in"),
  moduleType: counted("unknown built-in dynamic"),
  machineType: counted("unknown init controlplane worker"),
  operational: counted("unknown notPresent down lowerLayerDown testing dormant up"),
  routeProtocol: { unspec: 0, redirect: 1, kernel: 2, boot: 3, static: 4, ra: 9 },
  routeType: counted("unspec unicast local broadcast anycast multicast blackhole unreachable prohibit throw nat xresolve"),
  routingTable: { unspec: 0, default: 253, main: 254, local: 255 },
  scope: { global: 0, site: 200, link: 253, host: 254, nowhere: 255 },
  selinux: { disabled: 0, "enabled, permissive": 1, "enabled, enforcing": 2 },
  sensitivity: { "": 0, sensitive: 1 },
  stage: {
    unknown: 0,
    booting: 1,
    installing: 2,
    maintenance: 3,
    running: 4,
    rebooting: 5,
    "shutting down": 6,
    resetting: 7,
    upgrading: 8,
  },
  vlanProtocol: { "802.1q": 0x8100, "802.1ad": 0x88a8 },
  volumePhase: counted("waiting failed missing located provisioned prepared ready closed"),
  volumeType: counted("partition disk tmpfs directory symlink overlay external"),
};

/** Flags: several at a time, separated by commas. */
export const bits: Record<string, Record<string, number>> = {
  addressFlags: shifted(
    "temporary nodad optimistic dadfailed homeaddress deprecated tentative permanent mngmtmpaddr noprefixroute mcautojoin stableprivacy",
  ),
  linkFlags: shifted(
    "UP BROADCAST DEBUG LOOPBACK POINTTOPOINT NOTRAILERS RUNNING NOARP PROMISC ALLMULTI MASTER SLAVE MULTICAST PORTSEL AUTOMEDIA DYNAMIC LOWER_UP DORMANT ECHO",
  ),
  routeFlags: { notify: 0x100, cloned: 0x200, equalize: 0x400, prefix: 0x800 },
};

function counted(words: string): Record<string, number> {
  return Object.fromEntries(words.split(" ").map((word, number) => [word, number]));
}

function shifted(words: string): Record<string, number> {
  return Object.fromEntries(words.split(" ").map((word, place) => [word, 2 ** place]));
}
