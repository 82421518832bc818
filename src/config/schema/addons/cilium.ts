import * as z from "zod";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { addressRange } from "../../address-range.ts";
import * as ip from "../ip-words.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong, whole } from "../value.ts";
import * as words from "../words.ts";
import { presetInPlace } from "./chart-options.ts";

const asn = (about: string) => whole({ about, example: "64512", from: 1, to: 4_294_967_295 });

const loadBalancer = section("Addresses for services of type LoadBalancer.", {
  addresses: list(text({ about: "An address range or a network.", example: "10.10.0.240-10.10.0.250", check: range }), {
    about: "Addresses to assign to services: ranges and networks that nothing else uses.",
    example: "[10.10.0.240-10.10.0.250]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "name at least one range, such as [10.10.0.240-10.10.0.250]" }
        : words.noneTwice(items),
  }),
  announce: choice({
    about:
      "How addresses are announced: nodes answer ARP and NDP for them in their own network (l2), announce them to routers (bgp), or not at all (none).",
    of: ["l2", "bgp", "none"],
    byDefault: "l2",
  }).optional(),
  interfaces: list(text({ about: "A regular expression.", example: "^eth[0-9]+", check: regularExpression }), {
    about: "With l2: regular expressions for the network cards that announce addresses. By default all.",
    example: '["^eth[0-9]+"]',
    check: (items) =>
      items.length === 0 ? { says: "is empty", hint: "name a network card, or remove it" } : words.noneTwice(items),
  }).optional(),
});

const bgp = section("BGP peers to which addresses are announced.", {
  asn: asn("AS number of the cluster."),
  peers: list(
    section("A BGP peer.", {
      address: text({ about: "IP address of the router.", example: "10.10.0.1", check: ip.ip }),
      asn: asn("AS number of the router."),
    }),
    {
      about: "The routers to peer with.",
      example: "[{ address: 10.10.0.1, asn: 64500 }]",
      check: (items) =>
        items.length === 0
          ? { says: "is empty", hint: "name a router, such as { address: 10.10.0.1, asn: 64500 }" }
          : words.noneTwice(items.map(({ address }) => address)),
    },
  ),
});

const VERSION = /^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/;

const gatewayApi = z
  .union([
    z.boolean(),
    section("Gateway API in a chosen release.", {
      version: text({
        about: "Gateway API release to install.",
        example: "v1.4.1",
        pattern: VERSION,
        check: (value) =>
          VERSION.test(value)
            ? undefined
            : { says: "is not a full Gateway API version", hint: "write it in full, with the v, such as v1.4.1" },
      }).optional(),
    }),
  ])
  .meta({
    description:
      "Whether Cilium implements the Gateway API, whose CRDs are installed first. Or { version: v1.4.1 } to choose the release.",
    default: false,
  })
  .register(leaves, { example: "true", typeHint: "write true, or { version: v1.4.1 }" });

/** Installed before everything else, so into a namespace that Talos creates. */
export const cilium = presetInPlace(PRESETS.cilium, "Cilium, for cluster.cni: cilium. Always installed into kube-system.", {
  hubble: flag({ about: "Whether to install Hubble's relay and web UI.", byDefault: false }).optional(),
  loadBalancer: checked(loadBalancer, unannounced).optional(),
  bgp: bgp.optional(),
  gatewayApi: gatewayApi.optional(),
});

function unannounced({ announce = "l2", interfaces }: z.output<typeof loadBalancer>): Wrong | undefined {
  if (interfaces === undefined || announce === "l2") return undefined;
  return { says: `has interfaces, which need announce: l2`, hint: "remove interfaces, or write announce: l2" };
}

function range(value: string): Wrong | undefined {
  if (addressRange(value) !== undefined) return undefined;
  return {
    says: "is not an address range",
    hint: "write the first and the last address, such as 10.10.0.240-10.10.0.250, or a network such as 10.10.1.0/28",
  };
}

/** For names of network cards, Go's regular expressions and JavaScript's are equivalent. */
function regularExpression(value: string): Wrong | undefined {
  try {
    new RegExp(value);
    return undefined;
  } catch {
    return { says: "is not a valid regular expression", hint: "write one such as ^eth[0-9]+" };
  }
}
