import { setMaxListeners } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { labConfig } from "../../test/support/config.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { EventBus } from "../engine/bus.ts";
import type { Event } from "../engine/event.ts";
import type { PlanResult } from "../engine/result.ts";
import { factoryService } from "../lab/factory/service.ts";
import type { RunningLab } from "../lab/kernel/kernel.ts";
import { createLab } from "../lab/kernel/lab.ts";
import type { ProxmoxOptions } from "../lab/proxmox/initial.ts";
import { proxmoxService } from "../lab/proxmox/service.ts";
import { sshService } from "../lab/ssh/service.ts";
import { runOnHost } from "../lab/ssh/shell.ts";
import { asTalosmithError, type ErrorReport } from "../lib/errors.ts";
import { Redactor } from "../lib/secret.ts";
import { realWorld } from "../lib/world/real.ts";
import { type HostFlags, readWish } from "../platforms/proxmox/host/wish.ts";
import { reportView } from "../views/report-view.ts";
import { bringUp } from "./bring-up.ts";
import { diagnose } from "./doctor.ts";
import { planHosts, prepareHosts } from "./host-prepare.ts";

const FOLDER = "/env";
const TIME_SCALE = 200;

let lab: RunningLab;
let files: VolatileFiles;
let pid = 1;

interface Wishes {
  proxmox?: ProxmoxOptions;
  /** Changes to the text of the config. */
  config?: (text: string) => string;
  firstWorker?: string;
}

/** A Proxmox on which nobody has done anything for us. */
async function fresh({ proxmox = {}, config = (text) => text, firstWorker }: Wishes = {}): Promise<void> {
  const services = [
    factoryService({ buildMs: 10 }),
    proxmoxService(proxmox),
    sshService({ bootloaders: { pve3: "systemd-boot" } }),
  ];
  lab = await createLab(realWorld(), { seed: "host", timeScale: TIME_SCALE, services });
  await lab.start();
  await sh("pveum user delete talosmith@pve; pveum role delete TalosmithDeploy");
  const { proxmox: there = {}, factory = {}, ssh = {} } = lab.published();
  const text = labConfig(
    {
      block: lab.address.prefix,
      url: there.url ?? "",
      fingerprint: there.fingerprint ?? "",
      token: "",
      factory: factory.url ?? "",
      hosts: (there.hosts ?? "").split(","),
    },
    { ...(firstWorker !== undefined && { firstWorker }) },
  ).replace(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
    "token: ${env:LAB_TOKEN}",
    `token: \${file:proxmox-token}\n  ssh:\n    port: ${ssh.port}\n    key: \${file:key}\n    hostKey: "${ssh.fingerprint}"`,
  );
  files = new VolatileFiles();
  files.makeFolder(FOLDER, 0o700);
  files.write(`${FOLDER}/config.yaml`, Buffer.from(config(text)), 0o644);
  files.write(`${FOLDER}/key`, Buffer.from(ssh.key ?? ""), 0o600);
}

afterEach(() => lab.close());

const sh = (line: string, host = "pve1") => runOnHost(lab, host, line);

interface Outcome {
  exitCode: number;
  events: Event[];
  plan: PlanResult | undefined;
  /** Every error, as it would be read. */
  errors: string;
  all: string;
}

async function run(
  work: (session: Parameters<typeof prepareHosts>[0]) => Promise<number>,
  stopAt?: (event: Event) => boolean,
): Promise<Outcome> {
  const world = testWorld({ files, timeScale: TIME_SCALE, self: { pid: pid++ } });
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  bus.listen((event) => {
    events.push(event);
    if (stopAt?.(event)) stop.abort(new Error("killed"));
  });
  const exitCode = await work({ world, bus, redactor, signal: stop.signal, mayMutate: () => {} }).catch((error: unknown) => {
    if (stop.signal.aborted) return 130;
    events.push({ at: "", type: "error", error: asTalosmithError(error).report() });
    return 1;
  });
  const plan = events.flatMap((event) => (event.type === "result" && event.result.kind === "plan" ? [event.result] : []))[0];
  const errors = events.flatMap((event) =>
    "error" in event && event.error && event.type !== "mutation.outcome" ? [words(event.error)] : [],
  );
  return { exitCode, events, plan, errors: errors.join("\n"), all: JSON.stringify(events) };
}

function words({ message, detail = "", hint = "", problems: parts = [] }: ErrorReport): string {
  return [message, detail, hint, ...parts.map(words)].join("\n");
}

const prepare = (flags: HostFlags = {}, stopAt?: (event: Event) => boolean) =>
  run((session) => prepareHosts(session, FOLDER, { hosts: readWish(flags), confirm: async () => true }, reportView()), stopAt);
const planned = (flags: HostFlags = {}) => run((session) => planHosts(session, FOLDER, readWish(flags)));
const doctor = () => run((session) => diagnose(session, FOLDER));
const up = () =>
  run((session) =>
    bringUp(
      session,
      FOLDER,
      { stages: { from: "preflight", until: "provision" }, allowRemove: [], confirm: async () => true },
      reportView(),
    ),
  );

const token = () => Buffer.from(files.read(`${FOLDER}/proxmox-token`) ?? "").toString();
const problems = ({ events }: Outcome) =>
  events.flatMap((event) =>
    event.type === "result" && event.result.kind === "checks"
      ? event.result.checks.flatMap(({ findings }) =>
          findings.filter(({ level }) => level === "fail").map(({ message }) => message),
        )
      : [],
  );
const notes = ({ plan, events }: Outcome) => [
  ...(plan?.notes ?? []).map(({ code }) => code),
  ...events.flatMap((event) => (event.type === "step.finding" && event.finding.level !== "ok" ? [event.finding.code] : [])),
];

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

test("a secret that got lost on the way is read again from where Proxmox keeps it", async () => {
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

test("a file with something else in it is not overwritten, and nothing is changed", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
  await fresh({ config: (text) => text.replace("${file:proxmox-token}", "${env:NOT_SET}") });
  files.write(`${FOLDER}/proxmox-token`, Buffer.from("mine\n"), 0o600);
  const { exitCode, errors } = await prepare();
  expect(exitCode).toBe(1);
  expect(errors).toContain("/env/proxmox-token holds something else");
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
  "stopped at its eighth %s each time, the next run goes on, until all is done",
  { timeout: 60_000 },
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

test("an answer lost after any command is made up for in the same run", async () => {
  await fresh();
  lab.setFaults([{ service: "ssh", site: "exec", resource: "*pveum*add*", fault: { kind: "cut-after" }, probability: 0.5 }]);
  const { exitCode, errors } = await prepare();
  expect(errors).toBe("");
  expect(exitCode).toBe(0);
});

describe("devices", () => {
  const gpu = {
    proxmox: { gpus: { pve2: ["nvidia rtx 4090"] } },
    firstWorker: "host: pve2, pci: [{ mapping: gpu0, gpu: nvidia }]",
  };

  test("a host with one GPU of the vendor: its mapping is made, its modules are set, and doctor is content", async () => {
    await fresh(gpu);
    const { errors, exitCode } = await prepare();
    expect(errors).toBe("");
    expect(exitCode).toBe(0);
    const mappings = JSON.parse((await sh("pvesh get /cluster/mapping/pci --output-format json")).stdout);
    expect(mappings).toMatchObject([
      { id: "gpu0", map: ["node=pve2,path=0000:41:00,id=10de:2684,subsystem-id=1458:40bf,iommugroup=30"] },
    ]);
    expect((await sh("cat /etc/modprobe.d/talosmith-vfio.conf", "pve2")).stdout).toContain(
      "options vfio-pci ids=10de:22ba,10de:2684\n",
    );
    expect((await sh("cat /etc/modprobe.d/talosmith-vfio.conf", "pve1")).code).toBe(1);
    expect(problems(await doctor())).toEqual([]);
    expect((await planned()).exitCode).toBe(0);
  });

  test("with two of them it asks which, and lists both", async () => {
    await fresh({ ...gpu, proxmox: { gpus: { pve2: ["nvidia rtx 4090", "nvidia rtx 3090"] } } });
    const unclear = await prepare();
    expect(unclear.exitCode).toBe(1);
    expect(unclear.errors).toContain("which PCI device of pve2 gpu0 is, for worker-1");
    expect(unclear.errors).toContain("0000:41:00.0  NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684]");
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
    const said = await prepare({ pci: ["gpu0=pve2:42:00"] });
    expect(said.errors).toBe("");
    expect((await sh("pvesh get /cluster/mapping/pci --output-format json")).stdout).toContain("path=0000:42:00,");
  });

  test.each([
    [["gpu0=pve2:0000:99:00"], "pve2 has no PCI device 0000:99:00"],
    [["other=pve2:0000:41:00"], "no node of the config has pci: [{ mapping: other }]"],
  ])("--pci %s is refused before anything is changed", async (pci, why) => {
    await fresh(gpu);
    const { exitCode, errors } = await prepare({ pci });
    expect(exitCode).toBe(1);
    expect(errors).toContain(why);
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
  });

  test.each(["pve2", "pve3"])(
    "without an IOMMU %s is told, not rebooted; allowed to, it is rebooted and the mapping follows",
    async (host) => {
      await fresh({
        proxmox: { gpus: { [host]: ["nvidia rtx 4090"] }, iommu: false },
        firstWorker: `host: ${host}, pci: [{ mapping: gpu0, gpu: nvidia }]`,
      });
      const boot = (await sh("cat /proc/sys/kernel/random/boot_id", host)).stdout;
      const first = await prepare();
      expect(first.errors).toBe("");
      expect(first.exitCode).toBe(0);
      expect(notes(first)).toEqual(expect.arrayContaining(["REBOOT_NEEDED"]));
      expect((await sh("cat /proc/sys/kernel/random/boot_id", host)).stdout).toBe(boot);
      const second = await prepare({ reboot: [host] });
      expect(second.errors).toBe("");
      expect(second.plan?.changes.map(({ verb, subject }) => `${verb} ${subject}`)).toEqual([
        `restart host ${host}`,
        "create PCI mapping gpu0",
      ]);
      expect((await sh("cat /proc/sys/kernel/random/boot_id", host)).stdout).not.toBe(boot);
      expect((await sh("ls /sys/kernel/iommu_groups", host)).stdout).not.toBe("");
      expect((await planned()).exitCode).toBe(0);
      expect(problems(await doctor())).toEqual([]);
    },
  );

  test("a host on which machines run is not rebooted, unless that is said", async () => {
    await fresh({ ...gpu, proxmox: { ...gpu.proxmox, iommu: false } });
    await sh("qm create 900 --name other --memory 512; qm start 900", "pve2");
    const refused = await prepare({ reboot: ["pve2"] });
    expect(refused.exitCode).toBe(1);
    expect(refused.errors).toContain("pve2 runs 900 (other)");
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
    const allowed = await prepare({ reboot: ["pve2"], withGuests: true });
    expect(allowed.errors).toBe("");
    expect(allowed.exitCode).toBe(0);
  });
});

describe("--nat", () => {
  const oneHost = (text: string) => text.replace(/hosts: \[.*\]/, "hosts: [pve1]");

  test("makes a bridge with a way out, and DHCP beside the nodes' addresses", async () => {
    await fresh({ config: oneHost });
    const before = (await sh("cat /etc/network/interfaces")).stdout;
    const { errors, plan } = await prepare({ nat: "vmbr10=10.66.0.0/24,dhcp" });
    expect(errors).toBe("");
    expect(plan?.changes.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["pve1: bridge vmbr10", "pve1: DHCP on vmbr10"]),
    );
    const after = (await sh("cat /etc/network/interfaces")).stdout;
    expect(after.startsWith(before)).toBe(true);
    expect(after.slice(before.length)).toContain("iface vmbr10 inet static\n\taddress 10.66.0.1/24\n\tbridge-ports none\n");
    expect((await sh("pvesh get /nodes/pve1/network --output-format json")).stdout).toContain('"vmbr10"');
    expect((await sh("systemctl is-active talosmith-dhcp-vmbr10")).stdout).toBe("active\n");
    expect((await planned({ nat: "vmbr10=10.66.0.0/24,dhcp" })).exitCode).toBe(0);
  });

  test("is refused where its addresses are somebody's, where its bridge is another, and where nodes are on several hosts", async () => {
    await fresh({ config: oneHost });
    await sh(
      "printf 'auto vmbr5\\niface vmbr5 inet static\\n\\taddress 10.77.0.1/16\\n\\tbridge-ports none\\n' >> /etc/network/interfaces; ifreload -a",
    );
    expect((await prepare({ nat: "vmbr10=10.77.3.0/24" })).errors).toContain("10.77.0.0/16 is already behind vmbr5 of pve1");
    expect((await prepare({ nat: "vmbr5=10.78.0.0/24" })).errors).toContain("pve1 has a bridge vmbr5 already, and it is another");
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
    await lab.close();
    await fresh();
    expect((await prepare({ nat: "vmbr10=10.66.0.0/24" })).errors).toContain("the nodes are on several hosts (pve1, pve2, pve3)");
  });
});

test("root needs nobody: only the storage is looked at", async () => {
  await fresh({
    proxmox: { version: "8.4" },
    config: (text) => text.replace(/token: .*/, "user: root@pam\n  password: proxmox-lab"),
  });
  const { plan, errors } = await prepare();
  expect(errors).toBe("");
  expect(plan?.changes.map(({ subject }) => subject)).toEqual(["storage local"]);
});

test("a host that may be rebooted and is not there is told before anything is changed", async () => {
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
