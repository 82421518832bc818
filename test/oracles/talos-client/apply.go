package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/safe"
	"github.com/cosi-project/runtime/pkg/state"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
)

var nothing = &emptypb.Empty{}

func (p *play) apply(ctx context.Context, request *machineapi.ApplyConfigurationRequest) (*machineapi.ApplyConfiguration, error) {
	reply, err := p.admin.ApplyConfiguration(ctx, request)
	if err != nil {
		return nil, err
	}
	return reply.GetMessages()[0], nil
}

// applied configs take effect at once, for a while, or after a reboot, and the config that is in force says so.
func (p *play) applied(ctx context.Context) error {
	m := p.Machines[0]
	return all(p.tried(ctx, m), p.asked(ctx, m), p.kept(ctx, m))
}

// tried for a while, a config is in force and then no longer; what is stored stays what it was.
func (p *play) tried(ctx context.Context, m machine) error {
	watching, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	active := make(chan safe.WrappedStateEvent[*config.MachineConfig])
	metadata := resource.NewMetadata(config.NamespaceName, config.MachineConfigType, config.ActiveID, resource.VersionUndefined)
	if err := safe.StateWatch(watching, p.admin.COSI, metadata, active); err != nil {
		return err
	}
	if err := inForce(active, m.Config); err != nil {
		return err
	}
	said, err := p.apply(ctx, &machineapi.ApplyConfigurationRequest{
		Data: []byte(m.Labelled), Mode: machineapi.ApplyConfigurationRequest_TRY, TryModeTimeout: durationpb.New(100 * time.Second),
	})
	if err != nil {
		return err
	}
	stored, err := safe.StateGetByID[*config.MachineConfig](ctx, p.admin.COSI, config.PersistentID)
	if err != nil {
		return err
	}
	text, err := stored.Container().Bytes()
	if err != nil {
		return err
	}
	return all(
		expect("the mode", said.GetMode(), machineapi.ApplyConfigurationRequest_TRY),
		expect("the details", said.GetModeDetails(),
			"Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in 1m40s"),
		expect("what is stored", string(text), m.Config),
		inForce(active, m.Labelled),
		inForce(active, m.Config),
	)
}

// inForce waits for the next event, which must have that config.
func inForce(active <-chan safe.WrappedStateEvent[*config.MachineConfig], want string) error {
	event := <-active
	if event.Type() != state.Created && event.Type() != state.Updated {
		return fmt.Errorf("the config is %s: %w", event.Type(), event.Error())
	}
	got, err := event.Resource()
	if err != nil {
		return err
	}
	text, err := got.Container().Bytes()
	if err != nil {
		return err
	}
	return expect("the config in force", string(text), want)
}

// asked is what would happen, and what cannot.
func (p *play) asked(ctx context.Context, m machine) error {
	dry, err := p.apply(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(m.Labelled), Mode: machineapi.ApplyConfigurationRequest_AUTO, DryRun: true})
	if err != nil {
		return err
	}
	if err := expect("a dry run shows what is new: "+dry.GetModeDetails(), strings.Contains(dry.GetModeDetails(), "Config diff:\n\n"), true); err != nil {
		return err
	}
	_, partial := p.apply(ctx, &machineapi.ApplyConfigurationRequest{
		Data: []byte("apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n"), Mode: machineapi.ApplyConfigurationRequest_AUTO,
	})
	if err := refused("half a config", partial, codes.InvalidArgument, "doesn't contain v1alpha1 config"); err != nil {
		return err
	}
	if p.Minor >= 14 {
		_, reboot := p.apply(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(m.Labelled)})
		return refused("a reboot", reboot, codes.Unimplemented, "the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead")
	}
	_, late := p.apply(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(m.Filed), Mode: machineapi.ApplyConfigurationRequest_NO_REBOOT})
	return refused("a change that needs a reboot", late, codes.InvalidArgument, "this config change can't be applied in immediate mode\ndiff:")
}

func (p *play) kept(ctx context.Context, m machine) error {
	now, err := p.apply(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(m.Labelled), Mode: machineapi.ApplyConfigurationRequest_AUTO})
	if err != nil {
		return err
	}
	staged, err := p.apply(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(m.Config), Mode: machineapi.ApplyConfigurationRequest_STAGED})
	if err != nil {
		return err
	}
	return all(
		expect("it comes with a warning", len(now.GetWarnings()) > 0, true),
		expect("the mode of a small change", now.GetMode(), machineapi.ApplyConfigurationRequest_NO_REBOOT),
		expect("its details", now.GetModeDetails(), "Applied configuration without a reboot"),
		expect("the mode of a staged one", staged.GetMode(), machineapi.ApplyConfigurationRequest_STAGED),
		expect("the details of a staged one", staged.GetModeDetails(), "Staged configuration to be applied after the next reboot"),
	)
}
