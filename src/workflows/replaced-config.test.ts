import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { metal } from "../platforms/metal/definition.ts";
import { importConfig } from "./import.ts";
import { initEnvironment } from "./init.ts";

const FOLDER = "/environments/homelab";
const FILE = `${FOLDER}/config.yaml`;
const COPIES = `${FOLDER}/.talosmith/copies`;
const FLAT = `platform: proxmox
proxmox_host: 192.168.122.70
proxmox_node: pve
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: 0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e
talos_version: v1.12.4
cluster_name: homelab
cluster_vip: 10.10.0.5
vm_gateway: 10.10.0.1
controlplane_nodes: [{ name: cp-1, ip: 10.10.0.11, memory: 8192 }]
`;

function folder(): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder(FOLDER, 0o700);
  files.write(FILE, Buffer.from(FLAT), 0o600);
  return files;
}

const text = (files: VolatileFiles, path: string) => Buffer.from(files.read(path) ?? []).toString("utf8");
const copies = (files: VolatileFiles) => (files.list(COPIES) ?? []).map((name) => text(files, `${COPIES}/${name}`));

const COMMANDS = {
  "init --force": (files: VolatileFiles | ReturnType<typeof failingFiles>) =>
    initEnvironment(testSession({ files }), metal, FOLDER, { force: true, name: "homelab" }),
  "import --force": (files: VolatileFiles | ReturnType<typeof failingFiles>) =>
    importConfig(testSession({ files }), FOLDER, { out: "config.yaml", force: true }),
};

test.each(Object.entries(COMMANDS))("%s keeps what the config said", async (_, command) => {
  const files = folder();
  expect(await command(files)).toBe(0);
  expect(text(files, FILE)).not.toBe(FLAT);
  expect(copies(files)).toEqual([FLAT]);
});

test.each(Object.entries(COMMANDS))(
  "%s on a disk that is full at any operation: an error, and the config as it was",
  async (_, command) => {
    const counting = failingFiles(folder(), { at: 0, code: "ENOSPC" });
    await command(counting);
    // The last two make durable what is in place, and give the lock back.
    for (let at = 1; at < counting.operations.length - 1; at++) {
      const files = folder();
      await expect(command(failingFiles(files, { at, code: "ENOSPC", lasting: true }))).rejects.toMatchObject({
        code: "DISK_FULL",
      });
      expect(text(files, FILE)).toBe(FLAT);
      expect(files.paths().filter((path) => /\.new$|\/lock(\/|\.(?!was-))/.test(path))).toEqual([]);
    }
  },
);
