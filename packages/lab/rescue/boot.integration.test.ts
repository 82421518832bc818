import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SECTOR } from "../factory/gpt.ts";
import { talosState } from "../talos/state.ts";
import { TestCluster } from "../talos/testing/configs.ts";
import { eraseDisk, writeDisk } from "./disk/blocks.ts";
import { partitionsOf, tableOf } from "./disk/table.ts";
import { plainIso, RescueBench } from "./testing/bench.ts";

const FROM_VOLUME = ["talos.config=metal-iso"];
const ONLY_CARD = 'link.type == 1 && link.kind == "" && !(link.driver in ["cdc_ether", "rndis_host"])';

let bench: RescueBench;
beforeEach(async () => {
  bench = await RescueBench.start({ gateway: 1, disks: [{ device: "sda", gib: 20, serial: "S1", content: "debian" }] });
});
afterEach(async () => {
  await bench.lab.close();
});

const cluster = new TestCluster("rented", "https://203.0.113.11:6443");

function config(): string {
  const { address } = bench.lab;
  return cluster.config("controlplane", "vps-1", [
    { apiVersion: "v1alpha1", kind: "LinkAliasConfig", name: "net0", selector: { match: ONLY_CARD } },
    {
      apiVersion: "v1alpha1",
      kind: "LinkConfig",
      name: "net0",
      addresses: [{ address: `${address.host(11)}/24` }],
      routes: [{ gateway: address.host(1) }],
    },
  ]);
}

async function bootFromVolume(): Promise<void> {
  bench.writeImage(FROM_VOLUME);
  bench.addPartition("metal-iso", plainIso("metal-iso", "CONFIG.YAML;1", config()));
  bench.reset();
  await bench.until(() => bench.machine()?.boot?.api === "certificates");
}

const boot = () => bench.machine()?.boot;
const names = () => partitionsOf(bench.disk()).map(({ name }) => name);

/** Talos has had time for everything. */
const settled = () => bench.pass(300);

describe("with its config on a volume", () => {
  test("Talos comes up as its config says, on the one card there is, and never waits for anybody", async () => {
    await bootFromVolume();
    expect(boot()).toMatchObject({ disk: "vps vps-1 sda", config: expect.stringContaining("rented") });
    expect(bench.machine()?.hardware).toMatchObject({ uuid: bench.server().uuid, disks: [{ device: "sda", serial: "S1" }] });
    expect(bench.hosts.servers(bench.lab)).toMatchObject([{ name: "vps-1", isOn: true, runs: "talos" }]);
  });

  test("the volume is seen on its disk until it is wiped, and gone from the bytes then", async () => {
    await bootFromVolume();
    const disk = () => talosState(bench.lab).disks["vps vps-1 sda"];
    expect(disk()?.configVolume).toEqual({ index: 15, bytes: 1024 ** 2 });
    bench.lab.turn(() => delete disk()?.configVolume);
    bench.reset();
    await bench.until(() => names().includes("STATE"));
    expect(names()).toEqual(["EFI", "BIOS", "BOOT", "META", "STATE", "EPHEMERAL"]);
    await bench.until(() => boot()?.api === "certificates");
    expect(disk()).not.toHaveProperty("configVolume");
  });

  test("what Talos made of its disk is there after a restart, and forgotten when an image is written again", async () => {
    await bootFromVolume();
    bench.reset();
    await bench.until(() => boot()?.api === "certificates");
    expect(talosState(bench.lab).disks["vps vps-1 sda"]?.boots).toBe(2);
    bench.lab.turn(() => bench.hosts.rescueNext(bench.lab, "vps-1", { keys: [], password: "" }));
    bench.reset();
    await bench.until(() => bench.server().linux);
    expect((await bench.run("lsblk -no PARTLABEL,FSTYPE /dev/sda")).stdout).toMatch(/STATE +xfs/);
    bench.writeImage([]);
    bench.reset();
    await bench.until(() => boot()?.stage === "maintenance");
    expect(talosState(bench.lab).disks["vps vps-1 sda"]).not.toHaveProperty("config");
  });

  test.each([
    ["there is no such volume", () => bench.writeImage(FROM_VOLUME), "failed to find volume with machine configuration"],
    [
      "the config is refused",
      () => {
        bench.writeImage(FROM_VOLUME);
        bench.addPartition("metal-iso", plainIso("metal-iso", "CONFIG.YAML;1", "version: v1alpha1\nmachine: {}\ncluster: {}\n"));
      },
      "via platform metal",
    ],
  ])("when %s, it tries again and again and answers no call", async (_, prepare, why) => {
    prepare();
    bench.reset();
    await settled();
    expect(boot()).toMatchObject({ stage: "booting", api: "closed" });
    expect(boot()?.events.filter(({ what }) => what.kind === "config-load-error")).toMatchObject([
      { what: { error: expect.stringContaining(why) } },
    ]);
  });
});

describe("without a source for its config it waits in maintenance mode", () => {
  test("at the address that a DHCP server gives out", async () => {
    bench.lab.turn(() => {
      bench.server().network = "dhcp";
    });
    bench.writeImage([]);
    bench.reset();
    await bench.until(() => boot()?.api === "maintenance");
    expect(bench.machine()?.platform).toMatchObject({ addresses: [`${bench.lab.address.host(11)}/24`], dhcp: true });
  });

  test("at the address that META has, of whichever copy is whole", async () => {
    bench.writeImage([]);
    const value = JSON.stringify({
      addresses: [{ address: "203.0.113.11/32", linkName: "enp1s0" }],
      routes: [{ gateway: "203.0.113.1" }],
      resolvers: [{ dnsServers: ["9.9.9.9"] }],
    });
    const copy = metaCopy(new Map([[0x0a, value]]));
    bench.lab.turn(() => {
      const meta = partitionsOf(bench.disk()).find(({ name }) => name === "META");
      writeDisk(bench.disk(), meta?.offset ?? 0, Buffer.concat([Buffer.from("damaged"), copy.subarray(7), copy]));
    });
    bench.reset();
    await bench.until(() => boot()?.api === "maintenance");
    expect(bench.machine()?.platform).toEqual({
      addresses: ["203.0.113.11/32"],
      gateway: "203.0.113.1",
      nameservers: ["9.9.9.9"],
    });
  });

  test("and it cannot be reached where nothing gives it an address", async () => {
    bench.writeImage([]);
    bench.reset();
    await bench.until(() => boot()?.stage === "maintenance");
    expect(bench.machine()?.platform.addresses).toEqual([]);
  });
});

describe("a firmware starts", () => {
  const runs = () => bench.hosts.servers(bench.lab)[0]?.runs;

  test("the Debian that was there, as long as it is", async () => {
    bench.reset();
    await bench.until(() => runs() === "system");
    expect(await bench.run("findmnt -no FSTYPE,SOURCE /; hostname; cat /proc/cmdline")).toMatchObject({
      stdout: expect.stringMatching(/^ext4 +\/dev\/sda3\nvps-1\nBOOT_IMAGE=/),
    });
    bench.lab.turn(() => eraseDisk(bench.disk(), 0, 34 * SECTOR));
    bench.reset();
    await settled();
    // The second table at the end of the disk is still one; the boot loader is gone.
    expect([runs(), tableOf(bench.disk()) !== undefined]).toEqual(["nothing", true]);
  });

  test("the rescue system once, when it is ordered, for the given keys", async () => {
    bench.lab.turn(() => bench.hosts.rescueNext(bench.lab, "vps-1", { keys: ["ssh-ed25519 AAAA somebody"], password: "once" }));
    expect(bench.hosts.servers(bench.lab)[0]?.rescueNext).toBe(true);
    bench.reset();
    await bench.until(() => runs() === "rescue");
    expect(bench.server()).toMatchObject({ login: { password: "once" } });
    expect(bench.hosts.servers(bench.lab)[0]?.rescueNext).toBe(false);
    bench.lab.turn(() => bench.hosts.powerOff(bench.lab, "vps-1"));
    expect(bench.hosts.servers(bench.lab)).toMatchObject([{ isOn: false, runs: "nothing" }]);
    bench.lab.turn(() => bench.hosts.powerOn(bench.lab, "vps-1"));
    await bench.until(() => runs() === "system");
  });

  test.each([
    ["one damaged byte", () => writeDisk(bench.disk(), 1024 ** 2 + 65_536, Buffer.from("x")), {}],
    ["a damaged table", () => writeDisk(bench.disk(), SECTOR + 60, Buffer.from("x")), {}],
    ["another architecture", () => {}, { arch: "arm64" }],
    ["a signed image on BIOS", () => {}, { secureBoot: true }],
    [
      "a firmware that asks for signatures",
      () => {
        bench.server().firmware = "uefi";
        bench.server().secureBoot = true;
      },
      {},
    ],
  ])("nothing with %s", async (_, harm, own) => {
    bench.writeImage(FROM_VOLUME, "vps-1", own);
    bench.lab.turn(harm);
    bench.reset();
    await settled();
    expect(runs()).toBe("nothing");
  });
});

test("a reset that wipes the disk leaves nothing to start from, and the rescue system finds it so", async () => {
  await bootFromVolume();
  bench.lab.turn(() => {
    bench.lab.schedule("talos.down", 0, {
      machine: "vps vps-1",
      boot: boot()?.number ?? 0,
      down: { sequence: "reset", actor: "", afterwards: "restart", wipe: { labels: [], graceful: false } },
    });
  });
  await bench.until(() => bench.server().runs === "nothing");
  expect(bench.bytes(0, 1024 ** 2).equals(Buffer.alloc(1024 ** 2))).toBe(true);
  expect(bench.machine()).toBeUndefined();
  bench.lab.turn(() => bench.hosts.rescueNext(bench.lab, "vps-1", { keys: [], password: "" }));
  bench.reset();
  await bench.until(() => bench.server().linux);
  expect((await bench.run("lsblk -no NAME,FSTYPE,PTTYPE")).stdout).toBe("sda\n");
});

/** As Talos writes it: internal/pkg/meta/internal/adv/talos of v1.13.9. */
function metaCopy(values: ReadonlyMap<number, string>): Buffer {
  const copy = Buffer.alloc(256 * 1024);
  copy.writeUInt32BE(0x5a4b3c2d, 0);
  copy.writeUInt32BE(0xa5b4c3d2, copy.length - 4);
  let at = 4;
  for (const [tag, value] of values) {
    copy.writeUInt32BE(tag, at);
    copy.writeUInt32BE(Buffer.byteLength(value), at + 4);
    at += 8 + copy.write(value, at + 8, "utf8");
  }
  createHash("sha256")
    .update(copy)
    .digest()
    .copy(copy, copy.length - 36);
  return copy;
}
