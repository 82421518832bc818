import { words } from "../client/loose.ts";
import { canonical, ipConfigInWords, printIpConfig, readIpConfig } from "../ip-config.ts";
import { notesIn, withNotes } from "../mark.ts";
import { printProperties, readProperties } from "../property-string.ts";
import { field, flagText, type MachineField, setOrUnset, word } from "./field.ts";

interface Startup {
  readonly order?: number | string;
  readonly up?: number | string;
  readonly down?: number | string;
}

function inWords({ order, up, down }: Startup): string {
  const said = Object.entries({ order, up, down }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${Number(value)}`],
  );
  return said.join(", ") || "none";
}

function startupText({ order, up, down }: Startup): string {
  const said = Object.entries({ order, up, down }).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return printProperties(Object.fromEntries(said), "");
}

const live = "live" as const;

/** Options that a running machine does not notice: for Proxmox itself and for its users. */
export const OPTION_FIELDS: readonly MachineField[] = [
  field(
    "address",
    {
      config: "nodes[].ip, network",
      readsBack: "ipconfig0: the text as sent, IPv4 and IPv6. Changing nodes[].ip in the config replaces the machine",
      takesEffect: live,
    },
    {
      read: ({ ipconfig0 }) => ipConfigInWords(readIpConfig(ipconfig0)),
      want: ({ addresses }) => ipConfigInWords(addresses),
      send: ({ addresses }) => ({ set: { ipconfig0: printIpConfig(addresses) } }),
    },
  ),
  field(
    "nameservers",
    { config: "network.nameservers", readsBack: "nameserver: the text as sent, compared as a list", takesEffect: live },
    {
      read: ({ nameserver }) => words(nameserver).map(canonical).join(" "),
      want: ({ nameservers }) => nameservers.join(" "),
      send: ({ nameservers }) => setOrUnset("nameserver", nameservers.join(" ") || undefined),
    },
  ),
  field(
    "tags",
    {
      config: "nodes[].tags and the two tags that talosmith sets",
      readsBack: "tags: sorted, joined with `;`, compared as a set",
      takesEffect: live,
    },
    {
      read: ({ tags }) => [...new Set(words(tags).map((tag) => tag.toLowerCase()))].sort().join(" "),
      want: ({ tags }) => [...new Set(tags.map((tag) => tag.toLowerCase()))].sort().join(" "),
      send: ({ tags }) => ({ set: { tags: tags.join(";") } }),
    },
  ),
  field(
    "notes",
    {
      config: "nodes[].description",
      readsBack: "description: between talosmith's sentence and the line with its mark; text before and after them is kept",
      takesEffect: live,
    },
    {
      read: ({ description }) => notesIn(description),
      want: ({ notes }) => notes,
      send: ({ notes }, { description }) => ({ set: { description: withNotes(description ?? "", notes) } }),
    },
  ),
  field(
    "start at boot",
    { config: "nodes[].onboot", readsBack: "onboot: 0 or 1, absent is 0", takesEffect: live },
    {
      read: ({ onboot }) => onboot === "1",
      want: ({ node }) => node.onboot,
      send: ({ node }) => ({ set: { onboot: flagText(node.onboot) } }),
    },
  ),
  field(
    "startup",
    { config: "nodes[].startup", readsBack: "startup: the text as sent; `1` is `order=1`", takesEffect: live },
    {
      read: ({ startup }) => inWords(readProperties(startup, "order")),
      want: ({ node }) => inWords(node.startup ?? {}),
      send: ({ node }) => setOrUnset("startup", node.startup && startupText(node.startup)),
      // Changing it takes Sys.Modify on everything, which a config without it does not need.
      rootOnly: ({ node }) => node.startup === undefined,
    },
  ),
  field(
    "protection",
    { config: "nodes[].protection", readsBack: "protection: 0 or 1, absent is 0", takesEffect: live },
    {
      read: ({ protection }) => protection === "1",
      want: ({ node }) => node.protection,
      send: ({ node }) => ({ set: { protection: flagText(node.protection) } }),
    },
  ),
];

export const NAME_FIELD: MachineField = word(
  "name",
  { config: "nodes[].name", readsBack: "name: the text as sent", takesEffect: live },
  "",
  ({ node }) => node.name,
);
