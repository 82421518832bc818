import { expect, test } from "vitest";
import { addressesOfIfconfig } from "./ifconfig.ts";

test("busybox and net-tools of old", () => {
  const said = `eth0      Link encap:Ethernet  HWaddr 52:54:00:12:34:56
          inet addr:203.0.113.41  Bcast:203.0.113.255  Mask:255.255.255.192
          inet6 addr: 2001:db8::41/64 Scope:Global
          inet6 addr: fe80::5054:ff:fe12:3456/64 Scope:Link
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
lo        Link encap:Local Loopback
          inet addr:127.0.0.1  Mask:255.0.0.0`;
  expect(addressesOfIfconfig(said.split("\n"))).toEqual([
    { card: "eth0", text: "203.0.113.41/26", dynamic: false },
    { card: "eth0", text: "2001:db8::41/64", dynamic: false },
  ]);
});

test("net-tools of today", () => {
  const said = `ens3: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
        inet 203.0.113.41  netmask 255.255.255.255  broadcast 203.0.113.41
        inet6 2001:db8::41  prefixlen 128  scopeid 0x0<global>
        inet6 fe80::1  prefixlen 64  scopeid 0x20<link>
        ether fa:16:3e:12:34:56  txqueuelen 1000  (Ethernet)
lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536
        inet 127.0.0.1  netmask 255.0.0.0`;
  expect(addressesOfIfconfig(said.split("\n"))).toEqual([
    { card: "ens3", text: "203.0.113.41/32", dynamic: false },
    { card: "ens3", text: "2001:db8::41/128", dynamic: false },
  ]);
});

test("a mask with holes is invalid", () => {
  expect(addressesOfIfconfig(["eth0  x", "    inet addr:1.2.3.4  Mask:255.0.255.0"])).toEqual([]);
});
