import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const LIBRARIES = ["usr/lib", "lib"].flatMap((folder) => [folder, `${folder}/x86_64-linux-gnu`]);

/** Debian packages, unpacked into a folder and not installed: the machine stays as it is. Their dependencies must be named, too. */
export async function debianPackages(name, packages) {
  for (const program of ["apt-get", "dpkg-deb"])
    if ((await version(program, "--version")) === undefined) throw new Skipped(`there is no ${program}: it needs Debian`);
  // The newest versions that this machine's lists have, with their checksums.
  const listed = await execute("apt-get", ["download", "--print-uris", ...packages]).catch((error) => {
    throw new Skipped(`apt-get does not know all of ${packages.join(", ")}: ${error.message}`);
  });
  return cached(name, [listed], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("apt-get", ["download", ...packages], { cwd: half }).catch((error) => {
      throw new Skipped(`packages of Debian cannot be downloaded: ${error.message}`);
    });
    for (const file of readdirSync(half).filter((each) => each.endsWith(".deb"))) {
      await execute("dpkg-deb", ["--extract", join(half, file), half]);
      rmSync(join(half, file));
    }
  });
}

/** What a program of such a folder needs to run on this machine. */
export function environmentOf(folder, more = {}) {
  const paths = ["usr/bin", "usr/sbin", "bin"].map((path) => join(folder, path));
  return {
    ...process.env,
    PATH: [...paths, process.env.PATH].join(":"),
    LD_LIBRARY_PATH: LIBRARIES.map((path) => join(folder, path)).join(":"),
    ...more,
  };
}

/** Files that a program is loaded with, by the path at which it looks for each: the loader and its libraries. */
export async function librariesOf(program, folder) {
  const said = await execute("ldd", [program], { env: environmentOf(folder) });
  const lines = said.split("\n").map((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1]);
  return lines.filter((path) => path !== undefined);
}
