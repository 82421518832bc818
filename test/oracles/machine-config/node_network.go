package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/cel"
	"github.com/siderolabs/talos/pkg/machinery/cel/celenv"
	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/types/network"
	"github.com/siderolabs/talos/pkg/machinery/nethelpers"
)

func (n nodeInput) networkDocuments() []config.Document {
	hostname := network.NewHostnameConfigV1Alpha1()
	hostname.ConfigAuto = pointer(nethelpers.AutoHostnameKindOff)
	hostname.ConfigHostname = n.Node.Name
	all := []config.Document{hostname}
	if n.MAC == "" && !n.Node.OnlyCard && n.Node.Bond == nil {
		return all
	}
	link, lowest, documents := n.lowestLink()
	all = append(all, documents...)
	lowest.LinkUp = pointer(true)
	lowest.LinkMTU = n.Network.MTU
	if n.Node.Tag == 0 {
		n.address(lowest)
	} else {
		vlan := network.NewVLANConfigV1Alpha1(fmt.Sprintf("%s.%d", link, n.Node.Tag))
		vlan.VLANIDConfig = n.Node.Tag
		vlan.ParentLinkConfig = link
		vlan.LinkUp = pointer(true)
		vlan.LinkMTU = n.Network.MTU
		n.address(&vlan.CommonLinkConfig)
		link = vlan.MetaName
		all = append(all, vlan)
	}
	for i, nic := range n.Node.NICs {
		all = append(all, nic.documents(i+1)...)
	}
	if len(n.Network.Nameservers) > 0 {
		resolver := network.NewResolverConfigV1Alpha1()
		for _, server := range n.Network.Nameservers {
			resolver.ResolverNameservers = append(resolver.ResolverNameservers, network.NameserverConfig{Address: address(server)})
		}
		all = append(all, resolver)
	}
	if n.Cluster.VIP != "" && n.Node.Role == "controlplane" {
		vip := network.NewLayer2VIPConfigV1Alpha1(n.Cluster.VIP)
		vip.LinkName = link
		all = append(all, vip)
	}
	return all
}

// lowestLink is the card or the bond, not yet configured.
func (n nodeInput) lowestLink() (string, *network.CommonLinkConfig, []config.Document) {
	want := n.Node.Bond
	if want == nil {
		card := network.NewLinkConfigV1Alpha1("net0")
		return "net0", &card.CommonLinkConfig, []config.Document{alias("net0", n.MAC), card}
	}
	bond := network.NewBondConfigV1Alpha1("bond0")
	var documents []config.Document
	for i, mac := range want.MACs {
		name := fmt.Sprintf("bond0p%d", i)
		bond.BondLinks = append(bond.BondLinks, name)
		documents = append(documents, alias(name, mac))
	}
	bond.BondMode = pointer(must(nethelpers.BondModeByName(want.Mode)))
	bond.BondMIIMon = pointer(uint32(100))
	if want.MIIMon != nil {
		bond.BondMIIMon = want.MIIMon
	}
	if want.Mode == "802.3ad" {
		bond.BondUpDelay, bond.BondDownDelay = pointer(2**bond.BondMIIMon), pointer(2**bond.BondMIIMon)
	}
	if want.LACPRate != "" {
		bond.BondLACPRate = pointer(must(nethelpers.LACPRateByName(want.LACPRate)))
	}
	if want.XmitHashPolicy != "" {
		bond.BondXmitHashPolicy = pointer(must(nethelpers.BondXmitHashPolicyByName(want.XmitHashPolicy)))
	}
	return "bond0", &bond.CommonLinkConfig, append(documents, bond)
}

// address gives a link the node's addresses and ways out.
func (n nodeInput) address(link *network.CommonLinkConfig) {
	add := func(ip string, bits int, gateway string) {
		own := netip.PrefixFrom(netip.MustParseAddr(ip), bits)
		link.LinkAddresses = append(link.LinkAddresses, network.AddressConfig{AddressAddress: own})
		if mine, err := netip.ParseAddr(n.Node.Gateway); err == nil && mine.Is4() == own.Addr().Is4() {
			gateway = n.Node.Gateway
		}
		if gateway != "" {
			link.LinkRoutes = append(link.LinkRoutes, reach(gateway, []netip.Prefix{own})...)
			link.LinkRoutes = append(link.LinkRoutes, network.RouteConfig{RouteGateway: address(gateway)})
		}
	}
	bits := cmp.Or(n.Node.Prefix, n.Network.Prefix, netip.MustParseAddr(n.Node.IP).BitLen())
	add(n.Node.IP, bits, n.Network.Gateway)
	if n.Node.SecondIP != "" && n.Network.Second != nil {
		add(n.Node.SecondIP, n.Network.Second.Prefix, n.Network.Second.Gateway)
	}
}

func (nic nodeNIC) documents(at int) []config.Document {
	card := network.NewLinkConfigV1Alpha1(fmt.Sprintf("net%d", at))
	card.LinkUp = pointer(true)
	card.LinkMTU = nic.MTU
	var own []netip.Prefix
	for _, text := range nic.Addresses {
		own = append(own, netip.MustParsePrefix(text))
		card.LinkAddresses = append(card.LinkAddresses, network.AddressConfig{AddressAddress: netip.MustParsePrefix(text)})
	}
	known := map[string]bool{}
	for _, route := range nic.Routes {
		if !known[route.Via] {
			card.LinkRoutes = append(card.LinkRoutes, reach(route.Via, own)...)
		}
		known[route.Via] = true
		one := network.RouteConfig{RouteGateway: address(route.Via)}
		if netip.MustParsePrefix(route.To).Bits() == 0 {
			one.RouteMetric = uint32(2048 + at)
		} else {
			one.RouteDestination = prefix(route.To)
		}
		card.LinkRoutes = append(card.LinkRoutes, one)
	}
	all := []config.Document{alias(card.MetaName, nic.MAC), card}
	if nic.DHCP {
		dhcp := network.NewDHCPv4ConfigV1Alpha1(card.MetaName)
		dhcp.ConfigRouteMetric = uint32(2048 + at)
		all = append(all, dhcp)
	}
	for _, want := range nic.VLANs {
		vlan := network.NewVLANConfigV1Alpha1(fmt.Sprintf("%s.%d", card.MetaName, want.ID))
		vlan.VLANIDConfig = want.ID
		vlan.ParentLinkConfig = card.MetaName
		vlan.LinkUp = pointer(true)
		vlan.LinkMTU = want.MTU
		for _, text := range want.Addresses {
			vlan.LinkAddresses = append(vlan.LinkAddresses, network.AddressConfig{AddressAddress: netip.MustParsePrefix(text)})
		}
		all = append(all, vlan)
	}
	return all
}

// reach is the route on the link that a gateway outside of the link's networks needs.
func reach(gateway string, own []netip.Prefix) []network.RouteConfig {
	to := netip.MustParseAddr(gateway)
	if to.IsLinkLocalUnicast() {
		return nil
	}
	for _, one := range own {
		if one.Contains(to) {
			return nil
		}
	}
	return []network.RouteConfig{{RouteDestination: prefix(netip.PrefixFrom(to, to.BitLen()).String())}}
}

// onlyCard is the selector of the one card of a machine.
const onlyCard = `link.type == 1 && link.kind == "" && !(link.driver in ["cdc_eem", "cdc_ether", "cdc_ncm", "cdc_subset", "rndis_host"])`

// alias is for the card of this address; without one, for the only card.
func alias(name, mac string) *network.LinkAliasConfigV1Alpha1 {
	made := network.NewLinkAliasConfigV1Alpha1(name)
	text := fmt.Sprintf("mac(link.permanent_addr) == %q", strings.ToLower(mac))
	if mac == "" {
		text = onlyCard
	}
	made.Selector.Match = must(cel.ParseBooleanExpression(text, celenv.LinkLocator()))
	return made
}

func pointer[T any](value T) *T { return &value }
