import type { Redactor } from "@talosmith/lib/secret.ts";
import type { AnyStep, Ref, WorkItem } from "../../../engine/step.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { ancestors } from "../rights/held.ts";
import { rightsNeeded } from "../rights/needed.ts";
import type { Right } from "../rights/right.ts";
import { spread } from "../spread.ts";
import { account } from "./account.ts";
import { functionsAt, type MappingWish, mappingWishes } from "./choose-device.ts";
import { content } from "./content.ts";
import { dhcp } from "./dhcp.ts";
import { entry } from "./entry.ts";
import { granted } from "./granted.ts";
import { type Iommu, iommu } from "./iommu.ts";
import { type Login, loginOf } from "./login.ts";
import { mapping } from "./mapping.ts";
import { planNat } from "./nat.ts";
import { natBridge } from "./nat-bridge.ts";
import { pool } from "./pool.ts";
import { restart, undisturbed } from "./restart.ts";
import { role } from "./role.ts";
import type { Root } from "./root.ts";
import { deviceHosts, type Survey } from "./survey.ts";
import { token } from "./token.ts";
import { bindable, vfio } from "./vfio.ts";
import type { HostWish } from "./wish.ts";

export interface Preparing {
  env: ProxmoxEnvironment;
  root: Root;
  wish: HostWish;
  survey: Survey;
  redactor: Redactor;
}

/** All steps of `host prepare`: first those for the whole Proxmox cluster, then those for each host. */
export function preparation(preparing: Preparing): WorkItem[] {
  return [
    ...accessItems(preparing),
    content(preparing.root, preparing.env),
    ...networkItems(preparing),
    ...deviceItems(preparing),
  ];
}

/** The steps for the user, its token and its permissions. Root needs none of them. */
function accessItems({ env, root, survey, redactor }: Preparing): WorkItem[] {
  const login = loginOf(env);
  if (login.identity === "root@pam") return [];
  const needed = rightsNeeded(env.config, survey.release);
  const pools = [...new Set(env.config.nodes.flatMap((node) => node.pool ?? []))].map((name) => pool(root, name));
  const roles = [...grouped(needed, ({ role: name }) => name)].map(([name, rights]) => role(root, name, privileges(rights)));
  const user = account(root, login.user);
  const ours: AnyStep[] = hasToken(login) ? [user, token(root, env, login, redactor, [user.out])] : [user];
  const needs: Ref<unknown>[] = [...ours, ...roles, ...pools].map(({ out }) => out);
  const entries = entrySteps(root, login, needed, needs);
  return [
    ...roles,
    ...pools,
    ...ours,
    ...entries,
    granted(
      root,
      login,
      needed,
      entries.map(({ out }) => out),
    ),
  ];
}

/**
 * The steps for entries, the deepest paths first: an entry copies the inherited roles that it would hide, which must not be ones that this run has
 * just added.
 */
function entrySteps(root: Root, login: Login, needed: readonly Right[], needs: readonly Ref<unknown>[]) {
  const byPath = [...grouped(needed, ({ path }) => path)];
  const steps = new Map<string, ReturnType<typeof entry>>();
  const deepestFirst = byPath.sort(([a], [b]) => ancestors(b).length - ancestors(a).length);
  for (const [path, rights] of deepestFirst) {
    const roles = [...new Set(rights.map(({ role: name }) => name))];
    const below = [...steps].filter(([deeper]) => ancestors(deeper).includes(path)).map(([, { out }]) => out);
    steps.set(path, entry(root, login, path, roles, [...needs, ...below]));
  }
  return [...steps.values()];
}

const hasToken = (login: Login): login is Login & { token: string } => login.token !== undefined;

function grouped(rights: readonly Right[], by: (right: Right) => string): Map<string, Right[]> {
  const groups = new Map<string, Right[]>();
  for (const right of rights) groups.set(by(right), [...(groups.get(by(right)) ?? []), right]);
  return groups;
}

function privileges(rights: readonly Right[]): string[] {
  return [...new Set(rights.map(({ privilege }) => privilege))];
}

function networkItems({ env, root, wish }: Preparing): WorkItem[] {
  if (!wish.nat) return [];
  const plan = planNat(wish.nat, env);
  const bridge = natBridge(
    root,
    plan,
    env.config.nodes.some((node) => [node, ...node.nics].some(({ bridge: name }) => name === plan.bridge)),
  );
  return plan.range ? [bridge, dhcp(root, plan, env.config.network.nameservers, bridge.out)] : [bridge];
}

/** The steps that prepare hosts for passthrough and create the mappings that a token may use. */
function deviceItems(preparing: Preparing): WorkItem[] {
  const { env, root, wish, survey } = preparing;
  // Fails now for a name that is not a host's, not when the host is reached.
  for (const host of wish.reboot) root.on(host);
  const wishes = mappingWishes(env, wish, survey);
  const booting = new Map<string, Ref<Iommu>>();
  const asleep = new Set<string>();
  const hosts = deviceHosts(env, "pci").flatMap((host): WorkItem[] => {
    const mayReboot = wish.reboot.includes(host);
    const on = iommu(root, host, mayReboot);
    const bound = vfio(root, host, boundOn(host, preparing, wishes));
    if ((survey.pci.get(host) ?? []).some((device) => device.group >= 0)) return [on, bound];
    if (!mayReboot) {
      asleep.add(host);
      return [on, bound];
    }
    const booted = restart(root, host, wish, on.out, bound.out);
    booting.set(host, booted.out);
    return [on, bound, undisturbed(root, host, wish, on.out), booted];
  });
  return [...hosts, ...wishes.map((one) => mapping(root, one, survey, booting, asleep))];
}

/** The passed-through devices of a host, by mapping or by address, that the host's own drivers must not use. */
function boundOn(host: string, { env, survey }: Preparing, wishes: readonly MappingWish[]): string[] {
  const all = survey.pci.get(host) ?? [];
  const mapped = wishes.flatMap(({ kind, devices }) => (kind === "pci" ? (devices.get(host) ?? []) : []));
  const homes = spread(env.config.nodes, env.config.proxmox.hosts);
  const here = env.config.nodes.filter((node) => homes.get(node.name) === host);
  const raw = here.flatMap((node) => node.pci.flatMap((device) => ("raw" in device ? [device.raw] : [])));
  return bindable(
    [...new Set([...mapped, ...raw])].flatMap((address) => functionsAt(address, all)),
    all,
  );
}
