import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { parse } from "yaml";
import type { Resource as Message } from "../../../gen/cosi/resource/resource_pb.js";
import { MachineConfigSpecSchema } from "../../../gen/resource/definitions/config/config_pb.js";
import { remoteError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import type { Caller } from "./caller.ts";
import type { Resource } from "./talos-node.ts";

/** A kind of COSI resource, and one of it. */
export interface Kind {
  namespace: string;
  type: string;
}
export type Named = Kind & { id: string };

export async function readResource(caller: Caller, of: Named, signal: AbortSignal): Promise<Resource | undefined> {
  const message = await get(caller, of, signal);
  return message && resourceFrom(caller, message);
}

export async function listResources(caller: Caller, { namespace, type }: Kind, signal: AbortSignal): Promise<Resource[]> {
  const messages = await caller.call({ doing: `list ${type}`, signal }, async (options) => {
    const found: Message[] = [];
    for await (const { resource } of caller.state.list({ namespace, type }, options)) if (resource) found.push(resource);
    return found;
  });
  return messages.map((message) => resourceFrom(caller, message));
}

/** The only resource whose YAML is not itself: up to Talos 1.11 it was an embedded document, reformatted. */
export async function readMachineConfig(caller: Caller, signal: AbortSignal): Promise<string | undefined> {
  const of = { namespace: "config", type: "MachineConfigs.config.talos.dev", id: "v1alpha1" };
  const message = await get(caller, of, signal);
  if (message === undefined) return undefined;
  const { yamlMarshalled } = fromBinary(MachineConfigSpecSchema, message.spec?.protoSpec ?? new Uint8Array());
  return new TextDecoder().decode(yamlMarshalled);
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

function resourceFrom(caller: Caller, { metadata, spec }: Message): Resource {
  const { id = "", version = "", phase = "" } = metadata ?? {};
  return { id, version, phase, spec: specFrom(caller, `${metadata?.type} ${id}`, spec?.yamlSpec ?? "") };
}

function specFrom(caller: Caller, what: string, yaml: string): Json {
  try {
    return parse(yaml) as Json;
  } catch (error) {
    // The parser's own message may quote the text, and some resources hold secrets.
    throw remoteError("TALOS_ANSWER", {
      message: `Unable to read ${what} on ${caller.address}`,
      detail: "it is not YAML",
      cause: error,
    });
  }
}
