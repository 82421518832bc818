package main

import (
	"context"
	"fmt"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/safe"
	"github.com/cosi-project/runtime/pkg/state"

	"github.com/siderolabs/talos/pkg/machinery/resources/cluster"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/k8s"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
	"github.com/siderolabs/talos/pkg/machinery/resources/runtime"
	"github.com/siderolabs/talos/pkg/machinery/resources/secrets"
	"github.com/siderolabs/talos/pkg/machinery/resources/v1alpha1"
)

// running watches the machine's status until the boot is over.
func (p *play) running(ctx context.Context) error {
	ch := make(chan safe.WrappedStateEvent[*runtime.MachineStatus])
	metadata := resource.NewMetadata(runtime.NamespaceName, runtime.MachineStatusType, runtime.MachineStatusID, resource.VersionUndefined)
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := safe.StateWatch(watching, p.admin.COSI, metadata, ch); err != nil {
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

// resources reads a few through their own types and looks at what they say.
func (p *play) resources(ctx context.Context) error {
	c, first := p.admin, p.Machines[0]
	stored, err := safe.StateGetByID[*config.MachineConfig](ctx, c.COSI, config.ActiveID)
	if err != nil {
		return err
	}
	text, err := stored.Container().Bytes()
	if err != nil {
		return err
	}
	machineType, err := safe.StateGetByID[*config.MachineType](ctx, c.COSI, config.MachineTypeID)
	if err != nil {
		return err
	}
	addresses, err := safe.StateGetByID[*network.NodeAddress](ctx, c.COSI, network.NodeAddressDefaultID)
	if err != nil {
		return err
	}
	name, err := safe.StateGetByID[*k8s.Nodename](ctx, c.COSI, k8s.NodenameID)
	if err != nil {
		return err
	}
	apid, err := safe.StateGetByID[*v1alpha1.Service](ctx, c.COSI, "apid")
	if err != nil {
		return err
	}
	extensions, err := safe.StateListAll[*runtime.ExtensionStatus](ctx, c.COSI)
	if err != nil {
		return err
	}
	root, err := safe.StateGetByID[*secrets.OSRoot](ctx, c.COSI, secrets.OSRootID)
	if err != nil {
		return err
	}
	issuing, err := root.TypedSpec().IssuingCA.GetCert()
	if err != nil {
		return err
	}
	definition, err := c.ResolveResourceKind(ctx, new(resource.Namespace), "members")
	if err != nil {
		return err
	}
	if err := all(
		expect("the config is as it was sent", string(text), first.Config),
		expect("the machine's type", machineType.MachineType().String(), "controlplane"),
		expect("the address", addresses.TypedSpec().IPs()[0].String(), first.Address),
		expect("the node's name", name.TypedSpec().Nodename, first.Name),
		expect("apid", *apid.TypedSpec(), v1alpha1.ServiceSpec{Running: true, Healthy: true}),
		expect("the schematic", len(extensions.Get(0).TypedSpec().Metadata.Version), 64),
		expect("whose authority it is", fmt.Sprint(issuing.Subject.Organization), "[talos]"),
		expect("members", definition.TypedSpec().Type, cluster.MemberType),
	); err != nil {
		return err
	}
	// Neither of them is in the YAML, where Go leaves single addresses out.
	links, err := safe.StateListAll[*network.AddressStatus](ctx, c.COSI)
	if err != nil {
		return err
	}
	for link := range links.All() {
		if err := expect("the local address", link.TypedSpec().Local, link.TypedSpec().Address.Addr()); err != nil {
			return err
		}
	}
	return eventually(ctx, "members", func(ctx context.Context) error {
		all, err := safe.StateListAll[*cluster.Member](ctx, c.COSI)
		if err != nil {
			return err
		}
		if all.Len() != len(p.Machines) {
			return fmt.Errorf("%d of %d members", all.Len(), len(p.Machines))
		}
		return nil
	})
}
