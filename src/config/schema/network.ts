import * as ip from "./ip-words.ts";
import { sshSection } from "./ssh.ts";
import { checked, choice, list, oneOrMore, section, text, type Wrong, whole } from "./value.ts";
import * as words from "./words.ts";

const ssh = sshSection("SSH login for via: ssh.", "Host that can reach the nodes. Required where machines exist already.");

const PROXY = words.webAddress("the proxy's address, such as http://proxy.home.arpa:3128");

/** Refuses credentials, because anyone who can read a node's config would see them. */
function proxyAddress(value: string): Wrong | undefined {
  if (URL.canParse(value) && new URL(value).username !== "")
    return {
      says: "must not contain a user or password",
      hint: "let the proxy identify the nodes by their addresses, or set it with a patch",
    };
  return PROXY(value);
}

const proxy = checked(
  section("HTTP proxy for nodes without direct access to the Internet.", {
    http: text({
      about: "Proxy for http requests.",
      example: "http://proxy.home.arpa:3128",
      check: proxyAddress,
    }).optional(),
    https: text({
      about: "Proxy for https requests. The connection to the proxy itself is usually plain http.",
      example: "http://proxy.home.arpa:3128",
      check: proxyAddress,
    }).optional(),
    except: list(text({ about: "A name, address or network.", example: ".home.arpa", check: ip.proxyException }), {
      about: "Names, addresses and networks to reach without the proxy.",
      example: "[.home.arpa, 10.0.0.0/8]",
      byDefault: [],
      check: words.noneTwice,
    }).optional(),
  }),
  ({ http, https }) =>
    http === undefined && https === undefined
      ? { says: "has neither http nor https", hint: "add http or https, such as https: http://proxy.home.arpa:3128" }
      : undefined,
);

/** Checks for one or two items; `../checks` checks that their families differ. */
export const oneOrTwo = (items: readonly string[]): Wrong | undefined =>
  items.length === 0 || items.length > 2
    ? { says: "must be one, or a list of one IPv4 and one IPv6", hint: "write one, or two of different families" }
    : undefined;

/** `cidr` and `gateway` are required by most platforms, see ../shape.ts. */
export const network = section("The network all nodes are in.", {
  cidr: oneOrMore(text({ about: "A network.", example: "10.10.0.0/24", check: ip.cidr }), {
    about:
      "The nodes' network, IPv4 or IPv6, or a list of one of each, with the one that Kubernetes prefers first. Required, except at a provider, where it sets the prefix length of the nodes inside it.",
    example: "10.10.0.0/24",
    check: oneOrTwo,
  }).optional(),
  gateway: oneOrMore(text({ about: "A gateway.", example: "10.10.0.1", check: ip.ip }), {
    about:
      "The nodes' default gateway, inside cidr; with two networks a list, in which the gateway of the second may be missing. Required, except at a provider, where nodes may have their own and it may be outside cidr.",
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
    about: "How this computer reaches the nodes: direct, or ssh through a host that can reach them.",
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
    about: "MTU of the nodes' network. By default that of the network card, usually 1500.",
    example: "9000",
    from: 576,
    to: 9216,
  }).optional(),
  proxy: proxy.optional(),
});
