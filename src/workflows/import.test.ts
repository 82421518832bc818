import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { loadConfig } from "../config/load.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { importConfig } from "./import.ts";

const SECRET = "0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";
const FOLDER = "/environments/homelab";
const FLAT = `platform: proxmox
proxmox_host: 192.168.122.70
proxmox_node: pve
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: ${SECRET}
talos_version: v1.12.4
cluster_name: fluodata
cluster_vip: 10.10.0.5
vm_gateway: 10.10.0.1
controlplane_nodes: [{ name: cp-1, ip: 10.10.0.11, memory: 8192 }]
`;

async function imported(files: Record<string, string>, wishes = {}) {
  const session = testSession();
  session.world.files.makeFolder(FOLDER, 0o700);
  for (const [name, text] of Object.entries(files)) session.world.files.create(`${FOLDER}/${name}`, Buffer.from(text), 0o600);
  const run = () =>
    importConfig({ ...session, redactor: new Redactor() }, FOLDER, { out: "config.yaml", force: false, ...wishes });
  return { session, files: session.world.files, run };
}

const read = (files: { read(path: string): Uint8Array | undefined }, name: string) =>
  Buffer.from(files.read(`${FOLDER}/${name}`) ?? "").toString();

test("a flat config is converted, the old file is kept, and the next commands say what to do with it", async () => {
  const { session, files, run } = await imported({ "config.yml": FLAT });
  expect(await run()).toBe(0);
  expect(read(files, "config.yml")).toBe(FLAT);
  expect(files.stat(`${FOLDER}/config.yaml`)?.mode).toBe(0o600);
  expect(
    session.events.flatMap((event) => (event.type === "result" && event.result.kind === "facts" ? event.result.next : [])),
  ).toEqual([`mv ${FOLDER}/config.yml ${FOLDER}/config.yml.old`, `talosmith plan ${FOLDER}`]);
  files.rename(`${FOLDER}/config.yml`, `${FOLDER}/config.yml.old`);
  expect(loadConfig(PLATFORM_CONFIGS, session.world, FOLDER, new Redactor()).config.cluster.name).toBe("fluodata");
});

test("a secret written out stays as it was, is warned about, and is not printed", async () => {
  const { session, files, run } = await imported({ "config.yml": FLAT });
  await run();
  expect(read(files, "config.yaml")).toContain(`token: root@pam!terraform=${SECRET}`);
  expect(session.events.flatMap((event) => (event.type === "notice" ? [event.message] : []))).toContain(
    "proxmox_api_token_secret is stored in plain text in this file",
  );
  expect(JSON.stringify(session.events)).not.toContain(SECRET);
});

test("nothing is overwritten without --force", async () => {
  const { files, run } = await imported({ "config.yml": FLAT }, { out: "new.yaml" });
  files.create(`${FOLDER}/new.yaml`, Buffer.from("mine"), 0o600);
  await expect(run()).rejects.toThrow(`Unable to write ${FOLDER}/new.yaml: it exists already`);
  expect(read(files, "new.yaml")).toBe("mine");
});

test("problems of a config are reported, and nothing is written", async () => {
  const { files, run } = await imported({ "config.yml": FLAT.replace("v1.12.4", "1.12.4") });
  await expect(run()).rejects.toThrow("config.yml has 1 problem");
  expect(files.stat(`${FOLDER}/config.yaml`)).toBeUndefined();
});

test("with --force the file is written again from the old ones", async () => {
  const { session, files, run } = await imported({ "config.yml": FLAT, "config.yaml": "mine" }, { force: true });
  await run();
  expect(read(files, "config.yaml")).toContain("name: fluodata");
  expect(session.events.some((event) => event.type === "result")).toBe(true);
});

test("a config that already has sections needs no import", async () => {
  const first = await imported({ "config.yml": FLAT });
  await first.run();
  const { run } = await imported({ "config.yaml": read(first.files, "config.yaml") }, { force: true });
  await expect(run()).rejects.toThrow("already has sections");
});
