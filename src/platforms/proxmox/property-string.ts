/** The options inside one Proxmox value: "local-lvm:vm-1-disk-0,discard=on,size=20G". The part without a name goes under `first`. */
export type Properties = Readonly<Record<string, string>>;

export function readProperties(text: string | undefined, first: string): Properties {
  const parts = (text ?? "").split(",").filter((part) => part !== "");
  // fromEntries, because an assignment to "__proto__" would not make a key.
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf("=");
      return at === -1 ? [first, part] : [part.slice(0, at), part.slice(at + 1)];
    }),
  );
}

export function printProperties(properties: Properties, first: string): string {
  const { [first]: head, ...rest } = properties;
  const named = Object.entries(rest).map(([key, value]) => `${key}=${value}`);
  return [...(head === undefined ? [] : [head]), ...named].join(",");
}

/** A canonical text, equal for all orders of the same options. */
export function canonicalProperties(text: string | undefined, first: string): string {
  return printProperties(Object.fromEntries(Object.entries(readProperties(text, first)).sort()), first);
}

/** Inside property strings Proxmox takes several words for yes. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "on", "yes", "true"].includes(value);
}

/** All models of Proxmox, so that a card with another model is read correctly. */
const MODELS = [
  ...["virtio", "e1000", "e1000-82540em", "e1000-82544gc", "e1000-82545em", "e1000e", "i82551", "i82557b", "i82559er"],
  ...["ne2k_isa", "ne2k_pci", "pcnet", "rtl8139", "vmxnet3"],
];

export interface NetworkCard {
  model: string;
  mac: string;
  /** All other options, unchanged. */
  rest: Properties;
}

/** "virtio=BC:24:11:…,bridge=vmbr0" and "model=virtio,macaddr=…" are the same card. */
export function readNetworkCard(text: string | undefined): NetworkCard {
  const { model, macaddr, ...rest } = readProperties(text, "model");
  const named = MODELS.find((name) => rest[name] !== undefined);
  const mac = (macaddr ?? (named && rest[named]) ?? "").toUpperCase();
  if (named) delete (rest as Record<string, string>)[named];
  return { model: named ?? model ?? "", mac, rest };
}

export function printNetworkCard(card: NetworkCard): string {
  return printProperties({ [card.model]: card.mac, ...card.rest }, "");
}

const UNITS: Record<string, number> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** "20G", "1228M", "1T" → bytes. */
export function readSize(text: string | undefined): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit ?? ""] ?? 1);
}
