package main

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
)

func (p *play) controlPlanes() (found []machine) {
	for _, m := range p.Machines {
		if !m.Worker {
			found = append(found, m)
		}
	}
	return found
}

func (p *play) worker() machine {
	for _, m := range p.Machines {
		if m.Worker {
			return m
		}
	}
	return machine{}
}

// members waits until there are that many and none of them learns.
func (p *play) members(ctx context.Context, count int) (list []*machineapi.EtcdMember, err error) {
	err = eventually(ctx, fmt.Sprintf("%d members", count), func(ctx context.Context) error {
		reply, err := p.admin.EtcdMemberList(ctx, &machineapi.EtcdMemberListRequest{})
		if err != nil {
			return err
		}
		list = reply.GetMessages()[0].GetMembers()
		for _, member := range list {
			if member.GetIsLearner() {
				return fmt.Errorf("%s is a learner", member.GetHostname())
			}
		}
		if len(list) != count {
			return fmt.Errorf("%d of %d members", len(list), count)
		}
		return nil
	})
	return list, err
}

func (p *play) etcd(ctx context.Context) error {
	list, err := p.members(ctx, len(p.controlPlanes()))
	if err != nil {
		return err
	}
	local, err := p.admin.EtcdMemberList(ctx, &machineapi.EtcdMemberListRequest{QueryLocal: true})
	if err != nil {
		return err
	}
	status, err := p.admin.EtcdStatus(ctx)
	if err != nil {
		return err
	}
	raised, err := p.admin.EtcdAlarmList(ctx)
	if err != nil {
		return err
	}
	disarmed, err := p.admin.EtcdAlarmDisarm(ctx)
	if err != nil {
		return err
	}
	after, err := p.admin.EtcdAlarmList(ctx)
	if err != nil {
		return err
	}
	member := status.GetMessages()[0].GetMemberStatus()
	_, elsewhere := p.admin.EtcdStatus(client.WithNode(ctx, p.worker().Address))
	remove := p.admin.EtcdRemoveMemberByID(ctx, &machineapi.EtcdRemoveMemberByIDRequest{MemberId: 42})
	if err := all(
		expect("members seen here", len(local.GetMessages()[0].GetMembers()), len(list)),
		expect("somebody leads", member.GetLeader() != 0, true),
		expect("what etcd complains of", len(member.GetErrors()), 1),
		expect("alarms", len(raised.GetMessages()[0].GetMemberAlarms()), 1),
		expect("alarms disarmed", len(disarmed.GetMessages()[0].GetMemberAlarms()), 1),
		expect("alarms left", len(after.GetMessages()[0].GetMemberAlarms()), 0),
		refused("etcd on a worker", elsewhere, codes.Unimplemented, "etcd status is only available on control plane nodes"),
		refused("a member that is not there", remove, codes.NotFound, "etcdserver: member not found"),
	); err != nil {
		return err
	}
	if err := p.snapshot(ctx); err != nil {
		return err
	}
	leader := ""
	for _, one := range list {
		if one.GetId() == member.GetLeader() {
			leader = one.GetHostname()
		}
	}
	for _, m := range p.controlPlanes() {
		if m.Name != leader {
			continue
		}
		moved, err := p.admin.EtcdForfeitLeadership(client.WithNode(ctx, m.Address), &machineapi.EtcdForfeitLeadershipRequest{})
		if err != nil {
			return err
		}
		to := moved.GetMessages()[0].GetMember()
		return expect("another one leads", to != "" && to != leader, true)
	}
	return fmt.Errorf("the leader %q is no control plane", leader)
}

// membersLeave by themselves, or are removed by others.
func (p *play) membersLeave(ctx context.Context) error {
	planes := p.controlPlanes()
	if err := p.admin.EtcdLeaveCluster(client.WithNodes(ctx, planes[1].Address), &machineapi.EtcdLeaveClusterRequest{}); err != nil {
		return err
	}
	list, err := p.members(ctx, len(planes)-1)
	if err != nil {
		return err
	}
	for _, member := range list {
		if member.GetHostname() != planes[2].Name {
			continue
		}
		here := client.WithNodes(ctx, planes[0].Address)
		if err := p.admin.EtcdRemoveMemberByID(here, &machineapi.EtcdRemoveMemberByIDRequest{MemberId: member.GetId()}); err != nil {
			return err
		}
	}
	if _, err = p.members(ctx, len(planes)-2); err != nil {
		return err
	}
	alone := p.admin.EtcdLeaveCluster(ctx, &machineapi.EtcdLeaveClusterRequest{})
	_, nowhere := p.admin.EtcdForfeitLeadership(ctx, &machineapi.EtcdForfeitLeadershipRequest{})
	return all(
		refused("the last member leaves", alone, codes.Unknown, "etcdserver: re-configuration failed due to not enough started members"),
		refused("the last member forfeits", nowhere, codes.Unknown, "cannot forfeit leadership, only one member"),
	)
}
