import { createHash } from "node:crypto";
import type { Incoming, NotYet, Reply } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { Params, Route } from "../kernel/router.ts";
import { EXTENSIONS } from "./extensions.ts";
import { getImage } from "./get-image.ts";
import { json, Refused } from "./reply.ts";
import { canonicalYaml, parseSchematic, schematicId } from "./schematic.ts";
import { FACTORY, type FactoryState } from "./state.ts";
import { knownVersion, TALOS_VERSIONS } from "./versions.ts";

export interface RouteCall<P> {
  lab: Lab;
  incoming: Incoming;
  params: P;
  buildMs: number;
  /** The build that this call starts fails, because of a fault. */
  broken: boolean;
}

interface RouteHandler<P> {
  /** The subject of the call, for faults and the record. */
  resource(params: P): string;
  handle(asked: RouteCall<P>): Reply | NotYet;
}

type AnyRouteHandler = RouteHandler<Record<string, string>>;

/** The router fills in exactly the parameters in its pattern; the cast tells the compiler so. */
function route<P extends string>(method: string, pattern: P, answer: RouteHandler<Params<P>>): Route<AnyRouteHandler> {
  return { method, pattern, handler: answer as unknown as AnyRouteHandler };
}

const image: RouteHandler<Params<"/image/:schematic/:version/:path">> = {
  resource: ({ schematic, version, path }) => `image ${path} ${version} ${schematic.slice(0, 8)}`,
  handle: ({ lab, params, buildMs, broken }) => getImage(lab, params, buildMs, broken),
};

export const routes: readonly Route<AnyRouteHandler>[] = [
  route("POST", "/schematics", { resource: () => "schematic", handle: createSchematic }),
  route("GET", "/schematics/:schematic", {
    resource: ({ schematic }) => `schematic ${schematic.slice(0, 8)}`,
    handle: ({ lab, params }) => getSchematic(lab, params.schematic),
  }),
  route("GET", "/image/:schematic/:version/:path", image),
  route("HEAD", "/image/:schematic/:version/:path", image),
  route("GET", "/versions", { resource: () => "versions", handle: () => json(200, TALOS_VERSIONS) }),
  route("GET", "/version/:version/extensions/official", {
    resource: ({ version }) => `extensions ${version}`,
    handle: ({ params }) => getExtensions(params.version),
  }),
];

function createSchematic({ lab, incoming }: RouteCall<unknown>): Reply {
  const schematic = canonicalYaml(parseSchematic(incoming.body.toString("utf8")));
  const id = schematicId(schematic);
  lab.state<FactoryState>(FACTORY).schematics[id] = schematic;
  return json(201, { id, schematic });
}

function getSchematic(lab: Lab, id: string): Reply {
  const { schematics } = lab.state<FactoryState>(FACTORY);
  const schematic = Object.hasOwn(schematics, id) ? schematics[id] : undefined;
  if (schematic === undefined) throw new Refused(404, "schematic not found");
  return { status: 200, headers: { "content-type": "application/yaml" }, body: schematic };
}

function getExtensions(asked: string): Reply {
  const version = knownVersion(asked);
  const list = Object.entries(EXTENSIONS).map(([name, template]) => {
    const ref = `registry.lab/${name}:${template.replace("VERSION", version)}`;
    return {
      name,
      ref,
      digest: `sha256:${createHash("sha256").update(ref).digest("hex")}`,
      author: "Sidero Labs",
      description: `The system extension ${name.slice(name.indexOf("/") + 1)}.`,
    };
  });
  return json(200, list);
}
