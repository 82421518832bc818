package main

import (
	"errors"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func (j *judge) rescue(key *hcloud.SSHKey) {
	server := j.server(j.told.Servers[0])
	with := func(keys ...*hcloud.SSHKey) hcloud.ServerEnableRescueOpts {
		return hcloud.ServerEnableRescueOpts{Type: hcloud.ServerRescueTypeLinux64, SSHKeys: keys}
	}

	enabled, _, err := j.client.Server.EnableRescue(j.ctx, server, with(key))
	j.works("a rescue is ordered", err)
	j.check("its password", len(enabled.RootPassword) >= 8, len(enabled.RootPassword))
	j.wait("the rescue", enabled.Action)
	j.check("the order's name", enabled.Action.Command == "enable_rescue", enabled.Action.Command)

	server = j.server(server.Name)
	j.check("the next start is a rescue, and nothing was started", server.RescueEnabled && server.Status == hcloud.ServerStatusRunning, server)

	action, _, err := j.client.Server.DisableRescue(j.ctx, server)
	j.works("a rescue is given up", err)
	j.wait("giving it up", action)
	j.check("no rescue any more", !j.server(server.Name).RescueEnabled)

	_, _, err = j.client.Server.EnableRescue(j.ctx, server, with(&hcloud.SSHKey{ID: 999_999}))
	j.refused("a key that nobody has", err, hcloud.ErrorCodeInvalidInput)
	_, _, err = j.client.Server.EnableRescue(j.ctx, server, hcloud.ServerEnableRescueOpts{Type: "windows"})
	j.refused("another kind of rescue", err, hcloud.ErrorCodeInvalidInput)

	again, _, err := j.client.Server.EnableRescue(j.ctx, server, with())
	j.works("a rescue without keys", err)
	j.check("every order has its password", again.RootPassword != enabled.RootPassword)
	j.wait("the rescue without keys", again.Action)

	action, _, err = j.client.Server.Reset(j.ctx, server)
	j.works("a reset", err)
	j.wait("the reset", action)
	j.check("a rescue is for one start", !j.server(server.Name).RescueEnabled)
	j.locked(server)
}

// locked asks for something while something else is under way, which may have ended meanwhile: then again.
func (j *judge) locked(server *hcloud.Server) {
	for range 20 {
		action, _, err := j.client.Server.Reset(j.ctx, server)
		j.works("a reset of a server that nothing locks", err)

		seen := j.server(server.Name).Locked
		second, _, err := j.client.Server.Reset(j.ctx, server)
		j.wait("the reset", action)

		if err == nil {
			j.wait("the second reset", second)

			continue
		}

		j.check("a server is locked while something is under way", seen)
		j.refused("a locked server", err, hcloud.ErrorCodeLocked)
		j.check("a server is locked no longer than that", !j.server(server.Name).Locked)

		return
	}

	fail("a server was never locked, although its actions were under way")
}

func (j *judge) power() {
	server := j.server(j.told.Servers[1])
	switches := []struct {
		name, command string
		ask           func() (*hcloud.Action, *hcloud.Response, error)
		after         hcloud.ServerStatus
	}{
		{"poweroff", "stop_server", func() (*hcloud.Action, *hcloud.Response, error) { return j.client.Server.Poweroff(j.ctx, server) }, hcloud.ServerStatusOff},
		{"reset", "reset_server", func() (*hcloud.Action, *hcloud.Response, error) { return j.client.Server.Reset(j.ctx, server) }, hcloud.ServerStatusOff},
		{"poweron", "start_server", func() (*hcloud.Action, *hcloud.Response, error) { return j.client.Server.Poweron(j.ctx, server) }, hcloud.ServerStatusRunning},
		{"reboot", "reboot_server", func() (*hcloud.Action, *hcloud.Response, error) { return j.client.Server.Reboot(j.ctx, server) }, hcloud.ServerStatusRunning},
	}

	for _, one := range switches {
		action, _, err := one.ask()
		j.works(one.name, err)
		j.check(one.name+" by its name", action.Command == one.command, action.Command)
		j.wait(one.name, action)

		status := j.server(server.Name).Status
		j.check("after "+one.name, status == one.after, status)

		filtered, err := j.client.Server.AllWithOpts(j.ctx, hcloud.ServerListOpts{Name: server.Name, Status: []hcloud.ServerStatus{one.after}})
		j.works("servers after "+one.name, err)
		j.check("servers after "+one.name, len(filtered) == 1, names(filtered))
	}

	broken := j.server(j.told.Broken)
	action, _, err := j.client.Server.Poweroff(j.ctx, broken)
	j.works("a poweroff that fails later", err)

	var failed hcloud.ActionError

	err = j.client.Action.WaitFor(j.ctx, action)
	j.check("an action that fails says why", errors.As(err, &failed) && failed.Message == j.told.Message, err)

	seen, _, err := j.client.Action.GetByID(j.ctx, action.ID)
	j.works("the action that failed", err)
	j.check("the action that failed", seen.Status == hcloud.ActionStatusError && seen.ErrorCode == "action_failed", seen)

	broken = j.server(j.told.Broken)
	j.check("after an action that failed", broken.Status == hcloud.ServerStatusRunning && !broken.Locked, broken)
}
