import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";
import { parseDrive, printDrive } from "./drive.ts";

/** Options by release, and checks of their values: qemu-server 9.2.6 and 8.4.10 (CPUConfig.pm, API2/Qemu.pm). */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";
const wrong = async (one: Bench, form: Record<string, string | number>) =>
  (await one.root.call("POST", AT, { vmid: 100, ...form })).body.errors;

test("a CPU must be a known model, with allowed flags", async () => {
  expect(await wrong(bench, { cpu: "Zen9" })).toEqual({
    cpu: "invalid format - Built-in cputype 'Zen9' is not defined (missing 'custom-' prefix?)\n",
  });
  expect(await wrong(bench, { cpu: "host,flags=+avx512f" })).toEqual({
    cpu: "invalid format - VM-specific CPU flags must be a subset of: nested-virt, md-clear, pcid, spec-ctrl, ssbd, ibpb, virt-ssbd, amd-ssbd, amd-no-ssb, pdpe1gb, hv-tlbflush, hv-evmcs, aes\n",
  });
  expect(await wrong(bench, { cpu: "flags=+aes" })).toEqual({ cpu: "invalid format - CPU is missing cputype\n" });
  await bench.client.task("POST", AT, { vmid: 100, cpu: "cputype=host,flags=+aes;-pcid" });
  expect((await bench.client.get("GET", `${AT}/100/config`)).cpu).toBe("cputype=host,flags=+aes;-pcid");
});

test("options new in 9 are unknown to 8.4", async () => {
  const old = await Bench.open({ version: "8.4" });
  try {
    const unknown = "property is not defined in schema and the schema does not allow additional properties";
    expect(await wrong(old, { "allow-ksm": 1, "ha-managed": 1 })).toEqual({ "allow-ksm": unknown, "ha-managed": unknown });
    expect((await wrong(old, { cpu: "host,flags=+nested-virt" })).cpu).toContain("must be a subset of: pcid, spec-ctrl, ibpb");
    await old.client.task("POST", AT, { vmid: 100, tags: "b;A;b" });
    expect((await old.client.get("GET", `${AT}/100/config`)).tags).toBe("b;A;b");
  } finally {
    await old.close();
  }
  await bench.client.task("POST", AT, { vmid: 100, tags: "b;A;b" });
  expect((await bench.client.get("GET", `${AT}/100/config`)).tags).toBe("a;b");
});

test("a custom processor model needs its mapping on 9, and Sys.Audit on /nodes on 8.4", async () => {
  const rights = { "/vms": "VM.Allocate VM.Config.CPU" };
  const form = { vmid: 100, cpu: "custom-mine" };
  const user = await bench.userWith("user", rights);
  expect((await user.call("POST", AT, form)).reason).toBe("Permission check failed (/mapping/cpu/mine, Mapping.Use)");
  const old = await Bench.open({ version: "8.4" });
  try {
    const before = await old.userWith("user", rights);
    expect((await before.call("POST", AT, form)).reason).toBe("Permission check failed (/nodes, Sys.Audit)");
  } finally {
    await old.close();
  }
});

test("a user who may not create a machine is not told which privilege is missing", async () => {
  const user = await bench.userWith("user", { "/storage": "Datastore.Audit" });
  expect((await user.call("POST", AT, { vmid: 100 })).reason).toBe("Permission check failed");
});

test("a size alone is a disk on the storage given in the call", async () => {
  await bench.client.task("POST", AT, { vmid: 100, storage: "local-lvm", scsi0: "2,ssd=1" });
  expect((await bench.client.get("GET", `${AT}/100/config`)).scsi0).toBe("local-lvm:vm-100-disk-0,size=2G,ssd=1");
  expect((await bench.client.call("POST", AT, { vmid: 101, scsi0: "2" })).reason).toBe(
    "no storage ID specified (and no default storage)",
  );
});

test("a call that takes longer than the proxy waits gets 596, and continues behind it", async () => {
  const slow = await Bench.open({ timeScale: 100, storages: [{ id: "vg", type: "lvm", totalGiB: 9000 }] });
  try {
    await slow.client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:9000" });
    const form = { scsi1: "local-lvm:0,import-from=local-lvm:vm-100-disk-0" };
    await slow.client.task("POST", AT, { vmid: 101 });
    const answer = await slow.client.call("PUT", `${AT}/101/config`, form);
    expect([answer.status, answer.reason]).toEqual([596, "Connection timed out"]);
    expect((await slow.client.call("GET", `${AT}/101/config`)).body.data.scsi1).toBeUndefined();
  } finally {
    await slow.close();
  }
}, 30_000);

test("a disk reads back the same for any order and spelling of its options", () => {
  const flag = fc.constantFrom("1", "on", "yes", "true");
  const option = fc.oneof(
    flag.map((value) => `ssd=${value}`),
    flag.map((value) => `iothread=${value}`),
    fc.constant("discard=on"),
    fc.constant("serial=data"),
    fc.constant("cache=none"),
    fc.constant("size=20G"),
  );
  const options = fc.uniqueArray(option, { selector: (text) => text.split("=")[0] });
  fc.assert(
    fc.property(options, fc.boolean(), fc.integer(), (parts, named, seed) => {
      const file = named ? "file=local-lvm:vm-100-disk-0" : "local-lvm:vm-100-disk-0";
      const all = [file, ...parts];
      const turned = all.map((_, index) => all[(index + Math.abs(seed)) % all.length] as string);
      const printed = printDrive("scsi0", parseDrive("scsi0", turned.join(",")));
      expect(printed).toBe(printDrive("scsi0", parseDrive("scsi0", all.join(","))));
      expect(printDrive("scsi0", parseDrive("scsi0", printed))).toBe(printed);
    }),
  );
});
