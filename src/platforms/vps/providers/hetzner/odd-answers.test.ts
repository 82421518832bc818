import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyAnswer, ODD } from "../../../../../test/support/any-answer.ts";
import { runs } from "../../../../../test/support/runs.ts";
import type { Read } from "../../../../engine/step.ts";
import { actionIds } from "./actions.ts";
import type { Loose } from "./answers.ts";
import { HetznerClient } from "./client.ts";
import { allFirewalls, meaningOf } from "./firewalls.ts";
import { allServers, serverById } from "./servers.ts";

/* Whatever Hetzner Cloud answers, each question has an answer of the right shape, or an error that says who was not understood. */

const c = { signal: new AbortController().signal, shared: (_: string, load: () => unknown) => load() } as unknown as Read;

const QUESTIONS: Record<string, (client: HetznerClient) => Promise<unknown>> = {
  servers: (client) => allServers(client, c),
  server: (client) => serverById(client, "42", c),
  firewalls: async (client) => (await allFirewalls(client, c)).map(({ rules }) => meaningOf(rules)),
  actions: async (client) => actionIds(await client.get("/", c)),
};

const KEYS = [
  ...["servers", "server", "firewalls", "action", "actions", "meta", "pagination", "next_page", "id", "name", "status", "labels"],
  ...["public_net", "ipv4", "ipv6", "ip", "rules", "applied_to", "type", "label_selector", "direction", "protocol", "port"],
  ...["source_ips", "destination_ips", "rescue_enabled"],
];
const answer = anyAnswer(KEYS, [...ODD, 2, "server", "in", "1-0"]);
/** Mostly valid, so that the parser reaches the nested values. */
const firewall = fc.record({ id: fc.constant(1), name: fc.constant("a"), rules: answer, applied_to: answer, labels: answer });
const server = fc.record({ id: fc.constant(1), name: fc.constant("a"), public_net: answer, status: answer });
const said = fc.oneof(
  fc.dictionary(fc.constantFrom(...KEYS), answer, { maxKeys: 6 }),
  fc.record({ servers: fc.array(server), server, firewalls: fc.array(firewall), actions: answer, meta: answer }),
);

test.each(Object.entries(QUESTIONS))("%s", async (_, ask) => {
  await fc.assert(
    fc.asyncProperty(said, async (content) => {
      const client = Object.create(HetznerClient.prototype, { get: { value: async () => content as Loose } }) as HetznerClient;
      await ask(client).catch((error: unknown) => {
        if (!(error instanceof TalosmithError)) throw error;
        expect([error.kind, error.code]).toEqual(["remote", "HETZNER_ANSWER"]);
      });
    }),
    { numRuns: runs(100, 5_000) },
  );
});
