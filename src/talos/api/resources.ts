import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { remoteError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Resource as Message } from "@talosmith/wire/gen/cosi/resource/resource_pb.js";
import { MachineConfigSpecSchema } from "@talosmith/wire/gen/resource/definitions/config/config_pb.js";
import { parse } from "yaml";
import { MachineConfig } from "../config/machine-config.ts";
import type { Caller } from "./caller.ts";
import { listOf, textOf } from "./spec.ts";
import type { ClusterMember, Kind, MachineConfigs, Named, Resource } from "./talos-node.ts";

export async function readResource(caller: Caller, of: Named, signal: AbortSignal): Promise<Resource | undefined> {
  const message = await get(caller, of, signal);
  return message && resourceFrom(caller, message);
}

export async function listResources(caller: Caller, of: Kind, signal: AbortSignal): Promise<Resource[]> {
  return (await list(caller, of, signal)).map((message) => resourceFrom(caller, message));
}

/** A node has some thousand resources of all kinds together. */
const MOST = 50_000;

function endless(caller: Caller, type: string): Error {
  return remoteError("TALOS_ANSWER", {
    message: `Unable to list ${type} on ${caller.address}`,
    detail: `there are more than ${MOST} of them`,
  });
}

function list(caller: Caller, { namespace, type }: Kind, signal: AbortSignal): Promise<Message[]> {
  return caller.call({ doing: `list ${type}`, signal }, async (options) => {
    const found: Message[] = [];
    for await (const { resource } of caller.state.list({ namespace, type }, options)) {
      if (resource) found.push(resource);
      if (found.length > MOST) throw endless(caller, type);
    }
    return found;
  });
}

const MEMBERS = { namespace: "cluster", type: "Members.cluster.talos.dev" };

/** None when discovery is off. */
export async function listMembers(caller: Caller, signal: AbortSignal): Promise<ClusterMember[]> {
  const found = await listResources(caller, MEMBERS, signal);
  return found.map(({ id, spec }) => ({
    name: id,
    hostname: textOf(spec, "hostname") ?? "",
    addresses: listOf(spec, "addresses").map(String),
    role: textOf(spec, "machineType") === "worker" ? "worker" : "controlplane",
    operatingSystem: textOf(spec, "operatingSystem") ?? "",
  }));
}

const MACHINE_CONFIGS = { namespace: "config", type: "MachineConfigs.config.talos.dev" };

/** The only resource whose YAML is not itself: up to Talos 1.11 it was an embedded document, reformatted. */
export async function readMachineConfigs(caller: Caller, signal: AbortSignal): Promise<MachineConfigs> {
  const found = await list(caller, MACHINE_CONFIGS, signal);
  const text = (id: string): string | undefined => {
    const message = found.find(({ metadata }) => metadata?.id === id);
    if (message === undefined) return undefined;
    const bytes = message.spec?.protoSpec ?? new Uint8Array();
    const options = { doing: "read the machine config", signal };
    return new TextDecoder().decode(caller.decoded(options, () => fromBinary(MachineConfigSpecSchema, bytes)).yamlMarshalled);
  };
  const running = text("v1alpha1") ?? "";
  const stored = text("persistent") ?? running;
  const config = MachineConfig.read(running);
  return { running: config, stored: stored === running ? config : MachineConfig.read(stored) };
}

function get(caller: Caller, { namespace, type, id }: Named, signal: AbortSignal): Promise<Message | undefined> {
  return caller.call({ doing: `read ${type} ${id}`, signal }, async (options) => {
    try {
      return (await caller.state.get({ namespace, type, id }, options)).resource;
    } catch (error) {
      if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
      throw error;
    }
  });
}

export function resourceFrom(caller: Caller, { metadata, spec }: Message): Resource {
  const { id = "", version = "", phase = "" } = metadata ?? {};
  return { id, version, phase, spec: specFrom(caller, `${metadata?.type} ${id}`, spec?.yamlSpec ?? "") };
}

function specFrom(caller: Caller, what: string, yaml: string): Json {
  try {
    return parse(yaml, { prettyErrors: false, logLevel: "error" }) as Json;
  } catch (error) {
    // The parser's own message may quote the text, and some resources hold secrets.
    throw remoteError("TALOS_ANSWER", {
      message: `Unable to read ${what} on ${caller.address}`,
      detail: "it is not YAML",
      cause: error,
    });
  }
}
