import type { NotYet, Reply } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { type Asset, parseAssetPath } from "./asset.ts";
import { compress } from "./compress.ts";
import { EXTENSION_ALIASES, EXTENSIONS } from "./extensions.ts";
import { buildImage } from "./image.ts";
import { Refused } from "./reply.ts";
import { parseSchematic, type Schematic } from "./schematic.ts";
import { FACTORY, type FactoryState } from "./state.ts";
import { knownVersion } from "./versions.ts";

/** Answers with an image. The first request, GET or HEAD, waits until the image is built, as at the real factory. */
export function getImage(
  lab: Lab,
  asked: { schematic: string; version: string; path: string },
  buildMs: number,
  broken: boolean,
): Reply | NotYet {
  const { path, schematic: id } = asked;
  // Checksums require the enterprise edition; they are refused before anything else is checked (docs/facts/talos.md#images).
  if (/\.(sha256|sha512|sigstore\.json)$/.test(path))
    throw new Refused(402, "enterprise not enabled: checksums and signatures are not available");
  const { schematics, builds } = lab.state<FactoryState>(FACTORY);
  const yaml = Object.hasOwn(schematics, id) ? schematics[id] : undefined;
  if (yaml === undefined) throw new Refused(404, "schematic not found");
  const version = knownVersion(asked.version);
  const asset = requestedAsset(path);
  refuseUnbuildable(parseSchematic(yaml), asset, version);
  if (broken) throw new Refused(500, "internal server error");
  const key = `${id}/${version}/${path}`;
  const ready = builds[key] ?? lab.now() + buildMs;
  builds[key] = ready;
  if (ready > lab.now()) return { notYet: ready - lab.now() };
  return {
    status: 200,
    headers: { "content-type": contentType(path), "content-disposition": `attachment; filename="${path}"` },
    body: assetBytes(asset, id, version),
  };
}

function requestedAsset(path: string): Asset {
  const parsed = parseAssetPath(path);
  if (parsed.is === "invalid") throw new Refused(400, `error parsing profile from path: ${parsed.message}`);
  if (parsed.is === "unbuilt") throw new Refused(501, `the lab's factory does not build ${path}`);
  return parsed.asset;
}

/** Refuses schematics that the factory accepted but cannot build: it reports them only when an image is requested (docs/facts/talos.md#images). */
function refuseUnbuildable({ overlay, customization }: Schematic, asset: Asset, version: string): void {
  for (const name of customization.systemExtensions?.officialExtensions ?? []) {
    const alias = Object.hasOwn(EXTENSION_ALIASES, name) ? EXTENSION_ALIASES[name] : undefined;
    if (!Object.hasOwn(EXTENSIONS, name) && !Object.hasOwn(EXTENSIONS, alias ?? name)) {
      throw new Refused(
        400,
        `error enhancing profile from schematic: official extension ${JSON.stringify(name)} is not available for Talos version ${version}`,
      );
    }
  }
  if (overlay?.name)
    throw new Refused(
      400,
      `error enhancing profile from schematic: official overlay ${JSON.stringify(overlay.name)} is not available for Talos version ${version}`,
    );
  const enroll = customization.secureboot?.enrollKeys;
  if (asset.secureBoot && enroll && !["off", "manual", "if-safe", "force"].includes(enroll)) {
    throw new Refused(
      400,
      `error enhancing profile from schematic: invalid secureboot enrollKeys value ${JSON.stringify(enroll)}`,
    );
  }
}

function assetBytes(asset: Asset, schematic: string, version: string): Uint8Array {
  const { platform, arch, secureBoot } = asset;
  const image = buildImage(asset.format, { version, platform, arch, schematic, secureBoot });
  return asset.compression ? compress(image, asset.compression) : image;
}

function contentType(path: string): string {
  const types: Record<string, string> = {
    iso: "application/x-iso9660-image",
    qcow2: "application/x-qemu-disk",
    gz: "application/gzip",
    xz: "application/x-xz",
  };
  return types[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}
