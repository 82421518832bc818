import { realWorld } from "@talosmith/lib/world/real.ts";
import { factoryService } from "../../factory/service.ts";
import type { RunningLab } from "../../kernel/kernel.ts";
import { createLab } from "../../kernel/lab.ts";
import type { ProxmoxOptions } from "../initial.ts";
import { proxmoxService } from "../service.ts";
import { encodeForm, type Form, type RawAnswer, type RawRequest, send } from "./raw-client.ts";

export const ROOT_PASSWORD = "bench-root";
/** A ticket is valid for two hours, which pass quickly in a fast lab. */
const LOGIN_AGAIN_MS = 500;

export interface BenchOptions extends ProxmoxOptions {
  seed?: string;
  timeScale?: number | "instant";
  address?: string;
}

export interface TaskEnd {
  upid: string;
  exitstatus: string;
  log: string[];
}

/** A lab with Proxmox, an image factory, and clients with different rights. */
export class Bench {
  readonly lab: RunningLab;
  readonly url: string;
  readonly factory: string;
  /** Has the privileges for building a cluster. */
  readonly client: Person;
  readonly root: Person;

  private constructor(lab: RunningLab) {
    this.lab = lab;
    const { proxmox = {}, factory = {} } = lab.published();
    this.url = proxmox.url ?? "";
    this.factory = factory.url ?? "";
    this.client = this.person({ Authorization: `PVEAPIToken=${proxmox.token}` });
    this.root = new Person(this.url, rootLogin(this.url));
  }

  static async open({ seed = "bench", timeScale = "instant", address, ...options }: BenchOptions = {}): Promise<Bench> {
    const services = [factoryService({ buildMs: 1000 }), proxmoxService({ rootPassword: ROOT_PASSWORD, ...options })];
    const lab = await createLab(realWorld({ timeScale: 1 }), {
      seed,
      timeScale,
      services,
      ...(address !== undefined && { address }),
    });
    await lab.start();
    return new Bench(lab);
  }

  person(headers: Record<string, string>): Person {
    return new Person(this.url, async () => headers);
  }

  /** A user created by root with these privileges at these paths, who uses a token. */
  async userWith(name: string, grants: Record<string, string>, privsep = 0): Promise<Person> {
    const userid = `${name}@pve`;
    await this.root.get("POST", "/access/users", { userid });
    for (const [path, privs] of Object.entries(grants)) {
      const roleid = `${name}${path.replaceAll("/", "_")}`;
      await this.root.get("POST", "/access/roles", { roleid, privs });
      await this.root.get("PUT", "/access/acl", { path, roles: roleid, users: userid });
    }
    const token = (await this.root.get("POST", `/access/users/${userid}/token/bench`, { privsep })) as { value: string };
    return this.person({ Authorization: `PVEAPIToken=${userid}!bench=${token.value}` });
  }

  /** Downloads the factory's plain Talos image to a host. */
  async image(node = "pve1", filename = "talos.qcow2"): Promise<string> {
    const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
    await this.client.task("POST", `/nodes/${node}/storage/local/download-url`, {
      url: `${this.factory}/image/${schematic}/v1.13.9/nocloud-amd64.qcow2`,
      content: "import",
      filename,
    });
    return `local:import/${filename}`;
  }

  /** Skips this much virtual time at once; nothing may be running. */
  skip(ms: number): void {
    const snapshot = JSON.parse(this.lab.snapshot());
    this.lab.restore(JSON.stringify({ ...snapshot, now: snapshot.now + ms }));
  }

  close(): Promise<void> {
    return this.lab.close();
  }
}

function rootLogin(url: string): () => Promise<Record<string, string>> {
  let at = Number.NEGATIVE_INFINITY;
  let headers: Record<string, string> = {};
  return async () => {
    if (performance.now() - at < LOGIN_AGAIN_MS) return headers;
    const body = encodeForm({ username: "root@pam", password: ROOT_PASSWORD });
    const { body: answer } = await send(url, "POST", "/api2/json/access/ticket", { headers: formHeaders(body), body });
    headers = {
      Cookie: `PVEAuthCookie=${encodeURIComponent(answer.data.ticket)}`,
      CSRFPreventionToken: answer.data.CSRFPreventionToken,
    };
    at = performance.now();
    return headers;
  };
}

function formHeaders(body: string | Buffer): Record<string, string> {
  return { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(Buffer.byteLength(body)) };
}

export class Person {
  readonly #url: string;
  readonly #headers: () => Promise<Record<string, string>>;

  constructor(url: string, headers: () => Promise<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  async raw(method: string, path: string, request: RawRequest = {}): Promise<RawAnswer> {
    const headers = { ...(await this.#headers()), ...request.headers };
    return send(this.#url, method, `/api2/json${path}`, { ...request, headers });
  }

  call(method: string, path: string, form: Form = {}): Promise<RawAnswer> {
    const text = encodeForm(form);
    if (method === "GET" || method === "DELETE") return this.raw(method, text === "" ? path : `${path}?${text}`);
    return this.raw(method, path, { headers: formHeaders(text), body: text });
  }

  json(method: string, path: string, value: unknown): Promise<RawAnswer> {
    const body = JSON.stringify(value);
    return this.raw(method, path, {
      headers: { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) },
      body,
    });
  }

  /** The data of a response, which must be successful. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async get(method: string, path: string, form: Form = {}): Promise<any> {
    const answer = await this.call(method, path, form);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.reason} ${answer.text}`);
    return answer.body.data;
  }

  /** Starts a task, which must succeed. */
  async task(method: string, path: string, form: Form = {}): Promise<TaskEnd> {
    const end = await this.end(await this.get(method, path, form));
    if (end.exitstatus !== "OK") throw new Error(`${method} ${path}: ${end.exitstatus}`);
    return end;
  }

  /** Waits for a task, whatever its result is. */
  async end(upid: string): Promise<TaskEnd> {
    const at = `/nodes/${upid.split(":")[1]}/tasks/${encodeURIComponent(upid)}`;
    for (;;) {
      const { status, exitstatus } = await this.get("GET", `${at}/status`);
      if (status === "stopped") {
        const lines = (await this.get("GET", `${at}/log`, { limit: 0 })) as { t: string }[];
        return { upid, exitstatus, log: lines.map((line) => line.t) };
      }
      await new Promise((again) => setTimeout(again, 2));
    }
  }

  /** Starts a task and returns its exit status. */
  async outcome(method: string, path: string, form: Form = {}): Promise<string> {
    return (await this.end(await this.get(method, path, form))).exitstatus;
  }
}
