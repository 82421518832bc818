package main

import (
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func on(servers ...*hcloud.Server) []hcloud.FirewallResource {
	var all []hcloud.FirewallResource
	for _, server := range servers {
		all = append(all, hcloud.FirewallResource{Type: hcloud.FirewallResourceTypeServer, Server: &hcloud.FirewallResourceServer{ID: server.ID}})
	}

	return all
}

// firewalls have a life: made on a server, changed, put on another one, taken off, deleted.
func (j *judge) firewalls() {
	first, second := j.server(j.told.Servers[0]), j.server(j.told.Servers[1])
	wish := hcloud.FirewallCreateOpts{Name: "nodes", Labels: map[string]string{"by": "test"}, Rules: many(2), ApplyTo: on(first)}

	made, _, err := j.client.Firewall.Create(j.ctx, wish)
	j.works("a firewall on a server", err)
	j.check("one action for one server", len(made.Actions) == 1 && made.Actions[0].Command == "apply_firewall", made.Actions)
	j.check("an action on both", len(made.Actions[0].Resources) == 2, made.Actions[0].Resources)
	j.wait("the firewall", made.Actions...)

	firewall := j.firewall("nodes")
	j.check("the firewall is what was wished for", said(firewall.Rules) == said(wish.Rules) && firewall.Labels["by"] == "test" && !firewall.Created.IsZero(), firewall)
	j.check("the firewall is where it was wished for", len(firewall.AppliedTo) == 1 && firewall.AppliedTo[0].Server.ID == first.ID, firewall.AppliedTo)
	j.standing(first.Name, firewall)

	_, _, err = j.client.Firewall.Create(j.ctx, hcloud.FirewallCreateOpts{Name: "nodes"})
	j.refused("a name that is taken", err, hcloud.ErrorCodeUniquenessError)
	_, _, err = j.client.Firewall.ApplyResources(j.ctx, firewall, on(first))
	j.refused("to put it there again", err, hcloud.ErrorCodeFirewallAlreadyApplied)
	_, _, err = j.client.Firewall.ApplyResources(j.ctx, firewall, on(second, second))
	j.refused("to put it there twice", err, hcloud.ErrorCodeServerAlreadyAdded)
	_, _, err = j.client.Firewall.ApplyResources(j.ctx, firewall, on(&hcloud.Server{ID: 1}))
	j.refused("to put it on nobody", err, hcloud.ErrorCodeFirewallResourceNotFound)
	_, err = j.client.Firewall.Delete(j.ctx, firewall)
	j.refused("to delete what is in use", err, hcloud.ErrorCodeResourceInUse)

	actions, _, err := j.client.Firewall.ApplyResources(j.ctx, firewall, on(second))
	j.works("another server", err)
	j.wait("another server", actions...)
	j.standing(second.Name, firewall)

	actions, _, err = j.client.Firewall.SetRules(j.ctx, firewall, hcloud.FirewallSetRulesOpts{Rules: many(3)})
	j.works("other rules", err)
	j.check("one action for the rules, one for each server", len(actions) == 3, actions)
	j.wait("other rules", actions...)
	j.check("other rules", said(j.firewall("nodes").Rules) == said(many(3)))

	actions, _, err = j.client.Firewall.SetRules(j.ctx, firewall, hcloud.FirewallSetRulesOpts{Rules: []hcloud.FirewallRule{}})
	j.works("no rules", err)
	j.wait("no rules", actions...)
	j.check("no rules", len(j.firewall("nodes").Rules) == 0)

	firewall, _, err = j.client.Firewall.Update(j.ctx, firewall, hcloud.FirewallUpdateOpts{Name: "others", Labels: map[string]string{"by": "us"}})
	j.works("another name", err)
	j.check("another name", firewall.Name == "others" && firewall.Labels["by"] == "us", firewall)

	labelled, err := j.client.Firewall.AllWithOpts(j.ctx, hcloud.FirewallListOpts{ListOpts: hcloud.ListOpts{LabelSelector: "by=us"}})
	j.works("firewalls by their labels", err)
	j.check("firewalls by their labels", len(labelled) == 1 && labelled[0].ID == firewall.ID, labelled)

	actions, _, err = j.client.Firewall.RemoveResources(j.ctx, firewall, on(first, second))
	j.works("it is taken off", err)
	j.wait("it is taken off", actions...)
	j.check("nothing is there any more", len(j.server(first.Name).PublicNet.Firewalls) == 0)

	actions, _, err = j.client.Firewall.RemoveResources(j.ctx, firewall, on(first))
	j.works("it is taken off where it is not", err)
	j.check("nothing is to be done where it is not", len(actions) == 0, actions)
	j.remove(firewall)
}

// selectors put a firewall on all servers with a label.
func (j *judge) selectors() {
	all := []hcloud.FirewallResource{{
		Type:          hcloud.FirewallResourceTypeLabelSelector,
		LabelSelector: &hcloud.FirewallResourceLabelSelector{Selector: "role=web"},
	}}
	made, _, err := j.client.Firewall.Create(j.ctx, hcloud.FirewallCreateOpts{Name: "labelled", ApplyTo: all})
	j.works("a firewall by labels", err)
	j.wait("a firewall by labels", made.Actions...)

	seen := j.firewall("labelled").AppliedTo
	first := j.server(j.told.Servers[0])
	j.check("its selector is kept", len(seen) == 1 && seen[0].LabelSelector != nil && seen[0].LabelSelector.Selector == "role=web", seen)
	j.check("its servers are told", len(seen[0].AppliedToResources) == 1 && seen[0].AppliedToResources[0].Server.ID == first.ID, seen[0].AppliedToResources)

	_, err = j.client.Firewall.Delete(j.ctx, made.Firewall)
	j.refused("to delete what a selector uses", err, hcloud.ErrorCodeResourceInUse)

	actions, _, err := j.client.Firewall.RemoveResources(j.ctx, made.Firewall, all)
	j.works("the selector is taken off", err)
	j.wait("the selector is taken off", actions...)
	j.remove(made.Firewall)
}

func (j *judge) firewall(name string) *hcloud.Firewall {
	firewall, _, err := j.client.Firewall.GetByName(j.ctx, name)
	j.works("the firewall "+name, err)
	j.check("the firewall "+name, firewall != nil, firewall)

	return firewall
}

func (j *judge) standing(name string, firewall *hcloud.Firewall) {
	seen := j.server(name).PublicNet.Firewalls
	j.check("a server tells of its firewall", len(seen) == 1 && seen[0].Firewall.ID == firewall.ID && seen[0].Status == hcloud.FirewallStatusApplied, seen)
}

func (j *judge) remove(firewall *hcloud.Firewall) {
	_, err := j.client.Firewall.Delete(j.ctx, firewall)
	j.works("it is deleted", err)

	found, _, err := j.client.Firewall.Get(j.ctx, strconv.FormatInt(firewall.ID, 10))
	j.works("a deleted firewall", err)
	j.check("a deleted firewall", found == nil, found)
	_, err = j.client.Firewall.Delete(j.ctx, firewall)
	j.refused("to delete it again", err, hcloud.ErrorCodeNotFound)
}
