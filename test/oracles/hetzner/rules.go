package main

import (
	"fmt"
	"net"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func rule(direction hcloud.FirewallRuleDirection, protocol hcloud.FirewallRuleProtocol, port string, networks ...string) hcloud.FirewallRule {
	var parsed []net.IPNet

	for _, text := range networks {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			fail(err.Error())
		}

		parsed = append(parsed, *network)
	}

	one := hcloud.FirewallRule{Direction: direction, Protocol: protocol}
	if port != "" {
		one.Port = &port
	}

	if direction == hcloud.FirewallRuleDirectionIn {
		one.SourceIPs = parsed
	} else {
		one.DestinationIPs = parsed
	}

	return one
}

func tcp(port string, networks ...string) hcloud.FirewallRule {
	return rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolTCP, port, networks...)
}

// rules are taken as they are, or refused with their field.
func (j *judge) rules() {
	described := tcp("6443", "203.0.113.7/32", "2001:db8::/48")
	described.Description = hcloud.Ptr("for people")
	good := []hcloud.FirewallRule{
		described,
		tcp("80-85", "0.0.0.0/0", "::/0"),
		tcp("any", "10.0.0.0/8"),
		rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolUDP, "51820", "0.0.0.0/0"),
		rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolICMP, "", "0.0.0.0/0"),
		rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolGRE, "", "10.0.0.0/8"),
		rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolESP, "", "10.0.0.0/8"),
		rule(hcloud.FirewallRuleDirectionOut, hcloud.FirewallRuleProtocolTCP, "443", "0.0.0.0/0"),
	}

	made, _, err := j.client.Firewall.Create(j.ctx, hcloud.FirewallCreateOpts{Name: "rules", Rules: good})
	j.works("rules of all kinds", err)
	j.check("a firewall on no server has nothing to do", len(made.Actions) == 0, made.Actions)
	j.check("rules are kept as they are", said(made.Firewall.Rules) == said(good), said(made.Firewall.Rules))

	anywhere := "0.0.0.0/0"
	bad := []struct {
		what  string
		rules []hcloud.FirewallRule
		field string
	}{
		{"a port above all", []hcloud.FirewallRule{tcp("65536", anywhere)}, "rules.0.port"},
		{"port 0", []hcloud.FirewallRule{tcp("0", anywhere)}, "rules.0.port"},
		{"a range from its end", []hcloud.FirewallRule{tcp("85-80", anywhere)}, "rules.0.port"},
		{"a port in words", []hcloud.FirewallRule{tcp("http", anywhere)}, "rules.0.port"},
		{"TCP without a port", []hcloud.FirewallRule{tcp("", anywhere)}, "rules.0.port"},
		{"ICMP with a port", []hcloud.FirewallRule{rule(hcloud.FirewallRuleDirectionIn, hcloud.FirewallRuleProtocolICMP, "80", anywhere)}, "rules.0.port"},
		{"a way in from nowhere", []hcloud.FirewallRule{tcp("80", anywhere), tcp("81")}, "rules.1.source_ips"},
		{"a way out to nowhere", []hcloud.FirewallRule{rule(hcloud.FirewallRuleDirectionOut, hcloud.FirewallRuleProtocolTCP, "80")}, "rules.0.destination_ips"},
		{"another protocol", []hcloud.FirewallRule{rule(hcloud.FirewallRuleDirectionIn, "sctp", "80", anywhere)}, "rules.0.protocol"},
		{"51 rules", many(51), "rules"},
	}

	for _, one := range bad {
		_, _, err = j.client.Firewall.Create(j.ctx, hcloud.FirewallCreateOpts{Name: "bad", Rules: one.rules})
		j.invalid(one.what, err, one.field)
		_, _, err = j.client.Firewall.SetRules(j.ctx, made.Firewall, hcloud.FirewallSetRulesOpts{Rules: one.rules})
		j.invalid(one.what+", set", err, one.field)
	}

	actions, _, err := j.client.Firewall.SetRules(j.ctx, made.Firewall, hcloud.FirewallSetRulesOpts{Rules: many(50)})
	j.works("50 rules", err)
	j.wait("50 rules", actions...)

	found, _, err := j.client.Firewall.GetByID(j.ctx, made.Firewall.ID)
	j.works("50 rules are there", err)
	j.check("50 rules are there", said(found.Rules) == said(many(50)), len(found.Rules))

	_, err = j.client.Firewall.Delete(j.ctx, made.Firewall)
	j.works("a firewall on no server is deleted", err)

	left, err := j.client.Firewall.All(j.ctx)
	j.works("what was refused was not made", err)
	j.check("what was refused was not made", len(left) == 0, left)
}

func many(count int) []hcloud.FirewallRule {
	var all []hcloud.FirewallRule
	for at := range count {
		all = append(all, tcp(fmt.Sprint(1000+at), "0.0.0.0/0"))
	}

	return all
}

// said is for comparing: a network has more than one form in memory.
func said(rules []hcloud.FirewallRule) string {
	text := ""

	for _, one := range rules {
		text += fmt.Sprintf("%s %s", one.Direction, one.Protocol)

		for _, word := range []*string{one.Port, one.Description} {
			if word != nil {
				text += fmt.Sprintf(" %q", *word)
			} else {
				text += " -"
			}
		}

		for _, networks := range [][]net.IPNet{one.SourceIPs, one.DestinationIPs} {
			for _, network := range networks {
				text += " " + network.String()
			}

			text += ";"
		}

		text += "\n"
	}

	return text
}
