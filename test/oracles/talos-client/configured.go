package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/safe"
	"github.com/cosi-project/runtime/pkg/state"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/cluster"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/k8s"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
	"github.com/siderolabs/talos/pkg/machinery/resources/runtime"
	"github.com/siderolabs/talos/pkg/machinery/resources/v1alpha1"
)

// configured brings a cluster up and looks at it from its first control plane, and through that at the others.
func configured(ctx context.Context, c *client.Client, machines []machine) error {
	if err := eventually(ctx, "Version", func(ctx context.Context) error {
		_, err := c.Version(ctx)
		return err
	}); err != nil {
		return err
	}
	if err := eventually(ctx, "Bootstrap", func(ctx context.Context) error { return c.Bootstrap(ctx, &machineapi.BootstrapRequest{}) }); err != nil {
		return err
	}
	again := c.Bootstrap(ctx, &machineapi.BootstrapRequest{})
	if err := expect("a second bootstrap", status.Code(again), codes.AlreadyExists); err != nil {
		return err
	}
	for _, look := range []func(context.Context, *client.Client, []machine) error{running, members, services, resources, kubeconfig, events, forwarded} {
		if err := look(ctx, c, machines); err != nil {
			return err
		}
	}
	return nil
}

// running watches the machine's status until the boot is over.
func running(ctx context.Context, c *client.Client, _ []machine) error {
	ch := make(chan safe.WrappedStateEvent[*runtime.MachineStatus])
	metadata := resource.NewMetadata(runtime.NamespaceName, runtime.MachineStatusType, runtime.MachineStatusID, resource.VersionUndefined)
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := safe.StateWatch(watching, c.COSI, metadata, ch); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the machine does not become ready: %w", ctx.Err())
		case event := <-ch:
			if event.Type() == state.Errored {
				return event.Error()
			}
			seen, err := event.Resource()
			if err != nil {
				return err
			}
			if seen.TypedSpec().Stage == runtime.MachineStageRunning && seen.TypedSpec().Status.Ready {
				return nil
			}
		}
	}
}

func members(ctx context.Context, c *client.Client, machines []machine) error {
	controlPlanes := 0
	for _, m := range machines {
		if !m.Worker {
			controlPlanes++
		}
	}
	return eventually(ctx, "EtcdMemberList", func(ctx context.Context) error {
		reply, err := c.EtcdMemberList(ctx, &machineapi.EtcdMemberListRequest{})
		if err != nil {
			return err
		}
		list := reply.GetMessages()[0].GetMembers()
		for _, member := range list {
			if member.GetIsLearner() {
				return fmt.Errorf("%s is a learner", member.GetHostname())
			}
		}
		if len(list) != controlPlanes {
			return fmt.Errorf("%d of %d members", len(list), controlPlanes)
		}
		return nil
	})
}

func services(ctx context.Context, c *client.Client, _ []machine) error {
	for _, id := range []string{"apid", "etcd", "kubelet", "machined", "trustd"} {
		found, err := c.ServiceInfo(ctx, id)
		if err != nil {
			return err
		}
		if err := expect("services called "+id, len(found), 1); err != nil {
			return err
		}
		if err := expect(id, found[0].Service.GetState(), "Running"); err != nil {
			return err
		}
		if err := expect(id+" healthy", found[0].Service.GetHealth().GetHealthy(), true); err != nil {
			return err
		}
		service, err := safe.StateGetByID[*v1alpha1.Service](ctx, c.COSI, id)
		if err != nil {
			return err
		}
		if err := expect(id+" in COSI", *service.TypedSpec(), v1alpha1.ServiceSpec{Running: true, Healthy: true}); err != nil {
			return err
		}
	}
	return nil
}

func resources(ctx context.Context, c *client.Client, machines []machine) error {
	first := machines[0]
	stored, err := safe.StateGetByID[*config.MachineConfig](ctx, c.COSI, config.ActiveID)
	if err != nil {
		return err
	}
	text, err := stored.Container().Bytes()
	if err != nil {
		return err
	}
	if err := expect("the config is as it was sent", string(text), first.Config); err != nil {
		return err
	}
	machineType, err := safe.StateGetByID[*config.MachineType](ctx, c.COSI, config.MachineTypeID)
	if err != nil {
		return err
	}
	if err := expect("the machine's type", machineType.MachineType().String(), "controlplane"); err != nil {
		return err
	}
	addresses, err := safe.StateGetByID[*network.NodeAddress](ctx, c.COSI, network.NodeAddressDefaultID)
	if err != nil {
		return err
	}
	if err := expect("the address", addresses.TypedSpec().IPs()[0].String(), first.Address); err != nil {
		return err
	}
	name, err := safe.StateGetByID[*k8s.Nodename](ctx, c.COSI, k8s.NodenameID)
	if err != nil {
		return err
	}
	if err := expect("the node's name", name.TypedSpec().Nodename, first.Name); err != nil {
		return err
	}
	extensions, err := safe.StateListAll[*runtime.ExtensionStatus](ctx, c.COSI)
	if err != nil {
		return err
	}
	if err := expect("the schematic", len(extensions.Get(0).TypedSpec().Metadata.Version), 64); err != nil {
		return err
	}
	if err := eventually(ctx, "members", func(ctx context.Context) error {
		all, err := safe.StateListAll[*cluster.Member](ctx, c.COSI)
		if err != nil {
			return err
		}
		if all.Len() != len(machines) {
			return fmt.Errorf("%d of %d members", all.Len(), len(machines))
		}
		return nil
	}); err != nil {
		return err
	}
	definition, err := c.ResolveResourceKind(ctx, new(resource.Namespace), "members")
	if err != nil {
		return err
	}
	return expect("members", definition.TypedSpec().Type, cluster.MemberType)
}

func kubeconfig(ctx context.Context, c *client.Client, _ []machine) error {
	text, err := c.Kubeconfig(ctx)
	if err != nil {
		return err
	}
	return expect("the kubeconfig has a context", strings.Contains(string(text), "current-context: admin@"), true)
}

func events(ctx context.Context, c *client.Client, _ []machine) error {
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	ch := make(chan client.EventResult)
	if err := c.EventsWatchV2(watching, ch, client.WithTailEvents(-1)); err != nil {
		return err
	}
	for event := range ch {
		if event.Error != nil {
			return event.Error
		}
		if seen, ok := event.Event.Payload.(*machineapi.MachineStatusEvent); ok && seen.GetStage() == machineapi.MachineStatusEvent_RUNNING {
			checks++
			return nil
		}
	}
	return errors.New("the events end before the machine runs")
}

func forwarded(ctx context.Context, c *client.Client, machines []machine) error {
	for _, m := range machines {
		if err := eventually(ctx, "Version of "+m.Name, func(ctx context.Context) error {
			reply, err := c.Version(client.WithNodes(ctx, m.Address))
			if err != nil {
				return err
			}
			if host := reply.GetMessages()[0].GetMetadata().GetHostname(); host != m.Address {
				return fmt.Errorf("answered as %q", host)
			}
			return nil
		}); err != nil {
			return err
		}
		name, err := safe.StateGetByID[*k8s.Nodename](client.WithNode(ctx, m.Address), c.COSI, k8s.NodenameID)
		if err != nil {
			return err
		}
		if err := expect("the name of "+m.Address, name.TypedSpec().Nodename, m.Name); err != nil {
			return err
		}
	}
	r, err := c.Read(ctx, "/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck
	id, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return expect("the length of a boot id", len(strings.TrimSpace(string(id))), 36)
}
