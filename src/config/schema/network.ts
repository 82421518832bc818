import * as ip from "./ip-words.ts";
import { sshSection } from "./ssh.ts";
import { checked, choice, list, oneOrMore, section, text, type Wrong, whole } from "./value.ts";
import * as words from "./words.ts";

const ssh = sshSection("Where via: ssh logs in.", "Host that reaches the nodes; it must be given where machines exist already.");

const PROXY = words.webAddress("the proxy's address, such as http://proxy.home.arpa:3128");

/** Whatever is written there can be read by everybody who may read a node's config. */
function proxyAddress(value: string): Wrong | undefined {
  if (URL.canParse(value) && new URL(value).username !== "")
    return {
      says: "must not hold a user or password",
      hint: "let the proxy know the nodes by their addresses, or set it by a patch",
    };
  return PROXY(value);
}

const proxy = checked(
  section("How nodes reach the outside when they cannot by themselves.", {
    http: text({
      about: "Proxy for http.",
      example: "http://proxy.home.arpa:3128",
      check: proxyAddress,
    }).optional(),
    https: text({
      about: "Proxy for https; it is spoken to in plain http as a rule.",
      example: "http://proxy.home.arpa:3128",
      check: proxyAddress,
    }).optional(),
    except: list(text({ about: "A name, address or network.", example: ".home.arpa", check: ip.proxyException }), {
      about: "Names, addresses and networks that are reached without it.",
      example: "[.home.arpa, 10.0.0.0/8]",
      byDefault: [],
      check: words.noneTwice,
    }).optional(),
  }),
  ({ http, https }) =>
    http === undefined && https === undefined
      ? { says: "names no proxy", hint: "add http or https, such as https: http://proxy.home.arpa:3128" }
      : undefined,
);

/** One of a kind, or one of each family; that the families differ is a matter of `../checks`. */
export const oneOrTwo = (items: readonly string[]): Wrong | undefined =>
  items.length === 0 || items.length > 2
    ? { says: "must be one, or a list of one IPv4 and one IPv6", hint: "write one, or two of different families" }
    : undefined;

/** `cidr` and `gateway` are required by most platforms, see ../shape.ts. */
export const network = section("The network all nodes are in.", {
  cidr: oneOrMore(text({ about: "A network.", example: "10.10.0.0/24", check: ip.cidr }), {
    about:
      "The nodes' network, IPv4 or IPv6; or a list of one of each, the first being the one Kubernetes prefers. Required, except at a provider, where it gives the nodes inside it their prefix length.",
    example: "10.10.0.0/24",
    check: oneOrTwo,
  }).optional(),
  gateway: oneOrMore(text({ about: "A gateway.", example: "10.10.0.1", check: ip.ip }), {
    about:
      "The nodes' default gateway, inside cidr; with two networks a list, in which the second one's may be missing. Required, except at a provider, where nodes may have their own; there it may be outside.",
    example: "10.10.0.1",
    check: oneOrTwo,
  }).optional(),
  nameservers: list(text({ about: "A DNS server.", example: "10.10.0.1", check: ip.ip }), {
    about: "DNS servers of the nodes. Required at a provider without network.gateway. By default the gateway.",
    example: "[10.10.0.1]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "remove it to use the gateway, or name a DNS server" }
        : words.noneTwice(items),
  }).optional(),
  via: choice({
    about: "How this computer reaches the nodes: direct when it can reach their addresses itself, ssh through a host that can.",
    of: ["direct", "ssh"],
    byDefault: "direct",
  }).optional(),
  ssh: ssh.optional(),
  timeServers: list(text({ about: "A time server.", example: "time.cloudflare.com", check: ip.timeServer }), {
    about: "Time servers of the nodes. By default Talos's own, time.cloudflare.com.",
    example: "[time.cloudflare.com]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "remove it to use Talos's own, or name a time server" }
        : words.noneTwice(items),
  }).optional(),
  mtu: whole({
    about: "Largest packet on the nodes' network. By default what the network card has, mostly 1500.",
    example: "9000",
    from: 576,
    to: 9216,
  }).optional(),
  proxy: proxy.optional(),
});
