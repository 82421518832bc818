import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const here = import.meta.dirname;
const requirements = join(here, "requirements.txt");

/** proxmoxer as it is published, through the whole life of machines, on each release of Proxmox. */
export async function proxmoxer(withLabs) {
  const python = await version("python3", "--version");
  if (python === undefined) throw new Skipped("there is no python3");
  if ((await version("python3", "-c", "import ensurepip, venv")) === undefined) throw new Skipped(`${python} has no venv`);
  const environment = await cached("proxmoxer", [python, readFileSync(requirements, "utf8")], async (folder) => {
    await execute("python3", ["-m", "venv", folder]);
    await execute(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", "--requirement", requirements]);
  });
  return withLabs(async (labs) => {
    const input = JSON.stringify(
      labs.map(({ release, url, factory, fingerprint, token }) => ({ release, url, factory, fingerprint, token })),
    );
    // No proxy lies between us and a loopback address.
    const env = { ...process.env, NO_PROXY: "*", no_proxy: "*", PYTHONDONTWRITEBYTECODE: "1" };
    const said = await execute(join(environment, "bin/python"), [join(here, "main.py")], { input, env });
    return said.trim();
  });
}
