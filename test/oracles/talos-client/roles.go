package main

import (
	"context"
	"regexp"
	"time"

	"github.com/cosi-project/runtime/pkg/safe"
	"google.golang.org/grpc/codes"

	clusterapi "github.com/siderolabs/talos/pkg/machinery/api/cluster"
	"github.com/siderolabs/talos/pkg/machinery/api/common"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/k8s"
)

var ephemeral = regexp.MustCompile("^EPHEM")

// roles: whoever may only read may do that, and nothing else.
func (p *play) roles(ctx context.Context) error {
	const no = "not authorized"
	_, version := p.reader.Version(ctx)
	_, list := p.reader.ServiceList(ctx)
	_, name := safe.StateGetByID[*k8s.Nodename](ctx, p.reader.COSI, k8s.NodenameID)
	_, file := text(p.reader.Read(ctx, "/etc/os-release"))
	_, secret := safe.StateGetByID[*config.MachineConfig](ctx, p.reader.COSI, config.ActiveID)
	_, kubeconfig := p.reader.Kubeconfig(ctx)
	_, restart := p.reader.ServiceRestart(ctx, "kubelet")
	_, apply := p.reader.ApplyConfiguration(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte(p.Machines[0].Config)})
	return all(version, list, name,
		refused("a file", file, codes.PermissionDenied, no),
		refused("a config", secret, codes.PermissionDenied, no),
		refused("a kubeconfig", kubeconfig, codes.PermissionDenied, no),
		refused("a restart", restart, codes.PermissionDenied, no),
		refused("a config to apply", apply, codes.PermissionDenied, no),
		refused("a reboot", p.reader.Reboot(ctx), codes.PermissionDenied, no),
		refused("a reset", p.reader.Reset(ctx, true, true), codes.PermissionDenied, no),
		refused("a bootstrap", p.reader.Bootstrap(ctx, &machineapi.BootstrapRequest{RecoverEtcd: true, RecoverSkipHashCheck: true}), codes.PermissionDenied, no),
	)
}

// forwarded calls reach every node through the first, one by one and all at once; a node that is not there is an answer of its own.
func (p *play) forwarded(ctx context.Context) error {
	addresses := []string{}
	for _, m := range p.Machines {
		addresses = append(addresses, m.Address)
		if err := eventually(ctx, "the name of "+m.Address, func(ctx context.Context) error {
			name, err := safe.StateGetByID[*k8s.Nodename](client.WithNode(ctx, m.Address), p.admin.COSI, k8s.NodenameID)
			if err != nil {
				return err
			}
			return expect("the name of "+m.Address, name.TypedSpec().Nodename, m.Name)
		}); err != nil {
			return err
		}
	}
	reply, err := p.admin.MachineClient.Version(client.WithNodes(ctx, append(addresses, p.Nobody)...), nothing)
	if err != nil {
		return err
	}
	for i, message := range reply.GetMessages()[:len(addresses)] {
		if err := expect("who answers", message.GetMetadata().GetHostname(), addresses[i]); err != nil {
			return err
		}
	}
	lost := reply.GetMessages()[len(addresses)].GetMetadata()
	if err := all(
		expect("who does not answer", lost.GetHostname(), p.Nobody),
		expect("the code of no answer", codes.Code(lost.GetStatus().GetCode()), codes.Unavailable),
		expect("there are words, too", lost.GetError() != "", true),
	); err != nil {
		return err
	}
	_, alone := p.admin.Version(client.WithNode(ctx, p.Nobody))
	_, cosi := safe.StateGetByID[*k8s.Nodename](client.WithNodes(ctx, addresses...), p.admin.COSI, k8s.NodenameID)
	if err := all(
		refused("a node that is not there", alone, codes.Unavailable, "no route to host"),
		refused("resources of several", cosi, codes.InvalidArgument, "one-2-many proxying is not supported for"),
	); err != nil {
		return err
	}
	return all(p.streams(ctx, addresses), p.labelled(client.WithNodes(ctx, p.Machines[0].Address), p.Machines[0].Address))
}

type labelledReply interface{ GetMetadata() *common.Metadata }

// labelled answers say from which node they are, when several could have been asked.
func (p *play) labelled(ctx context.Context, address string) error {
	c := p.admin.MachineClient
	apply := &machineapi.ApplyConfigurationRequest{Data: []byte(p.Machines[0].Config), Mode: machineapi.ApplyConfigurationRequest_AUTO, DryRun: true}
	for _, call := range []func() (labelledReply, error){
		func() (labelledReply, error) { r, err := c.Hostname(ctx, nothing); return first(r.GetMessages()), err },
		func() (labelledReply, error) { r, err := c.Memory(ctx, nothing); return first(r.GetMessages()), err },
		func() (labelledReply, error) {
			r, err := c.ServiceList(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.ServiceRestart(ctx, &machineapi.ServiceRestartRequest{Id: "kubelet"})
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.EtcdStatus(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.EtcdAlarmList(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.EtcdAlarmDisarm(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.EtcdMemberList(ctx, &machineapi.EtcdMemberListRequest{})
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.EtcdForfeitLeadership(ctx, &machineapi.EtcdForfeitLeadershipRequest{})
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.Bootstrap(ctx, &machineapi.BootstrapRequest{})
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := c.ApplyConfiguration(ctx, apply)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := p.admin.StorageClient.Disks(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			r, err := p.admin.TimeClient.Time(ctx, nothing)
			return first(r.GetMessages()), err
		},
		func() (labelledReply, error) {
			stream, err := c.List(ctx, &machineapi.ListRequest{Root: "/etc"})
			if err != nil {
				return nil, err
			}
			return stream.Recv()
		},
		func() (labelledReply, error) {
			stream, err := c.Events(ctx, &machineapi.EventsRequest{TailEvents: -1})
			if err != nil {
				return nil, err
			}
			return stream.Recv()
		},
		func() (labelledReply, error) {
			stream, err := p.admin.ClusterHealthCheck(ctx, time.Minute, &clusterapi.ClusterInfo{})
			if err != nil {
				return nil, err
			}
			return stream.Recv()
		},
	} {
		reply, err := call()
		if err != nil {
			return err
		}
		if err := expect("who answers", reply.GetMetadata().GetHostname(), address); err != nil {
			return err
		}
	}
	return nil
}

func first[T any](all []T) (one T) {
	if len(all) > 0 {
		one = all[0]
	}
	return one
}

func (p *play) streams(ctx context.Context, addresses []string) error {
	stream, err := p.admin.Dmesg(client.WithNodes(ctx, addresses...), false, false)
	if err != nil {
		return err
	}
	heard := map[string]bool{}
	for {
		data, err := stream.Recv()
		if err != nil {
			break
		}
		heard[data.GetMetadata().GetHostname()] = true
	}
	return expect("nodes whose kernel spoke", len(heard), len(addresses))
}
