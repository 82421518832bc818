import { remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { Login, Send } from "./login.ts";
import { flag, type Loose, object, requiredText } from "./loose.ts";
import { contentOf, refused } from "./refusal.ts";

/** A ticket is valid for two hours by the server's clock; half of that allows for a different clock speed. */
const RENEW_AFTER_MS = 60 * 60_000;
const PATH = "/access/ticket";

interface Held {
  ticket: Secret;
  csrf: Secret;
  since: number;
}

/** Logs in with a password: one ticket for all calls, renewed with itself before it is too old. */
export class Ticket implements Login {
  readonly identity: string;
  readonly #password: Secret;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #send: Send;
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;

  constructor(user: string, password: Secret, clock: Clock, host: string, send: Send) {
    this.identity = user;
    this.#password = password;
    this.#clock = clock;
    this.#host = host;
    this.#send = send;
  }

  async headers(method: string): Promise<Record<string, string>> {
    const { ticket, csrf } = await this.#current();
    // Its base64 has characters that end a cookie's value.
    const cookie = { cookie: `PVEAuthCookie=${encodeURIComponent(ticket.reveal())}` };
    return method === "GET" ? cookie : { ...cookie, csrfpreventiontoken: csrf.reveal() };
  }

  /** The ticket expired, or the hosts changed their keys: the password is still valid. */
  again(): boolean {
    this.#held = undefined;
    return true;
  }

  async #current(): Promise<Held> {
    const held = this.#held;
    if (held && this.#clock.monotonic() - held.since < RENEW_AFTER_MS) return held;
    this.#fetching ??= this.#fetch(held?.ticket).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(old: Secret | undefined): Promise<Held> {
    const renewed = old && (await this.#ask(old));
    const answer = renewed?.status === 200 ? renewed : await this.#ask(this.#password);
    const content = contentOf(answer);
    if (answer.status !== 200 || !content)
      throw await refused(answer, content, { method: "POST", path: PATH, host: this.#host, identity: this.identity });
    const data = object(content.data, "the ticket");
    const ticket = requiredText(data.ticket, "the ticket");
    if (flag(data.NeedTFA) || ticket.includes("!tfa!")) throw this.#secondFactor();
    this.#held = { ticket: new Secret(ticket), csrf: new Secret(this.#csrfOf(data)), since: this.#clock.monotonic() };
    return this.#held;
  }

  #ask(password: Secret) {
    return this.#send("POST", PATH, { username: this.identity, password: password.reveal() });
  }

  #csrfOf(data: Loose): string {
    if (typeof data.CSRFPreventionToken === "string") return data.CSRFPreventionToken;
    throw remoteError("PROXMOX_ANSWER", {
      message: `Unable to log in to ${this.#host}: the ticket has no CSRF token`,
      hint: "check that proxmox.url is a Proxmox VE host",
    });
  }

  #secondFactor(): TalosmithError {
    return userError("PROXMOX_TFA", {
      message: `Unable to log in as ${this.identity}: Proxmox asks for a second factor`,
      hint: "use an API token instead, which needs none: proxmox.token (in the Proxmox UI: Datacenter, Permissions, API Tokens)",
    });
  }
}
