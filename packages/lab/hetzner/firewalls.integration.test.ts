import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Project, project, refusal } from "./testing/project.ts";

let open: Project;
let servers: { id: number }[];
beforeEach(async () => {
  open = await project({}, {});
  servers = (await open.call("GET", "/servers")).content.servers;
});
afterEach(() => open.lab.close());

const first = () => ({ type: "server", server: { id: servers[0]?.id } });
const tcp = (port: string, ...source_ips: string[]) => ({ direction: "in", protocol: "tcp", port, source_ips });

/** The first server's answer to a client with this address of the lab's block, within this time. */
function knock(last: number, ms: number): Promise<string> {
  return new Promise((resolve) => {
    const { address } = open.lab;
    const socket = connect({ host: address.host(11), port: 2222, localAddress: address.host(last) });
    socket.setTimeout(ms, () => {
      socket.destroy();
      resolve("silence");
    });
    socket.once("data", (data) => {
      socket.destroy();
      resolve(String(data));
    });
    socket.once("error", ({ message }) => resolve(message));
  });
}

const expectSsh = async (last: number) => expect(await knock(last, 10_000)).toBe("SSH");
const expectSilence = async (last: number) => expect(await knock(last, 100)).toBe("silence");

test("a firewall has its rules at once, and filters when its action has ended", async () => {
  const { call, world } = open;
  const rules = [tcp("80-85", "0.0.0.0/0", "::/0"), { direction: "in", protocol: "icmp", source_ips: ["192.0.2.0/24"] }];
  const made = await call("POST", "/firewalls", { name: "web", labels: { a: "b" }, rules, apply_to: [first()] });
  expect(made.status).toBe(201);
  expect(made.content.actions).toMatchObject([{ command: "apply_firewall", status: "running" }]);
  expect(made.content.firewall).toMatchObject({
    name: "web",
    labels: { a: "b" },
    applied_to: [first()],
    rules: [
      { ...rules[0], destination_ips: [], description: null },
      { ...rules[1], port: null, destination_ips: [], description: null },
    ],
  });
  const { id } = made.content.firewall;
  const shown = async () => (await call("GET", `/servers/${servers[0]?.id}`)).content.server.public_net.firewalls;
  expect(await shown()).toEqual([{ id, status: "pending" }]);
  world.advance(3_000);
  expect(await shown()).toEqual([{ id, status: "applied" }]);
});

test("names are unique, and a firewall in use is not deleted before its removal has ended", async () => {
  const { call, world } = open;
  const { id } = (await call("POST", "/firewalls", { name: "web", apply_to: [first()] })).content.firewall;
  expect(refusal(await call("POST", "/firewalls", { name: "web" }))).toBe("409 uniqueness_error");
  world.advance(3_000);
  expect(refusal(await call("POST", `/firewalls/${id}/actions/apply_to_resources`, { apply_to: [first()] }))).toBe(
    "409 firewall_already_applied",
  );
  expect(refusal(await call("DELETE", `/firewalls/${id}`))).toBe("409 resource_in_use");
  const removed = await call("POST", `/firewalls/${id}/actions/remove_from_resources`, { remove_from: [first()] });
  expect(removed.content.actions).toMatchObject([{ command: "remove_firewall" }]);
  expect(refusal(await call("DELETE", `/firewalls/${id}`))).toBe("409 resource_in_use");
  world.advance(3_000);
  expect((await call("DELETE", `/firewalls/${id}`)).status).toBe(204);
  expect((await call("GET", "/firewalls")).content.firewalls).toEqual([]);
});

test("a firewall with invalid rules is not created, and the error names the field", async () => {
  const { status, content } = await open.call("POST", "/firewalls", { name: "x", rules: [tcp("80", "192.0.2.1/24")] });
  expect([status, content.error.code, content.error.details.fields[0].name]).toEqual([
    422,
    "invalid_input",
    "rules.0.source_ips",
  ]);
  const { error } = (await open.call("POST", "/firewalls", { name: "x", rules: [{ ...tcp("80"), direction: "up" }] })).content;
  expect(error.details.fields[0].name).toBe("rules.0.direction");
  expect((await open.call("GET", "/firewalls")).content.firewalls).toEqual([]);
});

test("a server without a firewall accepts everything; with one it silently drops what no rule allows", async () => {
  const { call, world, lab } = open;
  await expectSsh(99);
  const { id } = (await call("POST", "/firewalls", { name: "none", apply_to: [first()] })).content.firewall;
  await expectSsh(99);
  world.advance(3_000);
  await expectSilence(99);
  const rules = [tcp("22", `${lab.address.host(98)}/32`), { ...tcp("any", `${lab.address.host(99)}/32`), protocol: "udp" }];
  await call("POST", `/firewalls/${id}/actions/set_rules`, { rules });
  await expectSilence(98);
  world.advance(3_000);
  await expectSsh(98);
  await expectSilence(99);
  // The rules of several firewalls add up.
  await call("POST", "/firewalls", {
    name: "more",
    rules: [tcp("2000-3000", `${lab.address.host(99)}/32`)],
    apply_to: [first()],
  });
  world.advance(3_000);
  await expectSsh(98);
  await expectSsh(99);
});

test("a firewall with a label selector applies to every server with that label", async () => {
  const { call } = open;
  const apply_to = [{ type: "label_selector", label_selector: { selector: "role=web" } }];
  const { id } = (await call("POST", "/firewalls", { name: "web", apply_to })).content.firewall;
  await expectSsh(99);
  await call("PUT", `/servers/${servers[0]?.id}`, { labels: { role: "web" } });
  await expectSilence(99);
  expect((await call("GET", `/firewalls/${id}`)).content.firewall.applied_to).toEqual([
    { ...apply_to[0], applied_to_resources: [first()] },
  ]);
  expect(refusal(await call("DELETE", `/firewalls/${id}`))).toBe("409 resource_in_use");
});
