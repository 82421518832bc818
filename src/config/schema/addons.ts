import * as z from "zod";
import type { Json } from "../../lib/json.ts";
import { planned } from "./planned.ts";
import { checked, leaves, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

const CHART_VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const IMAGE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64}|:\w[\w.-]{0,127}@sha256:[0-9a-f]{64})$/;

export const addons = section("What is installed into the cluster.", {
  cilium: section("Cilium, for cluster.cni: cilium.", {
    version: text({
      about: "Release of the chart, in full.",
      example: '"1.20.1"',
      byDefault: "1.20.1",
      pattern: CHART_VERSION,
      check: chartVersion,
    }).optional(),
    repository: text({
      about: "Chart repository it comes from.",
      example: "https://helm.cilium.io",
      byDefault: "https://helm.cilium.io",
      check: words.webAddress("the repository's address, such as https://helm.cilium.io", /^(https?|oci):$/),
    }).optional(),
    values: checked(z.record(z.string(), z.unknown()), values)
      .meta({ description: "Values of the chart, laid over those Talos needs.", default: {} })
      .register(leaves, { example: "{ hubble: { relay: { enabled: true } } }" })
      .optional(),
  }).optional(),
  helmImage: text({
    about: "Image whose helm installs charts from inside the cluster.",
    example: "docker.io/alpine/helm:3.18.6",
    byDefault: "docker.io/alpine/helm:3.18.6",
    check: (value) =>
      IMAGE.test(value)
        ? undefined
        : {
            says: "is no full name of an image",
            hint: "write registry, name and tag or digest, such as docker.io/alpine/helm:3.18.6",
          },
  }).optional(),
  ...planned.addons,
});

function chartVersion(value: string): Wrong | undefined {
  if (CHART_VERSION.test(value)) return undefined;
  const bare = value.replace(/^v/i, "");
  return {
    says: "is no full version of a chart",
    hint: CHART_VERSION.test(bare) ? `write "${bare}"` : 'write it in full, such as "1.20.1"',
  };
}

function values(value: unknown): Wrong | undefined {
  if (isJson(value)) return undefined;
  return {
    says: "holds something that is no plain value",
    hint: "use text, whole and decimal numbers, true, false, lists and maps",
  };
}

/** YAML knows infinity and "not a number"; charts are given JSON. */
function isJson(value: unknown): value is Json {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) return Object.values(value).every(isJson);
  return value === null || typeof value === "string" || typeof value === "boolean";
}
