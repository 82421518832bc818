import { parseIp } from "@talosmith/lib/ip.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { type ConfigDocument, isObject, type JsonObject } from "../document.ts";
import { type Facts, type Found, found, listAt, objectsAt, ofKind, textAt } from "./facts.ts";

/** Talos's own minor releases of 1.12 took `auto: off` alone from then on. */
const OFF_ALONE_SINCE = 9;

export function* network(facts: Facts): Generator<Found> {
  for (const hostname of ofKind(facts, "HostnameConfig")) yield* hostnames(hostname, facts.talosVersion);
  for (const vlan of ofKind(facts, "VLANConfig"))
    if (typeof vlan.vlanID === "number" && vlan.vlanID > 4094)
      yield found(vlan, "vlanID", "vlanID must be from 1 to 4094", "write the number of the VLAN");
  for (const named of ofKind(facts, "Layer2VIPConfig", "StaticHostConfig"))
    if (parseIp(textAt(named, "name")) === undefined && /[^0-9a-f:.%]/i.test(textAt(named, "name")))
      yield found(named, "name", "needs an IP address as its name", "write the address in name");
  for (const link of ofKind(facts, "WireguardConfig")) yield* wireguardKeys(link, link, []);
  for (const [index, card] of objectsAt(facts.original, "machine.network.interfaces").entries())
    if (isObject(card.wireguard))
      yield* wireguardKeys(facts.original, card.wireguard, ["machine", "network", "interfaces", index, "wireguard"]);
  for (const rule of ofKind(facts, "NetworkRuleConfig")) yield* ports(rule);
  for (const sync of ofKind(facts, "TimeSyncConfig"))
    if (sync.ntp && sync.ptp) yield found(sync, "ptp", "cannot have both ntp and ptp", "remove one of the two");
  for (const mirror of ofKind(facts, "RegistryMirrorConfig"))
    for (const [index, endpoint] of objectsAt(mirror, "endpoints").entries())
      if (!/^https?:/i.test(textAt(endpoint, "url")))
        yield found(mirror, `endpoints.${index}`, "needs http:// or https:// before its endpoints", "write url: https://…");
  for (const auth of ofKind(facts, "RegistryAuthConfig"))
    if (textAt(auth, "identityToken") !== "" && textAt(auth, "username") !== "" && textAt(auth, "password") !== "")
      yield found(auth, "identityToken", "cannot have a password and an identityToken", "remove one of the two");
}

/** The keys themselves are secrets and are not shown. */
function* wireguardKeys(document: ConfigDocument, wireguard: JsonObject, path: Path): Generator<Found> {
  const hint = "write the 44 characters that wg genkey prints, or wg pubkey for a public one";
  const judged = (of: JsonObject, at: Path, key: string): Found[] => {
    const text = textAt(of, key);
    const where = [...at, key];
    return text === "" || isKey(text) ? [] : [{ document, path: where, says: `${pathName(where)} is not a WireGuard key`, hint }];
  };
  yield* judged(wireguard, path, "privateKey");
  for (const [index, peer] of objectsAt(wireguard, "peers").entries())
    for (const key of ["publicKey", "presharedKey"]) yield* judged(peer, [...path, "peers", index], key);
}

/** 32 bytes in base64 as Go reads it: padded, line breaks left out, nothing else between. */
function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text.replaceAll(/[\r\n]/g, ""));
}

function* hostnames(hostname: ConfigDocument, talosVersion: string): Generator<Found> {
  const [auto, name] = [textAt(hostname, "auto"), textAt(hostname, "hostname")];
  const [, patch] = /^v?1\.12\.(\d+)/.exec(talosVersion) ?? [];
  const offAlone = patch === undefined || Number(patch) >= OFF_ALONE_SINCE;
  if (name === "" && (auto === "" || (auto === "off" && !offAlone)))
    yield found(hostname, "kind", "needs hostname or auto", "write hostname: …, or auto: stable");
  else if (name !== "" && auto !== "" && auto !== "off")
    yield found(hostname, "hostname", "cannot have both auto and hostname", 'write auto: "off" beside hostname');
  if (auto === "talos-addr") yield found(hostname, "auto", "auto must be stable or off", "write auto: stable");
  const [first = ""] = name.split(".");
  if (name !== "" && (first === "" || first.length > 63 || name.length > 253))
    yield found(hostname, "hostname", "hostname is not a valid hostname", "write up to 63 letters before the first dot");
}

function* ports(rule: ConfigDocument): Generator<Found> {
  const ranges = listAt(rule, "portSelector.ports")
    .map(range)
    .sort((a, b) => a[0] - b[0]);
  const path = "portSelector.ports";
  if (ranges.some(([low, high]) => low > high))
    yield found(rule, path, "has a port range from high to low", "write the lower port first");
  else if (ranges.some(([low], index) => low <= (ranges[index - 1]?.[1] ?? -1)))
    yield found(rule, path, "has a port twice", "ports must not overlap");
}

function range(ports: Json): [number, number] {
  const [low = "0", high = low] = String(ports).split("-");
  return [Number(low), Number(high)];
}
