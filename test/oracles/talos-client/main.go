// Talos's own client, and Talos's own types: with "messages" they judge protos/, else they play with the lab's machines.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/siderolabs/talos/pkg/machinery/client"
	clientconfig "github.com/siderolabs/talos/pkg/machinery/client/config"
)

// scene is what the lab's side tells: machines in maintenance mode and what to send them.
type scene struct {
	// Talos is what the machines run, of the minor that this program is made of.
	Talos       string
	Minor       int
	Kubernetes  string
	Cluster     string
	Endpoint    string
	Talosconfig string
	// Reader is the same with a certificate that may only read.
	Reader   string
	Machines []machine
	// Wrong are configs that Talos refuses.
	Wrong []wrongConfig
	// Nobody is an address that no machine has.
	Nobody string
}

type machine struct {
	Address string
	UUID    string
	MAC     string
	Name    string
	// Config is empty for a machine that gets one as Talos generates it.
	Config string
	// Labelled is its config with one label more, Filed the one with a file more, which asks for a reboot before 1.14.
	Labelled string
	Filed    string
	Worker   bool
}

type wrongConfig struct {
	Name   string
	Config string
}

func main() {
	work := run
	if len(os.Args) > 1 && os.Args[1] == "messages" {
		work = func() error { return messages(os.Stdin, os.Stdout) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var told scene
	if err := json.NewDecoder(os.Stdin).Decode(&told); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	for i, m := range told.Machines {
		if m.Config == "" {
			config, err := generated(told, told.Machines[0], m)
			if err != nil {
				return fmt.Errorf("the config of %s: %w", m.Name, err)
			}
			m.Config = config
		}
		if err := waiting(ctx, told, m, i == 0); err != nil {
			return fmt.Errorf("%s in maintenance mode: %w", m.Name, err)
		}
	}
	admin, err := as(ctx, told.Talosconfig, told.Machines[0].Address)
	if err != nil {
		return err
	}
	defer admin.Close() //nolint:errcheck
	reader, err := as(ctx, told.Reader, told.Machines[0].Address)
	if err != nil {
		return err
	}
	defer reader.Close() //nolint:errcheck
	play := &play{scene: told, admin: admin, reader: reader}
	for _, act := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"born", play.born}, {"facts", play.facts}, {"services", play.services}, {"files", play.files}, {"inside", play.inside}, {"events", play.events},
		{"etcd", play.etcd}, {"resources", play.resources}, {"every resource", play.everyResource}, {"watches", play.watches},
		{"wipes", play.wipes}, {"roles", play.roles}, {"forwarded", play.forwarded}, {"wrong configs", play.wrongConfigs}, {"applied", play.applied},
		{"health", play.health}, {"members leave", play.membersLeave}, {"ends", play.ends},
	} {
		if err := act.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", act.name, err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"checks": checks, "resources": play.compared, "seen": seen.list()})
}

// play is a cluster with its administrator and somebody who may only read.
type play struct {
	scene
	admin    *client.Client
	reader   *client.Client
	compared int
}

func as(ctx context.Context, talosconfig, endpoint string) (*client.Client, error) {
	config, err := clientconfig.FromString(talosconfig)
	if err != nil {
		return nil, err
	}
	return client.New(ctx, client.WithConfig(config), client.WithEndpoints(endpoint), client.WithGRPCDialOptions(recording()...))
}
