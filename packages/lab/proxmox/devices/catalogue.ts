import type { PciDevice, UsbDevice } from "../state.ts";

const AMD = { vendor: "1022", vendorName: "Advanced Micro Devices, Inc. [AMD]" };
const INTEL = { vendor: "8086", vendorName: "Intel Corporation" };
const SUPERMICRO = { subsystemVendor: "15d9", subsystemVendorName: "Super Micro Computer Inc" };

/** The board of every host of this lab: a server with one processor, two network ports and a small graphics card for its console. */
const BOARD: readonly PciDevice[] = [
  { id: "0000:00:00.0", class: "060000", ...AMD, device: "1480", deviceName: "Starship/Matisse Root Complex", group: 0 },
  { id: "0000:00:01.1", class: "060400", ...AMD, device: "1483", deviceName: "Starship/Matisse GPP Bridge", group: 1 },
  { id: "0000:00:01.2", class: "060400", ...AMD, device: "1483", deviceName: "Starship/Matisse GPP Bridge", group: 2 },
  { id: "0000:00:14.0", class: "0c0500", ...AMD, device: "790b", deviceName: "FCH SMBus Controller", group: 3 },
  { id: "0000:00:14.3", class: "060100", ...AMD, device: "790e", deviceName: "FCH LPC Bridge", group: 3 },
  {
    ...{ id: "0000:02:00.0", class: "020000", ...INTEL, device: "1521", deviceName: "I350 Gigabit Network Connection" },
    ...{ ...SUPERMICRO, subsystemDevice: "1521", group: 12 },
  },
  {
    ...{ id: "0000:02:00.1", class: "020000", ...INTEL, device: "1521", deviceName: "I350 Gigabit Network Connection" },
    ...{ ...SUPERMICRO, subsystemDevice: "1521", group: 13 },
  },
  {
    ...{ id: "0000:03:00.0", class: "030000", vendor: "1a03", vendorName: "ASPEED Technology, Inc." },
    ...{ device: "2000", deviceName: "ASPEED Graphics Family", ...SUPERMICRO, subsystemDevice: "1b0c", group: 16 },
  },
  {
    ...{ id: "0000:04:00.0", class: "010601", ...AMD, device: "7901", deviceName: "FCH SATA Controller [AHCI mode]" },
    ...{ ...SUPERMICRO, subsystemDevice: "7901", group: 17 },
  },
  { id: "0000:04:00.3", class: "0c0330", ...AMD, device: "148c", deviceName: "Starship USB 3.0 Host Controller", group: 18 },
];

interface Model {
  /** Common names of the model. */
  names: RegExp;
  functions: readonly Omit<PciDevice, "id" | "group">[];
}

const NVIDIA = { vendor: "10de", vendorName: "NVIDIA Corporation" };
const GIGABYTE = { subsystemVendor: "1458", subsystemVendorName: "Gigabyte Technology Co., Ltd" };
const OF_NVIDIA = { subsystemVendor: "10de", subsystemVendorName: "NVIDIA Corporation" };

const MODELS: readonly Model[] = [
  {
    names: /3090|ampere/i,
    functions: [
      {
        class: "030000",
        ...NVIDIA,
        device: "2204",
        deviceName: "GA102 [GeForce RTX 3090]",
        ...GIGABYTE,
        subsystemDevice: "4043",
      },
      {
        ...{ class: "040300", ...NVIDIA, device: "1aef", deviceName: "GA102 High Definition Audio Controller" },
        ...{ ...GIGABYTE, subsystemDevice: "4043" },
      },
    ],
  },
  {
    names: /a100|h100|tesla|l4|data ?center/i,
    functions: [
      { class: "030200", ...NVIDIA, device: "27b8", deviceName: "AD104GL [L4]", ...OF_NVIDIA, subsystemDevice: "16ca" },
    ],
  },
  {
    names: /amd|radeon/i,
    functions: [
      {
        ...{ class: "030000", vendor: "1002", vendorName: "Advanced Micro Devices, Inc. [AMD/ATI]", device: "744c" },
        ...{ deviceName: "Navi 31 [Radeon RX 7900 XT/7900 XTX]", subsystemVendor: "1da2", subsystemDevice: "e471" },
      },
      {
        ...{ class: "040300", vendor: "1002", vendorName: "Advanced Micro Devices, Inc. [AMD/ATI]", device: "ab30" },
        ...{ deviceName: "Navi 31 HDMI/DP Audio", subsystemVendor: "1002", subsystemDevice: "ab30" },
      },
    ],
  },
  {
    names: /.*/,
    functions: [
      {
        class: "030000",
        ...NVIDIA,
        device: "2684",
        deviceName: "AD102 [GeForce RTX 4090]",
        ...GIGABYTE,
        subsystemDevice: "40bf",
      },
      {
        ...{ class: "040300", ...NVIDIA, device: "22ba", deviceName: "AD102 High Definition Audio Controller" },
        ...{ ...GIGABYTE, subsystemDevice: "40bf" },
      },
    ],
  },
];

const FIRST_CARD = 0x41;
const FIRST_CARD_GROUP = 30;

/** A card by its model, at an address such as "0000:01:00" when it matters. */
export type Card = string | { readonly model: string; readonly address: string };

/** The board's devices and cards by model ("nvidia rtx 4090"), each card with all its functions in its own group. */
export function pciDevices(cards: readonly Card[]): PciDevice[] {
  const added = cards.flatMap((card, index) => {
    const { model, address } = typeof card === "string" ? { model: card, address: cardAddress(index) } : card;
    const functions = MODELS.find(({ names }) => names.test(model))?.functions ?? [];
    return functions.map((one, number) => ({ id: `${address}.${number}`, ...one, group: FIRST_CARD_GROUP + index }));
  });
  return [...BOARD, ...added].map((device) => ({ ...device }));
}

function cardAddress(index: number): string {
  return `0000:${(FIRST_CARD + index).toString(16).padStart(2, "0")}:00`;
}

/** The entry of a resource mapping for the first function of a card. */
export function pciEntry(host: string, { id, vendor, device, group, subsystemVendor, subsystemDevice }: PciDevice): string {
  const subsystem = `${subsystemVendor ?? "0000"}:${subsystemDevice ?? "0000"}`;
  return `node=${host},path=${id},id=${vendor}:${device},iommugroup=${group},subsystem-id=${subsystem}`;
}

/** The root hubs, a keyboard and a Zigbee stick, and devices by their ids ("046d:c52b"). */
export function usbDevices(more: readonly string[] = []): UsbDevice[] {
  const added = more.map((ids, index): UsbDevice => {
    const [vendid = "", prodid = ""] = ids.split(":");
    return {
      busnum: 2,
      devnum: 2 + index,
      usbpath: `${1 + index}`,
      port: index,
      level: 1,
      class: 0,
      vendid,
      prodid,
      speed: "480",
    };
  });
  return [
    ...added,
    {
      ...{ busnum: 1, devnum: 1, port: 0, level: 0, class: 9, vendid: "1d6b", prodid: "0002", speed: "480" },
      ...{ manufacturer: "Linux xhci-hcd", product: "xHCI Host Controller" },
    },
    {
      ...{ busnum: 1, devnum: 2, usbpath: "1", port: 0, level: 1, class: 0, vendid: "0557", prodid: "2419", speed: "1.5" },
      ...{ manufacturer: "ATEN", product: "Hermon USB hidmouse Device" },
    },
    {
      ...{ busnum: 1, devnum: 3, usbpath: "2", port: 1, level: 1, class: 0, vendid: "10c4", prodid: "ea60", speed: "12" },
      ...{ manufacturer: "ITead", product: "Sonoff Zigbee 3.0 USB Dongle Plus", serial: "0001" },
    },
    {
      ...{ busnum: 2, devnum: 1, port: 0, level: 0, class: 9, vendid: "1d6b", prodid: "0003", speed: "5000" },
      ...{ manufacturer: "Linux xhci-hcd", product: "xHCI Host Controller" },
    },
  ];
}
