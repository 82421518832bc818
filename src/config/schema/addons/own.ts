import * as z from "zod";
import * as kubernetes from "../kubernetes-words.ts";
import { checked, eachChecked, leaves, list, section, text, textMap, type Wrong } from "../value.ts";
import * as words from "../words.ts";
import { chartRepository, chartValues, chartVersion, namespace } from "./chart-options.ts";

/** The user's own charts, manifests and secrets. */

/** Helm release names: shorter than object names, because they become part of them. */
const RELEASE = /^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$/;
const CHART = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const addonName = (about: string, example: string) =>
  text({
    about,
    example,
    pattern: RELEASE,
    check: (value) =>
      RELEASE.test(value)
        ? undefined
        : {
            says: "is not a valid name",
            hint: `use at most 53 lower-case letters, digits and hyphens, with a letter or digit at both ends, such as ${example}`,
          },
  });

export const charts = list(
  section("A Helm chart.", {
    name: addonName("Name of the release.", "ingress"),
    chart: text({
      about: "Name of the chart.",
      example: "ingress-nginx",
      pattern: CHART,
      check: (value) =>
        CHART.test(value)
          ? undefined
          : { says: "is not a chart name", hint: "write only the chart's name; its source goes into repository" },
    }),
    repository: chartRepository(),
    version: chartVersion(),
    namespace: namespace("Namespace to install into. By default the release's name.", "ingress").optional(),
    namespaceLabels: textMap({
      about: "Labels of the namespace, set before anything is installed into it.",
      example: "{ pod-security.kubernetes.io/enforce: privileged }",
      key: kubernetes.key,
      value: kubernetes.labelValue,
    }).optional(),
    values: chartValues("Chart values."),
  }),
  {
    about: "Helm charts of your own, installed after the presets.",
    example: "[{ name: ingress, chart: ingress-nginx, repository: https://charts.example.org, version: 1.2.3 }]",
    byDefault: [],
  },
).optional();

const SHA256 = /^[0-9a-f]{64}$/;
const ENTRY = "write the name of a file, { url: https://… } or { inline: { … } }";

const manifest = z
  .union([
    z.string(),
    checked(
      section("Objects from a URL or written inline.", {
        name: addonName("Name of the entry in plans. By default manifests and its number.", "gateway").optional(),
        url: text({
          about: "URL of a file with objects.",
          example: "https://example.org/v1.2.3/install.yaml",
          check: words.webAddress("the file's URL, such as https://example.org/v1.2.3/install.yaml"),
        }).optional(),
        sha256: text({
          about: "Expected SHA-256 of that file, in hex; a different file is refused.",
          example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          pattern: SHA256,
          check: (value) =>
            SHA256.test(value)
              ? undefined
              : { says: "is not a SHA-256 hash", hint: "write 64 lower-case hexadecimal digits, as sha256sum prints them" },
        }).optional(),
        inline: z
          .record(z.string(), z.unknown())
          .meta({ description: "An object, or a List of them." })
          .register(leaves, { example: "{ apiVersion: v1, kind: Namespace, metadata: { name: apps } }" })
          .optional(),
      }),
      ({ url, sha256, inline }): Wrong | undefined => {
        if ((url === undefined) === (inline === undefined)) return { says: "must have either url or inline", hint: ENTRY };
        if (sha256 !== undefined && url === undefined)
          return { says: "has sha256, which needs url", hint: "remove sha256, or add the url of that file" };
        return undefined;
      },
    ),
  ])
  .register(leaves, { example: "manifests/apps.yaml", typeHint: ENTRY });

export const manifests = list(manifest, {
  about: "Kubernetes objects to apply unchanged, after the presets and before the charts: file names, { url } or { inline }.",
  example: "[manifests/apps.yaml]",
  byDefault: [],
}).optional();

const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const DATA = `{ token: "\${env:NAME}" }`;

export const secrets = list(
  section("A Secret.", {
    name: text({ about: "Name of the Secret.", example: "registry", check: kubernetes.objectName }),
    namespace: namespace("Namespace of the Secret, which is created when absent.", "apps"),
    type: text({
      about: "Type of the Secret.",
      example: "kubernetes.io/dockerconfigjson",
      byDefault: "Opaque",
      check: (value) =>
        /^[\w./-]{1,253}$/.test(value)
          ? undefined
          : { says: "is not a valid Secret type", hint: "write one such as Opaque or kubernetes.io/dockerconfigjson" },
    }).optional(),
    data: eachChecked(
      z.record(
        z.string(),
        z.union([z.string(), z.int(), z.boolean()]).register(leaves, {
          example: `\${env:NAME}`,
          typeHint: "write text, in quotes unless it is a plain word",
        }),
      ),
      (name) =>
        SECRET_KEY.test(name)
          ? undefined
          : { says: "is not a valid Secret key", hint: "use letters, digits, - _ and .", on: "key" },
    )
      .meta({ description: "Values by key. Prefer references to the values themselves." })
      .register(leaves, { example: DATA, typeHint: `write keys and their texts: ${DATA}` }),
  }),
  {
    about: "Secrets to create before everything except the pod network.",
    example: `[{ name: registry, namespace: apps, data: ${DATA} }]`,
    byDefault: [],
  },
).optional();
