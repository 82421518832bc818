package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/types/network"
	"github.com/siderolabs/talos/pkg/machinery/nethelpers"
)

func (n nodeInput) firewallDocuments() []config.Document {
	if n.Firewall == nil {
		return nil
	}
	block := network.NewDefaultActionConfigV1Alpha1()
	block.Ingress = nethelpers.DefaultActionBlock
	all := []config.Document{block}
	add := func(name string, protocol nethelpers.Protocol, ports network.PortRanges, from ...[]string) {
		rule := network.NewRuleConfigV1Alpha1()
		rule.MetaName = name
		rule.PortSelector.Protocol = protocol
		rule.PortSelector.Ports = ports
		known := map[string]bool{}
		for _, list := range from {
			for _, subnet := range list {
				if !known[subnet] {
					rule.Ingress = append(rule.Ingress, network.IngressRule{Subnet: netip.MustParsePrefix(subnet)})
				}
				known[subnet] = true
			}
		}
		all = append(all, rule)
	}
	tcp, udp := nethelpers.ProtocolTCP, nethelpers.ProtocolUDP
	peers, pods, admin := n.peers(), n.Cluster.PodSubnets, n.Firewall.Admin
	if n.Wireguard != nil {
		admin = append(slices.Clone(admin), n.Wireguard.CIDR)
	}
	var callers []string
	if n.Cluster.TalosAPIAccess != nil && n.Node.Role == "controlplane" {
		callers = pods
	}
	add("apid-ingress", tcp, port(50000), admin, peers, callers)
	if n.Node.Role == "controlplane" {
		add("trustd-ingress", tcp, port(50001), peers)
		add("kubernetes-api-ingress", tcp, port(6443), admin, peers, pods)
		etcd := network.PortRanges{{Lo: 2379, Hi: 2380}}
		if strings.HasPrefix(n.Cluster.Talos, "v1.14.") {
			etcd = append(etcd, network.PortRange{Lo: 2383, Hi: 2383})
		}
		add("etcd-ingress", tcp, etcd, n.controlPlanes())
	}
	add("kubelet-ingress", tcp, port(10250), peers, pods)
	switch n.Cluster.CNI {
	case "flannel":
		add("cni-vxlan", udp, port(4789), peers)
	case "cilium":
		add("cni-vxlan", udp, port(8472), peers)
		add("cilium-health", tcp, port(4240), peers, pods)
		add("cilium-hubble", tcp, port(4244), peers, pods)
	}
	if n.Cluster.KubeSpan {
		add("kubespan", udp, port(51820), []string{"0.0.0.0/0", "::/0"})
	}
	if n.Wireguard != nil {
		add("wireguard", udp, port(n.Wireguard.Port), []string{"0.0.0.0/0", "::/0"})
	}
	for _, open := range n.Firewall.Open {
		if open.On != "" && open.On != n.Node.Role {
			continue
		}
		var ports network.PortRanges
		for _, text := range open.Ports {
			one := network.PortRange{}
			if read, _ := fmt.Sscanf(text, "%d-%d", &one.Lo, &one.Hi); read == 1 {
				one.Hi = one.Lo
			}
			ports = append(ports, one)
		}
		add("open-"+open.Name, must(nethelpers.ProtocolString(open.Protocol)), ports, open.From)
	}
	return all
}

func port(number uint16) network.PortRanges { return network.PortRanges{{Lo: number, Hi: number}} }

// peers are the cluster's networks and the nodes outside of them.
func (n nodeInput) peers() []string {
	second := ""
	if n.Network.Second != nil {
		second = n.Network.Second.CIDR
	}
	networks := known(n.Network.CIDR, second)
	all := slices.Clone(networks)
	for _, peer := range n.Peers {
		for _, ip := range peer.addresses() {
			if !insideAny(ip, networks) {
				all = append(all, netip.PrefixFrom(ip, ip.BitLen()).String())
			}
		}
	}
	return all
}

func (n nodeInput) controlPlanes() []string {
	var all []string
	for _, peer := range n.Peers {
		for _, ip := range peer.addresses() {
			if peer.Role == "controlplane" {
				all = append(all, netip.PrefixFrom(ip, ip.BitLen()).String())
			}
		}
	}
	return all
}

func (p nodePeer) addresses() []netip.Addr {
	all := []netip.Addr{netip.MustParseAddr(p.IP)}
	if p.SecondIP != "" {
		all = append(all, netip.MustParseAddr(p.SecondIP))
	}
	return all
}
