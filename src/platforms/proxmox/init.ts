import { join } from "node:path";
import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import { BLANK } from "../../config/examples/answers.ts";
import type { Session } from "../../engine/context.ts";
import type { CommandSession, PlatformSession } from "../command-session.ts";
import type { NewConfig } from "../definition.ts";
import { type InitWishes, sharedAnswers } from "../init-answers.ts";
import { checkedBy, type Questions } from "../questions.ts";
import { PROXMOX_EXAMPLE, type ProxmoxAnswers, proxmoxExample } from "./config/example/proxmox.ts";
import { apiUrl, FINGERPRINT } from "./config/schema/section.ts";
import { TOKEN } from "./config/schema/token.ts";
import { certificateOf, type Offer, offerOf } from "./init-look.ts";

const TOKEN_FILE = "proxmox-token";

interface ProxmoxWishes extends InitWishes {
  url?: string;
  fingerprint?: string;
  hosts?: readonly string[];
  disks?: string;
  images?: string;
  bridge?: string;
}

interface Interview extends Pick<NewConfig, "keep"> {
  answers: ProxmoxAnswers;
}

/** Writes the text of a new config. The token goes into a file of its own if the user wants that. */
export async function writeProxmox(
  session: PlatformSession,
  folder: string,
  wishes: ProxmoxWishes,
  ask?: Questions,
): Promise<NewConfig> {
  const { answers, ...kept } = await (ask ? interview(session, folder, wishes, ask) : given(folder, wishes));
  return { text: proxmoxExample(session.platforms, answers), ...kept };
}

/** Answers without questions: flags, values of the example, and blanks for what only the user knows. */
async function given(folder: string, wishes: ProxmoxWishes): Promise<Interview> {
  const { disks, images, bridge, token } = PROXMOX_EXAMPLE;
  return {
    answers: {
      ...(await sharedAnswers(folder, wishes, PROXMOX_EXAMPLE)),
      url: wishes.url ?? BLANK,
      fingerprint: wishes.fingerprint ?? BLANK,
      token,
      hosts: wishes.hosts ?? [BLANK],
      disks: wishes.disks ?? disks,
      images: wishes.images ?? images,
      bridge: wishes.bridge ?? bridge,
    },
  };
}

/** Asks for the main settings, with choices read from Proxmox where it can be reached. */
async function interview(session: CommandSession, folder: string, wishes: ProxmoxWishes, ask: Questions): Promise<Interview> {
  const { world, redactor } = session;
  const url =
    wishes.url ??
    (
      await ask.text({ message: "Address of the Proxmox API", initial: "https://192.168.122.70:8006", check: checkedBy(apiUrl) })
    ).trim();
  const fingerprint = wishes.fingerprint ?? (await pinned(session, url, ask));
  const token = await tokenFor(world.env("PROXMOX_TOKEN"), redactor, folder, ask);
  const trust: Trust | undefined =
    fingerprint === undefined ? { by: "system" } : fingerprint === BLANK ? undefined : { by: "fingerprint", fingerprint };
  const offer = trust && token.secret ? await offered(session, { url, trust, token: token.secret }, ask) : undefined;
  const hosts = wishes.hosts ?? (await chosenHosts(offer, ask));
  const one = async (given: string | undefined, message: string, found: string[] | undefined, usual: string) =>
    given ?? (await chosen(message, found, usual, ask));
  const disks = await one(wishes.disks, "Storage for the machines' disks", offer?.disks, PROXMOX_EXAMPLE.disks);
  const images = await one(
    wishes.images,
    "Storage for the Talos image (its content must include import)",
    offer?.images,
    PROXMOX_EXAMPLE.images,
  );
  const bridge = await one(wishes.bridge, "Bridge for the machines", offer?.bridges, PROXMOX_EXAMPLE.bridge);
  return {
    answers: {
      ...(await sharedAnswers(folder, wishes, PROXMOX_EXAMPLE, ask)),
      url,
      fingerprint,
      token: token.written,
      hosts,
      disks,
      images,
      bridge,
    },
    ...(token.keep && { keep: token.keep }),
  };
}

/** The fingerprint to pin; undefined to trust the certificate authorities of this computer. */
async function pinned({ world, signal }: Session, url: string, ask: Questions): Promise<string | undefined> {
  const seen = await certificateOf(world, url, signal);
  if ("fingerprint" in seen) {
    ask.say(
      "info",
      `its certificate has the SHA-256 fingerprint\n${seen.fingerprint}\nProxmox shows it under the host, System, Certificates, pve-ssl.pem`,
    );
    if (await ask.confirm({ message: "Is it the right one? From now on only this certificate is trusted.", initial: true }))
      return seen.fingerprint;
  } else ask.say("warn", `${url} cannot be reached now (${seen.why}); enter the values yourself`);
  const how = await ask.choose({
    message: "How can the right Proxmox be recognised?",
    of: [
      { value: "typed", label: "by a fingerprint that I enter" },
      { value: "system", label: "by its certificate, which this computer trusts" },
      { value: "later", label: "I will fill it in later" },
    ],
    initial: "later",
  });
  if (how !== "typed") return how === "system" ? undefined : BLANK;
  const check = (answer: string) =>
    FINGERPRINT.test(answer.trim()) ? undefined : "enter 32 pairs of hexadecimal digits joined by colons";
  return (await ask.text({ message: "SHA-256 fingerprint of its certificate", check })).trim().toUpperCase();
}

interface Token {
  written: string;
  secret?: Secret;
  keep?: NewConfig["keep"];
}

/** Asks for the token, which is never written into the config itself. */
async function tokenFor(inEnvironment: string | undefined, redactor: Redactor, folder: string, ask: Questions): Promise<Token> {
  const byVariable = { written: PROXMOX_EXAMPLE.token };
  if (inEnvironment !== undefined && TOKEN.test(inEnvironment)) {
    ask.say("good", "the API token is in the environment variable PROXMOX_TOKEN");
    return { ...byVariable, secret: redactor.secret(inEnvironment) };
  }
  const check = (answer: string) =>
    answer.trim() === "" || TOKEN.test(answer.trim())
      ? undefined
      : "a token looks like user@realm!name=01234567-89ab-cdef-0123-456789abcdef";
  const typed = (
    await ask.secret({ message: "API token, user@realm!name=secret (press Enter to set PROXMOX_TOKEN later)", check })
  ).trim();
  if (typed === "") return byVariable;
  const secret = redactor.secret(typed);
  const keep = await ask.confirm({ message: `Store it in ${join(folder, TOKEN_FILE)}, readable only by you?`, initial: true });
  return keep ? { written: `\${file:${TOKEN_FILE}}`, secret, keep: { name: TOKEN_FILE, secret } } : { ...byVariable, secret };
}

async function offered(
  session: Session,
  access: { url: string; trust: Trust; token: Secret },
  ask: Questions,
): Promise<Offer | undefined> {
  const offer = await offerOf(session.world, access, session.signal);
  if (!("why" in offer)) return offer;
  ask.say("warn", `its hosts and storages cannot be listed now (${offer.why}); enter the values yourself`);
  return undefined;
}

async function chosenHosts(offer: Offer | undefined, ask: Questions): Promise<string[]> {
  if (offer === undefined) {
    const check = (answer: string) => (listed(answer).length === 0 ? "enter at least one" : undefined);
    return listed(await ask.text({ message: "Proxmox hosts to use, by name", initial: "pve1", check }));
  }
  if (offer.hosts.length === 1) return offer.hosts;
  return ask.chooseMany({ message: "Proxmox hosts to use", of: offer.hosts.map(choice), initial: offer.hosts });
}

async function chosen(message: string, found: readonly string[] | undefined, usual: string, ask: Questions): Promise<string> {
  if (found?.length === 1 && found[0] !== undefined) return found[0];
  if (found !== undefined && found.length > 0)
    return ask.choose({ message, of: found.map(choice), ...(found.includes(usual) && { initial: usual }) });
  if (found !== undefined) ask.say("warn", "Proxmox lists nothing suitable");
  return (await ask.text({ message, initial: usual })).trim();
}

function choice(value: string): { value: string; label: string } {
  return { value, label: value };
}

function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
