import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const here = import.meta.dirname;
const requirements = join(here, "requirements.txt");
/** The release whose modules are asked: community.proxmox is not published alone, only inside of this. */
const RELEASE = "ansible==12.3.0";

/** Ansible's modules for Proxmox as they are published, through the whole life of machines, on a lab of each release at once. */
export async function ansible(folder, labs) {
  const python = await version("python3", "--version");
  if (python === undefined) throw new Skipped("there is no python3");
  if ((await version("python3", "-c", "import ensurepip, venv")) === undefined) throw new Skipped(`${python} has no venv`);
  const inputs = [
    python,
    RELEASE,
    ...["requirements.txt", "collection.py"].map((name) => readFileSync(join(here, name), "utf8")),
  ];
  const environment = await cached("proxmox-ansible", inputs, install);
  return labs(async (reached) => {
    mkdirSync(folder, { recursive: true });
    const inventory = join(folder, "inventory.json");
    writeFileSync(inventory, JSON.stringify({ all: { hosts: Object.fromEntries(reached.map(host)) } }), { mode: 0o600 });
    const said = await execute(
      join(environment, "bin/python"),
      ["-m", "ansible", "playbook", "-i", inventory, join(here, "story.yml")],
      {
        env: settings(environment, folder),
      },
    );
    return counted(said);
  });
}

async function install(folder) {
  const python = join(folder, "bin/python");
  const wheel = join(folder, "wheel");
  await execute("python3", ["-m", "venv", folder]);
  await execute(python, ["-m", "pip", "install", "--quiet", "--requirement", requirements]);
  await execute(python, ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheel, RELEASE]);
  await execute(python, [join(here, "collection.py"), wheel, "community.proxmox", join(folder, "collections")]);
  rmSync(wheel, { recursive: true });
}

/** A lab as Ansible knows a host: by a name and variables. */
function host({ release, url, token }) {
  const { hostname, port } = new URL(url);
  const [owner, secret] = token.split("=");
  const [user, name] = owner.split("!");
  return [`pve-${release}`, { release, address: hostname, api_port: Number(port), token: { user, name, secret } }];
}

function settings(environment, folder) {
  return {
    ...process.env,
    // Whoever runs this may have settings of their own, and a locale that Ansible does not like.
    ANSIBLE_CONFIG: join(here, "ansible.cfg"),
    ANSIBLE_COLLECTIONS_PATH: join(environment, "collections"),
    ANSIBLE_HOME: join(folder, "ansible"),
    LC_ALL: "C.UTF-8",
    // No proxy lies between us and a loopback address.
    NO_PROXY: "*",
    no_proxy: "*",
  };
}

/** "pve-9.2 : ok=50 changed=20 …" of each host, as one line. */
function counted(said) {
  const recap = [...said.matchAll(/^(pve-\S+)\s+: ok=(\d+)\s+changed=(\d+)\s+unreachable=0\s+failed=0/gm)];
  return recap.map(([, name, ok, changed]) => `${name}: ${ok} tasks, ${changed} changed`).join("; ");
}
