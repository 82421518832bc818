import { releaseOf } from "../../proxmox/release.ts";
import { bootedModules } from "../boot.ts";
import { done, type Ended, failed, look, type Program, printed } from "./program.ts";

const words = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith("-"));

export const uname: Program = (started) => {
  const kernel = look(started, ({ proxmox }) => releaseOf(proxmox).kernel);
  return printed(started.args.includes("-r") ? `${kernel}\n` : "Linux\n");
};

export const hostname: Program = (started) => printed(`${started.host}\n`);
export const whoami: Program = () => printed("root\n");
export const id: Program = ({ args }) => printed(args.includes("-u") ? "0\n" : "uid=0(root) gid=0(root) groups=0(root)\n");

export const pveversion: Program = (started) => {
  const { version, repoid, kernel } = look(started, ({ proxmox }) => releaseOf(proxmox));
  return printed(`pve-manager/${version}/${repoid} (running kernel: ${kernel})\n`);
};

/** Names with - and _ are the same module. */
const moduleName = (name: string) => name.replaceAll("-", "_");

export const lsmod: Program = (started) => {
  const lines = look(started, ({ system }) => system.modules.filter((name) => !name.includes(":")));
  return printed(`Module                  Size  Used by\n${lines.map((name) => `${name.padEnd(24)}32768  0\n`).join("")}`);
};

const KNOWN = new Set([
  "vfio",
  "vfio_iommu_type1",
  "vfio_pci",
  "kvm",
  "kvm_intel",
  "kvm_amd",
  "bridge",
  "8021q",
  "nouveau",
  "br_netfilter",
]);

export const modprobe: Program = (started) => {
  const names = words(started.args).map(moduleName);
  const unknown = names.find((name) => !KNOWN.has(name));
  if (unknown !== undefined)
    return failed(
      1,
      `modprobe: FATAL: Module ${unknown} not found in directory /lib/modules/${look(started, ({ proxmox }) => releaseOf(proxmox).kernel)}\n`,
    );
  look(started, ({ system }) => {
    system.modules = [...new Set([...system.modules, ...names])];
  });
  return done;
};

/** The next boot begins with what modprobe.d and the lists of modules say now. */
export const updateInitramfs: Program = (started) => {
  if (!started.args.includes("-u")) return failed(1, "You must specify at least one of -c, -u, or -d.\n");
  return look(started, (view) => {
    view.system.nextModules = bootedModules(view);
    return printed(`update-initramfs: Generating /boot/initrd.img-${releaseOf(view.proxmox).kernel}\n`);
  });
};

export const sysctl: Program = (started) => {
  const [setting = ""] = words(started.args);
  const [name = "", value] = setting.split("=");
  return look(started, ({ system }) => {
    if (system.sysctl[name] === undefined)
      return failed(255, `sysctl: cannot stat /proc/sys/${name.replaceAll(".", "/")}: No such file or directory\n`);
    if (value !== undefined) system.sysctl[name] = value;
    return printed(started.args.includes("-n") ? `${system.sysctl[name]}\n` : `${name} = ${system.sysctl[name]}\n`);
  });
};

const PACKAGES = new Set(["dnsmasq", "dnsmasq-base", "iptables", "curl", "jq"]);

export const aptGet: Program = (started) => {
  const [action, ...names] = words(started.args);
  if (action === "update") return printed("Reading package lists... Done\n");
  if (action !== "install") return failed(100, `E: Invalid operation ${action ?? ""}\n`);
  const unknown = names.find((name) => !PACKAGES.has(name));
  if (unknown !== undefined) return failed(100, `E: Unable to locate package ${unknown}\n`);
  return look(started, ({ system }) => {
    for (const name of names) {
      if (system.packages.includes(name)) continue;
      system.packages.push(name);
      // Debian starts what it installs.
      if (name === "dnsmasq") system.services.dnsmasq = { enabled: true, active: true };
    }
    return printed(`Reading package lists... Done\n${names.map((name) => `Setting up ${name} ...\n`).join("")}`);
  });
};

export const dpkg: Program = (started) => {
  const [name = ""] = words(started.args);
  if (look(started, ({ system }) => system.packages.includes(name)))
    return printed(`Package: ${name}\nStatus: install ok installed\n`);
  return failed(
    1,
    `dpkg-query: package '${name}' is not installed and no information is available\nUse dpkg --info (= dpkg-deb --info) to examine archive files.\n`,
  );
};

export const systemctl: Program = (started) => {
  const [action = "", ...units] = words(started.args);
  const now = started.args.includes("--now");
  return look(started, ({ system }): Ended => {
    for (const unit of units) {
      const name = unit.replace(/\.service$/, "");
      // A unit file that has been written is known from then on.
      if (!system.services[name] && system.files[`/etc/systemd/system/${name}.service`] !== undefined)
        system.services[name] = { enabled: false, active: false };
      const service = system.services[name];
      if (action === "is-active")
        return { code: service?.active ? 0 : 3, stdout: service?.active ? "active\n" : "inactive\n", stderr: "" };
      if (action === "is-enabled" && !service)
        return failed(1, `Failed to get unit file state for ${name}.service: No such file or directory\n`);
      if (action === "is-enabled")
        return { code: service?.enabled ? 0 : 1, stdout: service?.enabled ? "enabled\n" : "disabled\n", stderr: "" };
      if (!service) return failed(5, `Failed to ${action} ${name}.service: Unit ${name}.service not found.\n`);
      if (action === "enable" || action === "disable") service.enabled = action === "enable";
      if (action === "start" || action === "restart" || action === "reload" || (now && action === "enable"))
        service.active = true;
      if (action === "stop" || (now && action === "disable")) service.active = false;
    }
    return done;
  });
};
