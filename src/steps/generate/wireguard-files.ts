import { join } from "node:path";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { WireguardConfig, WireguardPeer } from "../../config/config.ts";
import { known } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { keyLineOf, peerFile, peerFileName } from "../../talos/wireguard/peer-file.ts";
import { accessFile } from "./access-file.ts";
import { readBundle } from "./secrets-bundle.ts";

/** wg-<person>.conf for each WireGuard peer of the config. Files of removed peers stay, because they may contain the user's own key. */
export function wireguardFiles(env: Environment, redactor: Redactor): ReturnType<typeof accessFile>[] {
  const { wireguard } = env.config;
  return wireguard === undefined ? [] : wireguard.peers.map((peer) => wireguardFile(env, redactor, wireguard, peer));
}

function wireguardFile(env: Environment, redactor: Redactor, wireguard: WireguardConfig, peer: WireguardPeer) {
  const { cluster, nodes } = env.config;
  const path = join(env.folder, peerFileName(peer));
  const wanted = (world: World, text: string) => {
    const secrets = readBundle(world, env, redactor);
    const keyLine = keyLineOf(text);
    redactor.learn(keyLine?.split("=", 2)[1]?.trim() ?? "");
    return peerFile(wireguard, { cluster, nodes, secrets }, peer, keyLine);
  };
  return accessFile({
    id: `generate/wireguard/${peer.name}`,
    stage: "generate",
    path,
    needs: [environmentId],
    problem: (text, c) => {
      known(c, environmentId);
      return wanted(c.world, text) === text ? undefined : "lists other nodes, keys or addresses";
    },
    make: async (c) => wanted(c.world, Buffer.from(c.world.files.read(path) ?? []).toString("utf8")),
  });
}
