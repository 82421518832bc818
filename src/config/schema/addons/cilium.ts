import * as z from "zod";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { addressRange } from "../../address-range.ts";
import * as ip from "../ip-words.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong, whole } from "../value.ts";
import * as words from "../words.ts";
import { presetInPlace } from "./chart-options.ts";

const asn = (about: string) => whole({ about, example: "64512", from: 1, to: 4_294_967_295 });

const loadBalancer = section("Addresses for services of the type LoadBalancer.", {
  addresses: list(text({ about: "A range or a network.", example: "10.10.0.240-10.10.0.250", check: range }), {
    about: "The addresses services are given: ranges and networks that nobody else uses.",
    example: "[10.10.0.240-10.10.0.250]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "name at least one range, such as [10.10.0.240-10.10.0.250]" }
        : words.noneTwice(items),
  }),
  announce: choice({
    about:
      "How others learn where an address is: nodes answer for it in their own network (l2), tell routers (bgp), or nobody does.",
    of: ["l2", "bgp", "none"],
    byDefault: "l2",
  }).optional(),
  interfaces: list(text({ about: "A regular expression.", example: "^eth[0-9]+", check: regularExpression }), {
    about: "With l2: the network cards that answer, as regular expressions. By default all.",
    example: '["^eth[0-9]+"]',
    check: (items) =>
      items.length === 0 ? { says: "is empty", hint: "name a network card, or remove it" } : words.noneTwice(items),
  }).optional(),
});

const bgp = section("The routers that are told where addresses are.", {
  asn: asn("Number of the cluster's own autonomous system."),
  peers: list(
    section("A router.", {
      address: text({ about: "Its address.", example: "10.10.0.1", check: ip.ip }),
      asn: asn("Number of its autonomous system."),
    }),
    {
      about: "The routers.",
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
    section("Gateway API, of a release of its own.", {
      version: text({
        about: "Release of the Gateway API whose definitions are installed.",
        example: "v1.4.1",
        pattern: VERSION,
        check: (value) =>
          VERSION.test(value)
            ? undefined
            : { says: "is no full version of the Gateway API", hint: "write it in full and with its v, such as v1.4.1" },
      }).optional(),
    }),
  ])
  .meta({
    description: "Whether Cilium serves the Gateway API; its definitions are installed first. Also { version: v1.4.1 }.",
    default: false,
  })
  .register(leaves, { example: "true", typeHint: "write true, or { version: v1.4.1 }" });

/** It goes before everything else, so it is where Talos has a namespace for it. */
export const cilium = presetInPlace(PRESETS.cilium, "Cilium, for cluster.cni: cilium. It is always in kube-system.", {
  hubble: flag({ about: "Whether Hubble's relay and its web page are installed.", byDefault: false }).optional(),
  loadBalancer: checked(loadBalancer, unannounced).optional(),
  bgp: bgp.optional(),
  gatewayApi: gatewayApi.optional(),
});

function unannounced({ announce = "l2", interfaces }: z.output<typeof loadBalancer>): Wrong | undefined {
  if (interfaces === undefined || announce === "l2") return undefined;
  return { says: `has interfaces, which are for announce: l2`, hint: "remove interfaces, or write announce: l2" };
}

function range(value: string): Wrong | undefined {
  if (addressRange(value) !== undefined) return undefined;
  return {
    says: "is no range of addresses",
    hint: "write the first and the last address, such as 10.10.0.240-10.10.0.250, or a network such as 10.10.1.0/28",
  };
}

/** Go's expressions and ours agree in what names of network cards need. */
function regularExpression(value: string): Wrong | undefined {
  try {
    new RegExp(value);
    return undefined;
  } catch {
    return { says: "is no regular expression", hint: "write one such as ^eth[0-9]+" };
  }
}
