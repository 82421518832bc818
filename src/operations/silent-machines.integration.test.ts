import { beforeAll, expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { type OperationRecord, readOperation, writeOperation } from "../environment/operation-record.ts";
import { reportView } from "../views/report-view.ts";
import { bringUp } from "../workflows/bring-up.ts";
import { takeDown } from "../workflows/take-down.ts";
import { abandonOperation } from "./abandon.ts";

/* An operation was interrupted, and no machine of the cluster answers. */

const FOLDER = "/env";
const CONFIG = `platform: metal
cluster: { name: homelab, endpoint: 127.9.9.11, talos: v1.13.9 }
network: { cidr: 127.9.9.0/24, gateway: 127.9.9.250 }
nodes: [{ name: cp-1, role: controlplane, ip: 127.9.9.11 }, { name: worker-1, role: worker, ip: 127.9.9.21 }]
`;
const STOP: OperationRecord = { kind: "stop", target: { machines: [] }, at: "2026-11-18T20:14:03.000Z" };
const REPLACE: OperationRecord = { ...STOP, kind: "node replace", subject: "worker-1", target: { instance: "old" } };

let folder: VolatileFiles;

beforeAll(async () => {
  folder = new VolatileFiles();
  folder.makeFolder(FOLDER, 0o700);
  folder.syncFolder("/");
  folder.write(`${FOLDER}/config.yaml`, Buffer.from(CONFIG), 0o644);
  const wish = { stages: { from: "preflight", until: "generate" }, allowRemove: [], confirm: async () => true } as const;
  expect(await bringUp(testSession({ files: folder }), FOLDER, wish, reportView())).toBe(0);
});

/** The effect of a command on an interrupted operation. */
async function after(record: OperationRecord, run: typeof abandonOperation | typeof takeDown) {
  const files = folder.afterKill();
  writeOperation(files, FOLDER, record);
  const asked: string[] = [];
  const confirm = async (words: string) => asked.push(words) > 0;
  const exitCode = await run(testSession({ files, self: { pid: 2 } }), FOLDER, { confirm }, reportView());
  return { exitCode, asked, isOpen: readOperation(files, { folder: FOLDER, shown: FOLDER }) !== undefined };
}

test("down keeps the record of the operation while a machine is silent", async () => {
  expect(await after(REPLACE, takeDown)).toEqual({ exitCode: 0, asked: [], isOpen: true });
});

test("abandon ends an interrupted stop after confirmation, even with silent machines", async () => {
  expect(await after(STOP, abandonOperation)).toEqual({ exitCode: 0, asked: ["stop"], isOpen: false });
});

test("abandon does not end the replacement of a silent machine", async () => {
  expect(await after(REPLACE, abandonOperation)).toEqual({ exitCode: 1, asked: [], isOpen: true });
});
