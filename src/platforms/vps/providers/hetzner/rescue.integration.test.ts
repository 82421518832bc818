import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { afterEach, expect, test } from "vitest";
import { newSshKey } from "../../../../../test/support/ssh-key.ts";
import { testSession } from "../../../../../test/support/toy.ts";
import { writeContext } from "../../../../engine/context.ts";
import type { RescueLogin } from "../../config/config-on-vps.ts";
import { type ApiCall, ApiProject, type ApiServer, answering, refusal, TOKEN } from "../testing/hetzner-api.ts";
import { NODES, vpsConfig, vpsEnvironment } from "../testing/vps-config.ts";
import { hetznerProvider } from "./hetzner.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const PASSWORD = "zCWbFhnu950dUTko5f40";
const pair = newSshKey();
const PUBLIC = pair.publicKey;
const login: RescueLogin = { host: "203.0.113.11", port: 22, user: "root", firstKey: true, key: new Secret(pair.privateKey) };

async function scene(
  server: Partial<ApiServer> = {},
  answer?: (call: ApiCall, project: ApiProject) => ReturnType<ApiProject["answer"]>,
  env: Record<string, string> = {},
) {
  const session = testSession({ timeScale: 1000, env });
  const project = new ApiProject([{ id: 42, name: "web", ip: "203.0.113.11", ...server }]);
  const api = await answering(session.world, (call) => (answer ? answer(call, project) : project.answer(call)));
  const provider = hetznerProvider(session.world, vpsEnvironment(vpsConfig()), api.access);
  open.push(provider, api);
  const c = writeContext(session, "machine/cp-1", new Map());
  const orders = () => api.calls.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  const node = { ...NODES[0], ssh: login } as (typeof NODES)[number];
  const enter = async () => provider.enterRescue(await provider.server(node, c), c);
  return { session, project, api, provider, c, orders, enter, node };
}

test("a server is restarted into its rescue system, and our key let in", async () => {
  const { enter, orders, api, project } = await scene();
  await enter();
  expect(orders()).toEqual(["POST /ssh_keys", "POST /servers/42/actions/enable_rescue", "POST /servers/42/actions/reset"]);
  expect(project.keys).toMatchObject([{ public_key: PUBLIC }]);
  const order = api.calls.find(({ path }) => path.endsWith("enable_rescue"));
  expect(order?.body).toEqual({ type: "linux64", ssh_keys: [project.keys[0]?.id] });
});

test("a key that is registered under any name or comment is not added again", async () => {
  const { enter, orders, api, project } = await scene();
  project.keys.push({ id: 7, name: "laptop", public_key: `${PUBLIC} me@laptop` });
  await enter();
  expect(orders()).not.toContain("POST /ssh_keys");
  expect(api.calls.find(({ path }) => path.endsWith("enable_rescue"))?.body.ssh_keys).toEqual([7]);
});

test("a key that another process added meanwhile is used", async () => {
  const { enter, api } = await scene({}, (call, project) => {
    if (call.method !== "POST" || call.path !== "/ssh_keys") return project.answer(call);
    project.keys.push({ id: 8, name: "other", public_key: PUBLIC });
    return refusal(409, "uniqueness_error", "SSH key with the same fingerprint already exists");
  });
  await enter();
  expect(api.calls.find(({ path }) => path.endsWith("enable_rescue"))?.body.ssh_keys).toEqual([8]);
});

test("one that is off is switched on", async () => {
  const { enter, orders } = await scene({ status: "off" });
  await enter();
  expect(orders().at(-1)).toBe("POST /servers/42/actions/poweron");
});

test("a rescue system that was enabled before may have other keys, so it is enabled again", async () => {
  const { enter, orders } = await scene({ rescue: true });
  await enter();
  expect(orders().slice(1)).toEqual(
    ["disable_rescue", "enable_rescue", "reset"].map((verb) => `POST /servers/42/actions/${verb}`),
  );
});

test("neither the token nor the password of the rescue system is in any event", async () => {
  const { enter, session } = await scene();
  await enter();
  const told = JSON.stringify(session.events);
  expect(told).toContain("set web to start its rescue system next");
  expect(told).not.toContain(PASSWORD);
  expect(told).not.toContain(TOKEN);
});

test("an action that fails ends in its own words", async () => {
  const { enter, project } = await scene({}, (call, project) => {
    const answer = project.answer(call);
    if (call.path.endsWith("/reset"))
      for (const action of project.actions.values()) action.error = { code: "action_failed", message: "host is gone" };
    return answer;
  });
  expect(project.keys).toEqual([]);
  expect(asTalosmithError(await enter().catch((error: unknown) => error))).toMatchObject({
    code: "HETZNER_ACTION",
    message: "Unable to restart web",
    detail: expect.stringContaining("action_failed: host is gone"),
  });
});

test.each([
  [true, ["POST /servers/42/actions/disable_rescue"]],
  [false, []],
])("the next start is from the disk (rescue still ordered: %s)", async (rescue, expected) => {
  const { provider, c, orders, node } = await scene({ rescue });
  await provider.leaveRescue(await provider.server(node, c), c);
  expect(orders()).toEqual(expected);
});

test("without a key in the config the usual files are tried, when the agent does not answer", async () => {
  const { provider, c, project, node, session } = await scene({}, undefined, {
    HOME: "/home/me",
    SSH_AUTH_SOCK: "/nowhere/agent",
  });
  session.world.files.makeFolder("/home/me/.ssh", 0o700);
  session.world.files.create("/home/me/.ssh/id_ed25519", Buffer.from(pair.privateKey), 0o600);
  const { key: _, ...keyless } = login;
  await provider.enterRescue(await provider.server({ ...node, ssh: keyless }, c), c);
  expect(project.keys).toMatchObject([{ public_key: PUBLIC }]);
});

test("without any key no rescue system is enabled", async () => {
  const { provider, c, orders, node } = await scene();
  const { key: _, ...keyless } = login;
  const server = await provider.server({ ...node, ssh: keyless }, c);
  const error = asTalosmithError(await provider.enterRescue(server, c).catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ code: "NO_SSH_KEY", hint: expect.stringContaining("nodes[].ssh.key") });
  expect(orders()).toEqual([]);
});
