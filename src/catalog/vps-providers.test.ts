import { expect, test } from "vitest";
import { expectGenerated } from "../../test/support/generated.ts";
import { type ProviderFirewallFacts, VPS_PROVIDERS, type VpsProvider } from "./vps-providers.ts";

const HEAD = `# Providers of rented servers

Made from \`src/catalog/vps-providers.ts\` by a test; do not edit. Any provider will do whose servers have a rescue system with SSH; these are known. With \`vps.provider\` set to one of them,
\`talosmith doctor\` prints these steps and the exact rules of its firewall for your nodes. At Hetzner Cloud, with a token, talosmith does all of it by itself.
`;

const ANSWERS: Record<ProviderFirewallFacts["answers"], string> = {
  tracked: "allowed automatically",
  "tcp tracked": "allowed automatically for TCP; UDP needs rules",
  "not tracked": "need rules of their own",
  "not documented": "not documented",
};

const page = `${HEAD}\n${Object.entries(VPS_PROVIDERS)
  .filter(([name]) => name !== "other")
  .map(([name, provider]) => section(name, provider))
  .join("\n\n")}\n`;

test("docs/reference/vps-providers.md is what the catalog says", () => {
  expectGenerated("docs/reference/vps-providers.md", page);
});

test("no line says undefined", () => {
  expect(page).not.toContain("undefined");
});

test("a firewall that does not track connections has rules for their responses", () => {
  for (const { firewall, title } of Object.values(VPS_PROVIDERS))
    if (firewall?.answers === "not tracked" || firewall?.answers === "tcp tracked")
      expect(firewall.besides.length, title).toBeGreaterThan(0);
});

function section(name: string, { title, enterRescue, api, login, disks, firewall, notes }: VpsProvider): string {
  return [
    `## ${title}`,
    `\`provider: ${name}\``,
    ["Enter the rescue system:", "", ...enterRescue.map((step, at) => `${at + 1}. ${step}`)].join("\n"),
    [
      `- Login: ${login}.`,
      `- Disk: ${disks}.`,
      ...(api === undefined ? [] : [`- API: \`${api}\``]),
      ...notes.map((note) => `- ${sentence(note)}`),
    ].join("\n"),
    ...(firewall ? [firewallPart(firewall)] : []),
  ].join("\n\n");
}

function firewallPart({ where, answers, mostRules, families, oneSource, besides, notes }: ProviderFirewallFacts): string {
  return [
    `Its firewall (${where}):`,
    "",
    `- Responses to the server's own connections: ${ANSWERS[answers]}.`,
    ...(mostRules === undefined ? [] : [`- At most ${mostRules} rules${oneSource ? ", each with one source" : ""}.`]),
    ...(families === "IPv4" ? ["- IPv4 only."] : []),
    ...besides.map((rule) => `- Also enter: ${rule}.`),
    ...notes.map((note) => `- ${sentence(note)}`),
  ].join("\n");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
