import { expect, test } from "vitest";
import type { Survey, SurveyedDisk } from "../survey.ts";
import { aCard as card, aDisk as disk, GIB, aServer as survey, aWish as wish } from "../testing/a-server.ts";
import { type Judged, judge } from "./judge.ts";
import type { TakeoverWish } from "./wish.ts";

const codes = (judged: Judged) => (judged.is === "fit" ? [] : judged.problems.map(({ code }) => code));

/** The only problem, as it is printed. */
function only(judged: Judged) {
  if (judged.is === "fit") throw new Error("it is fit");
  expect(codes(judged)).toHaveLength(1);
  const [problem] = judged.problems;
  expect(problem?.detail).toMatch(/Nothing was written\.$/);
  return { code: problem?.code, text: `${problem?.message}\n${problem?.detail}\n${problem?.hint}`, where: problem?.where?.file };
}

test("a server as it should be is fit, and its only disk is the one", () => {
  expect(judge(survey(), wish())).toEqual({ is: "fit", disk: disk(), card: card(), named: false, notes: [] });
});

test("a disk counts as named by its whole serial or wwid, not by a pattern, a size or a path", () => {
  const named = (installDisk: TakeoverWish["installDisk"]) => {
    const judged = judge(
      survey({ disks: [disk({ wwid: "naa.5000" })] }),
      wish({ ...(installDisk !== undefined && { installDisk }) }),
    );
    return judged.is === "fit" ? judged.named : judged.problems;
  };
  expect(named({ serial: "VPS-0001" })).toBe(true);
  expect(named({ wwid: "naa.5000" })).toBe(true);
  expect(named({ serial: "VPS-*" })).toBe(false);
  expect(named({ size: ">= 10GB" })).toBe(false);
  expect(named("/dev/sda")).toBe(false);
  expect(named(undefined)).toBe(false);
});

test("a system that runs from the disk is no rescue system, whatever it calls itself", () => {
  const root = disk({ inUse: ["sda1 is mounted at /"], mountpoints: ["/"], holdsData: true });
  const installed = survey({ rootFilesystem: "ext4", rootDisk: "sda", disks: [root] });
  const { code, text } = only(judge(installed, wish({ installDisk: { serial: "VPS-0001" } })));
  expect(code).toBe("NOT_A_RESCUE_SYSTEM");
  expect(text).toContain("its root is ext4 on /dev/sda 40 GiB");
  expect(text).toContain("rescue system");
});

test("a root on a RAID of which the target is the second disk is no rescue system either", () => {
  const second = disk({
    name: "sdb",
    serial: "B",
    mountpoints: ["/"],
    inUse: ["md0 is mounted at /"],
    members: ["RAID md0 (sdb1)"],
  });
  const installed = survey({ rootFilesystem: "ext4", rootDisk: "sda", disks: [disk(), second] });
  expect(codes(judge(installed, wish({ installDisk: { serial: "B" }, eraseMembers: true })))).toEqual(["NOT_A_RESCUE_SYSTEM"]);
});

test("a rescue system with a disk of its own is believed by its name or when the config names the other disk", () => {
  const disks = [disk(), disk({ name: "sdb", serial: "B" })];
  const own = (hostname: string) => survey({ rootFilesystem: "ext4", rootDisk: "sda", disks, hostname });
  const byName = judge(own("rescue-customer-eu"), wish());
  expect(byName).toMatchObject({ is: "fit", disk: { name: "sdb" }, notes: [{ code: "RESCUE_DISK" }] });
  expect(codes(judge(own("web-1"), wish()))).toEqual(["NOT_A_RESCUE_SYSTEM"]);
  expect(judge(own("web-1"), wish({ installDisk: { serial: "B" } }))).toMatchObject({ is: "fit", disk: { name: "sdb" } });
});

test("a root on an unknown device does not prove a rescue system; one in memory does", () => {
  expect(codes(judge(survey({ rootFilesystem: "zfs" }), wish()))).toEqual(["NOT_A_RESCUE_SYSTEM"]);
  expect(judge(survey({ rootFilesystem: "ext4", rootDisk: "ram0" }), wish()).is).toBe("fit");
});

test("a mounted disk is refused with the commands that free it", () => {
  const mounted = disk({ inUse: ["sda1 is mounted at /mnt"], mountpoints: ["/mnt"], release: ["umount /mnt"] });
  const { code, text } = only(judge(survey({ disks: [mounted] }), wish()));
  expect(code).toBe("DISK_MOUNTED");
  expect(text).toContain("sda1 is mounted at /mnt");
  expect(text).toContain("as root on 203.0.113.11:  umount /mnt;");
});

test("a disk of a running RAID is in use, and eraseMembers does not stop the RAID", () => {
  const busy = disk({
    inUse: ["sda1 belongs to the running RAID md0"],
    release: ["mdadm --stop /dev/md0"],
    members: ["RAID md0 (sda1)"],
  });
  const { code, text } = only(judge(survey({ disks: [busy] }), wish({ eraseMembers: true })));
  expect(code).toBe("DISK_IN_USE");
  expect(text).toContain("mdadm --stop /dev/md0");
  expect(codes(judge(survey({ disks: [busy] }), wish()))).toEqual(["DISK_IN_USE", "DISK_MEMBER"]);
});

test("a member of something that does not run is refused until the config allows it", () => {
  const member = survey({ disks: [disk({ members: ["LVM (sda2)"], holdsData: true })] });
  const { code, text } = only(judge(member, wish()));
  expect(code).toBe("DISK_MEMBER");
  expect(text).toContain("eraseMembers: true");
  expect(judge(member, wish({ eraseMembers: true })).is).toBe("fit");
});

test("a serial that no disk has is refused with what there is, at its place in the config", () => {
  const { code, text, where } = only(judge(survey(), wish({ installDisk: { serial: "VPS-0009" } })));
  expect(code).toBe("DISK_SERIAL");
  expect(text).toContain("none is serial VPS-0009");
  expect(text).toContain("/dev/sda 40 GiB QEMU HARDDISK (serial VPS-0001): blank");
  expect(where).toBe("nodes.vps-1.installDisk");
});

test("lsblk's serial finds a disk, too, and so do links, patterns, sizes and kinds", () => {
  const one = disk({
    serial: "A",
    otherSerial: "3600508b1",
    links: ["/dev/disk/by-id/x"],
    transport: "nvme",
    busPath: "/pci0/a",
  });
  const other = disk({ name: "sdb", serial: "B", bytes: 100_000_000_000, rotational: true, model: "WDC" });
  const chosen = (installDisk: TakeoverWish["installDisk"]) => {
    const judged = judge(survey({ disks: [one, other] }), wish({ ...(installDisk !== undefined && { installDisk }) }));
    return judged.is === "fit" ? judged.disk.name : codes(judged)[0];
  };
  expect(chosen({ serial: "3600508b1" })).toBe("sda");
  expect(chosen("/dev/disk/by-id/x")).toBe("sda");
  expect(chosen({ type: "nvme" })).toBe("sda");
  expect(chosen({ busPath: "/pci0/*" })).toBe("sda");
  expect(chosen({ type: "hdd" })).toBe("sdb");
  expect(chosen({ size: "== 100GB" })).toBe("sdb");
  expect(chosen({ size: "< 50 GiB" })).toBe("sda");
  expect(chosen({ model: "W*C" })).toBe("sdb");
  expect(chosen({ model: "W*D*" })).toBe("sdb");
  expect(chosen({ model: "W*X*" })).toBe("NO_SUCH_DISK");
  expect(chosen({ size: "> 1GB", serial: "B" })).toBe("sdb");
  expect(chosen("/dev/vda")).toBe("NO_SUCH_DISK");
  expect(chosen({ size: "> 1GB" })).toBe("AMBIGUOUS_DISK");
  expect(chosen(undefined)).toBe("AMBIGUOUS_DISK");
});

test("a serial or wwid without an asterisk is compared as a whole: a disk that only begins or ends with it is another one", () => {
  const chosen = (installDisk: TakeoverWish["installDisk"], own: Partial<SurveyedDisk>) => {
    const judged = judge(survey({ disks: [disk(own)] }), wish({ ...(installDisk !== undefined && { installDisk }) }));
    return judged.is === "fit" ? "chosen" : codes(judged)[0];
  };
  for (const serial of ["VPS-00010", "XVPS-0001", "vps-0001"])
    expect(chosen({ serial: "VPS-0001" }, { serial })).toBe("DISK_SERIAL");
  for (const wwid of ["naa.50001", "xnaa.5000"]) expect(chosen({ wwid: "naa.5000" }, { wwid })).toBe("DISK_SERIAL");
  expect(chosen({ serial: "VPS-0001" }, { serial: "A", otherSerial: "VPS-00010" })).toBe("DISK_SERIAL");
});

test("with several disks none is chosen; the error names possible settings", () => {
  const { code, text } = only(judge(survey({ disks: [disk(), disk({ name: "sdb", serial: "B" })] }), wish()));
  expect(code).toBe("AMBIGUOUS_DISK");
  expect(text).toContain('installDisk: { serial: "VPS-0001" }');
  expect(text).toContain("/dev/sdb 40 GiB");
});

test("without installDisk, USB sticks, read-only and small disks are not chosen; a single unsuitable one is reported", () => {
  const small = disk({ name: "sdb", serial: "B", bytes: 4 * GIB });
  const stick = disk({ name: "sdc", serial: "C", removable: true });
  expect(judge(survey({ disks: [disk(), small, stick] }), wish())).toMatchObject({ is: "fit", disk: { name: "sda" } });
  expect(codes(judge(survey({ disks: [small] }), wish()))).toEqual(["DISK_TOO_SMALL"]);
  expect(codes(judge(survey({ disks: [disk({ readonly: true })] }), wish()))).toEqual(["DISK_READONLY"]);
  expect(codes(judge(survey({ disks: [disk({ sectorBytes: 4096 })] }), wish()))).toEqual(["DISK_SECTORS"]);
  expect(codes(judge(survey({ disks: [] }), wish()))).toEqual(["NO_SUCH_DISK"]);
});

test("an image that is larger than the disk is refused", () => {
  const { code, text } = only(judge(survey(), wish({ imageBytes: 41 * GIB })));
  expect(code).toBe("DISK_TOO_SMALL");
  expect(text).toContain("it has 40 GiB, 41 GiB are needed");
  expect(judge(survey(), wish({ imageBytes: 40 * GIB })).is).toBe("fit");
});

test("another architecture than the config's, or one that Talos does not know, is refused", () => {
  expect(only(judge(survey(), wish({ arch: "arm64" })))).toMatchObject({ code: "WRONG_ARCHITECTURE", where: "image.arch" });
  expect(only(judge(survey({ arch: "riscv64" }), wish())).text).toContain("which Talos does not run on");
  expect(judge(survey({ arch: "arm64" }), wish()).is).toBe("fit");
});

test("firmware that cannot start the image is refused", () => {
  const code = (own: Partial<Survey>, secureboot = false) => codes(judge(survey(own), wish({ secureboot })));
  expect(code({ firmware: "bios" })).toEqual([]);
  expect(code({ firmware: "bios", arch: "arm64" })).toEqual(["FIRMWARE"]);
  expect(code({ firmware: "bios" }, true)).toEqual(["FIRMWARE"]);
  expect(code({ secureBoot: true })).toEqual(["FIRMWARE"]);
  expect(code({ secureBoot: true }, true)).toEqual([]);
});

test("with several cards the config must name one, and the error names the card with the address", () => {
  const cards = [card({ name: "eth1", mac: "BC:24:11:00:00:02", addresses: [] }), card()];
  const several = survey({ network: { cards, nameservers: [] } });
  const { code, text } = only(judge(several, wish()));
  expect(code).toBe("CARD");
  expect(text).toContain("mac: BC:24:11:00:00:01");
  expect(judge(several, wish({ onlyCard: false, mac: "bc:24:11:00:00:02" }))).toMatchObject({
    is: "fit",
    card: { name: "eth1" },
  });
  expect(only(judge(several, wish({ mac: "BC:24:11:00:00:09" }))).text).toContain("BC:24:11:00:00:01 is in use now");
  // A node that gets its address by DHCP does not need to know its card.
  expect(judge(several, wish({ onlyCard: false }))).toMatchObject({ is: "fit", card: { name: "eth0" } });
});

test("the server must see this computer at an address in firewall.admin, or its firewall would lock it out", () => {
  const { code, text, where } = only(judge(survey({ from: "192.0.2.4" }), wish()));
  expect(code).toBe("OUTSIDE_ADMIN");
  expect(text).toContain("the server sees this computer at 192.0.2.4");
  expect(text).toContain("- 192.0.2.4/32");
  expect(where).toBe("firewall.admin");
  expect(codes(judge(survey({ from: "" }), wish()))).toEqual(["OUTSIDE_ADMIN"]);
  expect(only(judge(survey({ from: "2001:db8::7" }), wish())).text).toContain("- 2001:db8::7/128");
  expect(judge(survey({ from: "::ffff:198.51.100.9" }), wish()).is).toBe("fit");
  const { admin: _, ...open } = wish();
  expect(judge(survey({ from: "192.0.2.4" }), open).is).toBe("fit");
});

test("a server whose card need not be known is fit without one", () => {
  const judged = judge(survey({ network: { cards: [], nameservers: [] } }), wish({ onlyCard: false }));
  expect(judged).toStrictEqual({ is: "fit", disk: disk(), named: false, notes: [] });
});

test("a server without a disk is refused for that, beside its other problems", () => {
  expect(codes(judge(survey({ disks: [], arch: "riscv64" }), wish()))).toEqual(["NO_SUCH_DISK", "WRONG_ARCHITECTURE"]);
});

test("a running system is refused for that alone, not for the mounts of its own disk", () => {
  const root = disk({ inUse: ["sda1 is mounted at /"], mountpoints: ["/"] });
  expect(codes(judge(survey({ rootFilesystem: "ext4", rootDisk: "sda", disks: [root] }), wish()))).toEqual([
    "NOT_A_RESCUE_SYSTEM",
  ]);
});

test("a server without a suitable disk that runs no rescue system is refused for both", () => {
  expect(codes(judge(survey({ disks: [], rootFilesystem: "ext4" }), wish()))).toEqual(["NOT_A_RESCUE_SYSTEM", "NO_SUCH_DISK"]);
});

/** The codes of the notes on a server. */
const notes = (own: Partial<Survey>, wanted: Partial<TakeoverWish> = {}) =>
  judge(survey(own), wish(wanted)).notes.map(({ code }) => code);

test("another address on the server's cards than the config's is a note, unless the addresses are unknown", () => {
  const withAddresses = (...addresses: string[][]) =>
    notes({ network: { cards: addresses.map((each) => card({ addresses: each })), nameservers: [] } }, { onlyCard: false });
  expect(withAddresses(["10.0.0.2/24"])).toEqual(["WRONG_SERVER"]);
  expect(withAddresses([], ["10.0.0.2/24"])).toEqual(["WRONG_SERVER"]);
  expect(withAddresses(["10.0.0.2/24"], ["203.0.113.11/24"])).toEqual([]);
  expect(withAddresses([], [])).toEqual([]);
});

test.each([
  [2 * GIB, []],
  [1843 * 1024 ** 2, []],
  [1843 * 1024 ** 2 - 1, ["LITTLE_MEMORY"]],
  [GIB, ["LITTLE_MEMORY"]],
])("a MemTotal of %i bytes, of which the kernel reserves up to a tenth: notes %j", (memoryBytes, expected) => {
  expect(notes({ memoryBytes })).toEqual(expected);
});

test("an unknown memory size is not noted", () => {
  const { memoryBytes: _, ...unknown } = survey();
  expect(judge(unknown, wish()).notes).toEqual([]);
});

test("the disk that the rescue system brings along is noted beside the chosen disk, and only then", () => {
  const disks = [disk(), disk({ name: "sdb", serial: "B" })];
  expect(notes({ disks, rootDisk: "sdb" })).toEqual(["RESCUE_DISK"]);
  expect(notes({ disks, rootDisk: "ram0" }, { installDisk: "/dev/sda" })).toEqual([]);
  expect(notes({ disks, rootDisk: "sdb" }, { installDisk: "/dev/vda" })).toEqual([]);
});

test("Secure Boot that the config wants and the firmware has switched off is noted", () => {
  expect(notes({ secureBoot: false }, { secureboot: true })).toEqual(["SECURE_BOOT_OFF"]);
  expect(notes({ secureBoot: true }, { secureboot: true })).toEqual([]);
  expect(notes({ secureBoot: false }, { secureboot: false })).toEqual([]);
});

test("a path instead of a serial is not taken for a serial of QEMU", () => {
  expect(notes({}, { installDisk: "/dev/sda" })).toEqual([]);
  expect(notes({}, { installDisk: { model: "QEMU*" } })).toEqual([]);
});

test("harmless peculiarities are notes", () => {
  const odd = survey({
    memoryBytes: GIB,
    network: { cards: [card({ addresses: ["10.0.0.2/24"] })], nameservers: [] },
    disks: [disk({ removable: true })],
  });
  const judged = judge(odd, wish({ secureboot: true }));
  expect(judged.is).toBe("fit");
  expect(judged.notes.map(({ code }) => code)).toEqual(["WRONG_SERVER", "LITTLE_MEMORY", "REMOVABLE_DISK", "SECURE_BOOT_OFF"]);
});

test("a serial that QEMU makes up is noted: every server has it", () => {
  for (const serial of ["QM00001", "drive-scsi0", "drive-scsi0-0-0-0"]) {
    const judged = judge(survey({ disks: [disk({ serial })] }), wish({ installDisk: { serial } }));
    expect(judged.notes.map(({ code }) => code)).toEqual(["COMMON_SERIAL"]);
  }
  expect(judge(survey(), wish({ installDisk: { serial: "VPS-0001" } })).notes).toEqual([]);
});

test("all problems are reported at once", () => {
  const bad = survey({
    from: "192.0.2.4",
    arch: "arm64",
    firmware: "bios",
    disks: [disk({ readonly: true, members: ["LVM (sda2)"] })],
  });
  expect(codes(judge(bad, wish({ arch: "amd64" })))).toEqual([
    "DISK_MEMBER",
    "DISK_READONLY",
    "WRONG_ARCHITECTURE",
    "FIRMWARE",
    "OUTSIDE_ADMIN",
  ]);
});
