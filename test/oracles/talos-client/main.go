// Plays Talos's own client, unmodified, against the lab's machines: from maintenance mode to a running cluster. What it
// cannot decode, or finds to be otherwise than Talos would have it, ends it with an error.
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

// scene is what the lab's side tells: three machines in maintenance mode and what to send them.
type scene struct {
	Talosconfig string
	Machines    []machine
}

type machine struct {
	Address string
	UUID    string
	MAC     string
	Name    string
	Config  string
	Worker  bool
}

// Talos's own client: with "messages" it judges protos/, else it plays with the lab's machines.
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, m := range told.Machines {
		if err := waiting(ctx, m); err != nil {
			return fmt.Errorf("%s in maintenance mode: %w", m.Name, err)
		}
	}
	config, err := clientconfig.FromString(told.Talosconfig)
	if err != nil {
		return err
	}
	c, err := client.New(ctx, client.WithConfig(config), client.WithEndpoints(told.Machines[0].Address))
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck
	if err := configured(ctx, c, told.Machines); err != nil {
		return err
	}
	fmt.Printf("%d machines, %d checks\n", len(told.Machines), checks)
	return nil
}

var checks int

// expect counts a check and says what is wrong when it fails.
func expect[T comparable](what string, got, want T) error {
	checks++
	if got != want {
		return fmt.Errorf("%s is %v, not %v", what, got, want)
	}
	return nil
}

// eventually tries again until it works or the time is over.
func eventually(ctx context.Context, what string, try func(context.Context) error) error {
	checks++
	for {
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := try(short)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
