import { gunzipSync } from "node:zlib";

/** The first 34 sectors of an image, as Talos's own library for partition tables (go-blockdevice 2.0.32) writes them. */
export function talosTable(): Buffer {
  return gunzipSync(Buffer.from(PACKED, "base64"));
}

const PACKED = `
H4sIAAAAAAACA+3STyhDcQDA8d+mFietuEihlGVnRdqY2WbpbWsmraRkKy6IXRyETY6E03KR03JZuDCH5cJ2kCUH5U8p5SCkkFp5njaruckO6P
t5vd7f3/u++v2EwN81LdTiXpZllXIuL8x9e3z3usVqr3aZ3B4hVKJXuZNwjJZ/PFFl38h9tThzuMxeS0VXsWej2Ra+C5tfmkzL6twfZfaG2kcb
8/P76cbr96pej7WxTrGaNCabt4ItN0adV9oIR54021Mnn/MuH7TnjbMIq7AXoN/RP1hj940MBxx+v09ZjHptiabscNcSd6feovrkkkhkuvJRfr
9NqTtF14/7UcN+aWh2zDY/YRg6tU1en9U9eCVppjUS3LyoMKQDIpXtO0Nf+k5l8xS8P7BSk7r1LTrilenzxrWdPuHKdOWe/L6kzIBHmFjAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAPBPvAPRnYlpAEQAAA==
`;
