import { expect, test } from "vitest";
import { expectGenerated } from "../../../test/support/generated.ts";
import { CILIUM_MINORS } from "../compatibility.ts";
import { TALOS_MINORS } from "../talos-versions.ts";
import type { Addon, AddonPart, MachineWishes } from "./addon.ts";
import { releaseIn, samples } from "./testing/sample.ts";

const HEAD = `# Addons

Made from \`src/catalog/addons\` by a test; do not edit. These are charts that are set up for Talos; [the config](config.md) has what each can be told. Any other chart is one of \`addons.charts\`.

An addon's parts are installed in their order, each when the one before is up. What an addon needs of the machines is put into their images and configs.
`;

const PAGES = ["## Charts", charts(), "## Parts", parts(), "## What machines get", machines(), "## Tested together", tested()];

test("docs/reference/addons.md is what the presets say", () => {
  expectGenerated("docs/reference/addons.md", `${HEAD}\n${PAGES.join("\n\n")}\n`);
});

test("no cell says undefined", () => {
  expect(PAGES.join("\n")).not.toContain("undefined");
});

function charts(): string {
  return table(
    ["addon", "chart", "version", "namespace", "PodSecurity there"],
    entries((addon) => {
      const { chart, repository, version, namespace, namespaceLabels } = releaseIn(addon);
      const level = namespaceLabels["pod-security.kubernetes.io/enforce"];
      return [`${code(chart)} of ${code(repository)}`, code(version), code(namespace), level === undefined ? "" : code(level)];
    }),
  );
}

function parts(): string {
  return table(
    ["addon", "in this order"],
    entries(({ parts }) => [parts.map(partName).join(" → ")]),
  );
}

function partName(part: AddonPart): string {
  switch (part.kind) {
    case "release":
      return `the chart ${code(part.chart)}`;
    case "objects":
      return part.objects.map(({ kind, metadata }) => `${kind} ${code(metadata.name)}`).join(", ");
    case "download":
      return `the objects in ${part.url}`;
    case "age-key":
      return `Secret ${code(part.secret.name)} with the environment's age key`;
  }
}

function machines(): string {
  const rows = entries((addon) => [wishes(addon.machines).join("; ")]).filter(([, text]) => text !== "");
  return table(["addon", "every machine"], rows);
}

function wishes(machines: MachineWishes): string[] {
  const { extensions, kubeletMounts, kubeletCertificates, externalCloudProvider, talosApiAccess, labels } = machines;
  return [
    ...(extensions ?? []).map((name) => `system extension ${code(name)}`),
    ...(kubeletMounts ?? []).map((folder) => `folder ${code(folder)}, which kubelet passes on`),
    ...(kubeletCertificates ? ["kubelet asks the cluster for its serving certificate"] : []),
    ...(externalCloudProvider ? ["waits for a cloud controller"] : []),
    ...(talosApiAccess ? [`Talos API for ${talosApiAccess.roles.map(code)} in ${talosApiAccess.namespaces.map(code)}`] : []),
    ...Object.entries(labels ?? {}).map(([key, value]) => `label ${code(`${key}: ${value}`)} (for example; one host only)`),
  ];
}

function tested(): string {
  const span = ({ from, to }: { from: number; to: number }) => `1.${from} to 1.${to}`;
  return [
    "Talos takes no other Kubernetes. One that Cilium was not tested with is a warning, with the nearest tested set.",
    table(
      ["Talos", "Kubernetes"],
      TALOS_MINORS.map(({ minor, kubernetes }) => [minor.slice(1), span(kubernetes)]),
    ),
    table(
      ["Cilium", "Kubernetes"],
      CILIUM_MINORS.map(({ minor, kubernetes }) => [`1.${minor}`, span(kubernetes)]),
    ),
  ].join("\n\n");
}

function entries(cells: (addon: Addon) => string[]): string[][] {
  return Object.entries(samples()).map(([name, addon]) => [name.replace(/^\w+/, code), ...cells(addon)]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
