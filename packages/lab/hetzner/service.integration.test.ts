import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, describe, expect, test } from "vitest";
import { createLab } from "../kernel/lab.ts";
import { meetsFaults } from "../kernel/testing/fault-contract.ts";
import { heardFrom } from "../kernel/testing/stranger.ts";
import { refusals } from "./refusals.ts";
import { hetznerService } from "./service.ts";
import type { HetznerState } from "./state.ts";
import { doneTo, fakeHosts } from "./testing/fake-hosts.ts";
import { type Project, project, refusal } from "./testing/project.ts";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZ";

let open: Project | undefined;
afterEach(async () => {
  await open?.lab.close();
  open = undefined;
});
async function start(...servers: Parameters<typeof project>): Promise<Project> {
  open = await project(...servers);
  return open;
}

test("the API listens where it is published, and requires the token", async () => {
  const { lab, call } = await start({});
  expect(lab.published().hetzner?.url).toBe(`http://${lab.address.prefix}.240:8080/v1`);
  expect((await call("GET", "/servers")).status).toBe(200);
  const stranger = await call("GET", "/servers", undefined, { authorization: "Bearer no" });
  expect(stranger).toEqual({
    status: 401,
    content: { error: { code: "unauthorized", message: "unable to authenticate", details: {} } },
  });
});

test("servers are those of the rescue service, filtered by name, label and page", async () => {
  const { lab, call } = await start({}, { arch: "arm64", isOn: false }, {});
  const { content } = await call("GET", "/servers?per_page=2&page=2");
  expect(content.servers.map(({ name }: { name: string }) => name)).toEqual(["vps-3"]);
  expect(content.meta.pagination).toEqual({
    page: 2,
    per_page: 2,
    previous_page: 1,
    next_page: null,
    last_page: 2,
    total_entries: 3,
  });
  const [second] = (await call("GET", "/servers?name=vps-2")).content.servers;
  expect(second).toMatchObject({
    status: "off",
    server_type: { architecture: "arm" },
    public_net: { ipv4: { ip: lab.address.host(12) }, firewalls: [] },
    rescue_enabled: false,
    locked: false,
  });
  await call("PUT", `/servers/${second.id}`, { labels: { role: "worker" } });
  const worker = await call("GET", "/servers?label_selector=role%20in%20(worker,web),!gone");
  expect(worker.content.servers.map(({ id }: { id: number }) => id)).toEqual([second.id]);
  expect(refusal(await call("GET", "/servers/1"))).toBe("404 not_found");
});

describe("rescue", () => {
  test("is enabled by an action that locks the server meanwhile, and is used by the next start only", async () => {
    const { lab, world, call } = await start({});
    const [{ id }] = (await call("GET", "/servers")).content.servers;
    const { ssh_key } = (await call("POST", "/ssh_keys", { name: "me", public_key: `${KEY} me@there` })).content;
    const enabled = await call("POST", `/servers/${id}/actions/enable_rescue`, { type: "linux64", ssh_keys: [ssh_key.id] });
    expect(enabled.status).toBe(201);
    expect(enabled.content.root_password).toMatch(/^\w{20}$/);
    expect(enabled.content.action).toMatchObject({ command: "enable_rescue", status: "running", finished: null, error: null });
    expect(refusal(await call("POST", `/servers/${id}/actions/reset`))).toBe("423 locked");
    expect((await call("GET", `/servers/${id}`)).content.server).toMatchObject({ locked: true, rescue_enabled: false });

    world.advance(2_000);
    const action = (await call("GET", `/servers/${id}/actions/${enabled.content.action.id}`)).content.action;
    expect(action).toMatchObject({ status: "success", progress: 100, resources: [{ id, type: "server" }] });
    expect((await call("GET", `/actions?id=${action.id}&id=99`)).content.actions).toEqual([action]);
    expect((await call("GET", `/servers/${id}`)).content.server).toMatchObject({ locked: false, rescue_enabled: true });
    await call("POST", `/servers/${id}/actions/reset`);
    world.advance(5_000);
    expect((await call("GET", `/servers/${id}`)).content.server.rescue_enabled).toBe(false);
    expect(doneTo(lab)).toEqual([`rescue next vps-1: ${KEY} me@there`, "reset vps-1"]);
  });

  test("is disabled after an hour, unless it was ordered again", async () => {
    const { lab, world, call } = await start({});
    const [{ id }] = (await call("GET", "/servers")).content.servers;
    await call("POST", `/servers/${id}/actions/enable_rescue`, {});
    world.advance(30 * 60_000);
    await call("POST", `/servers/${id}/actions/enable_rescue`, {});
    world.advance(59 * 60_000);
    expect((await call("GET", `/servers/${id}`)).content.server.rescue_enabled).toBe(true);
    world.advance(2 * 60_000);
    expect((await call("GET", `/servers/${id}`)).content.server.rescue_enabled).toBe(false);
    expect(doneTo(lab).at(-1)).toBe("no rescue vps-1");
  });

  test("refuses unknown keys and systems", async () => {
    const { call } = await start({});
    const [{ id }] = (await call("GET", "/servers")).content.servers;
    const unknown = await call("POST", `/servers/${id}/actions/enable_rescue`, { ssh_keys: [7] });
    expect([refusal(unknown), unknown.content.error.details.fields[0].name]).toEqual(["422 invalid_input", "ssh_keys"]);
    expect(refusal(await call("POST", `/servers/${id}/actions/enable_rescue`, { type: "freebsd" }))).toBe("422 invalid_input");
    expect(refusal(await call("POST", `/servers/${id}/actions/enable_rescue`, "{"))).toBe("400 json_error");
  });
});

test("a server that is off stays off when it is reset, and starts when it is switched on", async () => {
  const { lab, world, call } = await start({ isOn: false, runs: "nothing" });
  const [{ id }] = (await call("GET", "/servers")).content.servers;
  await call("POST", `/servers/${id}/actions/reset`);
  world.advance(5_000);
  await call("POST", `/servers/${id}/actions/poweron`);
  world.advance(5_000);
  await call("POST", `/servers/${id}/actions/poweroff`);
  world.advance(5_000);
  expect((await call("GET", `/servers/${id}`)).content.server.status).toBe("off");
  expect(doneTo(lab)).toEqual(["power on vps-1", "power off vps-1"]);
});

test("an action that fails by a fault reports the error and changes nothing", async () => {
  const { lab, world, call } = await start({});
  const [{ id }] = (await call("GET", "/servers")).content.servers;
  lab.setFaults([
    { site: "POST /v1/servers/:id/actions/reset", resource: "server vps-1", fault: { kind: "task-error", message: "no host" } },
  ]);
  const { content } = await call("POST", `/servers/${id}/actions/reset`);
  world.advance(5_000);
  const { action } = (await call("GET", `/actions/${content.action.id}`)).content;
  expect([action.status, action.error, doneTo(lab)]).toEqual(["error", { code: "action_failed", message: "no host" }, []]);
});

test("a call that a fault refuses has the error code of its status", async () => {
  const { lab, call } = await start({});
  for (const [status, code] of [
    [409, "conflict"],
    [423, "locked"],
    [429, "rate_limit_exceeded"],
    [503, "unavailable"],
  ] as const) {
    lab.setFaults([{ service: "hetzner", fault: { kind: "refuse", status, message: "later" } }]);
    expect(refusal(await call("GET", "/servers"))).toBe(`${status} ${code}`);
  }
});

test("the limit is 3600 calls per hour, and one returns every second", async () => {
  const { lab, world, call } = await start({});
  lab.state<{ allowance: { left: number } }>("hetzner").allowance.left = 1;
  expect((await call("GET", "/servers")).status).toBe(200);
  expect(refusal(await call("GET", "/servers"))).toBe("429 rate_limit_exceeded");
  world.advance(1_000);
  expect((await call("GET", "/servers")).status).toBe(200);
});

describe("SSH keys", () => {
  test("have the fingerprint that ssh-keygen -l -E md5 shows, and are unique", async () => {
    const { call } = await start();
    const { content } = await call("POST", "/ssh_keys", { name: "a", public_key: KEY, labels: { talosmith: "rescue" } });
    expect(content.ssh_key).toMatchObject({
      name: "a",
      public_key: KEY,
      fingerprint: "be:c8:14:28:d2:a6:41:e3:e9:27:39:a8:97:4e:2d:81",
    });
    const { error } = (await call("POST", "/ssh_keys", { name: "b", public_key: `${KEY} other comment` })).content;
    expect([error.code, error.details.fields[0].name]).toEqual(["uniqueness_error", "public_key"]);
    const found = await call("GET", `/ssh_keys?fingerprint=${content.ssh_key.fingerprint}`);
    expect(found.content.ssh_keys).toHaveLength(1);
    expect((await call("DELETE", `/ssh_keys/${content.ssh_key.id}`)).status).toBe(204);
    expect((await call("GET", "/ssh_keys")).content.ssh_keys).toEqual([]);
  });

  test("must be valid keys", async () => {
    const { call } = await start();
    for (const public_key of ["rubbish", "ssh-rsa AAAA", KEY.replace("ssh-ed25519", "ssh-rsa")])
      expect(refusal(await call("POST", "/ssh_keys", { name: "a", public_key }))).toBe("422 invalid_input");
  });
});

test("a snapshot holds ordered actions that are still running", async () => {
  const { lab, world, call } = await start({});
  const [{ id }] = (await call("GET", "/servers")).content.servers;
  await call("POST", `/servers/${id}/actions/enable_rescue`, {});
  const before = lab.snapshot();
  world.advance(2_000);
  await call("GET", "/servers");
  lab.restore(before);
  expect((await call("GET", `/servers/${id}`)).content.server).toMatchObject({ locked: true, rescue_enabled: false });
});

test("every kind of fault has its effect on a call", async () => {
  const lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "s",
    timeScale: "instant",
    services: [fakeHosts([{}]), hetznerService()],
  });
  try {
    await lab.start();
    const { url, token } = lab.published().hetzner ?? {};
    const headers = { authorization: `Bearer ${token}` };
    const service = "hetzner";
    const get = { service, site: "GET /v1/servers", make: () => heardFrom(`${url}/servers`, { headers }) };
    await meetsFaults(lab, get, refusals.maintenance);
    const post = {
      service,
      site: "POST /v1/ssh_keys",
      make: (n: number) => {
        const public_key = `${KEY.slice(0, -4)}${String(n).padStart(4, "0")}`;
        return heardFrom(`${url}/ssh_keys`, { method: "POST", headers, body: JSON.stringify({ name: `key-${n}`, public_key }) });
      },
      effect: () => lab.state<HetznerState>(service).sshKeys.length,
    };
    await meetsFaults(lab, post, refusals.locked);
  } finally {
    await lab.close();
  }
});

test("a fault with a documented message has its own error code", async () => {
  const { lab, call } = await start({});
  const { status, message } = refusals.protected;
  lab.setFaults([{ service: "hetzner", fault: { kind: "refuse", status, message } }]);
  expect(refusal(await call("GET", "/servers"))).toBe("423 protected");
});
