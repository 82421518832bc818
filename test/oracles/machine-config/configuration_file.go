package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/constants"
	"go.yaml.in/yaml/v4"
)

// configurationFile is a config.yaml, read here a second time so that our loader is judged, too. It is read without checks: our side has
// refused what is wrong.
type configurationFile struct {
	Platform string `yaml:"platform"`
	Cluster  piece  `yaml:"cluster"`
	Network  struct {
		CIDR        several  `yaml:"cidr"`
		Gateway     several  `yaml:"gateway"`
		Nameservers []string `yaml:"nameservers"`
		TimeServers []string `yaml:"timeServers"`
		MTU         int      `yaml:"mtu"`
		Proxy       piece    `yaml:"proxy"`
	} `yaml:"network"`
	Image struct {
		Factory    string   `yaml:"factory"`
		Schematic  string   `yaml:"schematic"`
		SecureBoot bool     `yaml:"secureboot"`
		Extensions []string `yaml:"extensions"`
		KernelArgs []string `yaml:"kernelArgs"`
	} `yaml:"image"`
	Registries map[string]struct {
		Mirrors several `yaml:"mirrors"`
		CA      string  `yaml:"ca"`
		Rest    piece   `yaml:",inline"`
	} `yaml:"registries"`
	Firewall *struct {
		Admin []string `yaml:"admin"`
		Open  []struct {
			Ports    []string `yaml:"ports"`
			Protocol string   `yaml:"protocol"`
			From     []string `yaml:"from"`
			Rest     piece    `yaml:",inline"`
		} `yaml:"open"`
	} `yaml:"firewall"`
	Wireguard *configurationWireguard `yaml:"wireguard"`
	Patches   map[string][]yaml.Node  `yaml:"patches"`
	Defaults  map[string]nodeEntry    `yaml:"defaults"`
	Nodes     []nodeEntry             `yaml:"nodes"`
	Addons    piece                   `yaml:"addons"`
}

// several is a text, or a list of texts.
type several []string

func (s *several) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*s = several{node.Value}
		return nil
	}
	return node.Decode((*[]string)(s))
}

func readConfiguration(folder string, variables map[string]string) (file configurationFile, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "config.yaml"))
	if err != nil {
		return file, err
	}
	for name, value := range variables {
		text = []byte(strings.ReplaceAll(string(text), "${env:"+name+"}", value))
	}
	return file, yaml.Unmarshal(text, &file)
}

// cluster is what clusterCase and nodeInput want to know, the defaults being Talos's own.
func (f configurationFile) cluster(folder string) piece {
	all := piece{
		"cni": "flannel", "discovery": true, "dnsDomain": constants.DefaultDNSDomain, "kubernetes": "v" + constants.DefaultKubernetesVersion,
		"scheduleOnControlPlanes": !slices.ContainsFunc(f.Nodes, func(n nodeEntry) bool { return n.Role == "worker" }),
		"podSubnets":              f.byFamily("10.244.0.0/16", "fc00:db8:10::/56"),
		"serviceSubnets":          f.byFamily("10.96.0.0/12", "fc00:db8:20::/112"),
	}
	if endpoint, err := netip.ParseAddr(f.Cluster["endpoint"].(string)); err == nil && f.isFree(endpoint) {
		all["vip"] = endpoint.String()
	}
	all["kubespan"] = f.Platform == "vps" && f.areApart()
	for key, value := range f.Cluster {
		all[key] = value
	}
	all = f.withNeeds(all)
	if f.Wireguard != nil {
		all["wireguard"] = piece{"cidr": f.Wireguard.CIDR}
	}
	var nodes []piece
	for _, node := range f.nodes() {
		one := piece{"ip": node.addresses[0].String()}
		if len(node.addresses) > 1 {
			one["secondIp"] = node.addresses[1].String()
		}
		nodes = append(nodes, one)
	}
	all["nodes"] = nodes
	all["clusterName"], all["name"] = all["name"], nil
	all["secrets"], all["network"], all["registries"] = "secrets.yaml", f.network(), f.registries(folder)
	return all
}

// isFree says of an address of the nodes' first network whether it is left to float.
func (f configurationFile) isFree(endpoint netip.Addr) bool {
	return f.Platform != "vps" && netip.MustParsePrefix(f.Network.CIDR[0]).Contains(endpoint) &&
		!slices.ContainsFunc(f.nodes(), func(n oneNode) bool { return n.addresses[0] == endpoint })
}

// areApart says of rented servers whether they are in different networks.
func (f configurationFile) areApart() bool {
	networks := map[netip.Prefix]bool{}
	for _, node := range f.nodes() {
		networks[netip.PrefixFrom(node.addresses[0], f.bits(node, 0)).Masked()] = true
	}
	return len(networks) > 1
}

// bits is the prefix length of one of a rented server's addresses: its own, or that of the network it is in, else it is alone.
func (f configurationFile) bits(node oneNode, at int) int {
	ip := node.addresses[at]
	if node.prefixes[at] >= 0 {
		return node.prefixes[at]
	}
	if own, ok := node.Rest["prefix"].(int); ok && at == 0 {
		return own
	}
	for _, text := range f.Network.CIDR {
		if cidr := netip.MustParsePrefix(text); cidr.Contains(ip) {
			return cidr.Bits()
		}
	}
	return ip.BitLen()
}

// byFamily is one value for each family of the nodes' addresses.
func (f configurationFile) byFamily(four, six string) []string {
	var all []string
	for _, ip := range f.nodes()[0].addresses {
		if ip.Is4() {
			all = append(all, four)
		} else {
			all = append(all, six)
		}
	}
	return all
}

func (f configurationFile) network() piece {
	if f.Platform == "vps" {
		return f.networkOfServers()
	}
	var networks []piece
	for _, text := range f.Network.CIDR {
		cidr := netip.MustParsePrefix(text)
		one := piece{"cidr": text, "prefix": cidr.Bits()}
		for _, gateway := range f.Network.Gateway {
			if cidr.Contains(netip.MustParseAddr(gateway)) {
				one["gateway"] = gateway
			}
		}
		networks = append(networks, one)
	}
	all := networks[0]
	if len(networks) > 1 {
		all["second"] = networks[1]
	}
	all["nameservers"] = f.Network.Nameservers
	if f.Network.Nameservers == nil {
		all["nameservers"] = []any{all["gateway"]}
	}
	all["timeServers"], all["mtu"], all["proxy"] = f.Network.TimeServers, f.Network.MTU, f.Network.Proxy
	return all
}

// networkOfServers is what rented servers share: no network is theirs alone, and the first prefix and gateway are each server's own.
func (f configurationFile) networkOfServers() piece {
	all := piece{"nameservers": f.Network.Nameservers, "timeServers": f.Network.TimeServers, "mtu": f.Network.MTU}
	if f.Network.Proxy != nil {
		all["proxy"] = f.Network.Proxy
	}
	if one := f.nodes()[0]; len(one.addresses) > 1 {
		all["second"] = piece{"prefix": f.bits(one, 1), "gateway": f.gatewayLike(one.addresses[1])}
	}
	return all
}

// gatewayLike is the common gateway of an address's family.
func (f configurationFile) gatewayLike(ip netip.Addr) string {
	for _, gateway := range f.Network.Gateway {
		if netip.MustParseAddr(gateway).Is4() == ip.Is4() {
			return gateway
		}
	}
	return ""
}

func (f configurationFile) registries(folder string) []piece {
	var all []piece
	for host, registry := range f.Registries {
		one := piece{"host": host, "mirrors": registry.Mirrors}
		for key, value := range registry.Rest {
			one[key] = value
		}
		if registry.CA != "" {
			one["ca"] = string(must(os.ReadFile(filepath.Join(folder, registry.CA))))
		}
		all = append(all, one)
	}
	return all
}

func (f configurationFile) firewall() piece {
	if f.Firewall == nil {
		return nil
	}
	var open []piece
	for _, rule := range f.Firewall.Open {
		one := piece{"ports": rule.Ports, "protocol": "tcp", "from": f.byFamily("0.0.0.0/0", "::/0")}
		if rule.Protocol != "" {
			one["protocol"] = rule.Protocol
		}
		if rule.From != nil {
			one["from"] = rule.From
		}
		one["name"], one["on"] = rule.Rest["name"], rule.Rest["on"]
		open = append(open, one)
	}
	return piece{"admin": f.Firewall.Admin, "open": open}
}
