package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// strangers have no token, or a wrong one.
func (j *judge) strangers() {
	for _, token := range []string{"", "wrong", j.told.Token[1:]} {
		_, err := clientOf(j.told.URL, token).Server.All(j.ctx)
		j.refused(fmt.Sprintf("a token of %d letters", len(token)), err, hcloud.ErrorCodeUnauthorized)
	}
}

func (j *judge) servers() {
	servers, err := j.client.Server.All(j.ctx)
	j.works("all servers", err)
	j.check("all servers", slices.Equal(names(servers), j.told.Servers), names(servers))

	first := servers[0]
	j.check("a server runs", first.Status == hcloud.ServerStatusRunning, first.Status)
	j.check("its address", first.PublicNet.IPv4.IP.To4() != nil, first.PublicNet.IPv4)
	j.check("its type", first.ServerType.Architecture == hcloud.ArchitectureX86 && first.ServerType.Name != "", first.ServerType)
	j.check("it is nobody's now", !first.Locked && !first.RescueEnabled, first)
	j.check("its time", !first.Created.IsZero(), first.Created)

	for _, text := range []string{strconv.FormatInt(first.ID, 10), first.Name} {
		found, _, err := j.client.Server.Get(j.ctx, text)
		j.works("the server "+text, err)
		j.check("the server "+text, found != nil && found.ID == first.ID, found)
	}

	none, _, err := j.client.Server.GetByID(j.ctx, 1)
	j.works("an id that nobody has", err)
	j.check("an id that nobody has", none == nil, none)
	none, _, err = j.client.Server.GetByName(j.ctx, "nobody")
	j.works("a name that nobody has", err)
	j.check("a name that nobody has", none == nil, none)

	_, _, err = j.client.Server.Reset(j.ctx, &hcloud.Server{ID: 1})
	j.refused("a reset of nobody", err, hcloud.ErrorCodeNotFound)

	off, err := j.client.Server.AllWithOpts(j.ctx, hcloud.ServerListOpts{Status: []hcloud.ServerStatus{hcloud.ServerStatusOff}})
	j.works("servers that are off", err)
	j.check("servers that are off", len(off) == 0, names(off))
	j.pages()
}

func (j *judge) pages() {
	last := len(j.told.Servers)
	paged, answer, err := j.client.Server.List(j.ctx, hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{Page: 2, PerPage: 1}})
	j.works("the second page", err)
	j.check("the second page", slices.Equal(names(paged), j.told.Servers[1:2]), names(paged))

	pages := answer.Meta.Pagination
	j.check("pages are counted", pages != nil && pages.Page == 2 && pages.PreviousPage == 1 && pages.LastPage == last && pages.TotalEntries == last, pages)
	j.check("calls are counted", answer.Meta.Ratelimit.Limit == 3600 && answer.Meta.Ratelimit.Remaining < 3600, answer.Meta.Ratelimit)
	j.check("calls come back", !answer.Meta.Ratelimit.Reset.IsZero(), answer.Meta.Ratelimit)

	all, err := j.client.Server.AllWithOpts(j.ctx, hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{PerPage: 1}})
	j.works("page by page", err)
	j.check("page by page", slices.Equal(names(all), j.told.Servers), names(all))
}

// labels are judged by the client, too.
func (j *judge) labels() {
	long := strings.Repeat("a", 63)
	sets := []map[string]string{
		{"role": "web"}, {"role": ""}, {"a.b_c-d": "1.2_3-4"}, {"example.com/role": "web"}, {"Role": "Web"}, {long: long}, {},
		{"-role": "web"}, {"role-": "web"}, {"role": "-web"}, {"role": "two words"}, {"a/b/c": ""}, {"": "web"},
		{long + "a": "web"}, {"role": long + "a"}, {"/role": "web"}, {"role": "ä"},
	}
	server := j.server(j.told.Servers[0])

	for _, labels := range sets {
		asked := map[string]any{}
		for key, value := range labels {
			asked[key] = value
		}

		valid, _ := hcloud.ValidateResourceLabels(asked)
		changed, _, err := j.client.Server.Update(j.ctx, server, hcloud.ServerUpdateOpts{Labels: labels})

		if !valid {
			j.refused(fmt.Sprintf("the labels %v", labels), err, hcloud.ErrorCodeInvalidInput)

			continue
		}

		j.works(fmt.Sprintf("the labels %v", labels), err)
		j.check(fmt.Sprintf("the labels %v", labels), maps.Equal(changed.Labels, labels), changed.Labels)
	}

	second := j.server(j.told.Servers[1])
	j.label(server, map[string]string{"role": "web", "tier": "1"})
	j.label(second, map[string]string{"role": "db"})

	for selector, want := range map[string][]string{
		"role": {server.Name, second.Name}, "!role": j.told.Servers[2:], "role=web": {server.Name}, "role==db": {second.Name},
		"role,tier=1": {server.Name}, "role in (web,db)": {server.Name, second.Name}, "role notin (web),role": {second.Name},
		"role!=web,role": {second.Name}, "role=none": nil,
	} {
		found, err := j.client.Server.AllWithOpts(j.ctx, hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{LabelSelector: selector}})
		j.works("servers with "+selector, err)
		j.check("servers with "+selector, slices.Equal(names(found), want), names(found))
	}
}

func (j *judge) label(server *hcloud.Server, labels map[string]string) {
	_, _, err := j.client.Server.Update(j.ctx, server, hcloud.ServerUpdateOpts{Labels: labels})
	j.works(fmt.Sprintf("%s gets %v", server.Name, labels), err)
}

func names(servers []*hcloud.Server) []string {
	var all []string
	for _, server := range servers {
		all = append(all, server.Name)
	}

	return all
}
