import * as https from "node:https";

/** The administrator of a lab's Proxmox, who makes changes outside talosmith. Speaks plain HTTPS, without product code. */
export class Root {
  readonly #url: URL;
  #ticket = "";
  #csrf = "";

  readonly #password: string;
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 4, timeout: 2_000 });

  private constructor(url: string, password: string) {
    this.#url = new URL(url);
    this.#password = password;
  }

  static async login(url: string, password: string): Promise<Root> {
    const root = new Root(url, password);
    await root.#login();
    return root;
  }

  async #login(): Promise<void> {
    this.#ticket = "";
    const answer = (await this.#send("POST", "/access/ticket", { username: "root@pam", password: this.#password })) as Record<
      string,
      string
    >;
    this.#ticket = answer.ticket ?? "";
    this.#csrf = answer.CSRFPreventionToken ?? "";
  }

  /** A ticket is valid for two hours of the lab's time, which may be seconds of real time. */
  async call(method: string, path: string, params: Record<string, string | number> = {}): Promise<unknown> {
    try {
      return await this.#send(method, path, params);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes(": 401 "))) throw error;
      await this.#login();
      return this.#send(method, path, params);
    }
  }

  async #send(method: string, path: string, params: Record<string, string | number>): Promise<unknown> {
    const form = new URLSearchParams(
      Object.entries(params).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const inQuery = method === "GET" || method === "DELETE";
    const body = inQuery ? "" : form;
    return new Promise((resolve, reject) => {
      const request = https.request(
        {
          host: this.#url.hostname,
          port: this.#url.port,
          method,
          path: `/api2/json${path}${inQuery && form ? `?${form}` : ""}`,
          rejectUnauthorized: false,
          agent: this.#agent,
          headers: {
            ...(this.#ticket && { cookie: `PVEAuthCookie=${encodeURIComponent(this.#ticket)}`, csrfpreventiontoken: this.#csrf }),
            ...(body && { "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) }),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => (text += part));
          response.on("end", () => {
            if (response.statusCode === 200) resolve((JSON.parse(text) as { data: unknown }).data);
            else reject(new Error(`${method} ${path}: ${response.statusCode} ${response.statusMessage} ${text}`));
          });
        },
      );
      request.on("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just when it was reused: no request was processed.
        const isStale = request.reusedSocket && error.code === "ECONNRESET" && method === "GET";
        if (isStale) resolve(this.#send(method, path, params));
        else reject(error);
      });
      request.end(body || undefined);
    });
  }

  /** Makes a call that starts a task, and waits for its end. */
  async task(method: string, path: string, params: Record<string, string | number> = {}): Promise<void> {
    const upid = String(await this.call(method, path, params));
    for (;;) {
      const status = (await this.call("GET", `/nodes/${upid.split(":")[1]}/tasks/${encodeURIComponent(upid)}/status`)) as Record<
        string,
        string
      >;
      if (status.status === "stopped") {
        if (status.exitstatus === "OK") return;
        throw new Error(`${method} ${path}: ${status.exitstatus}`);
      }
      await new Promise((later) => setTimeout(later, 5));
    }
  }

  async vms(): Promise<LabVm[]> {
    const all = (await this.call("GET", "/cluster/resources", { type: "vm" })) as { vmid: number; node: string }[];
    const read = all.map(async ({ vmid, node }) => {
      const [config, status] = await Promise.all([
        this.call("GET", `/nodes/${node}/qemu/${vmid}/config`) as Promise<Record<string, string>>,
        this.call("GET", `/nodes/${node}/qemu/${vmid}/status/current`) as Promise<Record<string, string>>,
      ]);
      return { vmid: Number(vmid), node, config, running: status.status === "running" };
    });
    return (await Promise.all(read)).sort((a, b) => a.vmid - b.vmid);
  }
}

export interface LabVm {
  vmid: number;
  node: string;
  config: Record<string, string>;
  running: boolean;
}
