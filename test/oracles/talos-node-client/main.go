// Talos's own client looks at one node: ADDRESS in maintenance mode, ADDRESS TALOSCONFIG with that file's certificate. It prints what it saw as JSON.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cosi-project/runtime/pkg/safe"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/k8s"
)

type seen struct {
	Talos   string            `json:"talos"`
	Boot    string            `json:"boot,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Members []member          `json:"members,omitempty"`
}

type member struct {
	Name    string `json:"name"`
	Learner bool   `json:"learner"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	found, err := look(ctx, os.Args[1], os.Args[2:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func look(ctx context.Context, address string, talosconfig []string) (found seen, err error) {
	who := client.WithTLSConfig(&tls.Config{InsecureSkipVerify: true})
	if len(talosconfig) > 0 {
		who = client.WithConfigFromFile(talosconfig[0])
	}
	c, err := client.New(ctx, who, client.WithEndpoints(address))
	if err != nil {
		return found, err
	}
	defer c.Close() //nolint:errcheck
	version, err := c.Version(ctx)
	if err != nil {
		return found, fmt.Errorf("version: %w", err)
	}
	found.Talos = version.Messages[0].Version.Tag
	if len(talosconfig) == 0 {
		return found, nil
	}
	if found.Boot, err = read(ctx, c, "/proc/sys/kernel/random/boot_id"); err != nil {
		return found, fmt.Errorf("boot id: %w", err)
	}
	labels, err := safe.StateListAll[*k8s.NodeLabelSpec](ctx, c.COSI)
	if err != nil {
		return found, fmt.Errorf("labels: %w", err)
	}
	found.Labels = map[string]string{}
	for label := range labels.All() {
		found.Labels[label.TypedSpec().Key] = label.TypedSpec().Value
	}
	// A worker has no etcd, and says so.
	etcd, err := c.EtcdMemberList(ctx, &machineapi.EtcdMemberListRequest{QueryLocal: true})
	if err == nil {
		for _, one := range etcd.Messages[0].Members {
			found.Members = append(found.Members, member{one.Hostname, one.IsLearner})
		}
	}
	return found, nil
}

func read(ctx context.Context, c *client.Client, path string) (string, error) {
	stream, err := c.Read(ctx, path)
	if err != nil {
		return "", err
	}
	defer stream.Close() //nolint:errcheck
	text, err := io.ReadAll(stream)
	return strings.TrimSpace(string(text)), err
}
