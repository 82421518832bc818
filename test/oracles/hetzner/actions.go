package main

import (
	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func (j *judge) actions() {
	var begun []*hcloud.Action

	for _, name := range j.told.Servers {
		action, _, err := j.client.Server.Reset(j.ctx, j.server(name))
		j.works("a reset of "+name, err)

		begun = append(begun, action)
	}

	j.wait("all resets at once", begun...)

	for at, name := range j.told.Servers {
		action, _, err := j.client.Action.GetByID(j.ctx, begun[at].ID)
		j.works("an action by its id", err)
		j.check("an action that ended", action.Status == hcloud.ActionStatusSuccess && action.Progress == 100, action)
		j.check("its times", !action.Finished.Before(action.Started), action)

		on := action.Resources
		j.check("what it was about", len(on) == 1 && on[0].ID == j.server(name).ID && on[0].Type == hcloud.ActionResourceTypeServer, on)
	}

	none, _, err := j.client.Action.GetByID(j.ctx, 999_999)
	j.works("an action that nobody began", err)
	j.check("an action that nobody began", none == nil, none)
}
