import { afterEach, describe, expect, test } from "vitest";
import {
  closeLab,
  doctor,
  FOLDER,
  files,
  fresh,
  lab,
  planned,
  prepare,
  problems,
  sh,
  token,
  up,
} from "./testing/unprepared-hosts.ts";

afterEach(closeLab);
describe.each(["8.4.21", "9.2.11"])("on Proxmox VE %s", (version) => {
  test("a fresh Proxmox is prepared, doctor is content, machines come up, and a second run has nothing to do", async () => {
    await fresh({ proxmox: { version } });
    const first = await prepare();
    expect(first.errors).toBe("");
    expect(first.exitCode).toBe(0);
    expect(token()).toMatch(/^talosmith@pve!life=[0-9a-f-]{36}\n$/);
    expect(files.stat(`${FOLDER}/proxmox-token`)?.mode).toBe(0o600);
    expect(problems(await doctor())).toEqual([]);
    expect((await up()).errors).toBe("");
    const second = await prepare();
    expect(second).toMatchObject({ exitCode: 0, plan: undefined });
    expect((await planned()).exitCode).toBe(0);
  });
});

test("every change is shown with the command it runs, before anything is changed", async () => {
  await fresh();
  const before = lab.snapshot();
  const { exitCode, plan } = await planned();
  expect(exitCode).toBe(2);
  expect(JSON.parse(lab.snapshot()).services.proxmox).toEqual(JSON.parse(before).services.proxmox);
  const runs = plan?.changes.map(({ fields }) => fields.find(({ path }) => path === "runs")?.to) ?? [];
  expect(runs).toContain("pveum user add talosmith@pve --comment 'talosmith: builds clusters, through its tokens only'");
  expect(runs).toContain(
    "pveum acl modify /storage/local --users talosmith@pve --tokens 'talosmith@pve!life' --roles TalosmithImages",
  );
  expect(runs.every((line) => line !== undefined)).toBe(true);
});

test("the token's secret is in its file and nowhere else", async () => {
  await fresh();
  const { all } = await prepare();
  const secret = token().trim().split("=")[1] ?? "";
  expect(secret).toMatch(/^[0-9a-f-]{36}$/);
  expect(all).not.toContain(secret);
  const kept = files
    .list(`${FOLDER}/.talosmith/runs`)
    ?.flatMap((id) =>
      (files.list(`${FOLDER}/.talosmith/runs/${id}`) ?? []).map((name) =>
        Buffer.from(files.read(`${FOLDER}/.talosmith/runs/${id}/${name}`) ?? "").toString(),
      ),
    );
  expect(kept?.length).toBeGreaterThan(2);
  expect(kept?.join("\n")).not.toContain(secret);
  expect(JSON.stringify(lab.recorder.calls())).not.toContain(secret);
});

test("rights that another token of the user inherits are kept, and NoAccess is not overruled", async () => {
  await fresh();
  await sh(`pveum user add talosmith@pve; pveum user token add talosmith@pve other
    pveum role add Ops --privs Sys.Console
    pveum acl modify /nodes --users talosmith@pve --tokens 'talosmith@pve!other' --roles Ops`);
  const first = await prepare();
  expect([first.exitCode, first.errors]).toEqual([0, ""]);
  expect(first.plan?.changes.find(({ subject }) => subject.endsWith("on /nodes/pve1"))?.fields).toEqual([
    {
      path: "runs",
      from: null,
      to: expect.stringMatching(/^pveum acl modify \/nodes\/pve1 --users talosmith@pve --roles Ops,Talosmith/),
    },
    { path: "carried over", from: null, to: "carries over Ops of talosmith@pve" },
  ]);
  const others = await sh("pveum user token permissions talosmith@pve other --path /nodes/pve1 --output-format json");
  expect(JSON.parse(others.stdout)["/nodes/pve1"]).toEqual({ "Sys.Console": 1 });
  expect(await prepare()).toMatchObject({ exitCode: 0, plan: undefined });
  await sh("pveum acl delete /nodes/pve1 --users talosmith@pve --roles Ops,TalosmithHosts,TalosmithDownload");
  await sh("pveum acl modify /nodes --users talosmith@pve --roles NoAccess");
  const denied = await prepare();
  expect(denied.exitCode).toBe(1);
  expect(denied.errors).toContain("Unable to give talosmith@pve rights on /nodes/pve1");
});

test("a token that exists and whose secret is here stays as it is", async () => {
  await fresh();
  await prepare();
  const before = token();
  await sh("pveum role delete TalosmithDisks");
  const again = await prepare();
  expect(again.errors).toBe("");
  expect(again.plan?.changes.map(({ subject }) => subject)).toEqual([
    "role TalosmithDisks",
    "rights of talosmith@pve!life on /storage/local-lvm",
  ]);
  expect(token()).toBe(before);
});

test("a secret lost in transfer is read again from Proxmox", async () => {
  await fresh();
  await prepare();
  const before = token();
  files.remove(`${FOLDER}/proxmox-token`);
  const again = await prepare();
  expect(again.plan?.changes).toMatchObject([
    { verb: "update", subject: "token talosmith@pve!life", fields: [{ path: "secret" }] },
  ]);
  expect(token()).toBe(before);
});

test("a token file with other content is not overwritten, and nothing is changed", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
  await fresh({ config: (text) => text.replace("${file:proxmox-token}", "${env:NOT_SET}") });
  files.write(`${FOLDER}/proxmox-token`, Buffer.from("mine\n"), 0o600);
  const { exitCode, errors } = await prepare();
  expect(exitCode).toBe(1);
  expect(errors).toContain("/env/proxmox-token has other content");
  expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
});

test("a token in an environment variable goes to a file, with the line that refers to it", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
  await fresh({ config: (text) => text.replace("${file:proxmox-token}", "${env:NOT_SET}") });
  const { plan, exitCode } = await prepare();
  expect(exitCode).toBe(0);
  expect(plan?.notes).toMatchObject([
    { code: "TOKEN_LINE", hint: expect.stringContaining("proxmox.token: $" + "{file:proxmox-token}") },
  ]);
  expect(token()).toMatch(/^talosmith@pve!life=/);
});

test("content of the image storage is added to what it has", async () => {
  await fresh({ proxmox: { version: "8.4" } });
  const { plan } = await prepare();
  expect(plan?.changes.find(({ subject }) => subject === "storage local")).toMatchObject({
    fields: [{ path: "content" }, { path: "runs", to: expect.stringMatching(/^pvesm set local --content .*,import$/) }],
  });
  expect(JSON.parse((await sh("pvesh get /storage/local --output-format json")).stdout).content.split(",")).toEqual(
    expect.arrayContaining(["iso", "vztmpl", "backup", "import"]),
  );
});

test.each(["mutation.intent", "mutation.outcome"] as const)(
  "stopped at its eighth %s each time, the next run continues until all is done",
  async (when) => {
    await fresh();
    for (let runs = 1; ; runs++) {
      let seen = 0;
      const { exitCode, errors } = await prepare({}, (event) => event.type === when && ++seen === 8);
      expect(errors).toBe("");
      if (exitCode === 0) {
        expect(runs).toBeGreaterThan(1);
        break;
      }
      expect(exitCode).toBe(130);
    }
    expect(problems(await doctor())).toEqual([]);
  },
);

test("an answer lost after any command is recovered in the same run", async () => {
  await fresh();
  lab.setFaults([{ service: "ssh", site: "exec", resource: "*pveum*add*", fault: { kind: "cut-after" }, probability: 0.5 }]);
  const { exitCode, errors } = await prepare();
  expect(errors).toBe("");
  expect(exitCode).toBe(0);
});

test("root needs no role or token: only the storage is checked", async () => {
  await fresh({
    proxmox: { version: "8.4" },
    config: (text) => text.replace(/token: .*/, "user: root@pam\n  password: proxmox-lab"),
  });
  const { plan, errors } = await prepare();
  expect(errors).toBe("");
  expect(plan?.changes.map(({ subject }) => subject)).toEqual(["storage local"]);
});

test("an unknown host in --reboot is reported before anything is changed", async () => {
  await fresh();
  const { errors, exitCode } = await prepare({ reboot: ["pve7"] });
  expect(exitCode).toBe(1);
  expect(errors).toContain("There is no host pve7 in the cluster of pve1");
});

test("a host that is not in the cluster is named with those that are", async () => {
  await fresh({ config: (text) => text.replace(/hosts: \[.*\]/, "hosts: [pve1, pve9]") });
  const { errors } = await prepare();
  expect(errors).toContain("There is no host pve9 in the cluster of pve1");
  expect(errors).toContain("its hosts are pve1, pve2, pve3");
});
