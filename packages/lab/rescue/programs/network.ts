import type { Json } from "@talosmith/lib/json.ts";
import { insideUrl } from "../../kernel/internet.ts";
import { httpGet } from "../../proxmox/storage/http-get.ts";
import { complain, optionsOf, print } from "../../shell/programs/program.ts";
import { FileProblem, Killed, type OpenFile } from "../../shell/streams.ts";
import { ipOf } from "../state.ts";
import type { View } from "../system/host.ts";
import type { Program, Started } from "./program.ts";

const FOREVER = 4_294_967_295;

function links({ lab, server }: View): { [key: string]: Json }[] {
  const own = {
    family: "inet",
    local: "127.0.0.1",
    prefixlen: 8,
    scope: "host",
    label: "lo",
    valid_life_time: FOREVER,
    preferred_life_time: FOREVER,
  };
  const loopback = {
    ...{
      ifindex: 1,
      ifname: "lo",
      flags: ["LOOPBACK", "UP", "LOWER_UP"],
      mtu: 65536,
      qdisc: "noqueue",
      operstate: "UNKNOWN",
      group: "default",
    },
    ...{ txqlen: 1000, link_type: "loopback", address: "00:00:00:00:00:00", broadcast: "00:00:00:00:00:00", addr_info: [own] },
  };
  return [
    loopback,
    ...server.cards.map(({ name, mac }, at) => {
      const leased = server.network === "dhcp";
      const life = leased ? 85_400 : FOREVER;
      const address = {
        ...{
          family: "inet",
          local: ipOf(lab, server.address),
          prefixlen: server.prefix,
          scope: "global",
          ...(leased && { dynamic: true }),
        },
        ...{ label: name, valid_life_time: life, preferred_life_time: life },
      };
      return {
        ...{
          ifindex: at + 2,
          ifname: name,
          flags: at === 0 ? ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"] : ["BROADCAST", "MULTICAST"],
          mtu: 1500,
        },
        ...{
          qdisc: "fq_codel",
          operstate: at === 0 ? "UP" : "DOWN",
          group: "default",
          txqlen: 1000,
          link_type: "ether",
          address: mac,
        },
        ...{ broadcast: "ff:ff:ff:ff:ff:ff", addr_info: at === 0 ? [address] : [] },
      };
    }),
  ];
}

/** A gateway that is not in the address's own network needs a way of its own. */
function routes({ lab, server }: View): { [key: string]: Json }[] {
  const [first] = server.cards;
  if (!first) return [];
  const ip = ipOf(lab, server.address);
  const gateway = server.gateway === undefined ? undefined : ipOf(lab, server.gateway);
  const network = networkOf(ip, server.prefix);
  const offSubnet = gateway !== undefined && networkOf(gateway, server.prefix) !== network;
  return [
    ...(gateway === undefined ? [] : [{ dst: "default", gateway, dev: first.name, flags: offSubnet ? ["onlink"] : [] }]),
    ...(server.prefix === 32
      ? []
      : [{ dst: `${network}/${server.prefix}`, dev: first.name, protocol: "kernel", scope: "link", prefsrc: ip, flags: [] }]),
  ];
}

function networkOf(ip: string, prefix: number): string {
  const number = Buffer.from(ip.split(".").map(Number)).readUInt32BE(0);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(prefix === 0 ? 0 : ((number >>> (32 - prefix)) << (32 - prefix)) >>> 0);
  return [...bytes].join(".");
}

export const ip: Program = async (started) => {
  const flags = started.args.filter((arg) => arg.startsWith("-"));
  const [object = "", ...words] = started.args.filter((arg) => !arg.startsWith("-"));
  const isJson = flags.includes("-j") || flags.includes("-json");
  const six = flags.includes("-6");
  const kind = ["address", "route", "link"].find((one) => one.startsWith(object) && object !== "");
  if (kind === undefined) return complain(started, `Object "${object}" is unknown, try "ip help".`);
  if (
    !words.every(
      (word) =>
        ["show", "list", "ls", "default", "dev", "table", "main", "scope", "global"].includes(word) || /^[\w.]+$/.test(word),
    )
  )
    return complain(started, "the lab's `ip` only shows", 2);
  if (kind === "route") {
    const all = six ? [] : started.host.look(routes).filter(({ dst }) => !words.includes("default") || dst === "default");
    if (isJson) return print(started, `${JSON.stringify(all)}\n`);
    const lines = all.map((route) => {
      const via = route.gateway === undefined ? "" : ` via ${route.gateway}`;
      const more = route.protocol === undefined ? "" : ` proto kernel scope link src ${route.prefsrc}`;
      return `${route.dst}${via} dev ${route.dev}${more}${(route.flags as string[]).map((flag) => ` ${flag}`).join("")} \n`;
    });
    return print(started, lines.join(""));
  }
  const named = words.find((word) => !["show", "list", "ls", "dev", "scope", "global"].includes(word));
  const all = started.host.look(links).filter(({ ifname }) => named === undefined || ifname === named);
  if (all.length === 0) return complain(started, `Device "${named}" does not exist.`);
  const shown = kind === "link" ? all.map(({ addr_info: _, ...link }) => link) : all;
  if (isJson) return print(started, `${JSON.stringify(shown)}\n`);
  return print(started, all.map((link) => linkLines(link, kind, flags.includes("-o"))).join(""));
};

function linkLines(link: { [key: string]: Json }, kind: string, oneLine: boolean): string {
  const { ifindex, ifname, flags, mtu, qdisc, operstate, link_type, address, broadcast, addr_info } = link;
  const addresses = (addr_info as { [key: string]: Json }[]).map((one) => {
    const life = one.valid_life_time === FOREVER ? "forever" : `${one.valid_life_time}sec`;
    const text = `inet ${one.local}/${one.prefixlen} scope ${one.scope}${one.dynamic ? " dynamic" : ""} ${one.label}`;
    return oneLine
      ? `${ifindex}: ${ifname}    ${text}\\       valid_lft ${life} preferred_lft ${life}\n`
      : `    ${text}\n       valid_lft ${life} preferred_lft ${life}\n`;
  });
  if (oneLine && kind === "address") return addresses.join("");
  const head = `${ifindex}: ${ifname}: <${(flags as string[]).join(",")}> mtu ${mtu} qdisc ${qdisc} state ${operstate} group default qlen 1000\n`;
  return `${head}    link/${link_type} ${address} brd ${broadcast}\n${kind === "address" ? addresses.join("") : ""}`;
}

/** A download from outside: only what the lab serves itself is found. */
async function download(
  { host, alive }: Started,
  url: string,
): Promise<{ status: number; body: Buffer } | { problem: "name" | "refused" | "cut" }> {
  const [inside, egress] = host.look(({ lab, server }) => [insideUrl(lab, url), server.egress] as const);
  const { hostname } = new URL(inside);
  if (!egress || !hostname.startsWith(`${host.lab.address.prefix}.`)) return { problem: "name" };
  try {
    return await httpGet(host.lab.world, inside, { verify: false, signal: alive });
  } catch (error) {
    if (alive.aborted) throw new Killed();
    return { problem: error instanceof Error && "code" in error && error.code === "ECONNREFUSED" ? "refused" : "cut" };
  }
}

export const curl: Program = async (started) => {
  const valued = [
    "o",
    "m",
    "H",
    "X",
    "A",
    "w",
    "d",
    "connect-timeout",
    "max-time",
    "retry",
    "retry-delay",
    "speed-limit",
    "speed-time",
    "output",
    "user-agent",
    "proto",
    "tlsv1.2",
  ];
  const { given, rest } = optionsOf(started.args, valued);
  if (given.has("V") || given.has("version"))
    return print(started, "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.15\n");
  const [url] = rest;
  if (url === undefined)
    return complain(started, "curl: no URL specified!\ncurl: try 'curl --help' or 'curl --manual' for more information", 2);
  const quiet = (given.has("s") || given.has("silent")) && !given.has("S") && !given.has("show-error");
  const fail = (code: number, why: string) => (quiet ? code : complain(started, `curl: (${code}) ${why}`, code));
  const answer = await download(started, url);
  if ("problem" in answer) {
    const { hostname, port } = new URL(url);
    if (answer.problem === "name") return fail(6, `Could not resolve host: ${hostname}`);
    if (answer.problem === "refused")
      return fail(7, `Failed to connect to ${hostname} port ${port || 80} after 2 ms: Couldn't connect to server`);
    return fail(18, "transfer closed with outstanding read data remaining");
  }
  if ((given.has("f") || given.has("fail")) && answer.status >= 400)
    return fail(22, `The requested URL returned error: ${answer.status}`);
  return give(started, given.get("o") ?? given.get("output"), answer.body);
};

export const wget: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["O", "T", "t", "timeout", "tries", "output-document"]);
  if (given.has("V") || given.has("version")) return print(started, "GNU Wget 1.21.3 built on linux-gnu.\n");
  const [url] = rest;
  if (url === undefined) return complain(started, "wget: missing URL\nUsage: wget [OPTION]... [URL]...");
  const fail = (code: number, why: string) => (given.has("q") ? code : complain(started, why, code));
  const answer = await download(started, url);
  if ("problem" in answer) return fail(4, `wget: unable to resolve host address ‘${new URL(url).hostname}’`);
  if (answer.status >= 400) return fail(8, `ERROR ${answer.status}.`);
  return give(started, given.get("O") ?? given.get("output-document") ?? url.split("/").at(-1), answer.body);
};

async function give(started: Started, path: string | undefined, body: Buffer): Promise<number> {
  let file: OpenFile;
  try {
    file = path === undefined || path === "-" ? started.stdout.retain() : await started.open(path, "write");
  } catch (error) {
    if (error instanceof FileProblem) return complain(started, `${path}: ${error.message}`, 23);
    throw error;
  }
  try {
    for (let at = 0; at < body.length; at += 65_536) await file.write(body.subarray(at, at + 65_536));
  } finally {
    file.release();
  }
  return 0;
}

export const resolvectl: Program = (started) =>
  complain(started, "Failed to get global data: Unit dbus-org.freedesktop.resolve1.service not found.");
