import { afterEach, describe, expect, test } from "vitest";
import { closeLab, doctor, fresh, lab, notes, planned, prepare, problems, sh } from "./testing/unprepared-hosts.ts";

afterEach(closeLab);
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
    expect(unclear.errors).toContain("the PCI device of pve2 for the mapping gpu0 of worker-1");
    expect(unclear.errors).toContain("0000:41:00.0  NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684]");
    expect(unclear.errors).toContain("choose one:\n--pci gpu0=pve2:0000:41:00\n--pci gpu0=pve2:0000:42:00");
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
    const said = await prepare({ pci: ["gpu0=pve2:42:00"] });
    expect(said.errors).toBe("");
    expect((await sh("pvesh get /cluster/mapping/pci --output-format json")).stdout).toContain("path=0000:42:00,");
  });

  test("of a device that the host does not have, no command is printed: those that it has are offered", async () => {
    await fresh(gpu);
    const { errors } = await prepare({ pci: ["gpu0=pve2:0000:99:00"] });
    expect(errors).toContain("pve2 has no PCI device 0000:99:00");
    expect(errors).toContain("choose one:\n--pci gpu0=pve2:0000:41:00\nNothing was changed.");
    await fresh({ ...gpu, proxmox: {} });
    const none = await prepare();
    const flags = none.errors.match(/--pci gpu0=pve2:\S+/g) ?? [];
    const there = (await sh("pvesh get /nodes/pve2/hardware/pci --output-format json", "pve2")).stdout;
    for (const flag of flags) expect(there).toContain(flag.replace("--pci gpu0=pve2:", ""));
    expect(none.errors).not.toContain("0000:01:00 ");
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
    "without an IOMMU %s is reported and not rebooted; with --reboot it is rebooted, then the mapping is made",
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

  test.each(["pve2", "pve1"])(
    "interrupted while %s reboots, the same command waits until it is back and continues",
    async (host) => {
      await fresh({
        proxmox: { gpus: { [host]: ["nvidia rtx 4090"] }, iommu: false },
        firstWorker: `host: ${host}, pci: [{ mapping: gpu0, gpu: nvidia }]`,
      });
      const reboot = { reboot: [host] };
      const cut = await prepare(reboot, (event) => event.type === "step.waiting" && event.condition === `${host} is back`);
      expect(cut.exitCode).toBe(130);
      const again = await prepare(reboot);
      expect([again.exitCode, again.errors]).toEqual([0, ""]);
      expect(again.all).toMatch(/perhaps for a reboot: waiting/);
      expect((await sh("ls /sys/kernel/iommu_groups", host)).stdout).not.toBe("");
      expect((await planned(reboot)).exitCode).toBe(0);
    },
  );

  test("a host on which machines run is not rebooted without --with-guests", async () => {
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

test.each(["qemu", "lxc"])("a host whose machines cannot be listed (%s) is not rebooted", async (kind) => {
  await fresh({
    proxmox: { gpus: { pve2: ["nvidia rtx 4090"] }, iommu: false },
    firstWorker: "host: pve2, pci: [{ mapping: gpu0, gpu: nvidia }]",
  });
  const fault = { kind: "refuse", status: 255, message: "proxy loop detected" } as const;
  lab.setFaults([{ service: "ssh", command: `pvesh get /nodes/pve2/${kind} *`, fault }]);
  const refused = await prepare({ reboot: ["pve2"] });
  expect(refused.exitCode).toBe(1);
  expect(refused.errors).toContain("Unable to list the machines on pve2");
  expect((await sh("ls /sys/kernel/iommu_groups", "pve2")).stdout).toBe("");
  expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
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

  test("is refused if its addresses are in use, its bridge has other settings, or nodes are on several hosts", async () => {
    await fresh({ config: oneHost });
    await sh(
      "printf 'auto vmbr5\\niface vmbr5 inet static\\n\\taddress 10.77.0.1/16\\n\\tbridge-ports none\\n' >> /etc/network/interfaces; ifreload -a",
    );
    expect((await prepare({ nat: "vmbr10=10.77.3.0/24" })).errors).toContain("pve1 already reaches 10.77.0.0/16 through vmbr5");
    expect((await prepare({ nat: "vmbr5=10.78.0.0/24" })).errors).toContain(
      "pve1 already has a bridge vmbr5 with other settings",
    );
    expect((await sh("pveum user list --output-format json")).stdout).not.toContain("talosmith@pve");
    await lab.close();
    await fresh();
    expect((await prepare({ nat: "vmbr10=10.66.0.0/24" })).errors).toContain("the nodes are on several hosts (pve1, pve2, pve3)");
  });
});
