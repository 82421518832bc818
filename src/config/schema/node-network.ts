import * as ip from "./ip-words.ts";
import { choice, flag, list, oneOrMore, section, text, type Wrong, whole } from "./value.ts";
import * as words from "./words.ts";

const mac = (about: string) => text({ about, example: '"BC:24:11:00:00:12"', pattern: words.MAC, check: words.mac });
const mtu = whole({ about: "MTU.", example: "9000", from: 576, to: 9216 }).optional();
const some = (items: readonly string[]): Wrong | undefined =>
  items.length === 0
    ? { says: "is empty", hint: "write an address such as 10.20.0.11/24, or remove it" }
    : words.noneTwice(items);
const addresses = oneOrMore(text({ about: "An address.", example: "10.20.0.11/24", check: ip.addressWithPrefix }), {
  about: "Address with prefix length, or a list of them.",
  example: "10.20.0.11/24",
  check: some,
}).optional();

const nic = (more: object) =>
  section("A network card.", {
    mac: mac(
      "MAC address of the card. Required where machines exist already. By default derived where talosmith creates them.",
    ).optional(),
    ip: addresses,
    dhcp: flag({ about: "Whether the card gets an address by DHCP.", byDefault: false }).optional(),
    mtu,
    routes: list(
      section("A route.", {
        to: text({ about: "Destination network.", example: "10.30.0.0/16", check: ip.network }),
        via: text({ about: "Gateway to that network.", example: "10.20.0.1", check: ip.ip }),
      }),
      { about: "Routes through this card.", example: "[{ to: 10.30.0.0/16, via: 10.20.0.1 }]", byDefault: [] },
    ).optional(),
    vlans: list(
      section("A VLAN on the card.", {
        id: whole({ about: "VLAN id.", example: "20", from: 1, to: 4094 }),
        ip: addresses,
        mtu,
      }),
      { about: "VLANs on this card.", example: "[{ id: 20, ip: 10.20.0.11/24 }]", byDefault: [] },
    ).optional(),
    ...more,
  });

const bond = section("Several network cards combined into one (bond).", {
  mode: choice({
    about: "Bonding mode.",
    of: ["active-backup", "802.3ad", "balance-rr", "balance-xor", "broadcast", "balance-tlb", "balance-alb"],
  }),
  macs: list(mac("MAC address of a card."), {
    about: "MAC addresses of the cards.",
    example: '["BC:24:11:00:00:11", "BC:24:11:00:00:12"]',
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "name the cards by their MAC addresses" }
        : words.noneTwice(items.map((item) => item.toUpperCase())),
  }),
  miimon: whole({
    about: "Interval of link monitoring in milliseconds. By default the kernel's.",
    example: "100",
    from: 0,
    to: 60_000,
  }).optional(),
  lacpRate: choice({ about: "LACP rate, for mode 802.3ad.", of: ["slow", "fast"] }).optional(),
  xmitHashPolicy: choice({
    about: "Hash policy that selects the card for a packet.",
    of: ["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"],
  }).optional(),
});

/** Network settings of a node; `more`: keys that platforms add to an entry of nics. */
export const networkSettings = (more: object) => ({
  gateway: text({
    about:
      "Default gateway of this node instead of network.gateway. Where machines exist already, it may be outside network.cidr.",
    example: "10.10.0.2",
    check: ip.ip,
  }).optional(),
  nics: list(nic(more), {
    about: "Additional network cards.",
    example: '[{ mac: "BC:24:11:00:00:12", ip: 10.20.0.11/24 }]',
    byDefault: [],
    check: (items) =>
      items.length > 31 ? { says: "has more than 31 cards", hint: "a machine can have 32, the first one included" } : undefined,
  }).optional(),
  bond: bond.optional(),
});
