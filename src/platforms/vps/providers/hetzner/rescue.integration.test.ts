import { doneTo, passwordsOf } from "@talosmith/lab/hetzner/testing/fake-hosts.ts";
import type { RescueServer } from "@talosmith/lab/rescue/hosts.ts";
import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { afterEach, expect, test } from "vitest";
import { newSshKey } from "../../../../../test/support/ssh-key.ts";
import { testSession } from "../../../../../test/support/toy.ts";
import { writeContext } from "../../../../engine/context.ts";
import type { RescueLogin } from "../../config/config-on-vps.ts";
import { hetznerProject } from "../testing/hetzner-project.ts";
import { NODES, vpsConfig, vpsEnvironment } from "../testing/vps-config.ts";
import { hetznerProvider } from "./hetzner.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const pair = newSshKey();
const PUBLIC = pair.publicKey;
const login: RescueLogin = { host: "203.0.113.11", port: 22, user: "root", firstKey: true, key: new Secret(pair.privateKey) };

async function scene(server: Partial<RescueServer> = {}, env: Record<string, string> = {}) {
  const session = testSession({ timeScale: 1000, env });
  const project = await hetznerProject({ name: "web", address: "203.0.113.11", ...server });
  const provider = hetznerProvider(session.world, vpsEnvironment(vpsConfig()), project.access);
  open.push(provider, project);
  const c = writeContext(session, "machine/cp-1", new Map());
  const node = { ...NODES[0], ssh: login } as (typeof NODES)[number];
  const enter = async () => provider.enterRescue(await provider.server(node, c), c);
  const done = () => doneTo(project.lab);
  const register = (name: string, public_key: string) => project.call("POST", "/ssh_keys", { name, public_key });
  return { session, project, provider, c, done, enter, node, register };
}

test("a server is restarted into its rescue system, and our key let in", async () => {
  const { enter, project, done } = await scene();
  await enter();
  expect(project.orders()).toEqual([
    "POST /ssh_keys",
    "POST /servers/:id/actions/enable_rescue",
    "POST /servers/:id/actions/reset",
  ]);
  expect(done()).toEqual([`rescue next web: ${PUBLIC}`, "reset web"]);
});

test("a key that is registered under any name or comment is not added again", async () => {
  const { enter, project, register, done } = await scene();
  await register("laptop", `${PUBLIC} me@laptop`);
  await enter();
  expect(project.keys()).toMatchObject([{ name: "laptop" }]);
  expect(done()).toContain(`rescue next web: ${PUBLIC} me@laptop`);
});

test("a key that another process added meanwhile is used", async () => {
  const { enter, project, done } = await scene();
  project.before("POST /v1/ssh_keys", () => project.addKey("other", PUBLIC));
  await enter();
  expect(project.keys()).toMatchObject([{ name: "other" }]);
  expect(done()).toContain(`rescue next web: ${PUBLIC}`);
});

test("one that is off is switched on", async () => {
  const { enter, done } = await scene({ isOn: false, runs: "nothing" });
  await enter();
  expect(done().at(-1)).toBe("power on web");
});

test("a rescue system that was enabled before may have other keys, so it is enabled again", async () => {
  const { enter, done } = await scene({ rescueNext: true });
  await enter();
  expect(done()).toEqual(["no rescue web", `rescue next web: ${PUBLIC}`, "reset web"]);
});

test("neither the token nor the password of the rescue system is in any event", async () => {
  const { enter, session, project } = await scene();
  await enter();
  const told = JSON.stringify(session.events);
  expect(told).toContain("set web to start its rescue system next");
  expect(told).not.toContain(project.token);
  const [password] = passwordsOf(project.lab);
  expect(password).toHaveLength(20);
  expect(told).not.toContain(password);
});

test("an action that fails ends in its own words", async () => {
  const { enter, project } = await scene();
  project.lab.setFaults([{ site: "*/reset", fault: { kind: "task-error", message: "host is gone" } }]);
  expect(asTalosmithError(await enter().catch((error: unknown) => error))).toMatchObject({
    code: "HETZNER_ACTION",
    message: "Unable to restart web",
    detail: expect.stringContaining("action_failed: host is gone"),
  });
});

test.each([
  [true, ["no rescue web"]],
  [false, []],
])("the next start is from the disk (rescue still ordered: %s)", async (rescue, expected) => {
  const { provider, c, done, node } = await scene({ rescueNext: rescue });
  await provider.leaveRescue(await provider.server(node, c), c);
  expect(done()).toEqual(expected);
});

test("without a key in the config the usual files are tried, when the agent does not answer", async () => {
  const { provider, c, project, node, session } = await scene(
    {},
    {
      HOME: "/home/me",
      SSH_AUTH_SOCK: "/nowhere/agent",
    },
  );
  session.world.files.makeFolder("/home/me/.ssh", 0o700);
  session.world.files.create("/home/me/.ssh/id_ed25519", Buffer.from(pair.privateKey), 0o600);
  const { key: _, ...keyless } = login;
  await provider.enterRescue(await provider.server({ ...node, ssh: keyless }, c), c);
  expect(project.keys()).toMatchObject([{ publicKey: PUBLIC }]);
});

test("without any key no rescue system is enabled", async () => {
  const { provider, c, project, node } = await scene();
  const { key: _, ...keyless } = login;
  const server = await provider.server({ ...node, ssh: keyless }, c);
  const error = asTalosmithError(await provider.enterRescue(server, c).catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ code: "NO_SSH_KEY", hint: expect.stringContaining("nodes[].ssh.key") });
  expect(project.orders()).toEqual([]);
});
