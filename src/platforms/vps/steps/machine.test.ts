import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { changesOf, errorsOf } from "../../../engine/plan.ts";
import { readRecord } from "../../../takeover/record.ts";
import {
  type Bench,
  BLANK,
  DEBIAN,
  INSTALLED,
  OTHER_KEY,
  REFUSED,
  RESCUE,
  serverBench,
  UNREACHABLE,
} from "../testing/server-bench.ts";

const NAMED = { installDisk: { serial: "VPS-0001" } };
const FRESH = { environment: undefined };
const FOLDER = "/env/.talosmith/takeover/vps-1";

const codes = async (bench: Bench, found = {}) => errorsOf(await bench.plan(found)).map(({ code }) => code);
const changes = async (bench: Bench, found = {}) => changesOf(await bench.plan(found));
const outcomes = async (bench: Bench) => (await bench.up()).filter(({ id }) => id === "machine/vps-1");
const recordsOf = ({ session }: Bench) =>
  (session.world.files.list(FOLDER) ?? []).map((name) =>
    readRecord(Buffer.from(session.world.files.read(`${FOLDER}/${name}`) ?? []).toString("utf8")),
  );

test("a blank disk is simply taken, and the plan says which", async () => {
  const bench = serverBench();
  bench.ssh = { ...RESCUE, disks: [BLANK] };
  const [change] = await changes(bench);
  expect(change).toMatchObject({ verb: "create", subject: "machine vps-1" });
  expect(change?.typed).toBeUndefined();
  expect(change?.fields.map(({ path, to }) => `${path}: ${to}`)).toEqual([
    "server: 203.0.113.11",
    "disk: /dev/sda 40 GiB (serial VPS-0001): blank",
    "system: Talos v1.13.9 with its config on the disk",
    "network: 203.0.113.11/24 via 203.0.113.1",
  ]);
});

test("data on a disk that the config does not name needs the user's confirmation, or the disk's name in the config", async () => {
  const [change] = await changes(serverBench({ node: { installDisk: "/dev/sda" } }));
  expect(change).toMatchObject({
    verb: "replace",
    typed: { name: "vps-1", why: "/dev/sda of vps-1 holds data", where: { file: "config.yaml" } },
  });
  expect(change?.typed?.instead).toBe('set this for vps-1 in the config (config.yaml:3):  installDisk: { serial: "VPS-0001" }');
  expect(change?.fields).toEqual([
    {
      path: "disk",
      from: "/dev/sda 40 GiB (serial VPS-0001): gpt with 1 partition (ext4 root)",
      to: "Talos v1.13.9 with its config on the disk",
    },
    { path: "network", from: "203.0.113.11/24 via 203.0.113.1 (DHCP)", to: "203.0.113.11/24 via 203.0.113.1" },
  ]);
});

test("a serial in the config permits overwriting that disk with its data", async () => {
  const [change] = await changes(serverBench({ node: NAMED }));
  expect(change?.verb).toBe("replace");
  expect(change?.typed).toBeUndefined();
});

test("a server becomes a node: it is surveyed for the plan, before the run and before the first byte, and its old state is recorded", async () => {
  const bench = serverBench({ node: NAMED });
  expect(await outcomes(bench)).toMatchObject([{ outcome: "changed" }]);
  expect(bench.log).toEqual([
    ...["login", "logout", "login", "logout", "login"],
    ...["begun", "written", "compared aaaa", "restarting", "restarted", "logout"],
  ]);
  expect(bench.seeds).toEqual([{ is: "config", text: "the config of vps-1" }]);
  expect(recordsOf(bench)).toMatchObject([
    {
      phase: "restarted",
      hostKey: "SHA256:key",
      disk: { serial: "VPS-0001", held: "gpt with 1 partition (ext4 root)" },
      saved: [{ offset: 0, bytes: Buffer.from("table") }],
      image: { sha256: "a".repeat(64) },
    },
  ]);
  const { files } = bench.session.world;
  expect((files.stat(`${FOLDER}/${files.list(FOLDER)?.[0]}`)?.mode ?? 0) & 0o777).toBe(0o600);
  bench.log.length = 0;
  expect(await changes(bench)).toEqual([]);
  expect(bench.log).toEqual([]);
});

test("with a custom schematic, only the network settings can be written to the disk", async () => {
  const image = { extensions: [], kernelArgs: [], schematic: "a".repeat(64) };
  const bench = serverBench({ node: { ...NAMED, image } });
  bench.afterwards = { is: "waiting", key: "k" };
  expect((await changes(bench))[0]?.fields[0]?.to).toBe("Talos v1.13.9 in maintenance mode, then its config");
  expect(await outcomes(bench)).toMatchObject([{ outcome: "changed" }]);
  expect(bench.seeds).toEqual([
    {
      is: "network",
      network: {
        hostname: "vps-1",
        mac: "02:00:00:00:00:01",
        addresses: [{ ip: "203.0.113.11", prefix: 24, gateway: "203.0.113.1" }],
        nameservers: ["9.9.9.9"],
        timeServers: [],
      },
    },
  ]);
});

test.each([
  ["the serial in the config", { installDisk: { serial: "VPS-0001" } }, { address: "203.0.113.11", diskSerial: "VPS-0001" }],
  ["the MAC in the config", { mac: "02:00:00:00:00:01" }, { address: "203.0.113.11", mac: "02:00:00:00:00:01" }],
])("who waits for a config is known by %s", async (_, node, facts) => {
  const bench = serverBench({ node });
  bench.talos = { is: "waiting", key: "k" };
  const { planned } = await bench.plan();
  expect(planned.find(({ item }) => item.id === "machine/vps-1")?.output).toEqual(facts);
});

test("a machine in maintenance mode without identifying facts is sent nothing", async () => {
  const bench = serverBench({ node: { installDisk: { serial: "VPS-*" } } });
  bench.talos = { is: "waiting", key: "k" };
  expect(await codes(bench)).toEqual(["UNPROVEN_MACHINE"]);
});

test("a node of another cluster stays what it is", async () => {
  const bench = serverBench({ node: NAMED, provider: true });
  bench.talos = { is: "stranger", why: "another CA" };
  expect(await codes(bench)).toEqual(["STRANGE_NODE"]);
  expect(bench.log).toEqual([]);
});

test("all problems of a server are reported together", async () => {
  const bench = serverBench({ node: { ...NAMED, arch: "arm64" }, admin: ["192.0.2.0/24"] });
  bench.ssh = { ...RESCUE, disks: [{ ...DEBIAN, serial: "another" }] };
  const [error] = errorsOf(await bench.plan());
  expect(error?.problems.map(({ code }) => code)).toEqual(["DISK_SERIAL", "WRONG_ARCHITECTURE", "OUTSIDE_ADMIN"]);
});

test.each([
  ["no answer", UNREACHABLE, "NO_RESCUE"],
  ["a refused login", REFUSED, "NO_RESCUE"],
  ["another host key is shown", OTHER_KEY, "SSH_HOST_KEY"],
  ["it runs from its disk", INSTALLED, "NOT_A_RESCUE_SYSTEM"],
])("without a provider's API: %s", async (_, ssh, code) => {
  const bench = serverBench({ node: NAMED });
  bench.ssh = ssh;
  expect(await codes(bench)).toEqual([code]);
});

test.each([
  ["no answer, in a new environment", UNREACHABLE, FRESH, false],
  ["a refused login", REFUSED, {}, false],
  ["it runs from its disk", INSTALLED, {}, false],
  // Its Talos may be unreachable because of a firewall or a network failure. Then --yes must not be enough.
  ["no answer, and there may be a cluster", UNREACHABLE, {}, true],
])("its provider restarts a server of which the disk is named: %s", async (_, ssh, found, typed) => {
  const bench = serverBench({ node: NAMED, provider: true });
  bench.ssh = ssh;
  const [change] = await changes(bench, found);
  expect(change?.verb).toBe("replace");
  expect(change?.fields[0]?.to).toBe("restarted into its rescue system by Hetzner Cloud");
  expect(change?.typed !== undefined).toBe(typed);
});

test("a server that its provider restarts holds unknown data, so the user must confirm it unless the disk is named", async () => {
  const bench = serverBench({ provider: true });
  bench.ssh = INSTALLED;
  expect((await changes(bench))[0]?.typed?.name).toBe("vps-1");
});

test("a restart into the rescue system does not hide other problems", async () => {
  const bench = serverBench({ node: NAMED, provider: true, admin: ["192.0.2.0/24"] });
  bench.ssh = INSTALLED;
  const [error] = errorsOf(await bench.plan());
  expect(error?.problems.map(({ code }) => code)).toEqual(["NOT_A_RESCUE_SYSTEM", "OUTSIDE_ADMIN"]);
});

test("its provider takes it into the rescue system and out of it again", async () => {
  const bench = serverBench({ node: NAMED, provider: true });
  bench.ssh = INSTALLED;
  expect(await outcomes(bench)).toMatchObject([{ outcome: "changed" }]);
  expect(bench.log.filter((line) => !line.startsWith("log"))).toEqual([
    ...["enter rescue", "begun", "written", "compared aaaa", "leave rescue", "restarting", "restarted"],
  ]);
});

test("a disk that is not what the plan showed is left alone", async () => {
  const bench = serverBench({ node: { installDisk: "/dev/sda" } });
  let looks = 0;
  const other = { ...DEBIAN, parts: [{ name: "sda1", bytes: 1, filesystem: "ntfs" }] };
  // The third look is the one before the first byte.
  bench.site.hands.surveyServer = async () => (++looks < 3 ? RESCUE : { ...RESCUE, disks: [other] });
  expect(await outcomes(bench)).toMatchObject([{ outcome: "failed", error: { code: "DISK_CHANGED" } }]);
  expect(bench.log).not.toContain("begun");
  expect(recordsOf(bench)).toEqual([]);
});

test("an image that differs from the others' is not started from", async () => {
  const bench = serverBench({ node: NAMED });
  bench.site.images.compare = () => {
    throw remoteError("IMAGES_DIFFER", { message: "another image" });
  };
  expect(await outcomes(bench)).toMatchObject([{ outcome: "failed", error: { code: "IMAGES_DIFFER" } }]);
  expect(recordsOf(bench)).toMatchObject([{ phase: "begun" }]);
  expect(bench.log).not.toContain("restarting");
});

test.each(["begun", "written", "restarting", "restarted"])(
  "cut off when it was %s, it is done again and ends right",
  async (point) => {
    const bench = serverBench({ node: NAMED });
    bench.failing = point;
    await bench.up();
    bench.failing = undefined;
    expect(await outcomes(bench)).toMatchObject([{ outcome: point === "restarted" ? "unchanged" : "changed" }]);
    expect(recordsOf(bench).at(-1)?.phase).toBe("restarted");
  },
);

test("an image half written by an earlier run does not count as data", async () => {
  const bench = serverBench();
  bench.ssh = { ...RESCUE, disks: [BLANK] };
  bench.failing = "written";
  await bench.up();
  bench.ssh = { ...RESCUE, disks: [{ ...BLANK, holdsData: true }] };
  const [change] = await changes(bench);
  expect(change?.verb).toBe("create");
  expect(change?.typed).toBeUndefined();
  // Another disk is another matter.
  bench.ssh = { ...RESCUE, disks: [{ ...DEBIAN, serial: "another" }] };
  expect((await changes(bench))[0]?.typed?.name).toBe("vps-1");
});

const silent = { is: "silent", why: "nobody answers" } as const;

test("a server that was just restarted is waited for, and not reported as silent", async () => {
  const bench = serverBench({ node: NAMED, provider: true });
  await bench.up();
  bench.talos = silent;
  const plan = await bench.plan();
  expect(changesOf(plan)).toMatchObject([{ verb: "run", subject: "machine vps-1" }]);
  const running = bench.up();
  await bench.session.world.clock.sleep(60_000);
  bench.talos = { is: "ours" };
  expect((await running).at(-1)).toMatchObject({ outcome: "unchanged" });
  expect(bench.log.filter((line) => line === "enter rescue")).toEqual([]);
});

test("a node that fell silent is not restarted by us; in its rescue system it is replaced only by name", async () => {
  const bench = serverBench({ node: NAMED, provider: true });
  await bench.up();
  bench.talos = silent;
  bench.later(31 * 60_000);
  expect(await codes(bench)).toEqual(["NODE_SILENT"]);
  bench.ssh = RESCUE;
  expect(await changes(bench)).toMatchObject([{ verb: "replace", needsConsent: "vps-1" }]);
});

test("a worker is done when it has left its rescue system: it answers only when control planes do", async () => {
  const bench = serverBench({ node: { ...NAMED, role: "worker" } });
  bench.afterwards = silent;
  expect(await outcomes(bench)).toMatchObject([{ outcome: "changed" }]);
  expect(await changes(bench)).toEqual([]);
  bench.ssh = RESCUE;
  expect(await changes(bench)).toMatchObject([{ verb: "create" }]);
});

test("a server that goes down during a survey is surveyed once more, and then counts as closed", async () => {
  const bench = serverBench({ node: NAMED });
  const { surveyServer } = bench.site.hands;
  let lost = 1;
  bench.site.hands.surveyServer = async (...of) => {
    if (lost-- > 0) throw remoteError("SSH_COMMAND_LOST", { message: "the connection was closed" });
    return surveyServer(...of);
  };
  expect(await codes(bench)).toEqual([]);
  lost = 2;
  expect(await codes(bench)).toEqual(["NO_RESCUE"]);
});

test("a server that starts its rescue system does not count as a silent node", async () => {
  const bench = serverBench({ node: NAMED, provider: true });
  bench.ssh = INSTALLED;
  bench.site.hands.openShell = async () => {
    throw bench.log.includes("enter rescue") ? remoteError("KILLED", { message: "killed" }) : UNREACHABLE;
  };
  expect((await changes(bench))[0]?.typed).toBeDefined();
  expect(await outcomes(bench)).toMatchObject([{ outcome: "failed" }]);
  bench.site.hands.openShell = async () => {
    throw UNREACHABLE;
  };
  expect((await changes(bench))[0]?.typed).toBeUndefined();
  bench.later(31 * 60_000);
  expect((await changes(bench))[0]?.typed).toBeDefined();
});
