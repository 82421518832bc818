// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are for a shell.

import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { proxmoxService } from "../proxmox/service.ts";
import { proxmoxState } from "../proxmox/state.ts";
import { sshService } from "./service.ts";
import { runOnHost } from "./shell.ts";

let lab: RunningLab;

async function start(version?: string): Promise<void> {
  const proxmox = proxmoxService({ ...(version !== undefined && { version }) });
  lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "shell",
    timeScale: "instant",
    services: [proxmox, sshService({ bootloaders: { pve3: "systemd-boot" } })],
  });
}

beforeEach(() => start());
afterEach(() => lab.close());

const sh = (line: string, host = "pve1", stdin = "") => runOnHost(lab, host, line, async () => Buffer.from(stdin));
const out = async (line: string, host?: string) => (await sh(line, host)).stdout;

// What bash 5.2 prints for the same lines.
test.each([
  ["echo one 'two  words' \"three\"", "one two  words three\n"],
  ["A='a b'; echo $A \"$A\" '$A'", "a b a b $A\n"],
  ["echo a; echo b\necho c", "a\nb\nc\n"],
  ["true && echo yes || echo no", "yes\n"],
  ["false && echo yes || echo no", "no\n"],
  ["! false && echo turned", "turned\n"],
  ["echo 'it'\\''s'", "it's\n"],
  ["printf '%s\\n' a 'b c'", "a\nb c\n"],
  ["echo out | grep -c o", "1\n"],
  ["echo $(echo inner words)", "inner words\n"],
  ["echo a # not this", "a\n"],
  ["echo one \\\n two", "one two\n"],
  ["cat <<EOF\nline $HOME\nEOF\necho after", "line /root\nafter\n"],
  ["cat <<'EOF'\nline $HOME\nEOF", "line $HOME\n"],
  ["echo 'a;b&&c|d>e'", "a;b&&c|d>e\n"],
  ["false; echo $?", "1\n"],
  ["set -e; false; echo never", ""],
  ["exit 3; echo never", ""],
  ["if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"],
  ['say(){ if [ "${LOUD:-0}" = 1 ]; then echo "$@!"; else "$@"; fi; }; say echo one; LOUD=1; say two', "one\ntwo!\n"],
  ["for one in a b; do echo $one; done | tail -n 1", "b\n"],
  ["/bin/bash -c 'export A=1; echo '\"'\"'in $A'\"'\"'; echo $A'", "in $A\n1\n"],
  ["printf \"x: a: 'b:c'\\n\" | cut -d : -f 3 | cut -d \\' -f 2", "b\n"],
])("%s prints %j", async (line, expected) => {
  expect(await out(line)).toBe(expected);
});

test("a program that is not there is not found", async () => {
  expect(await sh("frobnicate --now")).toEqual({
    code: 127,
    stdout: "",
    stderr: "bash: line 1: frobnicate: command not found\n",
  });
});

test("a line that cannot be parsed is not run", async () => {
  expect(await sh("echo a && && echo b")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("syntax error near unexpected token `&&'"),
  });
  expect(await sh("echo 'open")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unexpected EOF while looking for matching `''"),
  });
  expect((await sh("if true; then echo a")).code).toBe(2);
});

test("files are written, appended to, read and removed", async () => {
  await sh("echo one > /root/f; echo two >> /root/f");
  expect(await out("cat /root/f")).toBe("one\ntwo\n");
  expect(await sh("cat > /root/g && cat /root/g", "pve1", "from outside\n")).toMatchObject({ stdout: "from outside\n" });
  expect(await sh("test -f /root/g && rm /root/g; test -f /root/g")).toMatchObject({ code: 1 });
  expect(await sh("echo x > /nowhere/f")).toEqual({
    code: 1,
    stdout: "",
    stderr: "bash: line 1: /nowhere/f: No such file or directory\n",
  });
  expect(await sh("mkdir -p /opt/a/b && echo x | tee /opt/a/b/c >/dev/null && cat /opt/a/b/*")).toMatchObject({ stdout: "x\n" });
});

test("each host has files of its own, and a snapshot holds them", async () => {
  await sh("echo one > /root/f");
  expect((await sh("cat /root/f", "pve2")).stderr).toBe("cat: /root/f: No such file or directory\n");
  const snapshot = lab.snapshot();
  await sh("rm /root/f");
  lab.restore(snapshot);
  expect(await out("cat /root/f")).toBe("one\n");
});

test("outputs go where they are sent, in the order that is written", async () => {
  expect(await sh("cat /missing 2>/dev/null || echo gone")).toEqual({ code: 0, stdout: "gone\n", stderr: "" });
  expect(await sh("cat /missing 2>&1")).toMatchObject({ stdout: "cat: /missing: No such file or directory\n", stderr: "" });
});

test("a host reaches another by ssh as Proxmox itself does", async () => {
  const { address } = lab.turn(() => proxmoxState(lab).hosts[1] as { address: string });
  const options = "-o BatchMode=yes -o HostKeyAlias=pve2 -o UserKnownHostsFile=/etc/pve/nodes/pve2/ssh_known_hosts";
  expect(await out(`ssh ${options} root@${address} -- 'hostname; cat' <<EOF\ninput\nEOF`)).toBe("pve2\ninput\n");
  lab.turn(() => {
    (proxmoxState(lab).hosts[1] as { online: boolean }).online = false;
  });
  expect(await sh(`ssh root@${address} true`)).toMatchObject({ code: 255, stderr: expect.stringContaining("No route to host") });
});

test("pveum makes a role, a user, a token and what they may", async () => {
  const made = await sh(`
    pveum role add Deploy --privs "VM.Audit VM.Allocate"
    pveum user add deployer@pve --comment 'for the cluster'
    pveum user token add deployer@pve talos --privsep 1 --output-format json
    pveum acl modify /vms --users deployer@pve --roles Deploy
    pveum acl modify /vms --tokens 'deployer@pve!talos' --roles Deploy --propagate 0`);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const token = JSON.parse(made.stdout) as Record<string, unknown>;
  expect(token).toMatchObject({ "full-tokenid": "deployer@pve!talos", info: { privsep: 1 }, value: expect.any(String) });
  expect(await out("cat /etc/pve/priv/token.cfg")).toContain(`deployer@pve!talos ${String(token.value)}\n`);
  const acl = JSON.parse(await out("pveum acl list --output-format json")) as Record<string, unknown>[];
  expect(acl).toContainEqual({ path: "/vms", type: "token", ugid: "deployer@pve!talos", roleid: "Deploy", propagate: 0 });
  expect(JSON.parse(await out("pveum user token permissions deployer@pve talos --path /vms --output-format=json"))).toEqual({
    "/vms": { "VM.Allocate": 0, "VM.Audit": 0 },
  });
  expect(await sh("pveum role modify Deploy --privs VM.Clone --append; pveum role list --output-format json")).toMatchObject({
    stdout: expect.stringContaining('"privs":"VM.Allocate,VM.Audit,VM.Clone","roleid":"Deploy"'),
  });
  expect(
    (await sh("pveum acl delete /vms --users deployer@pve --roles Deploy; pveum user token remove deployer@pve talos")).code,
  ).toBe(0);
});

test("pveum says what is wrong as PVE::CLIHandler does", async () => {
  expect(await sh("pveum user add root@pam")).toMatchObject({
    code: 255,
    stderr: "create user failed: user 'root@pam' already exists\n",
  });
  expect(await sh("pveum role add X --privs VM.Nothing")).toMatchObject({
    code: 255,
    stderr: expect.stringContaining("400 Parameter verification failed.\nprivs: invalid format - invalid privilege 'VM.Nothing'"),
  });
  expect((await sh("pveum frob")).stderr).toContain("ERROR: unknown command 'pveum frob'");
  expect((await sh("pveum user")).stderr).toContain("ERROR: incomplete command 'pveum user'");
  expect((await sh("pveum role add")).stderr).toContain("400 not enough arguments");
});

test("pvesh reaches the whole API as root, arrays given by repeating an option", async () => {
  expect(JSON.parse(await out("pvesh get /version --output-format json"))).toMatchObject({ version: "9.2.11" });
  expect(await sh("pvesh get /nonsense")).toEqual({ code: 1, stdout: "", stderr: "No 'get' handler defined for '/nonsense'\n" });
  expect((await sh("pvesh create /pools --poolid lab")).code).toBe(0);
  expect(await out("pvesh get /pools --output-format json")).toContain('"poolid":"lab"');
});

test("pvesm sets what a storage may hold", async () => {
  expect(await sh("pvesm set local --content iso,vztmpl,backup,import,images")).toMatchObject({ code: 0 });
  expect(
    JSON.parse(await out("pvesh get /storage/local --output-format json"))
      .content.split(",")
      .sort(),
  ).toEqual(["backup", "images", "import", "iso", "vztmpl"]);
  expect(await out("pvesm status")).toMatch(/^Name +Type +Status +Total \(KiB\)/);
});

test("qm makes, starts, unlocks and destroys a machine, and waits for each", async () => {
  expect((await sh("qm create 900 --name probe --memory 1024 --net0 virtio,bridge=vmbr0")).code).toBe(0);
  expect(await out("qm status 900")).toBe("status: stopped\n");
  expect((await sh("qm start 900; qm status 900")).stdout).toContain("status: running");
  expect(await sh("qm destroy 900")).toMatchObject({ code: 255, stderr: expect.stringContaining("VM 900 is running") });
  lab.turn(() => {
    (proxmoxState(lab).vms["900"] as { config: Record<string, string> }).config.lock = "create";
  });
  expect((await sh("qm stop 900; qm unlock 900; qm stop 900; qm destroy 900 --purge 1")).code).toBe(0);
  expect((await sh("qm unlock 900")).stderr).toBe("Configuration file 'nodes/pve1/qemu-server/900.conf' does not exist\n");
  expect(await out("qm list")).toBe("");
});

// qm(1): qm disk move <vmid> <disk> [<storage>] [OPTIONS]
test("qm hands a disk to another machine, or moves it to another storage", async () => {
  expect(await sh("qm disk move 900")).toMatchObject({
    code: 255,
    stderr: "400 not enough arguments\nqm disk move <vmid> <disk> [<storage>] [OPTIONS]\n",
  });
  expect((await sh("qm create 900 --scsi5 local-lvm:1 && qm create 901")).code).toBe(0);
  const moved = await sh("qm disk move 900 scsi5 --target-vmid 901 --target-disk scsi5");
  expect(moved, moved.stderr).toMatchObject({ code: 0 });
  expect(await out("qm config 900")).not.toContain("disk");
  expect(await out("qm config 901")).toContain("scsi5: local-lvm:vm-901-disk-0,size=1G\n");
  expect((await sh("qm disk move 901 scsi5 local-lvm")).stderr).toBe("you can't move to the same storage with same format\n");
});

test("what is put into a storage's folder is a volume, and a volume is a file", async () => {
  const listed = async () =>
    JSON.parse(await out("pvesh get /nodes/pve1/storage/local/content --output-format json")) as Record<string, unknown>[];
  expect(await sh("tee /var/lib/vz/snippets/user.yaml > /dev/null", "pve1", "#cloud-config\n")).toMatchObject({ code: 0 });
  expect(await listed()).toMatchObject([{ volid: "local:snippets/user.yaml", content: "snippets", format: "snippet", size: 14 }]);
  expect(await out("ls /var/lib/vz/snippets; cat /var/lib/vz/snippets/*")).toBe("user.yaml\n#cloud-config\n");
  expect(await out("pvesm path local:snippets/user.yaml")).toBe("/var/lib/vz/snippets/user.yaml\n");
  await sh("pvesm free local:snippets/user.yaml");
  await lab.sleep(60_000);
  expect((await sh("cat /var/lib/vz/snippets/user.yaml")).code).toBe(1);
  await sh("echo notes > /var/lib/vz/snippets.txt; echo x > /var/lib/vz/template/iso/notes.txt");
  expect(await listed()).toEqual([]);
  expect(await out("cat /var/lib/vz/template/iso/notes.txt")).toBe("x\n");
});

test("an image in a storage's folder can be made a disk", async () => {
  const made = await sh("qm create 900; tee /var/lib/vz/template/iso/disk.img", "pve1", "x".repeat(2 * 1024 ** 2));
  expect(made.code).toBe(0);
  expect(await out("qm disk import 900 /var/lib/vz/template/iso/disk.img local-lvm -format qcow2")).toBe(
    "importing disk '/var/lib/vz/template/iso/disk.img' to VM 900 ...\nunused0: successfully imported disk 'local-lvm:vm-900-disk-0'\n",
  );
  expect(await sh("qm set 900 -scsi0 local-lvm:vm-900-disk-0,ssd=1")).toMatchObject({ code: 0 });
  expect(await out("qm config 900")).toContain("scsi0: local-lvm:vm-900-disk-0,size=4M,ssd=1\n");
  expect((await sh("qm importdisk 900 /none local-lvm")).stderr).toBe("/none: non-existent or non-regular file\n");
});

test("/etc/hosts and /etc/resolv.conf are what the API shows", async () => {
  await sh("echo '10.0.0.9 nas' >> /etc/hosts; echo 'nameserver 10.0.0.2' > /etc/resolv.conf");
  expect(JSON.parse(await out("pvesh get /nodes/pve1/hosts --output-format json")).data).toMatch(
    /pve1\n[\s\S]*10\.0\.0\.9 nas\n$/,
  );
  expect(JSON.parse(await out("pvesh get /nodes/pve1/dns --output-format json"))).toEqual({ dns1: "10.0.0.2" });
  await sh("pvesh set /nodes/pve1/dns --search lab --dns1 10.0.0.3");
  expect(await out("cat /etc/resolv.conf")).toBe("search lab\nnameserver 10.0.0.3\n");
});

test("the kernel's command line changes when the boot loader has been updated and the host has booted", async () => {
  await sh(`sed_is_not_here; printf 'GRUB_CMDLINE_LINUX_DEFAULT="quiet intel_iommu=on"\\n' > /etc/default/grub`);
  expect(await out("cat /proc/cmdline")).not.toContain("intel_iommu=on");
  const boot = await out("cat /proc/sys/kernel/random/boot_id");
  expect(boot).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\n$/);
  await sh("update-grub && reboot");
  await lab.sleep(120_000);
  expect(await out("cat /proc/cmdline")).toContain("quiet intel_iommu=on");
  expect(await out("cat /proc/sys/kernel/random/boot_id")).not.toBe(boot);
});

test("systemd-boot takes its line from /etc/kernel/cmdline", async () => {
  expect((await sh("proxmox-boot-tool status")).stderr).toBe("E: /etc/kernel/proxmox-boot-uuids does not exist.\n");
  expect(await out("proxmox-boot-tool status", "pve3")).toContain("is configured with: uefi (versions: 6.17.4-2-pve)");
  await sh(
    "echo 'root=ZFS=rpool/ROOT/pve-1 boot=zfs amd_iommu=off' > /etc/kernel/cmdline; proxmox-boot-tool refresh; reboot",
    "pve3",
  );
  await lab.sleep(120_000);
  expect(await out("cat /proc/cmdline", "pve3")).toContain("amd_iommu=off");
  expect(await out("ls /sys/kernel/iommu_groups", "pve3")).toBe("");
});

test("ifreload makes the bridges that are written, and nothing when a line is wrong", async () => {
  await sh(
    "cat >> /etc/network/interfaces <<EOF\nauto vmbr9\niface vmbr9 inet static\n\taddress 10.9.0.1/24\n\tbridge-ports none\nEOF",
  );
  expect(JSON.stringify(JSON.parse(await out("pvesh get /nodes/pve1/network --output-format json")))).not.toContain("vmbr9");
  expect(await sh("ifreload -a")).toMatchObject({ code: 0 });
  expect(await out("pvesh get /nodes/pve1/network --output-format json")).toContain("vmbr9");
  expect(JSON.parse(await out("ip -json -4 route show"))).toContainEqual(
    expect.objectContaining({ dst: "10.9.0.0/24", dev: "vmbr9" }),
  );
  await sh("echo 'iface vmbr8 ipx static' >> /etc/network/interfaces");
  expect((await sh("ifreload -a")).code).toBe(1);
});

test("8.4 is 8.4", async () => {
  await lab.close();
  await start("8.4.21");
  expect(await out("pveversion; uname -r")).toMatch(/^pve-manager\/8\.4\.21\/\S+ \(running kernel: 6\.8\.\S+\)\n6\.8\.\S+\n$/);
});
