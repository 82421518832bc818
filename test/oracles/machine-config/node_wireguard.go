package main

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"path/filepath"

	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/types/network"
)

// configurationWireguard is the section of config.yaml: a network in which people reach the nodes.
type configurationWireguard struct {
	CIDR  string `yaml:"cidr"`
	Port  uint16 `yaml:"port"`
	Peers []struct {
		Name      string `yaml:"name"`
		PublicKey string `yaml:"publicKey"`
		IP        string `yaml:"ip"`
	} `yaml:"peers"`
}

// nodeWireguard is what one node is told of it.
type nodeWireguard struct {
	CIDR    string `json:"cidr"`
	Port    uint16 `json:"port"`
	Address string `json:"address"`
	// Secret is 32 bytes in base64, and Node whose key is made of it.
	Secret string      `json:"secret"`
	Node   string      `json:"node"`
	Peers  [][2]string `json:"peers"`
}

// address is that of the node at a place: the network's first ones are the nodes'.
func (w *configurationWireguard) address(at int) netip.Addr {
	ip := netip.MustParsePrefix(w.CIDR).Masked().Addr()
	for range at + 1 {
		ip = ip.Next()
	}
	return ip
}

func (w *configurationWireguard) of(folder, node string, at int) *nodeWireguard {
	if w == nil {
		return nil
	}
	bundle := must(secrets.LoadBundle(filepath.Join(folder, "secrets.yaml")))
	made := nodeWireguard{CIDR: w.CIDR, Port: w.Port, Address: w.address(at).String(), Secret: bundle.Cluster.Secret, Node: node}
	if made.Port == 0 {
		made.Port = 51821
	}
	for _, peer := range w.Peers {
		made.Peers = append(made.Peers, [2]string{peer.PublicKey, peer.IP})
	}
	return &made
}

func (w *nodeWireguard) documents(mtu uint32) []config.Document {
	if w == nil {
		return nil
	}
	made := network.NewWireguardConfigV1Alpha1("wg0")
	made.WireguardPrivateKey = w.privateKey()
	made.WireguardListenPort = int(w.Port)
	made.LinkUp = pointer(true)
	made.LinkMTU = 1420
	if mtu != 0 {
		made.LinkMTU = mtu - 80
	}
	own := netip.PrefixFrom(netip.MustParseAddr(w.Address), netip.MustParsePrefix(w.CIDR).Bits())
	made.LinkAddresses = []network.AddressConfig{{AddressAddress: own}}
	for _, peer := range w.Peers {
		ip := netip.MustParseAddr(peer[1])
		one := network.WireguardPeer{WireguardPublicKey: peer[0]}
		one.WireguardAllowedIPs = append(one.WireguardAllowedIPs, prefix(netip.PrefixFrom(ip, ip.BitLen()).String()))
		made.WireguardPeers = append(made.WireguardPeers, one)
	}
	return []config.Document{made}
}

// privateKey is HKDF-SHA256 (RFC 5869, one block, no salt) of the cluster's secret, as a scalar of X25519.
func (w *nodeWireguard) privateKey() string {
	sum := func(key, text []byte) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write(text)
		return mac.Sum(nil)
	}
	extracted := sum(make([]byte, sha256.Size), must(base64.StdEncoding.DecodeString(w.Secret)))
	key := sum(extracted, append([]byte("talosmith wireguard "+w.Node), 1))
	key[0] &= 248
	key[31] = key[31]&127 | 64
	must(ecdh.X25519().NewPrivateKey(key))
	return base64.StdEncoding.EncodeToString(key)
}
